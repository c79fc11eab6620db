"""A long run with faults, kills, a full disk and a lock: it loses nothing, leaks nothing, and its bill is right.

    python benchmarks/reliability/soak.py [--results 200000] [--keep FOLDER]

Grades so many results with the installed command into one SQLite ledger. One in 20 is judged by a provider (a real HTTP
server on the loopback) that spoils 5 % of its answers; one in 20 names a snapshot that is missing; the others are
checked by rules. The gates are known. On the way the command is killed (SIGKILL) after 10, 25 and 40 % of the results,
its ledger cannot grow (a limit of the operating system on the size of its files) after 55 %, and another
process holds the ledger's lock for longer than the command waits after 60 %. After each event the same command goes on.

Prints one JSON line: `lost`, `wrong` (gates that are neither the known one nor undecided), `attempts` and `requests`,
`cost` and `bill`, `in_flight` (attempts of unknown cost, whose requests were in flight when the command was stopped;
at most twice the judge calls at once for each event that stopped it), and of the last session, which grades the rest,
the memory: `slope_bytes` a result with its standard error, from a straight line through the means of 20 blocks,
`growth_mib` over the session, and the change of open descriptors and threads. Exit code 1 where something is lost,
wrong, unpaid, or leaks.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, bill, provider

COMMAND: Final = Path(sys.executable).with_name("judgemesh")
JUDGE_CALLS: Final = 8
_EVERY: Final = 20
_JUDGED: Final = 0
_BROKEN: Final = 10
_KILLS: Final = (0.10, 0.25, 0.40)
_FULL_AT: Final = 0.55
_LOCKED_AT: Final = 0.60
_LOCKED_S: Final = 25.0
_SPARE_SHARE: Final = 0.05
"""By how much the ledger may grow where the disk is full."""
_SAMPLE_S: Final = 0.5
_BLOCKS: Final = 20
_SETTLED: Final = 0.2
"""Share of the last session that fills caches, and is not part of the fit."""
_MAX_GROWTH_MIB: Final = 8.0
_FAULTS: Final = ("--fault-rate", "0.05", "--hang-s", "0.2", "--retry-after-s", "0.05", "--seed", "3")  # fmt: skip
_CONTRACTS: Final = """\
task_id: judged
criteria:
  - {id: kept, question: "Was the guest told about the new date?", gate: true}
