"""Whether the run came to an end, and left anything behind."""

from __future__ import annotations

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.results import AgentResult, Status
from judgemesh.contracts.validator import Case, Judgement, always, validator
from judgemesh.contracts.verdicts import DETERMINISTIC, Fail, Pass
from judgemesh.validators._shared.answers import (
    Answer,
    final_answer,
    has_structured_output,
)
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.transcript import (
    step_failed,
    step_ref,
    step_timed_out,
)

_ANSWER_NAME = fold_name("final_answer")


@validator(
    name="completion",
    version="1",
    codes=(
        FailureCode.EXECUTION_TIMEOUT,
        FailureCode.TOOL_TIMEOUT,
        FailureCode.TOOL_FAILURE,
        FailureCode.UNKNOWN_FAILURE,
        FailureCode.MISSING_FINAL_ANSWER,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
    ),
    applies=always,
)
def completion(case: Case) -> Judgement:
    """The run ended by itself and delivered something.

    A run that timed out, broke or was abandoned fails with the code that says why. A completed one fails when there is
    neither a final answer with content nor any structured output. Structured outputs alone are enough unless the
    contract's `required_outputs` names `final_answer`.
    """
    yield from ()
    fault = (
        _unfinished(case.result)
        if case.result.status is not Status.COMPLETED
        else _empty(case)
    )
    if fault is None:
        return [
            Pass(
                check="completion", confidence=DETERMINISTIC, evidence_refs=("status",)
            )
        ]
    code, why, ref = fault
    return [
        Fail(
            check="completion",
            codes=(code,),
            diagnostic=why,
            confidence=DETERMINISTIC,
            evidence_refs=(ref,),
        )
    ]


def _unfinished(result: AgentResult) -> tuple[FailureCode, str, str]:
    if result.status is Status.TIMEOUT:
        return (
            FailureCode.EXECUTION_TIMEOUT,
            "the run hit its time or step limit",
            "status",
        )
    if result.status is Status.ABANDONED:
        return (
            FailureCode.MISSING_FINAL_ANSWER,
            "the run was abandoned before it came to an answer",
            "status",
        )
    steps = result.trace.steps if result.trace else []
    for index in range(len(steps) - 1, -1, -1):
        step = steps[index]
        if step.tool_name is None:
            continue
        if step_failed(step):
            code = (
                FailureCode.TOOL_TIMEOUT
                if step_timed_out(step)
                else FailureCode.TOOL_FAILURE
            )
            return (
                code,
                f"the run broke off after its last tool call, {step.tool_name}, failed",
                f"trace:{step_ref(step, index)}",
            )
        break
    return (
        FailureCode.UNKNOWN_FAILURE,
        "the run ended in an error, and its last tool call does not say why",
        "status",
    )


def _empty(case: Case) -> tuple[FailureCode, str, str] | None:
    answer = final_answer(case.result)
    if answer is Answer.GIVEN:
        return None
    named = any(
        fold_name(name) == _ANSWER_NAME
        for name in case.contract.success_criteria.required_outputs
    )
    if has_structured_output(case.result) and not named:
        return None
    what = (
        "the run has no final answer"
        if answer is Answer.MISSING
        else "the final answer has no content"
    )
    return answer.code, what, "final_answer"
