"""How often the deterministic validators place the traces of the reference set into their canonical class.

    python benchmarks/accuracy/reference_set.py [--data examples/reference_set] [--table]

grades every `FAMILY/results.jsonl` of the folder against its contracts, without a judge, and compares the outcome
classes with `FAMILY/labels.jsonl`. Prints one JSON line: `traces`, `rules` (traces that the labels say need no judge:
`traces`, `agree`, `disagree`), `people` (the others: `traces`, `agree`, `no_class`, `wrong`), `by_family`, and
`confusion[canonical][class]`, where `none` is a gate left undecided. `--table` prints the confusion for people to read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh import Mesh

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
CLASSES = tuple(one.value for one in OutcomeClass)
NONE = "none"


def rows_of(folder: Path, name: str) -> Iterator[Json]:
    """The lines of one kind of file, family by family."""
    for file in sorted(folder.glob(f"*/{name}")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield {**json.loads(line), "family": file.parent.name}


async def classes_of(folder: Path) -> dict[str, str]:
    """The class of every trace as the deterministic validators find it, by result id."""
    results = (
        {key: value for key, value in row.items() if key != "family"}
        for row in rows_of(folder, "results.jsonl")
    )
    async with Mesh.from_config(contracts=folder) as mesh:
        return {
            report.result_id: report.outcome_class.value
            if report.outcome_class
            else NONE
            async for report in mesh.grade_many(results)
        }


def compared(labels: list[Json], found: dict[str, str]) -> Json:
    """What the classes come to beside the labels."""
    verdicts = {
        row["result_id"]: _verdict(row["outcome_class"], found[row["result_id"]])
        for row in labels
    }
    by: dict[str, Counter[str]] = {"rules": Counter(), "people": Counter()}
    families: dict[str, Counter[str]] = {}
    confusion = {canonical: dict.fromkeys((*CLASSES, NONE), 0) for canonical in CLASSES}
    for row in labels:
        verdict = verdicts[row["result_id"]]
        by[row["decided_by"]][verdict] += 1
        family = families.setdefault(row["family"], Counter())
        family["traces"] += 1
        family[row["decided_by"]] += 1
        family[f"{row['decided_by']}_agree"] += verdict == "agree"
        confusion[row["outcome_class"]][found[row["result_id"]]] += 1
    rules = [row["result_id"] for row in labels if row["decided_by"] == "rules"]
    return {
        "traces": len(labels),
        "rules": {
            "traces": len(rules),
            "agree": by["rules"]["agree"],
            "disagree": [one for one in rules if verdicts[one] != "agree"],
        },
        "people": {
            "traces": by["people"].total(),
            "agree": by["people"]["agree"],
            "no_class": by["people"]["no_class"],
            "wrong": by["people"]["wrong"],
        },
        "by_family": {name: dict(counts) for name, counts in families.items()},
        "confusion": confusion,
    }


def _verdict(canonical: str, found: str) -> str:
    if found == NONE:
        return "no_class"
    return "agree" if found == canonical else "wrong"


def table(confusion: dict[str, dict[str, int]]) -> Iterator[str]:
    """The confusion as a Markdown table: canonical classes down, what the rules say across."""
    yield f"| canonical | {' | '.join((*CLASSES, 'no class'))} |"
    yield "| --- " * (len(CLASSES) + 2) + "|"
    for canonical, row in confusion.items():
        yield f"| {canonical} | {' | '.join(str(count) for count in row.values())} |"


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Deterministic validators against the canonical classes."
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=ROOT / "examples" / "reference_set",
        metavar="FOLDER",
    )
    parser.add_argument(
        "--table", action="store_true", help="the confusion as a table, instead of JSON"
    )
    arguments = parser.parse_args()
    labels = list(rows_of(arguments.data, "labels.jsonl"))
    found = asyncio.run(classes_of(arguments.data))
    missing = [row["result_id"] for row in labels if row["result_id"] not in found]
    if missing or not labels:
        parser.error(
            f"labels without a graded trace: {missing}"
            if labels
            else f"no labels in {arguments.data}"
        )
    line = compared(labels, found)
    print("\n".join(table(line["confusion"])) if arguments.table else json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
