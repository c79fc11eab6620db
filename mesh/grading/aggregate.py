"""Verdicts + policy -> report. Pure: the same verdicts in any order give the same report.

The gate is this table, and nothing else decides it. What is no grade can hold the gate open; it can never pass it.

    kind      gating   contributes
    pass      yes      pass
    fail      yes      fail
    abstain   yes      undecided
    error     yes      undecided
    skipped   yes      undecided, unless it was skipped because the gate was already decided
    any       no       nothing

The worst contribution wins (fail, then undecided, then pass); no contribution at all is undecided, never pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import CODES, Effect, FailureCode, by_precedence
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.verdicts import (
    Confidence,
    Fail,
    Kind,
    Metric,
    Reason,
    Skipped,
    Verdict,
    codes_of,
    score_of,
)

GATE_TABLE: Final[Mapping[tuple[Kind, bool], Gate | None]] = MappingProxyType(
    {
        ("pass", True): Gate.PASS,
        ("fail", True): Gate.FAIL,
        ("abstain", True): Gate.UNDECIDED,
        ("error", True): Gate.UNDECIDED,
        ("skipped", True): Gate.UNDECIDED,
        ("pass", False): None,
        ("fail", False): None,
        ("abstain", False): None,
        ("error", False): None,
        ("skipped", False): None,
    }
)
_WORST_FIRST: Final = (Gate.FAIL, Gate.UNDECIDED, Gate.PASS)

DEFAULT_WEIGHTS: Final[Mapping[Metric, float]] = MappingProxyType(
    {
        Metric.COMPLETENESS: 0.30,
        Metric.EVIDENCE_VALIDITY: 0.20,
        Metric.EVIDENCE_CONSISTENCY: 0.20,
        Metric.METHODOLOGY: 0.20,
        Metric.READABILITY: 0.10,
    }
)
LOW_CODES: Final[Mapping[Metric, FailureCode]] = MappingProxyType(
    {
        Metric.COMPLETENESS: FailureCode.LOW_COMPLETENESS_SCORE,
        Metric.EVIDENCE_VALIDITY: FailureCode.LOW_EVIDENCE_VALIDITY_SCORE,
        Metric.EVIDENCE_CONSISTENCY: FailureCode.LOW_EVIDENCE_CONSISTENCY_SCORE,
        Metric.METHODOLOGY: FailureCode.LOW_METHODOLOGY_SCORE,
        Metric.READABILITY: FailureCode.LOW_READABILITY_SCORE,
    }
)
DEFAULT_THRESHOLD: Final = 6.0
_SCALE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the verdicts of one result add up to. Scores are 0..10."""

    gate: Gate
    scores: Mapping[str, float]
    outcome_score: float | None
    failure_codes: tuple[FailureCode, ...]
    gate_codes: tuple[FailureCode, ...]
    primary: FailureCode | None
    confidence: Confidence


def gating_of(
    verdict: Verdict,
    *,
    override: bool | None,
    validator_gates: bool,
    contract: EvalContract,
) -> bool:
    """Whether a verdict can move the gate: the contract's word, then the verdict's own, then the codes' effects.

    Args:
        verdict: the verdict.
        override: what the contract says about this validator, or None.
        validator_gates: whether the validator guards the gate by itself.
        contract: for the effects of codes it moves.
    """
    if override is not None:
        return override
    if verdict.gating is not None:
        return verdict.gating
    if isinstance(verdict, Fail):
        return validator_gates and any(
            contract.effect_of(code) is Effect.GATE for code in verdict.codes
        )
    return validator_gates


def add_up(rows: Sequence[ValidatorVerdict], contract: EvalContract) -> Verdicts:
    """Aggregate the verdicts of one result under its contract (SPEC sections 3 and 4)."""
    scores = sub_scores(rows)
    low = low_codes(scores, contract)
    low_gates = [code for code in low if contract.effect_of(code) is Effect.GATE]
    contributions = [contribution(row) for row in rows]
    contributions.extend(Gate.FAIL for _ in low_gates)
    gate = worst(contributions)
    gate_codes = by_precedence([*_failing_gate_codes(rows, contract), *low_gates])
    every = by_precedence(
        [*(code for row in rows for code in codes_of(row.verdict)), *low]
    )
    return Verdicts(
        gate=gate,
        scores=scores,
        outcome_score=soft_score(scores, contract),
        failure_codes=every,
        gate_codes=gate_codes,
        primary=_primary(gate, gate_codes, rows),
        confidence=_confidence(gate, rows),
    )


