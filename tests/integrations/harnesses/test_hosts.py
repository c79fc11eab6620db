"""Scorers of other libraries as checks of judgemesh, by the command, from a contract."""

from __future__ import annotations

import json
from pathlib import Path

import desk

CONTRACT = """
task_id: hosted
input: {instruction: Say that the refund is on its way.}
validators:
  - name: scorers
    args:
      scorers:
        - {id: same, use: "autoevals:Levenshtein", expected: Your refund is on its way., threshold: 0.8}
        - {id: far, use: "autoevals:Levenshtein", expected: Something else entirely, threshold: 0.8}
        - {id: ragas, use: "ragas.metrics.collections:ExactMatch", expected: Your refund is on its way., threshold: 0.8}
        - {id: exact, use: "deepeval.metrics:ExactMatchMetric", expected: Your refund is on its way.}
        - {id: length, use: "house_checks:Short", init: {on_fail: noop}}
        - {id: plain, use: "house_checks:polite"}
        - {id: raises, use: "house_checks:raises"}
        - {id: silent, use: "house_checks:silent"}
        - {id: missing, use: "no_such_library:check"}
"""
CHECKS = """
from guardrails.validator_base import FailResult, PassResult, Validator, register_validator

@register_validator(name="house/short", data_type="string")
class Short(Validator):
    def validate(self, value, metadata):
        return PassResult() if len(value) < 10 else FailResult(error_message="too long")

def polite(answer):
    return {"score": 1.0, "reason": "reads well", "cost": 0.002}

def raises(answer):
    raise RuntimeError("the scorer is on fire")

def silent(answer):
    return None
"""
EXPECTED = {
    "same": "pass",
    "far": "fail",
    "ragas": "pass",
    "exact": "pass",
    "length": "fail",
    "plain": "pass",
    "raises": "error",
    "silent": "error",
    "missing": "error",
}


def test_each_kind_of_scorer(refund_desk: desk.Desk, bin_folder: Path) -> None:
    folder = refund_desk.folder
    (folder / "hosted.yaml").write_text(CONTRACT, encoding="utf-8")
    (folder / "house_checks.py").write_text(CHECKS, encoding="utf-8")
    result = {
        "result_id": "r",
        "task_id": "hosted",
        "output": "Your refund is on its way.",
    }
    (folder / "results.jsonl").write_text(json.dumps(result) + "\n", encoding="utf-8")
    refund_desk.environment.update(
        PYTHONPATH=str(folder), JUDGEMESH_CONTRACTS="", JUDGEMESH_JUDGE=""
    )
    refund_desk.run(
        *(bin_folder / "judgemesh", "grade", "results.jsonl", "-c", "hosted.yaml"),
        *("--ledger", "hosted.db", "-o", "reports.jsonl", "--fail-under", "0"),
        ok=(0, 1, 2, 3),
    )
    report = json.loads((folder / "reports.jsonl").read_text(encoding="utf-8"))
    rows = {
        row["check"].removeprefix("scorer:"): row
        for row in report["verdicts"]
        if row["validator_name"] == "scorers"
    }
    assert {name: row["kind"] for name, row in rows.items()} == EXPECTED
    assert not any(row["gating"] for row in rows.values())
    assert "on fire" in rows["raises"]["diagnostic_message"]
    assert rows["plain"]["details"]["scorer_cost_usd"] == "0.002"
    assert report["gate"] != "fail"
