"""The outcome classes of SPEC section 8."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import OutcomeClass, ValidatorVerdict
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Abstain, Fail, Metric, Pass, Verdict
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.outcome import classify

F = FailureCode
ANSWERED = {"output": "Here it is."}
FULL = Pass(metric=Metric.COMPLETENESS)
POOR = Pass(score=0.7, metric=Metric.COMPLETENESS)


def missing(share_found: float) -> list[Verdict]:
    return [
        Pass(metric=Metric.COMPLETENESS, weight=share_found),
        Fail(
            codes=(F.MISSING_REQUIRED_FIELD,),
            metric=Metric.COMPLETENESS,
            weight=1 - share_found,
        ),
    ]


@pytest.mark.parametrize(
    ("result", "verdicts", "expected"),
    [
        (ANSWERED, [FULL], OutcomeClass.COMPLETE),
        (ANSWERED, [Pass()], OutcomeClass.COMPLETE),
        (ANSWERED, [POOR], OutcomeClass.PARTIAL_PLUS),
        (ANSWERED, missing(0.6), OutcomeClass.PARTIAL_PLUS),
        (ANSWERED, missing(0.5), OutcomeClass.PARTIAL_PLUS),
        (ANSWERED, missing(0.4), OutcomeClass.PARTIAL_MINUS),
        (
            ANSWERED,
            [*missing(0.9), Fail(codes=(F.WRONG_FACT,))],
            OutcomeClass.PARTIAL_MINUS,
        ),
        (ANSWERED, [Fail(codes=(F.WRONG_FACT,))], OutcomeClass.PARTIAL_MINUS),
        (
            ANSWERED,
            [*missing(0.9), Fail(codes=(F.FABRICATED_REFERENCE,))],
            OutcomeClass.HALLUCINATED,
        ),
        (ANSWERED, [Fail(codes=(F.STATE_MISMATCH,))], OutcomeClass.HALLUCINATED),
        (
            ANSWERED,
            [Fail(codes=(F.ACTION_NOT_EXECUTED, F.WRONG_FACT))],
            OutcomeClass.HALLUCINATED,
        ),
        ({}, [Fail(codes=(F.MISSING_FINAL_ANSWER,))], OutcomeClass.ABANDONED),
        (
            {"output": "  "},
            [Fail(codes=(F.MISSING_FINAL_ANSWER,))],
            OutcomeClass.ABANDONED,
        ),
        (
            {"status": "timeout"},
            [Fail(codes=(F.EXECUTION_TIMEOUT,))],
            OutcomeClass.ABANDONED,
        ),
        (
            {"status": "error", "output": {"outputs": {"a": 1}}},
            [Fail(codes=(F.UNKNOWN_FAILURE,))],
            OutcomeClass.ABANDONED,
        ),
        (
            {"status": "timeout", **ANSWERED},
            [Fail(codes=(F.EXECUTION_TIMEOUT,))],
            OutcomeClass.PARTIAL_MINUS,
        ),
        (ANSWERED, [FULL, Abstain()], None),
        ({}, [Abstain()], None),
    ],
)
def test_the_decision_table(
    result: dict[str, Any], verdicts: list[Verdict], expected: OutcomeClass | None
) -> None:
    contract = EvalContract(task_id="t")
    rows = [
        ValidatorVerdict(
            validator_name="v",
            validator_version="1",
            validator_type="plain",
            verdict=verdict,
            gating=True,
        )
        for verdict in verdicts
    ]
    found = AgentResult.model_validate({"result_id": "r", "task_id": "t", **result})
    assert classify(found, aggregate(rows, contract), contract) is expected


def test_thresholds_are_the_contracts() -> None:
    contract = EvalContract.model_validate(
        {"task_id": "t", "outcome": {"complete_threshold": 7, "partial_threshold": 0.9}}
    )
    result = AgentResult.model_validate({"result_id": "r", "task_id": "t", **ANSWERED})

    def classed(verdicts: list[Verdict]) -> OutcomeClass | None:
        rows = [
            ValidatorVerdict(
                validator_name="v",
                validator_version="1",
                validator_type="plain",
                verdict=verdict,
                gating=True,
            )
            for verdict in verdicts
        ]
        return classify(result, aggregate(rows, contract), contract)

    assert classed([POOR]) is OutcomeClass.COMPLETE
    assert classed(missing(0.8)) is OutcomeClass.PARTIAL_MINUS
