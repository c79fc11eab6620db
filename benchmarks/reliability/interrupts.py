"""Ctrl-C in every phase of a run: the command ends within 3 s, with exit code 130 and without a traceback.

    python benchmarks/reliability/interrupts.py [--short] [--results N] [--load FACTOR]

The installed command is sent SIGINT in the middle of each phase: it reads results, waits for a judge that does not
answer, waits for a locked ledger, retries a judge that is down, writes each kind of output from a ledger of N results,
computes numbers from it, copies and merges ledgers, and converts transcripts. Prints a line for each phase and one JSON
line: `phases`, `violations`, `slowest_s`. A phase that had ended before the signal is named, and no violation. `--load`
multiplies the 3 s. Exit code 1 with violations.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

COMMAND: Final = Path(sys.executable).with_name("judgemesh")
LIMIT_S: Final = 3.0
_LONGEST_S: Final = 60.0
_POLL_S: Final = 0.005
_LONGER: Final = 40
"""How many times longer the file is that is only read."""
_LEAST_LINES: Final = 100_000
_OUTPUT: Final = "output"
_INTERRUPTED: Final = 130
_ENDED_ITSELF: Final = (0, 1)
_OUTPUTS: Final = ("html", "jsonl", "xml", "json", "md", "csv", "otlp.jsonl")
_AT_ONCE: Final = ("json", "md")
_SHORT: Final = ("reading", "judging", "ledger locked", "writing html")
_CONTRACTS: Final = """\
task_id: plain
sop: {forbidden_tools: [pay]}
---
task_id: judged
criteria: [{id: kept, question: "Was the guest told?", gate: true}]
"""
_GRADE: Final = ("grade", "results.jsonl", "-c", "contracts.yaml", "-q")


@dataclass(frozen=True)
class Phase:
    """A command, and how to see from outside that it is in the phase."""

    name: str
    arguments: Sequence[str]
    is_there: Callable[[int], bool]


@dataclass(frozen=True)
class Place:
    """The folder of the results, and a server that accepts connections and never answers."""

    folder: Path
    silent: socket.socket

    def write(self, count: int) -> None:
        """Write contracts and results: so many by rules, and one for a judge."""
        (self.folder / "contracts.yaml").write_text(_CONTRACTS)
        with (self.folder / "results.jsonl").open("w") as stream:
            for number in range(count):
                stream.write(_line(f"r{number}", "plain"))
        (self.folder / "judged.jsonl").write_text(_line("j", "judged"))
        with (self.folder / "long.jsonl").open("w") as stream:
            for number in range(max(_LEAST_LINES, _LONGER * count)):
                stream.write(_line(f"r{number}", "plain"))
        with (self.folder / "chats.jsonl").open("w") as stream:
            for number in range(count):
                stream.write(json.dumps(_chat(number)) + "\n")

    def grade(self) -> None:
        """Fill the ledger that is reported on."""
        arguments = (
            *(*_GRADE, "--ledger", "graded.db", "--fail-under", "0"),
            *("-o", "reports.jsonl"),
        )
        subprocess.run([str(COMMAND), *arguments], cwd=self.folder, check=True)

    def phases(self) -> Iterator[Phase]:
        """All phases."""
        port = self.silent.getsockname()[1]
        judged = (
            "grade", "judged.jsonl", "-c", "contracts.yaml", "-q", "--no-preflight",
            "--judge", "openai-compatible:gpt-4.1-mini", "--judge-api-base",
        )  # fmt: skip
        filtered = ("--filter", "nothing-*", "--ledger", "read.db")
        reading = ("grade", "long.jsonl", *_GRADE[2:], *filtered)
        yield Phase("reading", reading, self._has_open("long.jsonl"))
        yield Phase(
            "reading standard input", ("grade", "-", *_GRADE[2:]), _runs_for(1.5)
        )
        silent = f"http://127.0.0.1:{port}/v1"
        yield Phase(
            "judging", (*judged, silent, "--ledger", "judged.db"), self._is_asked
        )
        down = "http://127.0.0.1:9/v1"
        yield Phase(
            "retrying a judge", (*judged, down, "--max-retries", "50", "--ledger", "down.db"), _runs_for(2.5),
        )  # fmt: skip
        yield Phase("ledger locked", (*_GRADE, "--ledger", "locked.db"), _runs_for(2.0))
        grading = (*_GRADE, "--ledger", "written.db", "--no-resume")
        yield Phase("writing the ledger", grading, self._has_rows("written.db"))
        for kind in _OUTPUTS:
            name = f"{_OUTPUT}.{kind}"
            command = ("report", "--ledger", "graded.db", "-o", name)
            # What is written at once is seen too late: the ledger is open from the beginning.
            begun = "graded.db" if kind in _AT_ONCE else f".{_OUTPUT}"
            yield Phase(f"writing {kind}", command, self._has_open(begun))
        for name in ("asr", "report", "weighted"):
            numbers = (name, "--ledger", "graded.db")
            yield Phase(f"computing {name}", numbers, self._has_open("graded.db"))
        reports = ("compare", "reports.jsonl", "reports.jsonl")
        yield Phase("comparing", reports, self._has_open("reports.jsonl"))
        backup = ("ledger", "backup", "copy.db", "--ledger", "graded.db")
        yield Phase("copying a ledger", backup, self._has_open("graded.db"))
        merge = ("ledger", "merge", "graded.db", "--ledger", "merged.db")
        yield Phase("merging ledgers", merge, self._has_open("merged.db"))
        convert = ("convert", "chats.jsonl", "--task", "plain", "-o", "converted.jsonl")
        yield Phase("converting", convert, self._has_open("chats.jsonl"))
        begin = ("init", "chats.jsonl", "--task", "plain")
        yield Phase("drafting", begin, self._has_open("chats.jsonl"))
        verify = ("doctor", "--verify", "graded.db")
        yield Phase("verifying", verify, self._has_open("graded.db"))

    def _has_open(self, name: str) -> Callable[[int], bool]:
        """The command has a file open whose name begins like this."""
        start = str(self.folder / name)

        def has_open(process: int) -> bool:
            try:
                links = list(Path(f"/proc/{process}/fd").iterdir())
                return any(str(link.readlink()).startswith(start) for link in links)
            except OSError:
                return False

        return has_open

    def _has_rows(self, name: str) -> Callable[[int], bool]:
        def has_rows(_process: int) -> bool:
            try:
                address = f"file:{self.folder / name}?mode=ro"
                with closing(sqlite3.connect(address, uri=True)) as database:
                    query = "SELECT count(*) FROM eval_task_result"
                    return bool(database.execute(query).fetchone()[0])
            except sqlite3.Error:
                return False

        return has_rows

    def _is_asked(self, _process: int) -> bool:
        try:
            connection, _ = self.silent.accept()
        except BlockingIOError:
            return False
        _HELD.append(connection)
        return True


_HELD: Final[list[socket.socket]] = []


def _line(result_id: str, task: str) -> str:
    row: dict[str, Any] = {"result_id": result_id, "task_id": task}
    return json.dumps({**row, "output": "It is done. " * 40, "trace": []}) + "\n"


def _chat(number: int) -> dict[str, Any]:
    messages = [
        {"role": "user", "content": f"Where is order {number}?"},
        {"role": "assistant", "content": "It is on its way. " * 20},
    ]
    return {"id": f"chat-{number}", "messages": messages}


def _runs_for(seconds: float) -> Callable[[int], bool]:
    """The command has run for so long: where nothing can be seen from outside."""
    started: list[float] = []

    def runs_for(_process: int) -> bool:
        started.append(time.monotonic())
        return started[-1] - started[0] > seconds

    return runs_for


def interrupted(place: Place, phase: Phase, load: float) -> tuple[float, str]:
    """Seconds from SIGINT to the end of the command, and what is wrong; empty for nothing."""
    with (place.folder / "stderr").open("w+") as stderr:
        process = subprocess.Popen(
            [str(COMMAND), *phase.arguments], cwd=place.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=stderr, start_new_session=True,
        )  # fmt: skip
        begun = time.monotonic()
        while process.poll() is None and not phase.is_there(process.pid):
            if time.monotonic() - begun > _LONGEST_S:
                break
            time.sleep(_POLL_S)
        if process.poll() is not None:
            return 0.0, f"ended before, exit {process.returncode}"
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        try:
            process.wait(_LONGEST_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - sent
        stderr.seek(0)
        return seconds, _judged(process.returncode, seconds, stderr.read(), load)


def _judged(code: int, seconds: float, said: str, load: float) -> str:
    if seconds > LIMIT_S * load:
        return "VIOLATION: ends too late"
    if "Traceback" in said:
        return f"VIOLATION: prints a traceback: {said.strip()[-200:]}"
    if code in _ENDED_ITSELF:
        return f"ended by itself, exit {code}"
    if code != _INTERRUPTED:
        return f"VIOLATION: exit {code}: {said.strip()[-200:]}"
    return ""


def _lock(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("BEGIN EXCLUSIVE")
    return database


def main(arguments: Sequence[str] | None = None) -> int:
    """Interrupt every phase; 1 when there are violations."""
    # A shell starts background jobs with SIGINT ignored, and what they start ignores it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--results", type=int, default=5000)
    parser.add_argument("--load", type=float, default=1.0)
    options = parser.parse_args(arguments)
    violations = count = 0
    slowest_s = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="interrupts-") as folder,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        silent.settimeout(0)
        place = Place(Path(folder), silent)
        place.write(options.results)
        place.grade()
        with closing(_lock(place.folder / "locked.db")):
            for phase in place.phases():
                if options.short and phase.name not in _SHORT:
                    continue
                seconds, wrong = interrupted(place, phase, options.load)
                count += 1
                slowest_s = max(slowest_s, seconds)
                violations += wrong.startswith("VIOLATION")
                print(f"{phase.name:26} {seconds:5.2f} s  {wrong or 'ok'}", flush=True)
    line = {"phases": count, "violations": violations, "slowest_s": round(slowest_s, 2)}
    print(json.dumps(line))
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