---
task_id: broken
state: {expected: [{path: /orders/1/status, op: replace, after: paid}], allowed: ["/orders/**"]}
---
task_id: plain
sop: {forbidden_tools: [pay]}
"""
_SENTENCE: Final = (
    "The booking {number} was moved to Monday and the guest was told about it by mail. "
)


def result(number: int) -> dict[str, Any]:
    """The result of that number."""
    good = _is_good(number)
    row: dict[str, Any] = {"result_id": f"r{number:07d}", "task_id": "plain"}
    text = _SENTENCE.format(number=number) * 4
    match number % _EVERY:
        case remainder if remainder == _JUDGED:
            truth = "yes" if good else "no"
            return {
                **row,
                "task_id": "judged",
                "output": {"final_answer": f"{text} TRUTH:{truth}"},
            }
        case remainder if remainder == _BROKEN:
            state = {"before_path": "gone.json", "after_path": "gone.json"}
            return {**row, "task_id": "broken", "output": text, "state": state}
        case _:
            call = {"name": "look" if good else "pay", "arguments": "{}"}
            calls = [{"id": "1", "type": "function", "function": call}]
            trace = [{"role": "assistant", "content": None, "tool_calls": calls}]
            output = {"final_answer": text, "outputs": {"date": "Monday"}}
            return {**row, "output": output, "trace": trace}  # fmt: skip


def _is_good(number: int) -> bool:
    return number // _EVERY % 3 > 0


def gate(number: int) -> str:
    """The known gate of the result of that number."""
    if number % _EVERY == _BROKEN:
        return "undecided"
    return "pass" if _is_good(number) else "fail"


@dataclass(frozen=True)
class Sample:
    """A look at the running command: results in the ledger, resident bytes, descriptors, threads."""

    done: int
    resident: int
    descriptors: int
    threads: int


@dataclass
class Session:
    """One run of the command."""

    code: int = 0
    seconds: float = 0.0
    samples: list[Sample] = field(default_factory=list[Sample])


class Soak:
    """The folder, the command line and the ledger of a soak."""

    def __init__(self, folder: Path, count: int, base_url: str) -> None:
        self.folder = folder
        self.count = count
        self.ledger = folder / "ledger.db"
        self._arguments = (
            "grade", "results.jsonl", "-c", "contracts.yaml", "--judge", f"openai-compatible:{MODEL}",
            "--judge-api-base", base_url, "--ledger", "ledger.db", "--judge-concurrency", str(JUDGE_CALLS),
            "-q", "--no-content", "--fail-under", "0", "--fail-on-error", "1000000",
        )  # fmt: skip

    def write(self) -> None:
        """Write contracts and results."""
        (self.folder / "contracts.yaml").write_text(_CONTRACTS)
        with (self.folder / "results.jsonl").open("w") as stream:
            for number in range(self.count):
                stream.write(json.dumps(result(number)) + "\n")

    def session(
        self,
        *,
        until: float = 2.0,
        act: Callable[[subprocess.Popen[bytes]], object] = lambda _process: None,
        max_file_bytes: int | None = None,
    ) -> Session:
        """Run the command to its end; once that share of the results is in the ledger, `act` on its process."""
        session = Session()
        started = time.monotonic()
        with (self.folder / "stderr").open("ab") as stderr:
            process = subprocess.Popen(
                [str(COMMAND), *self._arguments], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=stderr,
            )  # fmt: skip
        if max_file_bytes is not None:
            limits = (max_file_bytes, max_file_bytes)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
        acted = False
        while process.poll() is None:
            time.sleep(_SAMPLE_S)
            done = self.done()
            sample = _sample(process.pid, done)
            if sample is not None:
                session.samples.append(sample)
            sys.stderr.write(
                f"\r{done:,} of {self.count:,}, {time.monotonic() - started:.0f} s "
            )
            if not acted and done >= until * self.count:
                acted = True
                act(process)
        session.code = process.returncode
        session.seconds = time.monotonic() - started
        return session

    def hold(self, _process: object) -> None:
        """Hold the lock of the ledger for longer than a command waits for it."""
        with closing(sqlite3.connect(self.ledger, timeout=60)) as database:
            database.isolation_level = None
            database.execute("BEGIN IMMEDIATE")
            time.sleep(_LOCKED_S)

    def done(self) -> int:
        """Results in the ledger."""
        rows = self.rows("SELECT count(*) FROM eval_task_result")
        return rows[0][0] if rows else 0

    def rows(self, query: str) -> list[Any]:
        """Rows of the ledger; none while it has no tables."""
        if not self.ledger.exists():
            return []
        address = f"file:{self.ledger}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=60)) as database:
            try:
                return database.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []


def _sample(process: int, done: int) -> Sample | None:
    folder = Path(f"/proc/{process}")
    try:
        fields = (folder / "statm").read_text().split()
        descriptors = len(list((folder / "fd").iterdir()))
        threads = len(list((folder / "task").iterdir()))
    except OSError:
        return None
    if len(fields) < 2 or fields[1] == "0":
        return None
    return Sample(done, int(fields[1]) * resource.getpagesize(), descriptors, threads)


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)


def events(soak: Soak) -> Iterator[tuple[str, Session]]:
    """The sessions of a soak, each with what ended it."""
    for share in _KILLS:
        yield "killed", soak.session(until=share, act=_kill)
    # What is in the write-ahead log is in the file after this, so that the limit leaves room for a little more.
    with closing(sqlite3.connect(soak.ledger, timeout=60)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield "terminated", soak.session(until=_FULL_AT, act=_terminate)
    size = int(soak.ledger.stat().st_size * (1 + _SPARE_SHARE))
    yield "disk full", soak.session(max_file_bytes=size)
    yield "locked", soak.session(until=_LOCKED_AT, act=soak.hold)
    yield "completed", soak.session()


def memory(samples: Sequence[Sample]) -> dict[str, float]:
    """The straight line through the means of blocks of samples, and its standard error."""
    whole = samples[int(len(samples) * _SETTLED) :]
    size = len(whole) / _BLOCKS
    blocks = [
        whole[int(size * each) : int(size * (each + 1))] for each in range(_BLOCKS)
    ]
    points = [
        (_mean(block, "done"), _mean(block, "resident"))
        for block in blocks
        if block
    ]  # fmt: skip
    if len(points) < 3 or points[0][0] == points[-1][0]:
        return {}
    xs, ys = zip(*points, strict=True)
    line = statistics.linear_regression(xs, ys)
    spread = sum((x - statistics.fmean(xs)) ** 2 for x in xs)
    rest = sum((y - line.intercept - line.slope * x) ** 2 for x, y in points)
    error = (rest / (len(points) - 2) / spread) ** 0.5
    return {
        "slope_bytes": round(line.slope, 2),
        "slope_error_bytes": round(error, 2),
        "growth_mib": round(line.slope * (xs[-1] - xs[0]) / 2**20, 2),
        "resident_mib": round(ys[-1] / 2**20, 1),
        "blocks": len(points),
        "samples": len(whole),
    }


def _mean(block: Sequence[Sample], name: str) -> float:
    return statistics.fmean(getattr(sample, name) for sample in block)


def _is_flat(fit: dict[str, float]) -> bool:
    """Whether the slope is not above zero by more than twice its error, or the growth is small."""
    if not fit:
        return True
    return (
        fit["slope_bytes"] <= 2 * fit["slope_error_bytes"]
        or fit["growth_mib"] <= _MAX_GROWTH_MIB
    )


def measured(soak: Soak, base_url: str) -> dict[str, Any]:
    """Run the soak; its figures."""
    sessions: list[tuple[str, Session]] = []
    for name, session in events(soak):
        sessions.append((name, session))
        sys.stderr.write(f"{name}: exit {session.code}\n")
    stopped = sum(name != "completed" for name, _ in sessions)
    gates = dict(soak.rows("SELECT result_id, gate FROM eval_task_result"))
    wrong = lost = open_gates = 0
    for number in range(soak.count):
        found = gates.get(f"r{number:07d}")
        lost += found is None
        open_gates += found == "undecided" and gate(number) != "undecided"
        wrong += found not in (None, "undecided", gate(number))
    calls = soak.rows("SELECT cost, error_type FROM judge_call WHERE NOT cache_hit")
    cost = sum((Decimal(str(row[0])) for row in calls if row[0] is not None), Decimal(0))  # fmt: skip
    billed = bill(base_url)
    last = sessions[-1][1].samples[
        :-1
    ]  # the command may have been ending in the last one
    fit = memory(last)
    settled = last[len(last) // 4 :] or sessions[-1][1].samples
    in_flight = sum(error_type == "in_flight" for _, error_type in calls)
    unsent = len(calls) - billed["requests"]
    difference = billed["cost"] - float(cost)
    line = {
        "results": soak.count,
        "lost": lost,
        "wrong": wrong,
        "undecided_by_faults": open_gates,
        "runs": len(soak.rows("SELECT run_id FROM eval_run")),
        "faults_of_the_provider": billed["faults"],
        "attempts": len(calls),
        "requests": billed["requests"],
        "in_flight": in_flight,
        "cost": float(cost),
        "bill": billed["cost"],
        "integrity": soak.rows("PRAGMA integrity_check")[0][0],
        "sessions": [[name, session.code, round(session.seconds)] for name, session in sessions],
        "memory": fit,
        "descriptors": [settled[0].descriptors, settled[-1].descriptors],
        "threads": [settled[0].threads, settled[-1].threads],
        "results_per_s": round(soak.count / sum(s.seconds for _, s in sessions), 1),
    }  # fmt: skip
    # What was paid for a request in flight when the command was stopped is unknown, and nothing else. A request that
    # was noted, and not sent when the command was killed, is an attempt that cost nothing.
    most = difference / max(in_flight, 1)
    is_paid = abs(difference) < 1e-9 or (difference > 0 and in_flight > 0 and most < 0.01)  # fmt: skip
    line["ok"] = (
        lost == 0
        and wrong == 0
        and line["runs"] == 1
        and 0 <= unsent <= in_flight <= 2 * JUDGE_CALLS * stopped
        and is_paid
        and line["integrity"] == "ok"
        and _is_flat(fit)
    )
    return line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak; 1 where a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=200_000)
    parser.add_argument("--keep", type=Path, help="use this folder, and keep it")
    options = parser.parse_args(arguments)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="judgemesh-soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(0o077)
    try:
        with provider(*_FAULTS) as base_url:
            soak = Soak(folder, options.results, base_url)
            soak.write()
            line = measured(soak, base_url)
    finally:
        if options.keep is None:
            shutil.rmtree(folder)
    print(json.dumps(line))
    return int(not line["ok"])


if __name__ == "__main__":
    sys.exit(main())
