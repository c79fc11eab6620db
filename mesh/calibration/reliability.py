"""How good probabilities are: Brier score, expected calibration error, area under the ROC curve. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Final

from judgemesh.mesh.metrics.intervals import wilson

_BINS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One row of a reliability table: what was claimed, what was true, and its 95 % Wilson interval."""

    count: int
    claimed: float
    observed: float
    low: float
    high: float


def reliability_table(
    chances: Sequence[float], truth: Sequence[bool], *, bins: int = _BINS
) -> list[Bin]:
    """The claims in bins of equal width, empty ones left out.

    Raises:
        ValueError: no claims, or not as many truths.
    """
    table: list[Bin] = []
    for items in _binned(chances, truth, bins):
        hits = sum(true for _, true in items)
        low, high = wilson_ends(hits, len(items))
        row = Bin(
            count=len(items),
            claimed=_mean_claim(items),
            observed=hits / len(items),
            low=low,
            high=high,
        )
        table.append(row)
    return table


def expected_calibration_error(
    chances: Sequence[float], truth: Sequence[bool], *, bins: int = _BINS
) -> float:
    """Mean distance between claimed and observed over the bins. Above 0 even for a perfect judge: bins are small."""
    distances: list[float] = []
    for items in _binned(chances, truth, bins):
        observed = sum(true for _, true in items) / len(items)
        distances.append(len(items) * abs(_mean_claim(items) - observed))
    return math.fsum(distances) / len(chances)


def _binned(
    chances: Sequence[float], truth: Sequence[bool], bins: int
) -> list[list[tuple[float, bool]]]:
    """The items of each bin of equal width over 0..1, empty bins left out."""
    _check(chances, truth)
    binned: dict[int, list[tuple[float, bool]]] = {}
    for chance, true in zip(chances, truth, strict=True):
        number = min(int(chance * bins), bins - 1)
        binned.setdefault(number, []).append((chance, true))
    return [binned[number] for number in sorted(binned)]


def _mean_claim(items: Sequence[tuple[float, bool]]) -> float:
    return math.fsum(chance for chance, _ in items) / len(items)


def null_calibration_error(
    chances: Sequence[float], *, bins: int = _BINS, draws: int = 200, seed: int = 0
) -> tuple[float, float]:
    """The error that perfectly calibrated claims show by chance: its mean, and its 95 % quantile.

    The labels are drawn anew from the claims themselves, `draws` times; the same seed gives the same numbers.

    Raises:
        ValueError: no claims.
    """
    random = Random(seed)  # noqa: S311 (a simulation)
    errors: list[float] = []
    for _ in range(draws):
        truth = [random.random() < chance for chance in chances]
        errors.append(expected_calibration_error(chances, truth, bins=bins))
    errors.sort()
    quantile = errors[min(draws - 1, math.ceil(0.95 * draws) - 1)]
    return math.fsum(errors) / draws, quantile


def brier(chances: Sequence[float], truth: Sequence[bool]) -> float:
    """Mean squared distance between probability and truth."""
    _check(chances, truth)
    squares = [
        (chance - true) ** 2 for chance, true in zip(chances, truth, strict=True)
    ]
    return math.fsum(squares) / len(chances)


def auroc(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The chance that a true item scores above a false one, ties counting half.

    Raises:
        ValueError: one of the classes is empty.
    """
    _check(scores, truth)
    positives = sum(truth)
    negatives = len(truth) - positives
    if not positives or not negatives:
        raise ValueError("the area under the curve needs true and false items")
    above = 0.0
    negatives_below = 0
    ordered = sorted(zip(scores, truth, strict=True), key=_score)
    for _, tied in groupby(ordered, key=_score):
        classes = [true for _, true in tied]
        hits = sum(classes)
        misses = len(classes) - hits
        above += hits * (negatives_below + misses / 2)
        negatives_below += misses
    return above / (positives * negatives)


def _score(item: tuple[float, bool]) -> float:
    return item[0]


def wilson_ends(hits: int, count: int) -> tuple[float, float]:
    """The ends of the 95 % Wilson interval of a share.

    Raises:
        ValueError: a count below 1.
    """
    interval = wilson(hits, count)
    return interval.low, interval.high


def _check(values: Sequence[float], truth: Sequence[bool]) -> None:
    if not values or len(values) != len(truth):
        raise ValueError(
            f"{len(values)} values and {len(truth)} truths; both must be as many, and at least one"
        )
