"""How many claim-evidence pairs the rules of the claims check decide, and how often they are right.

    python benchmarks/accuracy/claim_evidence.py --data FOLDER

turns every pair of a claim and one of its evidence texts in the folder's `*.jsonl` into a contract that holds the text
and a result (a claim that cites it), and grades it without a judge. A pair is decided when the check passes or fails;
it is right when a passed pair is labelled as full support, a contradicted one as refuting, and a mismatch as
irrelevant. Pairs without a label are left out. Prints one JSON line: `pairs`, `decided`, `precision`, and `by_code`
(decided and right by what the check said).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
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


def contract_of(pair: str, text: str) -> Json:
    """The contract of a pair: it holds the evidence text."""
    return {
        "task_id": pair,
        "claims": {"extract": "none", "evidence": [{"id": "e", "text": text}]},
        # A claim is no finished task: nothing but the claim is graded.
        "validators": [{"name": "completion", "enabled": False}],
    }


def result_of(pair: str, claim: str) -> Json:
    """The result of a pair: one claim that cites the text."""
    claims = [{"text": claim, "citations": ["e"]}]
    return {"result_id": pair, "task_id": pair, "output": {"claims": claims}}


def decision(report: Report) -> str | None:
    """What the check said about the only claim; None where it left the point open."""
    for row in report.verdicts:
        verdict = row.verdict
        if row.validator_name == "claims" and isinstance(verdict, Pass):
            return "supported"
        if row.validator_name == "claims" and isinstance(verdict, Fail):
            return verdict.codes[0].value
    return None


def measure(rows: list[Json]) -> Json:
    """Grade the pairs and add up."""
    labels: dict[str, str] = {}
    contracts: list[Json] = []
    results: list[Json] = []
    for row in rows:
        for item in cast("list[Json]", row["evidence"]):
            if isinstance(item.get("stance"), str) and isinstance(
                item.get("text"), str
            ):
                result_id = f"pair-{len(results)}"
                labels[result_id] = item["stance"]
                contracts.append(contract_of(result_id, item["text"]))
                results.append(result_of(result_id, row["claim"]))
    found: dict[str, list[bool]] = defaultdict(list)
    for result_id, report in grade(contracts, results).items():
        said = decision(report)
        if said is not None:
            found[said].append(labels[result_id] in RIGHT.get(said, ()))
    decided = [right for values in found.values() for right in values]
    return {
        "pairs": len(results),
        "decided": len(decided),
        "precision": round(sum(decided) / len(decided), 4) if decided else None,
        "by_code": {
            said: {"decided": len(values), "right": sum(values)}
            for said, values in sorted(found.items())
        },
    }


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no labelled pairs."""
    parser = argparse.ArgumentParser(
        description="Precision of the claim rules on labelled claim-evidence pairs."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    rows = rows_of(folder, NEEDED)
    if not rows:
        print(f"{folder}: no *.jsonl file with claims and evidence", file=sys.stderr)
        return 2
    print(json.dumps(measure(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
