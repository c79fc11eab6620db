"""How many claim-evidence pairs the rules of the claims check decide, and how often they are right.

    python benchmarks/accuracy/claim_evidence.py --data FOLDER [--split]

turns every pair of a claim and one of its evidence texts in the folder's `*.jsonl` into a contract that holds the
evidence and a result whose claim cites it, and grades it without a judge. A pair is decided when the check passes or
fails; it is right when a passed pair is labelled as full support, a contradicted one as refuting, and a mismatch as
irrelevant. Pairs without a label are left out. Prints one JSON line: `pairs`, `decided`, `precision`, and `by_code`
(decided and right by what the check said).

`--split` prints the same for the two halves of the claims as well: `tuning`, whose rows the authors of the rules may
read, and `held_out`, whose rows they may not. A claim belongs to the tuning half when the SHA-256 of its `id` (of its
text where it has none) is even.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.grading import Json, grade, rows_of

from judgemesh.contracts.report import Report
from judgemesh.contracts.verdicts import Fail, Pass

NEEDED = ("claim", "evidence")
RIGHT: Final[dict[str, frozenset[str]]] = {
    "supported": frozenset({"completely-support", "full", "support"}),
    "CONTRADICTED_BY_EVIDENCE": frozenset({"refute"}),
    "CLAIM_EVIDENCE_MISMATCH": frozenset({"irrelevant"}),
}
"""The labels with which each word of the check agrees."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and one evidence text, with the label of the pair and the half its claim belongs to."""

    claim: str
    text: str
    label: str
    half: str


def half_of(row: Json) -> str:
    """The half of the data a claim belongs to."""
    key = str(row.get("id") or row["claim"])
    digest = hashlib.sha256(key.encode()).digest()
    return "held_out" if digest[-1] % 2 else "tuning"


def pairs_of(rows: Sequence[Json]) -> list[Pair]:
    """Every labelled pair."""
    pairs: list[Pair] = []
    for row in rows:
        for item in cast("list[Json]", row["evidence"]):
            text, label = item.get("text"), item.get("stance")
            if isinstance(text, str) and isinstance(label, str):
                pairs.append(Pair(row["claim"], text, label, half_of(row)))
    return pairs


def contract_of(task_id: str, pair: Pair) -> Json:
    """A contract that holds the evidence of a pair."""
    return {
        "task_id": task_id,
        "claims": {
            "extract": "none",
            "evidence": [{"id": "e", "text": pair.text}],
        },
        # A claim is no finished task: nothing but the claim is graded.
        "validators": [{"name": "completion", "enabled": False}],
    }


def result_of(task_id: str, pair: Pair) -> Json:
    """A pair as a result: the claim cites the text."""
    claim = {"text": pair.claim, "citations": ["e"]}
    return {"result_id": task_id, "task_id": task_id, "output": {"claims": [claim]}}


def decision(report: Report) -> str | None:
    """What the check said about the only claim; None where it left the point open."""
    for row in report.verdicts:
        verdict = row.verdict
        if row.validator_name == "claims" and isinstance(verdict, Pass):
            return "supported"
        if row.validator_name == "claims" and isinstance(verdict, Fail):
            return verdict.codes[0].value
    return None


def decisions(pairs: Sequence[Pair]) -> list[str | None]:
    """What the check said about each pair, in order."""
    ids = [f"pair-{number}" for number in range(len(pairs))]
    contracts = list(map(contract_of, ids, pairs))
    results = list(map(result_of, ids, pairs))
    reports = grade(contracts, results)
    return [decision(reports[result_id]) for result_id in ids]


def summary(pairs: Sequence[Pair], said: Sequence[str | None]) -> Json:
    """How many pairs were decided, and how many of them rightly."""
    found: dict[str, list[bool]] = defaultdict(list)
    for pair, word in zip(pairs, said, strict=True):
        if word is not None:
            found[word].append(pair.label in RIGHT.get(word, ()))
    decided = [right for values in found.values() for right in values]
    return {
        "pairs": len(pairs),
        "decided": len(decided),
        "precision": round(sum(decided) / len(decided), 4) if decided else None,
        "by_code": {
            word: {"decided": len(values), "right": sum(values)}
            for word, values in sorted(found.items())
        },
    }


def measure(rows: Sequence[Json], *, split: bool = False) -> Json:
    """Grade the pairs and add up; with `split` also for each half."""
    pairs = pairs_of(rows)
    said = decisions(pairs)
    found = summary(pairs, said)
    if split:
        for half in ("tuning", "held_out"):
            members = [number for number, pair in enumerate(pairs) if pair.half == half]
            found[half] = summary(
                [pairs[number] for number in members],
                [said[number] for number in members],
            )
    return found


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no labelled pairs."""
    parser = argparse.ArgumentParser(
        description="Precision of the claim rules on labelled claim-evidence pairs."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    parser.add_argument(
        "--split", action="store_true", help="print the figures of both halves as well"
    )
    arguments = parser.parse_args()
    folder: Path = arguments.data
    rows = rows_of(folder, NEEDED)
    if not rows:
        print(f"{folder}: no *.jsonl file with claims and evidence", file=sys.stderr)
        return 2
    print(json.dumps(measure(rows, split=arguments.split)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
