"""pydantic-evals runs its own evaluation; its report is compared with the ledger."""

from __future__ import annotations

import json

import desk
import pytest

SCRIPT = """
import json
from pydantic_evals import Case, Dataset
from judgemesh.mesh.integrations.pydantic_evals import JudgeMesh

cases = [Case(name=case, inputs=case, metadata={"task_id": "refund"}) for case in desk.GATES]
report = Dataset(name="refunds", cases=cases, evaluators=[JudgeMesh()]).evaluate_sync(
    desk.messages, progress=False)
shown = {}
for case in report.cases:
    shown[case.name] = {
        "assertions": {name: held.value for name, held in case.assertions.items()},
        "scores": {name: held.value for name, held in case.scores.items()},
        "labels": {name: held.value for name, held in case.labels.items()},
        "reason": {name: held.reason for name, held in case.labels.items()},
        "failures": [failure.error_message for failure in case.evaluator_failures],
    }
print(json.dumps({"cases": shown, "average": report.averages().assertions}))
"""


def test_its_report_says_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    shown = json.loads(refund_desk.python(SCRIPT).splitlines()[-1])
    ledger = refund_desk.ledger()
    assert shown["average"] == pytest.approx(desk.PASS_RATE)
    for name, case in shown["cases"].items():
        report = ledger[name]
        if name == "broken-1":
            assert case["assertions"] == case["scores"] == case["labels"] == {}
            assert "the model is on fire" in case["failures"][0]
            continue
        assert case["failures"] == []
        expected = {"pass": {"judgemesh": True}, "fail": {"judgemesh": False}}
        assert case["assertions"] == expected.get(report["gate"], {})
        assert case["labels"]["judgemesh_gate"] == report["gate"]
        codes = case["labels"].get("judgemesh_codes", "")
        assert set(filter(None, codes.split(", "))) == set(
            report["failure_reason_codes"]
        )
        assert case["labels"].get("judgemesh_outcome_class") == report["outcome_class"]
        assert case["labels"]["judgemesh_run_id"] == report["run_id"]
        scores = case["scores"]
        assert scores["judgemesh_cost"] == report["evaluator_cost"]["amount"]
        assert scores.get("judgemesh_outcome_score") == report["outcome_score"]
        assert scores.get("judgemesh_stability") == report["confidence"]["stability"]
        assert scores["judgemesh_judge_calls"] == report["judge_calls"]
