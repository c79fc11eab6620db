"""The changes of state that a run made, compared with those that the contract expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.effects import StateSpec
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Details,
    Fail,
    Metric,
    Pass,
    Reason,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import MAX_REFS
from judgemesh.validators._shared.state.changes import Actual
from judgemesh.validators._shared.state.documents import examine
from judgemesh.validators._shared.state.globs import pointer
from judgemesh.validators._shared.values import listed
from judgemesh.validators.state.claims import claims_change
from judgemesh.validators.state.comparison import StateComparison, compare
from judgemesh.validators.state.expectations import compiled_state
from judgemesh.validators.state.hollow import Hollow, hollow_objects
from judgemesh.validators.state.object_rows import state_object_rows
from judgemesh.validators.state.outcomes import ChangeOutcome, Met

_NO_EVIDENCE: Final = (
    "the result carries no state evidence (a diff, or the documents before and after)"
)
_METRIC: Final = Metric.EXECUTION_SUCCESS.value


def check_state(case: Case) -> list[Verdict]:
    """Compare the changes of state with those that the contract expects."""
    spec = case.contract.state
    if spec is None:
        return [not_configured("state", "the contract has no state section")]
    if case.changes is None:
        why = case.problems.get("state", _NO_EVIDENCE)
        return [inaccessible("state", why, metric=_METRIC)]
    actual = Actual(case.changes, case.result.state)
    comparison = compare(compiled_state(spec), actual)
    code = _failure_code(comparison, case.result)
    documents = examine(spec.documents, actual)
    hollow = hollow_objects(comparison, spec, actual, documents)
    codes = () if code is None else (code,)
    rows = state_object_rows(comparison, actual, case.result, codes, documents, hollow)
    details: Details = {"state_objects": rows} if rows else {}
    verdicts: list[Verdict] = []
    if code is not None:
        verdicts.append(_unmet(code, comparison, details))
    if comparison.side_effects or comparison.forbidden:
        # The rows of the objects are reported once.
        verdicts.append(_side_effects(comparison, {} if verdicts else details))
    if hollow:
        verdicts.append(_without_content(hollow, {} if verdicts else details))
    return verdicts or [_no_failure(case, spec, comparison, details)]


def _failure_code(
    comparison: StateComparison, result: AgentResult
) -> FailureCode | None:
    unmet = comparison.outcomes_that_are(Met.MISSING, Met.WRONG)
    if not unmet:
        return None
    if len(unmet) < len(comparison.outcomes):
        return FailureCode.PARTIAL_STATE_CHANGE
    if claims_change(result, unmet):
        return FailureCode.STATE_MISMATCH
    return FailureCode.STATE_CHANGE_FAILED


def _no_failure(
    case: Case, spec: StateSpec, comparison: StateComparison, details: Details
) -> Verdict:
    """Nothing failed: pass, or abstain where that proves nothing."""
    unseen = _unseen(comparison)
    if unseen:
        return Abstain(
            check="state",
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic=f"the diff does not show enough: {listed(unseen)}",
            metric=_METRIC,
            details=details,
        )
    if comparison.outcomes:
        return Pass(
            check="state",
            metric=_METRIC,
            confidence=DETERMINISTIC,
            evidence_refs=_outcome_refs(comparison.outcomes),
            details=details,
        )
    if case.contract.success_criteria.execution_result.required and not spec.documents:
        return _vacuous(spec, details)
    return Pass(
        check="state",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        diagnostic="nothing was to change but what the contract allows, and nothing did",
        details=details,
    )


def _unseen(comparison: StateComparison) -> list[str]:
    """What the diff does not show and the comparison needs."""
    outcomes = comparison.outcomes_that_are(Met.UNSEEN)
    unseen = [outcome.describe() for outcome in outcomes]
    unseen += (
        f"{pointer(path)}: the value before is not in the diff"
        for path in comparison.unseen
    )
    return unseen


def _vacuous(spec: StateSpec, details: Details) -> Abstain:
    expected = "the contract expects no change of state"
    if spec.expected:
        expected = "every expected change equals the start"
    return Abstain(
        check="state",
        reason=Reason.VACUOUS_EXPECTATION,
        diagnostic=f"an execution is required, but {expected}: that nothing changed proves nothing",
        metric=_METRIC,
        details=details,
    )


def _unmet(code: FailureCode, comparison: StateComparison, details: Details) -> Fail:
    outcomes = comparison.outcomes
    unmet = comparison.outcomes_that_are(Met.MISSING, Met.WRONG)
    met = comparison.outcomes_that_are(Met.MET)
    reasons = listed([outcome.describe() for outcome in unmet])
    return Fail(
        check="expected_changes",
        codes=(code,),
        score=_weight(met) / _weight(outcomes),
        diagnostic=f"{len(met)} of {len(outcomes)} expected changes happened; {reasons}",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        evidence_refs=_outcome_refs(unmet),
        details=details,
    )


def _weight(outcomes: Sequence[ChangeOutcome]) -> float:
    return sum(outcome.expectation.spec.weight for outcome in outcomes)


def _outcome_refs(outcomes: Sequence[ChangeOutcome]) -> tuple[str, ...]:
    return tuple(
        f"state:{outcome.expectation.spec.path}" for outcome in outcomes[:MAX_REFS]
    )


def _without_content(hollow: Sequence[Hollow], details: Details) -> Fail:
    phrases = [f"{pointer(path) or 'the document'} {why}" for path, why in hollow]
    return Fail(
        check="content",
        codes=(FailureCode.EMPTY_OR_INVALID_OUTPUT,),
        diagnostic=f"created or changed without content: {listed(phrases)}",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(f"state:{pointer(path)}" for path, _ in hollow[:MAX_REFS]),
        details=details,
    )


def _side_effects(comparison: StateComparison, details: Details) -> Fail:
    paths: list[str] = []
    phrases: list[str] = []
    for reason, changes in (
        ("forbidden", comparison.forbidden),
        ("nobody asked for it", comparison.side_effects),
    ):
        for change in changes:
            path = pointer(change.path)
            paths.append(path)
            phrases.append(f"{path or 'the document'} ({reason})")
    shown = paths[:MAX_REFS]
    return Fail(
        check="side_effects",
        codes=(FailureCode.UNAUTHORIZED_ACTION,),
        diagnostic=f"unexpected changes of state: {listed(phrases)}",
        metric=_METRIC,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(f"state:{path}" for path in shown),
        details={**details, "side_effect_detected": True, "side_effect_paths": shown},
    )
