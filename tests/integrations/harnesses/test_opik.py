"""Opik runs its own evaluation, without its server; its scores are compared with the ledger."""

from __future__ import annotations

import json

import desk
import pytest

SCRIPT = """
import json
from opik.evaluation import evaluate_on_dict_items
from judgemesh.mesh.integrations.opik import JudgeMeshMetric

items = [{"result_id": case, "task_id": "refund"} for case in desk.GATES]
result = evaluate_on_dict_items(items=items, task=lambda item: {"output": desk.messages(item["result_id"])},
                                scoring_metrics=[JudgeMeshMetric()])
rows = {}
for test in result.test_results:
    [held] = test.score_results
    rows[held.metadata["result_id"]] = dict(value=held.value, failed=held.scoring_failed, reason=held.reason,
                                            category=held.category_name, metadata=held.metadata)
means = {name: held.mean for name, held in result.aggregate_evaluation_scores().items()}
print("ROWS " + json.dumps([rows, means]))
"""


def test_its_scores_say_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    text = refund_desk.python(SCRIPT)
    rows, means = json.loads(text.partition("ROWS ")[2].splitlines()[0])
    ledger = refund_desk.ledger()
    assert rows.keys() == ledger.keys()
    assert means == {"judgemesh": pytest.approx(desk.PASS_RATE)}
    for name, row in rows.items():
        report = ledger[name]
        score = desk.SCORES[report["gate"]]
        assert row["failed"] == (score is None)
        assert row["value"] == (score or 0.0)
        assert row["category"] == report["gate"]
        desk.same_facts(row["metadata"], report)
        assert ("the model is on fire" in row["reason"]) == (name == "broken-1")
