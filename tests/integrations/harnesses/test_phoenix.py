"""Phoenix evaluates a data frame; its scores are compared with the ledger."""

from __future__ import annotations

import json

import desk

SCRIPT = """
import asyncio, json
import pandas as pd
from phoenix.evals import async_evaluate_dataframe, evaluate_dataframe
from judgemesh.mesh.integrations.phoenix import JudgeMeshEvaluator

frame = pd.DataFrame([{"id": case, "task_id": "refund", "output": desk.answer(case), "messages": desk.messages(case)}
                      for case in desk.GATES])
done = EVALUATE
rows = {row["id"]: row["judgemesh_score"] for _, row in done.iterrows()}
mean = pd.Series([row.get("score") for row in rows.values()], dtype=float).mean()
print("ROWS " + json.dumps([rows, mean]))
"""
WAYS = (
    "evaluate_dataframe(dataframe=frame, evaluators=[JudgeMeshEvaluator()], hide_tqdm_bar=True)",
    "asyncio.run(async_evaluate_dataframe(dataframe=frame, evaluators=[JudgeMeshEvaluator()], hide_tqdm_bar=True))",
)


def test_its_scores_say_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    for way in WAYS:
        text = refund_desk.python(SCRIPT.replace("EVALUATE", way))
        rows, mean = json.loads(text.partition("ROWS ")[2].splitlines()[0])
        ledger = refund_desk.ledger()
        assert rows.keys() == ledger.keys()
        assert mean == desk.PASS_RATE
        for name, row in rows.items():
            report = ledger[name]
            assert row.get("score") == desk.SCORES[report["gate"]]
            assert row["label"] == report["gate"]
            desk.same_facts(row["metadata"], report)
            assert ("the model is on fire" in row["explanation"]) == (
                name == "broken-1"
            )
        (refund_desk.folder / "ledger.db").unlink()
