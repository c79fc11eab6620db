"""Langfuse runs its own experiment, without its server; its scores are compared with the ledger."""

from __future__ import annotations

import json

import desk

SCRIPT = """
import json
from langfuse import Langfuse
from judgemesh.mesh.integrations.langfuse import judgemesh_evaluator

langfuse = Langfuse(public_key="none", secret_key="none", base_url="http://127.0.0.1:9", tracing_enabled=False)
items = [{"input": case, "metadata": {"id": case, "task_id": "refund"}} for case in desk.GATES]

def agent(*, item, **_):
    return desk.messages(item["input"])

result = langfuse.run_experiment(name="refunds", data=items, task=agent, evaluators=[judgemesh_evaluator()])
rows = {}
for item in result.item_results:
    rows[item.item["input"]] = {held.name: dict(value=held.value, kind=held.data_type, comment=held.comment,
                                               metadata=held.metadata) for held in item.evaluations}
print("ROWS " + json.dumps(rows))
print(result.format())
"""


def test_its_scores_say_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    text = refund_desk.python(SCRIPT)
    rows = json.loads(text.partition("ROWS ")[2].splitlines()[0])
    ledger = refund_desk.ledger()
    assert rows.keys() == ledger.keys()
    assert f"judgemesh: {desk.PASS_RATE:.3f}" in text, text
    for name, row in rows.items():
        report = ledger[name]
        gate = row["judgemesh_gate"]
        assert (gate["value"], gate["kind"]) == (report["gate"], "CATEGORICAL")
        desk.same_facts(gate["metadata"], report)
        score = desk.SCORES[report["gate"]]
        shown = row.get("judgemesh")
        assert (None if shown is None else shown["value"]) == score
        assert ("the model is on fire" in gate["comment"]) == (name == "broken-1")
