"""Whether the run came to an end and delivered something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.results import (
    ANSWER_PLACE,
    AgentResult,
    Status,
    answer_is_unread,
)
from judgemesh.contracts.validator import Case, always, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Pass,
    Verdict,
    inaccessible,
    unread_answer,
)
from judgemesh.validators._shared.answer.answers import (
    Answer,
    content_is_compared,
    final_answer,
    has_structured_output,
)
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.transcript import step_ref, without_trace

if TYPE_CHECKING:
    from judgemesh.contracts.result_parts.trace import TraceStep

_TOOL_CODES: Final = frozenset({FailureCode.TOOL_FAILURE, FailureCode.TOOL_TIMEOUT})
_ANSWER_REF: Final = "final_answer"
_LAST_TEXT_REF: Final = "trace:last_text"
_ANSWER_NAME: Final = fold_name(_ANSWER_REF)


class _Fault(NamedTuple):
    """Why a run is not complete, and where that is seen."""

    code: FailureCode
    why: str
    ref: str


_TIMED_OUT: Final = _Fault(
    FailureCode.EXECUTION_TIMEOUT, "the run hit its time or step limit", "status"
)
_ABANDONED: Final = _Fault(
    FailureCode.MISSING_FINAL_ANSWER,
    "the run was abandoned before it came to an answer",
    "status",
)
_UNEXPLAINED: Final = _Fault(
    FailureCode.UNKNOWN_FAILURE,
    "the run ended in an error, and its last tool call does not say why",
    "status",
)


@validator(
    name="completion",
    version="1",
    takes_args=False,
    codes=(
        FailureCode.EXECUTION_TIMEOUT,
        FailureCode.TOOL_TIMEOUT,
        FailureCode.TOOL_FAILURE,
        FailureCode.UNKNOWN_FAILURE,
        FailureCode.MISSING_FINAL_ANSWER,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
    ),
    applies=always,
    pure=True,
)
def completion(case: Case) -> list[Verdict]:
    """The run ended by itself and delivered something.

    A run that timed out, broke or was abandoned fails with the code that says why. A completed one fails when there is
    neither a final answer with content nor any structured output. Structured outputs alone are enough unless the
    contract's `required_outputs` names `final_answer`. Where the contract names TOOL_FAILURE or TOOL_TIMEOUT, a failed
    call that no later call of the same tool made good fails too. Where the form of a converted transcript holds no
    answer, the check abstains.
    """
    fault = _fault(case)
    refs: tuple[str, ...] = ("status",)
    if case.result.metadata.get(ANSWER_PLACE) == "trace":
        refs = ("status", _LAST_TEXT_REF)
    first: Verdict = Pass(
        check="completion", confidence=DETERMINISTIC, evidence_refs=refs
    )
    if fault is not None:
        first = _failure("completion", fault)
        if fault.ref == _ANSWER_REF and answer_is_unread(case.result):
            first = unread_answer("completion")
    named = _TOOL_CODES.intersection(case.contract.named_codes())
    if not named or (fault is not None and fault.code in named):
        return [first]
    return [first, _tool_verdict(case, named)]


def _tool_verdict(case: Case, named: frozenset[FailureCode]) -> Verdict:
    """Whether a call failed for good, in the way that the contract names."""
    unread = without_trace(case)
    if unread is not None:
        return inaccessible("tool_calls", unread)
    from judgemesh.validators._shared.trace.call_outcome import unrecovered

    steps = case.result.trace.steps if case.result.trace else []
    for index, call in unrecovered(steps):
        code = _code_of(call)
        if code not in named and FailureCode.TOOL_FAILURE in named:
            # A call that ran out of time failed too.
            code = FailureCode.TOOL_FAILURE
        if code in named:
            why = f"the call of {call.tool_name} failed, and no later call of it succeeded"
            fault = _Fault(code, why, f"trace:{step_ref(call, index)}")
            return _failure("tool_calls", fault)
    return Pass(check="tool_calls", confidence=DETERMINISTIC)


def _failure(check: str, fault: _Fault) -> Fail:
    return Fail(
        check=check,
        codes=(fault.code,),
        diagnostic=fault.why,
        confidence=DETERMINISTIC,
        evidence_refs=(fault.ref,),
    )


def _fault(case: Case) -> _Fault | None:
    match case.result.status:
        case Status.COMPLETED:
            return _missing_answer(case)
        case Status.TIMEOUT:
            return _TIMED_OUT
        case Status.ABANDONED:
            return _ABANDONED
        case _:
            return _failed_call(case.result) or _UNEXPLAINED


def _failed_call(result: AgentResult) -> _Fault | None:
    """The last tool call of a run that ended in an error, if it failed."""
    steps = result.trace.steps if result.trace else []
    calls = [
        (index, step) for index, step in enumerate(steps) if step.tool_name is not None
    ]
    if not calls:
        return None
    from judgemesh.validators._shared.trace.call_outcome import call_failed

    index, call = calls[-1]
    if not call_failed(call):
        return None
    why = f"the run ended after its last tool call, {call.tool_name}, failed"
    return _Fault(_code_of(call), why, f"trace:{step_ref(call, index)}")


def _code_of(call: TraceStep) -> FailureCode:
    from judgemesh.validators._shared.trace.call_outcome import call_timed_out

    if call_timed_out(call):
        return FailureCode.TOOL_TIMEOUT
    return FailureCode.TOOL_FAILURE


def _missing_answer(case: Case) -> _Fault | None:
    answer = final_answer(case.result)
    if answer is Answer.GIVEN:
        return None
    if content_is_compared(case.contract, case.result):
        return None
    required = case.contract.success_criteria.required_outputs
    if has_structured_output(case.result) and not any(
        fold_name(name) == _ANSWER_NAME for name in required
    ):
        return None
    why = "the final answer has no content"
    if answer is Answer.MISSING:
        why = "the run has no final answer"
    return _Fault(answer.code, why, _ANSWER_REF)
