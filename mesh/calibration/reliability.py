"""How good probabilities are: Brier score, expected calibration error, area under the ROC curve. Pure, no numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Final

_BINS: Final = 10
_Z95: Final = 1.959963984540054


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
    _check(chances, truth)
    boxes: dict[int, list[tuple[float, bool]]] = {}
    for chance, true in zip(chances, truth, strict=True):
        boxes.setdefault(min(int(chance * bins), bins - 1), []).append((chance, true))
    table: list[Bin] = []
    for _, box in sorted(boxes.items()):
        hits, count = sum(true for _, true in box), len(box)
        low, high = wilson(hits, count)
        claimed = math.fsum(chance for chance, _ in box) / count
        table.append(
            Bin(count=count, claimed=claimed, observed=hits / count, low=low, high=high)
        )
    return table


def expected_calibration_error(
    chances: Sequence[float], truth: Sequence[bool], *, bins: int = _BINS
) -> float:
    """Mean distance between claimed and observed over the bins. Above 0 even for a perfect judge: bins are small."""
    table = reliability_table(chances, truth, bins=bins)
    return math.fsum(
        row.count * abs(row.claimed - row.observed) for row in table
    ) / len(chances)


def null_calibration_error(
    chances: Sequence[float], *, bins: int = _BINS, draws: int = 200, seed: int = 0
) -> tuple[float, float]:
    """The error that perfectly calibrated claims show by chance: its mean, and the quantile 95 % stay below.

    The labels are drawn anew from the claims themselves, `draws` times; the same seed, the same numbers.

    Raises:
        ValueError: no claims.
    """
    draw = Random(seed)  # noqa: S311 (a simulation)
    errors = sorted(
        expected_calibration_error(
            chances, [draw.random() < chance for chance in chances], bins=bins
        )
        for _ in range(draws)
    )
    return math.fsum(errors) / draws, errors[
        min(draws - 1, math.ceil(0.95 * draws) - 1)
    ]


def squared_calibration_error(
    chances: Sequence[float], truth: Sequence[bool], *, bins: int = _BINS
) -> float:
    """Mean squared distance between claimed and observed, less what chance alone puts into each bin.

    Bins hold equally many claims; a bin's squared distance is lowered by o (1-o) / (n-1), the variance of its observed
    share o (Kumar, Liang and Ma 2019, "Verified uncertainty calibration"). So it is right on average over samples, and
    below 0 where chance explains more than there is. The root of its mean is never less than the mean distance.
    """
    _check(chances, truth)
    ordered = sorted(zip(chances, truth, strict=True), key=_claim)
    total, squares = len(ordered), 0.0
    for number in range(min(bins, total)):
        box = (
            ordered[number * total // bins : (number + 1) * total // bins]
            if total >= bins
            else [ordered[number]]
        )
        observed = sum(true for _, true in box) / len(box)
        claimed = math.fsum(chance for chance, _ in box) / len(box)
        noise = observed * (1.0 - observed) / (len(box) - 1) if len(box) > 1 else 0.0
        squares += len(box) * ((claimed - observed) ** 2 - noise)
    return squares / total


def _claim(pair: tuple[float, bool]) -> float:
    return pair[0]


def brier(chances: Sequence[float], truth: Sequence[bool]) -> float:
    """Mean squared distance between probability and truth."""
    _check(chances, truth)
    return math.fsum(
        (chance - true) ** 2 for chance, true in zip(chances, truth, strict=True)
    ) / len(chances)


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
    above, below_so_far = 0.0, 0
    ordered = sorted(zip(scores, truth, strict=True), key=lambda pair: pair[0])
    for _, tied in groupby(ordered, key=lambda pair: pair[0]):
        group = [true for _, true in tied]
        hits = sum(group)
        above += hits * (below_so_far + (len(group) - hits) / 2)
        below_so_far += len(group) - hits
    return above / (positives * negatives)


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share.

    Raises:
        ValueError: a count below 1.
    """
    if count < 1:
        raise ValueError("a share needs at least one item")
    share, z2 = hits / count, _Z95 * _Z95
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = (
        _Z95
        * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count))
        / (1 + z2 / count)
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def _check(values: Sequence[float], truth: Sequence[bool]) -> None:
    if not values or len(values) != len(truth):
        raise ValueError(
            f"{len(values)} values and {len(truth)} truths; both must be as many, and at least one"
        )
