"""LangSmith runs its own evaluation, without its server; its feedback is compared with the ledger."""

from __future__ import annotations

import json

import desk

SCRIPT = """
import json, uuid
from datetime import UTC, datetime
from langsmith import Client, evaluate
from langsmith.schemas import Example
from judgemesh.mesh.integrations.langsmith import judgemesh_evaluator

now = datetime.now(UTC)
dataset = uuid.uuid4()
examples = [Example(id=uuid.uuid4(), dataset_id=dataset, inputs={"case": case}, outputs={}, created_at=now,
                    modified_at=now, metadata={"task_id": "refund", "judgemesh": {"result_id": case}}) for case in desk.GATES]
client = Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)

def agent(inputs):
    return {"messages": desk.messages(inputs["case"])}

rows = {}
for row in evaluate(agent, data=examples, evaluators=[judgemesh_evaluator()], upload_results=False, client=client,
                    max_concurrency=2):
    [held] = row["evaluation_results"]["results"]
    rows[row["example"].inputs["case"]] = dict(key=held.key, score=held.score, value=held.value, comment=held.comment,
                                               metadata=held.metadata)
print("ROWS " + json.dumps(rows))
"""
OPENEVALS = """
import json, inspect
from openevals.types import SimpleEvaluator
from judgemesh.mesh.integrations.langsmith import judgemesh_evaluator
judge: SimpleEvaluator = judgemesh_evaluator(task="refund")
rows = {}
for case in desk.GATES:
    held = judge(inputs={"id": case}, outputs={"messages": desk.messages(case)},
                 reference_outputs={"judgemesh": {"result_id": case}})
    rows[case] = held
print("ROWS " + json.dumps(rows))
"""


def test_its_feedback_says_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    check(refund_desk, SCRIPT)


def test_the_form_of_openevals(refund_desk: desk.Desk) -> None:
    check(refund_desk, OPENEVALS)


def check(refund_desk: desk.Desk, script: str) -> None:
    text = refund_desk.python(script)
    rows = json.loads(text.partition("ROWS ")[2].splitlines()[0])
    ledger = refund_desk.ledger()
    assert rows.keys() == ledger.keys()
    for name, row in rows.items():
        report = ledger[name]
        assert (row["key"], row["value"]) == ("judgemesh", report["gate"])
        assert row["score"] == desk.SCORES[report["gate"]]
        desk.same_facts(row["metadata"], report)
        assert ("the model is on fire" in row["comment"]) == (name == "broken-1")
