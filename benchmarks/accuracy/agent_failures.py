"""Repeated runs of the same tasks: intervals that know which runs belong together, and a change measured in pairs.

    python benchmarks/accuracy/agent_failures.py --data FOLDER

Reads every `*.jsonl` of the folder whose rows have `config`, `task` and `correct`. Prints one JSON line for each
configuration (`config, runs, success, ci_clustered, ci_iid`), then one for each pair of configurations whose names
differ in one word, `orig` against `impr` (`from, to, tasks, paired_delta, paired_ci, change`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from judgemesh.mesh.metrics.comparison import paired
from judgemesh.mesh.metrics.intervals import clustered, wilson

_NEEDED = frozenset({"config", "task", "correct"})
_DIGITS = 4

Outcomes = dict[str, dict[str, list[float]]]
"""Configuration -> task -> outcomes (1 correct, 0 not) of its runs."""


def outcomes(folder: Path) -> Outcomes:
    """The outcomes of every run in the folder's files."""
    found: Outcomes = {}
    for path in sorted(folder.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                given: Any = json.loads(line) if line.strip() else None
                row: dict[str, Any] = (
                    cast("dict[str, Any]", given) if isinstance(given, dict) else {}
                )
                if row.keys() >= _NEEDED:
                    tasks = found.setdefault(str(row["config"]), {})
                    tasks.setdefault(str(row["task"]), []).append(
                        float(bool(row["correct"]))
                    )
    return found


def summary(config: str, tasks: Mapping[str, list[float]]) -> dict[str, Any]:
    """Success of one configuration with the interval that clusters by task, and the one that does not."""
    values = [value for runs in tasks.values() for value in runs]
    names = [task for task, runs in tasks.items() for _ in runs]
    by_task, alone = clustered(values, names), wilson(int(sum(values)), len(values))
    return {
        "config": config,
        "runs": len(values),
        "success": round(sum(values) / len(values), _DIGITS),
        "ci_clustered": [round(by_task.low, _DIGITS), round(by_task.high, _DIGITS)],
        "ci_iid": [round(alone.low, _DIGITS), round(alone.high, _DIGITS)],
    }


def pairs(configs: list[str]) -> Iterator[tuple[str, str]]:
    """Configurations that differ in one word, `orig` in the first and `impr` in the second."""
    for one in configs:
        for two in configs:
            words = list(zip(one.split("_"), two.split("_"), strict=False))
            different = [(a, b) for a, b in words if a != b]
            if len(one.split("_")) == len(two.split("_")) and different == [
                ("orig", "impr")
            ]:
                yield one, two


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of *.jsonl files"
    )
    found = outcomes(parser.parse_args().data)
    if not found:
        sys.exit("no rows with config, task and correct in the folder")
    for config in sorted(found):
        print(json.dumps(summary(config, found[config])))
    for one, two in pairs(sorted(found)):
        change = paired(found[one], found[two])
        row = {
            "from": one,
            "to": two,
            "tasks": change.tasks,
            "paired_delta": round(change.delta, _DIGITS),
            "paired_ci": [
                round(change.ci.low, _DIGITS),
                round(change.ci.high, _DIGITS),
            ],
            "change": change.change.value,
        }
        print(json.dumps(row))


if __name__ == "__main__":
    main()
