"""Whether recorded runs with per-message tokens and cost are imported without loss.

    python benchmarks/accuracy/trace_ledger.py --data FOLDER

imports every `*.jsonl` and `*.json` of the folder with `judgemesh trace import`, reads the ledger, and compares it with
the files. Prints one JSON line:

- `runs`: runs imported; `totals_equal`: runs whose message costs in the ledger add up to the totals that the run itself
  states, for the agent (`agent_cost`) and for the simulated user (`user_cost`);
- `steps`, `tokens_in`, `tokens_out`: of all messages, the simulated user's too, as the ledger has them;
- `steps_equal`: whether each run has as many steps as messages; `tokens_equal`: whether the sums are the files';
- `agent_tokens_in`, `agent_tokens_out`: those on the agent's bill.

Exit code 1 when anything differs, 2 when the folder holds no recorded run.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

Json = dict[str, Any]
NEEDED_KEYS = frozenset({"messages", "agent_cost"})
_EXACT = 1e-9


@dataclass
class Run:
    """What a file, or the ledger, says of one run."""

    messages: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    agent_cost: float = 0.0
    user_cost: float = 0.0
    agent_tokens: tuple[int, int] = (0, 0)


def runs_of(folder: Path) -> dict[str, Run]:
    """The runs of the files, by id, with the totals they state."""
    found: dict[str, Run] = {}
    for path in files_of(folder):
        for row in rows_of(path):
            if row.keys() >= NEEDED_KEYS:
                found[str(row.get("run") or row.get("run_id") or row.get("id"))] = (
                    stated(row)
                )
    return found


def files_of(folder: Path) -> list[Path]:
    """The files to import."""
    return sorted([*folder.glob("*.jsonl"), *folder.glob("*.json")])


def rows_of(path: Path) -> list[Json]:
    """One run a line, or the simulations of a document."""
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        document: object = json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        return [row for line in lines if isinstance(row := _parsed(line), dict)]
    if isinstance(document, dict):
        given = cast("Json", document)
        return cast("list[Json]", given.get("simulations", [given]))
    return cast("list[Json]", document if isinstance(document, list) else [])


def _parsed(line: str) -> Json | None:
    try:
        return cast("Json", json.loads(line))
    except ValueError:
        return None


def stated(row: Json) -> Run:
    """What the file states of a run."""
    usages = [message["usage"] for message in row["messages"] if message.get("usage")]
    return Run(
        messages=len(row["messages"]),
        tokens_in=sum(usage.get("prompt_tokens", 0) for usage in usages),
        tokens_out=sum(usage.get("completion_tokens", 0) for usage in usages),
        agent_cost=float(row.get("agent_cost") or 0),
        user_cost=float(row.get("user_cost") or 0),
    )


def kept(ledger: Path) -> dict[str, Run]:
    """What the ledger has of each run. The simulated user's share stands in the details of its steps."""
    found: dict[str, Run] = {}
    connection = sqlite3.connect(ledger)
    try:
        query = """SELECT trace_id, input_tokens_total, output_tokens + reasoning_tokens, reported_cost, state_fields
                   FROM trace_step ORDER BY trace_id, step_id"""
        for trace_id, tokens_in, tokens_out, cost, fields in connection.execute(query):
            run = found.setdefault(trace_id, Run())
            details: Json = json.loads(fields) if fields else {}
            usage: Json = details.get("simulator_usage") or {}
            run.messages += 1
            run.agent_tokens = (
                run.agent_tokens[0] + (tokens_in or 0),
                run.agent_tokens[1] + (tokens_out or 0),
            )
            run.tokens_in += (tokens_in or 0) + usage.get("prompt_tokens", 0)
            run.tokens_out += (tokens_out or 0) + usage.get("completion_tokens", 0)
            run.agent_cost += cost or 0
            run.user_cost += details.get("simulator_cost") or 0
    finally:
        connection.close()
    return found


def same_totals(run: Run, ours: Run | None) -> bool:
    """Whether the costs agree, to a billionth."""
    return ours is not None and all(
        math.isclose(stated_cost, our_cost, rel_tol=_EXACT, abs_tol=_EXACT)
        for stated_cost, our_cost in (
            (run.agent_cost, ours.agent_cost),
            (run.user_cost, ours.user_cost),
        )
    )


def import_all(files: list[Path], ledger: Path) -> None:
    """Import the files."""
    command = [
        _judgemesh(),
        "trace",
        "import",
        *map(str, files),
        "--ledger",
        f"sqlite:///{ledger}",
    ]
    done = subprocess.run(
        [*command, "--format", "tau", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        message = f"the import ended with exit code {done.returncode}: {done.stderr}"
        raise SystemExit(message)


def _judgemesh() -> str:
    """The installed command: beside this Python first, then on the path."""
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Whether recorded runs are imported without loss."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    runs = runs_of(folder)
    if not runs:
        print(
            f"{folder}: no *.jsonl or *.json file with recorded runs", file=sys.stderr
        )
        return 2
    with tempfile.TemporaryDirectory(prefix="trace_ledger_") as scratch:
        ledger = Path(scratch) / "ledger.db"
        import_all(files_of(folder), ledger)
        ours = kept(ledger)
    totals = sum(same_totals(run, ours.get(run_id)) for run_id, run in runs.items())
    steps_equal = all(
        run_id in ours and ours[run_id].messages == run.messages
        for run_id, run in runs.items()
    )
    sums = [
        sum(getattr(run, name) for run in ours.values())
        for name in ("tokens_in", "tokens_out")
    ]
    tokens_equal = sums == [
        sum(getattr(run, name) for run in runs.values())
        for name in ("tokens_in", "tokens_out")
    ]
    line = {
        "runs": len(ours),
        "totals_equal": totals,
        "steps": sum(run.messages for run in ours.values()),
        "tokens_in": sums[0],
        "tokens_out": sums[1],
        "steps_equal": steps_equal,
        "tokens_equal": tokens_equal,
        "agent_tokens_in": sum(run.agent_tokens[0] for run in ours.values()),
        "agent_tokens_out": sum(run.agent_tokens[1] for run in ours.values()),
    }
    print(json.dumps(line))
    return 0 if totals == len(runs) == len(ours) and steps_equal and tokens_equal else 1


if __name__ == "__main__":
    raise SystemExit(main())
