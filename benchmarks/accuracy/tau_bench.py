"""How often the gate agrees with the official reward of recorded tau-bench runs.

    python benchmarks/accuracy/tau_bench.py --data FOLDER

takes every `*.jsonl` of the folder the whole way: convert, `judgemesh grade` with deterministic validators only, read
the reports. Prints one JSON line: `runs`, `agree`, `disagree` (run ids) and `vacuous_expectations` (run ids left
undecided because a pass would have rested on an empty expectation; they count in neither of the other two).

A run agrees when its gate is `pass` and its official reward 1, or its gate is `fail` and its reward anything else.
Run ids may repeat over files: runs of one id are graded in separate rounds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
CONVERT = ROOT / "examples" / "tau_bench" / "convert.py"
NEEDED_KEYS = frozenset(
    {
        "run_id",
        "task_id",
        "messages",
        "state_diff",
        "expected_state_diff",
        "official_reward",
    }
)
GRADED = (0, 1)
"""Exit codes of a complete grading: every gate passed, or some did not."""


@dataclass
class Tally:
    """What the rounds add up to."""

    runs: int = 0
    agree: int = 0
    disagree: list[str] = field(default_factory=list[str])
    vacuous_expectations: list[str] = field(default_factory=list[str])

    def count(self, run_id: str, reward: float, report: Json | None) -> None:
        """Count one run; a run without a report disagrees."""
        self.runs += 1
        gate = report["gate"] if report else None
        if report and gate == "undecided" and is_vacuous(report):
            self.vacuous_expectations.append(run_id)
        elif gate == ("pass" if reward == 1 else "fail"):
            self.agree += 1
        else:
            self.disagree.append(run_id)


def is_vacuous(report: Json) -> bool:
    """Whether the report was left undecided because of an empty expectation."""
    return any(
        verdict["reason"] == "vacuous_expectation" for verdict in report["verdicts"]
    )


def rounds_of(folder: Path) -> list[dict[str, Json]]:
    """The usable rows of the folder's files in as few rounds as keep run ids apart."""
    rounds: list[dict[str, Json]] = []
    for path in sorted(folder.glob("*.jsonl")):
        kept, left_out = read(path)
        if left_out:
            _note(
                f"{path}: {left_out} lines have not the keys of a recorded run; left out"
            )
        for row in kept:
            run_id = str(row["run_id"])
            free = next((rows for rows in rounds if run_id not in rows), None)
            if free is None:
                rounds.append(free := {})
            free[run_id] = row
    return rounds


def read(path: Path) -> tuple[list[Json], int]:
    """The rows of a file that have all keys, and how many have not."""
    kept: list[Json] = []
    left_out = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            given: Json = cast("Json", row) if isinstance(row, dict) else {}
            if given.keys() >= NEEDED_KEYS and _is_number(given["official_reward"]):
                kept.append(given)
            else:
                left_out += 1
    return kept, left_out


def grade(rows: dict[str, Json], folder: Path) -> dict[str, Json]:
    """Convert and grade one round; the reports by run id."""
    folder.mkdir(parents=True)
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows.values()), encoding="utf-8"
    )
    _run(
        [
            sys.executable,
            str(CONVERT),
            str(folder / "rows.jsonl"),
            "--out",
            str(folder),
        ],
        allowed=(0,),
    )
    _run(
        [
            *(_judgemesh(), "grade", str(folder / "results.jsonl")),
            *("--contracts", str(folder / "contracts.yaml")),
            *("--ledger", f"sqlite:///{folder / 'ledger.db'}"),
            *("-o", str(folder / "reports.jsonl"), "--no-progress", "--quiet"),
        ],
        allowed=GRADED,
    )
    with (folder / "reports.jsonl").open(encoding="utf-8") as lines:
        return {report["result_id"]: report for report in map(json.loads, lines)}


def _judgemesh() -> str:
    """The installed command: beside this Python first, then on the path."""
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def _run(command: list[str], allowed: tuple[int, ...]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        _note(f"{done.stdout}\n{done.stderr}".strip())
        message = f"{Path(command[0]).name} {command[1]} ended with exit code {done.returncode}"
        raise SystemExit(message)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no recorded run."""
    parser = argparse.ArgumentParser(
        description="Agreement of the gate with tau-bench's official reward."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    rounds = rounds_of(folder)
    if not rounds:
        _note(f"{folder}: no *.jsonl file with recorded runs")
        return 2
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="tau_bench_") as scratch:
        for number, rows in enumerate(rounds):
            reports = grade(rows, Path(scratch) / str(number))
            for run_id, row in rows.items():
                tally.count(run_id, row["official_reward"], reports.get(run_id))
    print(json.dumps(vars(tally)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