def contribution(row: ValidatorVerdict) -> Gate | None:
    """What one verdict says about the gate: the table above."""
    verdict = row.verdict
    if isinstance(verdict, Skipped) and verdict.reason == Reason.GATE_ALREADY_DECIDED:
        return None
    return GATE_TABLE[verdict.kind, row.gating]


def worst(contributions: Iterable[Gate | None]) -> Gate:
    """The gate that the contributions make; undecided for none."""
    seen = set(contributions)
    return next((gate for gate in _WORST_FIRST if gate in seen), Gate.UNDECIDED)


def sub_scores(rows: Iterable[ValidatorVerdict]) -> dict[str, float]:
    """Weighted mean of the verified verdicts of each metric, 0..10; a metric nothing verified is absent."""
    parts: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        score, metric = score_of(row.verdict), row.verdict.metric
        if metric is not None and score is not None:
            parts.setdefault(metric, []).append((row.verdict.weight, score))
    return {metric: _mean(parts[metric]) * _SCALE for metric in sorted(parts)}


def soft_score(scores: Mapping[str, float], contract: EvalContract) -> float | None:
    """The five sub-scores by their weights; the weight of an absent one is shared out in proportion (SPEC 4)."""
    weights = {**DEFAULT_WEIGHTS, **contract.scoring.weights}
    parts = [
        (weights[metric], scores[metric])
        for metric in DEFAULT_WEIGHTS
        if metric in scores and weights[metric] > 0
    ]
    return _mean(parts) if parts else None


def low_codes(scores: Mapping[str, float], contract: EvalContract) -> list[FailureCode]:
    """The `LOW_*_SCORE` codes of sub-scores below their thresholds."""
    thresholds = contract.scoring.thresholds
    return [
        code
        for metric, code in LOW_CODES.items()
        if metric in scores
        and scores[metric] < thresholds.get(metric, DEFAULT_THRESHOLD)
    ]


def _mean(parts: Sequence[tuple[float, float]]) -> float:
    """Weighted mean, clipped to the range of its values; fsum makes it independent of the order."""
    if len(parts) == 1:
        return parts[0][1]
    mean = math.fsum(weight * value for weight, value in parts) / math.fsum(
        weight for weight, _ in parts
    )
    return min(
        max(mean, min(value for _, value in parts)), max(value for _, value in parts)
    )


def _failing_gate_codes(
    rows: Iterable[ValidatorVerdict], contract: EvalContract
) -> list[FailureCode]:
    """Codes that failed the gate: of each gating failure the gate codes, or all of them where the contract made the
    check itself a gate."""
    found: list[FailureCode] = []
    for row in rows:
        if row.gating and isinstance(row.verdict, Fail):
            codes = [
                code
                for code in row.verdict.codes
                if contract.effect_of(code) is Effect.GATE
            ]
            found.extend(codes or row.verdict.codes)
    return found


def _primary(
    gate: Gate, gate_codes: Sequence[FailureCode], rows: Iterable[ValidatorVerdict]
) -> FailureCode | None:
    """The code to name first: why the gate failed, or what holds it undecided; none for a pass."""
    if gate is Gate.FAIL:
        return gate_codes[0]
    if gate is Gate.PASS:
        return None
    held = [
        code
        for row in rows
        if row.gating
        for code in codes_of(row.verdict)
        if CODES[code].effect is Effect.HOLD
    ]
    return min(held, key=lambda code: CODES[code].precedence, default=None)


def _confidence(gate: Gate, rows: Iterable[ValidatorVerdict]) -> Confidence:
    """How sure the gate is: a pass is as sure as its least sure check, a fail as its surest failure."""
    if gate is Gate.UNDECIDED:
        return Confidence()
    pick = min if gate is Gate.PASS else max
    deciding = [
        row.verdict.confidence
        for row in rows
        if contribution(row) is gate and row.verdict.confidence
    ]
    stabilities = [
        confidence.stability
        for confidence in deciding
        if confidence.stability is not None
    ]
    correctness = [
        confidence.correctness
        for confidence in deciding
        if confidence.correctness is not None
    ]
    return Confidence(pick(stabilities, default=None), pick(correctness, default=None))
