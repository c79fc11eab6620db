"""MLflow runs its own evaluation; its assessments and metrics are compared with the ledger."""

from __future__ import annotations

import json

import desk
import pytest

SCRIPT = """
import json, mlflow, pathlib
mlflow.set_tracking_uri(f"sqlite:///{pathlib.Path.cwd()}/mlflow.db")
mlflow.set_experiment("refunds")
from judgemesh.mesh.integrations.mlflow import judgemesh_scorer

data = [{"inputs": {"id": case}, "outputs": {"messages": desk.messages(case)}, "expectations": {"task_id": "refund"}}
        for case in desk.GATES]
result = mlflow.genai.evaluate(data=data, scorers=[judgemesh_scorer()])
rows = {}
for trace in mlflow.search_traces(run_id=result.run_id, return_type="list"):
    row = {}
    for held in trace.info.assessments:
        if held.name.startswith("judgemesh"):
            row[held.name] = dict(value=held.feedback.value, error=held.feedback.error and held.feedback.error.error_code,
                                  message=held.feedback.error and held.feedback.error.error_message,
                                  rationale=held.rationale, metadata=held.metadata)
    rows[json.loads(row["judgemesh_gate"]["metadata"]["result_id"])] = row
print("ROWS " + json.dumps([rows, result.metrics]))
"""


def test_its_assessments_say_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    text = refund_desk.python(SCRIPT)
    rows, metrics = json.loads(text.partition("ROWS ")[2].splitlines()[0])
    ledger = refund_desk.ledger()
    assert rows.keys() == ledger.keys()
    assert metrics["judgemesh/mean"] == pytest.approx(desk.PASS_RATE)
    for name, row in rows.items():
        report = ledger[name]
        gate, value = row["judgemesh_gate"], row["judgemesh"]
        assert gate["value"] == report["gate"]
        shown = {
            key: json.loads(text)
            for key, text in gate["metadata"].items()
            if not key.startswith("mlflow.")
        }
        desk.same_facts(shown, report)
        score = desk.SCORES[report["gate"]]
        assert value["value"] == (None if score is None else bool(score))
        codes = {"unclear-1": "UNDECIDED", "broken-1": "EVALUATOR_FAULT"}
        assert value["error"] == codes.get(name)
        assert ("the model is on fire" in (value["message"] or "")) == (
            name == "broken-1"
        )
