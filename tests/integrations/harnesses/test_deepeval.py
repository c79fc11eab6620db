"""DeepEval runs its own evaluation; its results are compared with the ledger."""

from __future__ import annotations

import json

import desk

SCRIPT = """
import json
from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.test_case import LLMTestCase
from judgemesh.mesh.integrations.deepeval import JudgeMeshMetric

cases = [LLMTestCase(name=case, input=desk.question(case), actual_output=desk.answer(case),
                     metadata={"task_id": "refund", "messages": desk.messages(case)}) for case in desk.GATES]
shown = evaluate(test_cases=cases, metrics=[JudgeMeshMetric()],
                 async_config=AsyncConfig(run_async=RUN_ASYNC),
                 display_config=DisplayConfig(show_indicator=False, print_results=False),
                 cache_config=CacheConfig(write_cache=False))
rows = {}
for result in shown.test_results:
    [metric] = result.metrics_data
    rows[result.name] = dict(score=metric.score, success=metric.success, error=metric.error, reason=metric.reason,
                             cost=metric.evaluation_cost)
from deepeval.test_run import global_test_run_manager
print("ROWS " + json.dumps(rows))
"""


def test_its_results_say_what_the_ledger_says(refund_desk: desk.Desk) -> None:
    for run_async in (True, False):
        check(refund_desk, run_async)
        (refund_desk.folder / "ledger.db").unlink()


def check(refund_desk: desk.Desk, run_async: bool) -> None:
    text = refund_desk.python(SCRIPT.replace("RUN_ASYNC", str(run_async)))
    rows = json.loads(text.partition("ROWS ")[2].splitlines()[0])
    ledger = refund_desk.ledger()
    assert rows.keys() == ledger.keys()
    for name, row in rows.items():
        report = ledger[name]
        assert row["score"] == desk.SCORES[report["gate"]]
        assert row["cost"] == report["evaluator_cost"]["amount"]
        said = row["error"] if row["score"] is None else row["reason"]
        assert said.startswith(report["gate"])
        assert all(code in said for code in report["failure_reason_codes"])
        assert ("the model is on fire" in said) == (name == "broken-1")
        assert bool(row["error"]) == (report["gate"] == "undecided")
