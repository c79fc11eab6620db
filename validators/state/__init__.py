"""The state of the world: the changes that the run made against the changes that the contract expects."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.effects import StateSpec
from judgemesh.contracts.results import Action, AgentResult, Status
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Details,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.changes import Actual, Change
from judgemesh.validators._shared.globs import pointer
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.transcript import word
from judgemesh.validators._shared.values import as_mapping, as_sequence, listed
from judgemesh.validators.documents import examine
from judgemesh.validators.execution.claimed_actions import claims_of
from judgemesh.validators.state.expectations import (
    Comparison,
    Met,
    Outcome,
    compare,
    compiled_state,
)
from judgemesh.validators.state.objects import state_objects

_METRIC: Final = Metric.EXECUTION_SUCCESS.value
_MAX_REFS: Final = 50
_DONE_WORDS: Final = frozenset(
    {
        "completed",
        "complete",
        "success",
        "succeeded",
        "successful",
        "done",
        "ok",
        "executed",
        "finished",
        "confirmed",
    }
)


@validator(
    name="state",
    version="1",
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        FailureCode.PARTIAL_STATE_CHANGE,
        FailureCode.STATE_CHANGE_FAILED,
        FailureCode.STATE_MISMATCH,
        FailureCode.UNAUTHORIZED_ACTION,
    ),
    applies=lambda contract: contract.state is not None,
)
def state(case: Case) -> Judgement:
    """The expected changes of state happened, and no others.

    Some but not all of the expected changes: `PARTIAL_STATE_CHANGE`. None: `STATE_CHANGE_FAILED`, or `STATE_MISMATCH`
    when the agent claims them. A change that is neither expected, allowed nor ignored, and any forbidden one:
    `UNAUTHORIZED_ACTION` with `side_effect_detected`. Where an execution is required and nothing is expected to
    change, an unchanged world proves nothing: the check abstains instead of passing.
    """
    yield from ()
    spec = case.contract.state
    if spec is None:
        return [
            Skipped(
                check="state",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract has no state section",
            )
        ]
    if case.changes is None:
        return [
            _abstain(
                "the result carries no state evidence (a diff, or the documents before and after)"
            )
        ]
    actual = Actual(case.changes, case.result.state)
    comparison = compare(compiled_state(spec), actual)
    unmet = [
        outcome
        for outcome in comparison.outcomes
        if outcome.met in (Met.MISSING, Met.WRONG)
    ]
    code = _code(comparison.outcomes, unmet, case.result) if unmet else None
    looked_at = examine(spec.documents, actual, case.result.state)
    rows = state_objects(
        comparison, actual, case.result, () if code is None else (code,), looked_at
    )
    details: Details = {"state_objects": rows} if rows else {}
    verdicts: list[Verdict] = []
    if code is not None:
        verdicts.append(_unmet(code, comparison.outcomes, unmet, details))
    if comparison.side_effects or comparison.forbidden:
        verdicts.append(_side_effects(comparison, {} if verdicts else details))
    return verdicts or [_held(case, spec, comparison, details)]


def _held(
    case: Case, spec: StateSpec, comparison: Comparison, details: Details
) -> Verdict:
    """Nothing failed: what that is worth."""
    unseen = [
        outcome.words() for outcome in comparison.outcomes if outcome.met is Met.UNSEEN
    ]
    unseen += [
        f"{pointer(path)}: what stood there before is not in the diff"
        for path in comparison.unseen
    ]
    if unseen:
        return _abstain(f"the diff does not show enough: {listed(unseen)}", details)
    if comparison.outcomes:
        refs = tuple(
            f"state:{outcome.expectation.spec.path}" for outcome in comparison.outcomes
        )
        return Pass(
            check="state",
            metric=_METRIC,
            confidence=DETERMINISTIC,
            evidence_refs=refs[:_MAX_REFS],
            details=details,
        )
    if case.contract.success_criteria.execution_result.required and not spec.documents:
        expected = (
            "every expected change equals the start"
            if spec.expected
            else "the contract expects no change of state"
        )
        why = f"an execution is required, but {expected}: that nothing changed proves nothing"
        return Abstain(
            check="state",
            reason=Reason.VACUOUS_EXPECTATION,
            diagnostic=why,
            metric=_METRIC,
            details=details,
        )
    return Pass(
        check="state",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        diagnostic="nothing was to change and nothing did",
        details=details,
    )


def _abstain(why: str, details: Details | None = None) -> Abstain:
    return Abstain(
        check="state",
        code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
        reason=Reason.SOURCE_INACCESSIBLE,
        diagnostic=why,
        metric=_METRIC,
        details=details or {},
    )


def _unmet(
    code: FailureCode, outcomes: list[Outcome], unmet: list[Outcome], details: Details
) -> Fail:
    total = sum(outcome.expectation.spec.weight for outcome in outcomes)
    happened = [outcome for outcome in outcomes if outcome.met is Met.MET]
    met = sum(outcome.expectation.spec.weight for outcome in happened)
    words = listed([outcome.words() for outcome in unmet])
    return Fail(
        check="expected_changes",
        codes=(code,),
        score=met / total,
        diagnostic=f"{len(happened)} of {len(outcomes)} expected changes happened; {words}",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(
            f"state:{outcome.expectation.spec.path}" for outcome in unmet
        )[:_MAX_REFS],
        details=details,
    )


def _code(
    outcomes: list[Outcome], unmet: list[Outcome], result: AgentResult
) -> FailureCode:
    if len(unmet) < len(outcomes):
        return FailureCode.PARTIAL_STATE_CHANGE
    return (
        FailureCode.STATE_MISMATCH
        if _claimed(unmet, result)
        else FailureCode.STATE_CHANGE_FAILED
    )


def _claimed(unmet: list[Outcome], result: AgentResult) -> bool:
    """Whether the agent claims a change that did not happen. Only its `actions` count, never the prose of the answer.

    The run must call itself completed, and an action must either be about the object (its target, kind or a parameter
    is a segment of the expected path) without saying that it failed, or say that it is done without naming any target
    at all. A change that happened with another value is not an invented one.
    """
    if result.status is not Status.COMPLETED or any(
        outcome.met is Met.WRONG for outcome in unmet
    ):
        return False
    segments = {
        fold_name(part)
        for outcome in unmet
        for part in outcome.expectation.path
        if part
    }
    return any(_touches(claim.action, segments) for claim in claims_of(result.actions))


def _touches(action: Action, segments: set[str]) -> bool:
    named = {
        fold_name(part)
        for text in (action.target or "", action.kind)
        for part in (text, *text.split("/"))
        if part
    }
    if named & segments or any(
        fold_name(text) in segments for text in _texts(action.parameters)
    ):
        return True
    return (
        action.target is None
        and not action.parameters
        and word(action.status) in _DONE_WORDS
    )


def _texts(value: object) -> list[str]:
    found: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        mapping, sequence = as_mapping(item), as_sequence(item)
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, int) and not isinstance(item, bool):
            found.append(str(item))
        elif mapping is not None:
            stack.extend(mapping.values())
        elif sequence is not None:
            stack.extend(sequence)
    return found


def _side_effects(comparison: Comparison, details: Details) -> Fail:
    strays = [*comparison.forbidden, *comparison.side_effects]
    words = [
        _stray_words(
            change,
            "forbidden" if index < len(comparison.forbidden) else "nobody asked for it",
        )
        for index, change in enumerate(strays)
    ]
    paths = tuple(pointer(change.path) for change in strays)
    return Fail(
        check="side_effects",
        codes=(FailureCode.UNAUTHORIZED_ACTION,),
        diagnostic=f"unexpected changes of state: {listed(words)}",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(f"state:{path}" for path in paths[:_MAX_REFS]),
        details={
            **details,
            "side_effect_detected": True,
            "side_effect_paths": list(paths[:_MAX_REFS]),
        },
    )


def _stray_words(change: Change, why: str) -> str:
    return f"{pointer(change.path) or 'the document'} ({why})"
