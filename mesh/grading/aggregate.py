"""The verdicts of one result under its contract: gate, scores, codes and confidence (SPEC sections 3 and 4).

Pure: the same verdicts in any order add up to the same. The gate is this table, and nothing else decides it. A verdict
that is no grade can hold the gate open; it can never pass it.

    kind      gating   contributes
    pass      yes      pass
    fail      yes      fail
    abstain   yes      undecided
    error     yes      undecided
    skipped   yes      undecided, unless it was skipped because the gate was already decided
    any       no       nothing

A sub-score that the contract made a gate (`LOW_*_SCORE`) fails below its threshold. It is undecided where nothing
measured it, or where what is undecided could push it below.

The worst contribution wins (fail, then undecided, then pass); no contribution at all is undecided, never pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from judgemesh.contracts.codes import CODES, Effect, FailureCode, by_precedence
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Confidence,
    Fail,
    Kind,
    Reason,
    Skipped,
    Verdict,
    codes_of,
)
from judgemesh.mesh.grading.soft_score import (
    low_codes,
    open_low_codes,
    soft_score,
    sub_scores,
)

GATE_TABLE: Final[Mapping[Kind, Gate]] = MappingProxyType(
    {
        "pass": Gate.PASS,
        "fail": Gate.FAIL,
        "abstain": Gate.UNDECIDED,
        "error": Gate.UNDECIDED,
        "skipped": Gate.UNDECIDED,
    }
)
_CERTAIN: Final = {1.0}
_WORST_FIRST: Final = (Gate.FAIL, Gate.UNDECIDED, Gate.PASS)


class Aggregate(NamedTuple):
    """What the verdicts of one result add up to. Scores are 0..10.

    open_codes: codes of sub-scores that the contract made gates, and that what was measured leaves open.
    """

    gate: Gate
    scores: Mapping[str, float]
    outcome_score: float | None
    failure_codes: tuple[FailureCode, ...]
    gate_codes: tuple[FailureCode, ...]
    primary: FailureCode | None
    confidence: Confidence
    open_codes: tuple[FailureCode, ...] = ()


def gating_of(
    verdict: Verdict,
    *,
    override: bool | None,
    validator_gates: bool,
    contract: EvalContract,
) -> bool:
    """Whether a verdict can move the gate.

    The contract's setting for the validator comes first, then the verdict's own, then the effects of its codes.

    Args:
        verdict: the verdict.
        override: the contract's setting for this validator, or None.
        validator_gates: whether the validator guards the gate by itself.
        contract: it may change the effects of codes.
    """
    if override is not None:
        return override
    if verdict.gating is not None:
        return verdict.gating
    if not isinstance(verdict, Fail):
        return validator_gates
    return validator_gates and bool(_gate_codes(verdict.codes, contract))


def aggregate(rows: Sequence[ValidatorVerdict], contract: EvalContract) -> Aggregate:
    """Aggregate the verdicts of one result under its contract."""
    scores = sub_scores(rows)
    low = low_codes(scores, contract)
    low_gate_codes = _gate_codes(low, contract)
    contributions = {contribution(row) for row in rows}
    if low_gate_codes:
        contributions.add(Gate.FAIL)
    open_codes: list[FailureCode] = []
    if contract.moves_codes:
        # By themselves, low scores are no gates.
        open_codes = _gate_codes(open_low_codes(rows, contract), contract)
    if open_codes:
        contributions.add(Gate.UNDECIDED)
    gate = worst(contributions)
    failing_codes = _failing_gate_codes(rows, contract)
    gate_codes = by_precedence([*failing_codes, *low_gate_codes])
    verdict_codes = [code for row in rows for code in codes_of(row.verdict)]
    return Aggregate(
        gate=gate,
        scores=scores,
        outcome_score=soft_score(scores, contract),
        failure_codes=by_precedence([*verdict_codes, *low]),
        gate_codes=gate_codes,
        open_codes=tuple(open_codes),
        primary=_primary(gate, gate_codes, rows),
        confidence=_confidence(gate, rows),
    )


def contribution(row: ValidatorVerdict) -> Gate | None:
    """What one verdict contributes to the gate, by the table above; None for nothing."""
    verdict = row.verdict
    if not row.gating:
        return None
    if isinstance(verdict, Skipped) and verdict.reason == Reason.GATE_ALREADY_DECIDED:
        return None
    return GATE_TABLE[verdict.kind]


def worst(contributions: Iterable[Gate | None]) -> Gate:
    """The gate that the contributions make; undecided for none."""
    distinct = set(contributions)
    for gate in _WORST_FIRST:
        if gate in distinct:
            return gate
    return Gate.UNDECIDED


def _gate_codes(
    codes: Iterable[FailureCode], contract: EvalContract
) -> list[FailureCode]:
    """The codes whose effect under the contract is to fail the gate."""
    return [code for code in codes if contract.effect_of(code) is Effect.GATE]


def _failing_gate_codes(
    rows: Iterable[ValidatorVerdict], contract: EvalContract
) -> list[FailureCode]:
    """The codes that failed the gate.

    Of each gating failure these are its gate codes, or all its codes where the contract made the check itself a gate.
    """
    failing: list[FailureCode] = []
    for row in rows:
        if row.gating and isinstance(row.verdict, Fail):
            codes = row.verdict.codes
            failing.extend(_gate_codes(codes, contract) or codes)
    return failing


def _primary(
    gate: Gate, gate_codes: Sequence[FailureCode], rows: Iterable[ValidatorVerdict]
) -> FailureCode | None:
    """The code to name first: why the gate failed, or what holds it undecided; none for a pass."""
    if gate is Gate.FAIL:
        return gate_codes[0]
    if gate is Gate.PASS:
        return None
    holding: list[FailureCode] = []
    for row in rows:
        if row.gating:
            codes = codes_of(row.verdict)
            holding.extend(code for code in codes if CODES[code].effect is Effect.HOLD)
    return min(holding, key=lambda code: CODES[code].precedence, default=None)


def _confidence(gate: Gate, rows: Iterable[ValidatorVerdict]) -> Confidence:
    """How sure the gate is: a pass is as sure as its least sure check, a fail as its surest failure."""
    if gate is Gate.UNDECIDED:
        return Confidence()
    stabilities: list[float] = []
    correctness: list[float] = []
    for row in rows:
        confidence = row.verdict.confidence
        if confidence is None or contribution(row) is not gate:
            continue
        if confidence.stability is not None:
            stabilities.append(confidence.stability)
        if confidence.correctness is not None:
            correctness.append(confidence.correctness)
    if not correctness and stabilities and set(stabilities) == _CERTAIN:
        return DETERMINISTIC
    pick = min if gate is Gate.PASS else max
    return Confidence(pick(stabilities, default=None), pick(correctness, default=None))
