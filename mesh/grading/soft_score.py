"""Sub-scores and the soft score of one result (SPEC section 4). Pure: the order of the verdicts does not matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.verdicts import Metric, score_of

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


def sub_scores(rows: Iterable[ValidatorVerdict]) -> dict[str, float]:
    """Weighted mean of the verified verdicts of each metric, 0..10; a metric without any is absent."""
    parts: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        score, metric = score_of(row.verdict), row.verdict.metric
        if metric is not None and score is not None:
            parts.setdefault(metric, []).append((row.verdict.weight, score))
    return {metric: _mean(parts[metric]) * _SCALE for metric in sorted(parts)}


def soft_score(scores: Mapping[str, float], contract: EvalContract) -> float | None:
    """Mean of the five sub-scores by their weights, 0..10; the weight of an absent one is shared out in proportion."""
    weights = {**DEFAULT_WEIGHTS, **contract.scoring.weights}
    parts: list[tuple[float, float]] = []
    for metric in DEFAULT_WEIGHTS:
        if metric in scores and weights[metric] > 0:
            parts.append((weights[metric], scores[metric]))
    return _mean(parts) if parts else None


def low_codes(scores: Mapping[str, float], contract: EvalContract) -> list[FailureCode]:
    """The `LOW_*_SCORE` codes of sub-scores below their thresholds."""
    thresholds = contract.scoring.thresholds
    codes: list[FailureCode] = []
    for metric, code in LOW_CODES.items():
        threshold = thresholds.get(metric, DEFAULT_THRESHOLD)
        if metric in scores and scores[metric] < threshold:
            codes.append(code)
    return codes


def open_low_codes(
    rows: Iterable[ValidatorVerdict], contract: EvalContract
) -> list[FailureCode]:
    """The `LOW_*_SCORE` codes of sub-scores that are not low, and might be: nothing measured them, or not all of it.

    What is undecided counts as failed here: a score that stays at its threshold even so is not open.
    """
    measured: dict[str, list[tuple[float, float]]] = {}
    worst: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        verdict = row.verdict
        score = score_of(verdict)
        if verdict.metric is None:
            continue
        worst.setdefault(verdict.metric, []).append((verdict.weight, score or 0.0))
        if score is not None:
            measured.setdefault(verdict.metric, []).append((verdict.weight, score))
    codes: list[FailureCode] = []
    for metric, code in LOW_CODES.items():
        if metric not in measured:
            codes.append(code)
            continue
        threshold = contract.scoring.thresholds.get(metric, DEFAULT_THRESHOLD) / _SCALE
        if _mean(worst[metric]) < threshold <= _mean(measured[metric]):
            codes.append(code)
    return codes


def _mean(parts: Sequence[tuple[float, float]]) -> float:
    """Mean of (weight, value) pairs, clipped to the range of the values; fsum makes it independent of their order."""
    if len(parts) == 1:
        return parts[0][1]
    values = [value for _, value in parts]
    total = math.fsum(weight * value for weight, value in parts)
    mean = total / math.fsum(weight for weight, _ in parts)
    return min(max(mean, min(values)), max(values))
