"""Plug-ins, files and sources that misbehave: each run ends within 2 s of its limit, and no fault becomes a grade.

    python benchmarks/reliability/misbehaviour.py [--short] [--only TEXT] [--jobs N] [--load FACTOR]

Each case runs the installed command `judgemesh grade` on one result (26 for functions that were quick 25 times) with a
limit of 1 s a validator. A case is a violation where

* the run takes longer than the same run without misbehaviour, its limit and 2 s together,
* the gate of the result is not `undecided`, or a neighbour's gate is not `pass`,
* the exit code is neither 1 (a gate is not passed) nor 3 (an evaluator error),
* it needs more than 1.5 GiB, or prints a traceback,
* (cases that block) Ctrl-C while it blocks does not end it within 3 s, with exit code 130.

Times are wall-clock; `--jobs` cases run at once. `--load` multiplies the 2 s and the 3 s, for a machine that does other
work. Prints a line for each case, then one JSON
line: `cases`, `violations`, `slowest_s` (over the run without misbehaviour), `slowest_interrupt_s`. Exit code 1 when
there are violations.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reliability.misbehaving.files import FILES, FileCase
from reliability.misbehaving.plugins import (
    ACTS,
    BLOCKING,
    FORMS,
    PLACES,
    write_plugins,
)

COMMAND: Final = Path(sys.executable).with_name("judgemesh")
LIMIT_S: Final = 1.0
SPARE_S: Final = 2.0
INTERRUPT_S: Final = 3.0
MAX_MEMORY_KIB: Final = int(1.5 * 2**20)
_LONGEST_S: Final = 90.0
_SHORT: Final = (
    "validator pure spin",
    "validator plain os_exit",
    "validator generator interrupt",
    "records opening sleep",
    "evidence answer cancelled",
    "file pipe as trace",
)


@dataclass(frozen=True)
class Case:
    """contract: YAML without `task_id`. result: fields of the result. blocks: Ctrl-C is tried too.

    passes: whether the act happens after the grade, so that the gate may pass.
    """

    name: str
    contract: str
    result: dict[str, Any] = field(default_factory=dict[str, Any])
    prepare: Callable[[Path], None] = lambda _folder: None
    limit_s: float = LIMIT_S
    blocks: bool = False
    passes: bool = False
    results: int = 1


@dataclass
class Outcome:
    """What a run did."""

    seconds: float = 0.0
    interrupted_s: float = 0.0
    violations: list[str] = field(default_factory=list[str])


def cases() -> Iterator[Case]:
    """All cases."""
    for form in FORMS:
        for act in ACTS:
            contract = f"validators: [{{name: {form}_{act}, gate: true}}]\n"
            many = 26 if form == "late" else 1
            blocks = act in BLOCKING
            yield Case(f"validator {form} {act}", contract, results=many, blocks=blocks)
    for place in PLACES:
        for act, code in ACTS.items():
            options = json.dumps({"type": "bad", "place": place, "act": code})
            records = f"execution: {{source: {options}, expected: [{{kind: pay}}]}}\n"
            closing = place == "close"
            blocks = act in BLOCKING
            yield Case(
                f"records {place} {act}",
                records,
                limit_s=LIMIT_S if not closing else SPARE_S,
                blocks=blocks and not closing,
                passes=closing,
            )
            options = json.dumps({"type": "bad_evidence", "place": place, "act": code})
            yield Case(
                f"evidence {place} {act}",
                f"evidence: {{sources: [{options}]}}\n",
                {"output": {"final_answer": "x", "citations": [{"title": "A long title of a paper"}]}},
                limit_s=LIMIT_S if not closing else SPARE_S,
                blocks=blocks and not closing,
                passes=closing,
            )  # fmt: skip
    for one in FILES:
        yield _file_case(one)


def _file_case(one: FileCase) -> Case:
    return Case(
        f"file {one.name}",
        one.contract,
        one.result,
        one.prepare,
        limit_s=one.limit_s,
    )


def _write(case: Case, folder: Path) -> None:
    lines: list[str] = []
    for number in range(case.results):
        result: dict[str, object] = {
            "result_id": f"bad-{number}",
            "task_id": "bad",
            "output": "It is done.",
            "trace": [],
            **case.result,
        }
        lines.append(json.dumps(result))
    good: dict[str, object] = {
        "result_id": "good",
        "task_id": "good",
        "output": "It is done.",
        "trace": [],
    }
    lines.append(json.dumps(good))
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "contract.yaml").write_text(
        f"task_id: bad\n{case.contract}---\ntask_id: good\nsop: {{forbidden_tools: [pay]}}\n"
    )
    case.prepare(folder)


def _command(folder: Path, limit_s: float) -> subprocess.Popen[str]:
    environment = {name: os.environ[name] for name in ("PATH", "HOME")}
    arguments = (
        "grade", "results.jsonl", "--contracts", "contract.yaml", "-o", "reports.jsonl", "--no-preflight",
        "--timeout", f"{limit_s:g}", "--max-concurrency", "1",
    )  # fmt: skip
    return subprocess.Popen(
        [str(COMMAND), *arguments],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder / "plugins"), "NO_COLOR": "1"},
        stdout=subprocess.DEVNULL,
        stderr=(folder / "stderr").open("w"),
        text=True,
        start_new_session=True,
    )


def _folder(case: Case, parent: Path, name: str) -> Path:
    folder = parent / name
    plugins = folder / "plugins"
    plugins.mkdir(parents=True)
    write_plugins(plugins)
    os.mkfifo(plugins / "pipe")
    _write(case, folder)
    return folder


def _ended(process: subprocess.Popen[str], within_s: float) -> bool:
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False
    return True


def run(case: Case, parent: Path, baseline_s: float, load: float = 1.0) -> Outcome:
    """Run a case, and run it again to interrupt it where it blocks."""
    outcome = Outcome()
    folder = _folder(case, parent, "run")
    started = time.monotonic()
    process = _command(folder, LIMIT_S)
    if not _ended(process, _LONGEST_S):
        outcome.violations.append(f"does not end within {_LONGEST_S:g} s")
        return outcome
    outcome.seconds = time.monotonic() - started
    over_s = outcome.seconds - baseline_s - case.limit_s
    if over_s > SPARE_S * load:
        outcome.violations.append(f"ends {over_s:.1f} s after its limit")
    _judge(case, folder, process.returncode, outcome)
    if case.blocks:
        _interrupt(case, parent, outcome, load)
    return outcome


def _judge(case: Case, folder: Path, code: int, outcome: Outcome) -> None:
    gates: dict[str, str] = {}
    reports = folder / "reports.jsonl"
    if reports.exists():
        for line in reports.read_text().splitlines():
            report = json.loads(line)
            gates[report["result_id"]] = report["gate"]
    bad = gates.get("bad-25" if case.results > 1 else "bad-0")
    if code not in (1, 3) and not (case.passes and code == 0):
        outcome.violations.append(f"exit code {code}")
    if gates.get("good") != "pass":
        outcome.violations.append(f"the neighbour's gate is {gates.get('good')}")
    if bad != "undecided" and not case.passes:
        outcome.violations.append(f"the gate is {bad}")
    if "Traceback" in (folder / "stderr").read_text():
        outcome.violations.append("prints a traceback")


def _interrupt(case: Case, parent: Path, outcome: Outcome, load: float) -> None:
    folder = _folder(case, parent, "interrupted")
    process = _command(folder, 600.0)
    begun = folder / "plugins/begun"
    waited = time.monotonic()
    while not begun.exists() and process.poll() is None:
        if time.monotonic() - waited > _LONGEST_S:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    if not _ended(process, _LONGEST_S):
        outcome.violations.append(f"Ctrl-C does not end it within {_LONGEST_S:g} s")
        return
    outcome.interrupted_s = time.monotonic() - started
    if outcome.interrupted_s > INTERRUPT_S * load:
        outcome.violations.append(f"Ctrl-C ends it after {outcome.interrupted_s:.1f} s")
    if process.returncode not in (130, -signal.SIGINT):
        outcome.violations.append(f"Ctrl-C: exit code {process.returncode}")


def _measured(case: Case, baseline_s: float, load: float) -> tuple[Case, Outcome]:
    with tempfile.TemporaryDirectory(prefix="misbehaviour-") as folder:
        return case, run(case, Path(folder), baseline_s, load)


def _baseline_s(jobs: int) -> float:
    """How long a run without misbehaviour takes at most, of three for each job, at once."""
    plain = Case("plain", "sop: {forbidden_tools: [pay]}\n", passes=True)

    def one(_number: int) -> float:
        with tempfile.TemporaryDirectory(prefix="misbehaviour-") as folder:
            return run(plain, Path(folder), 60.0).seconds

    with ThreadPoolExecutor(jobs) as pool:
        return max(pool.map(one, range(3 * jobs)))


def _selected(only: str, *, short: bool) -> list[Case]:
    found = [case for case in cases() if only in case.name]
    if not short:
        return found
    return [case for case in found if case.name in _SHORT]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases; 1 when there are violations."""
    # A shell starts background jobs with SIGINT ignored, and what they start ignores it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--load", type=float, default=1.0)
    options = parser.parse_args(arguments)
    selected = _selected(options.only, short=options.short)
    baseline_s = _baseline_s(options.jobs)
    violations = 0
    slowest_s = slowest_interrupt_s = 0.0
    with ThreadPoolExecutor(options.jobs) as pool:
        measured = partial(_measured, baseline_s=baseline_s, load=options.load)
        for case, outcome in pool.map(measured, selected):
            slowest_s = max(slowest_s, outcome.seconds - baseline_s)
            slowest_interrupt_s = max(slowest_interrupt_s, outcome.interrupted_s)
            violations += bool(outcome.violations)
            verdict = "; ".join(outcome.violations) or "ok"
            interrupted = (
                f"  Ctrl-C {outcome.interrupted_s:4.1f} s" if case.blocks else ""
            )
            print(f"{case.name:40} {outcome.seconds:5.1f} s{interrupted}  {verdict}")
    peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if peak_kib > MAX_MEMORY_KIB:
        violations += 1
        print(f"a run takes {peak_kib / 2**20:.1f} GiB")
    line = {
        "cases": len(selected),
        "violations": violations,
        "baseline_s": round(baseline_s, 2),
        "slowest_s": round(slowest_s, 2),
        "slowest_interrupt_s": round(slowest_interrupt_s, 2),
        "peak_mib": peak_kib // 2**10,
    }
    print(json.dumps(line))
    return int(violations > 0)


if __name__ == "__main__":
    sys.exit(main())
