"""Whether labelled results can have been drawn at random from a run, as their labels say.

A draw without replacement is the only thing that is tested, so the p-values are those of a randomisation test: the same
number of results is drawn from the run many times. Runs of one task need no care here, for the run is given.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

IMPOSSIBLE: Final = 0.001
"""Below this p-value a claim is contradicted; one honest sample in a thousand for each property tested."""
_DRAWS: Final = 20_000
_BATCH: Final = 500
_SEED: Final = 5

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A property whose distribution among the labelled results chance cannot explain.

    value: the category that is most over-represented; empty for a number.
    labelled, all_results: its share among the labelled results and in the run; for a number the two means.
    """

    of: str
    value: str
    labelled: float
    all_results: float
    p_value: float

    def __str__(self) -> str:
        if self.value:
            what = f"{self.labelled:.0%} of the labelled results are {self.value}, and {self.all_results:.0%} of all"
        else:
            means = f"{self.labelled:.3g}, and {self.all_results:.3g} of all"
            what = f"the mean {self.of} of the labelled results is {means}"
        return f"{what}: chance does not do that (p {_p_text(self.p_value)})"


def _p_text(p_value: float) -> str:
    return f"{p_value:.4f}" if p_value >= 1 / _DRAWS else f"below {1 / _DRAWS:g}"


def category_contradiction(
    of: str,
    categories: Sequence[Hashable],
    labelled: Sequence[bool],
    strata: Sequence[Hashable] | None = None,
) -> Contradiction | None:
    """Whether the labelled results are spread over the categories as no random draw would be.

    Args:
        of: what the categories are of, such as the class.
        categories: of each result of the run.
        labelled: whether each result is labelled.
        strata: where the draw was made within strata, the stratum of each result.
    """
    names, index = _indexed(categories)
    if len(names) < 2:
        return None
    chosen = np.asarray(labelled, dtype=bool)
    indicators = np.eye(len(names))[index]
    p_value, seen, expected = _randomised(indicators, chosen, strata)
    if p_value >= IMPOSSIBLE:
        return None
    worst = int(np.argmax(seen - expected))
    share = float(indicators.mean(axis=0)[worst])
    mine = float(indicators[chosen].mean(axis=0)[worst])
    return Contradiction(of, str(names[worst]), mine, share, p_value)


def number_contradiction(
    of: str,
    numbers: Sequence[float],
    labelled: Sequence[bool],
    strata: Sequence[Hashable] | None = None,
) -> Contradiction | None:
    """Whether the labelled results have numbers (costs) as no random draw would; their ranks are tested."""
    values = np.asarray(numbers, dtype=float)
    if np.ptp(values) == 0:
        return None
    ranks = np.unique(values, return_inverse=True)[1].astype(float)
    chosen = np.asarray(labelled, dtype=bool)
    p_value, _, _ = _randomised(ranks[:, None], chosen, strata)
    if p_value >= IMPOSSIBLE:
        return None
    mine, whole = float(values[chosen].mean()), float(values.mean())
    return Contradiction(of, "", mine, whole, p_value)


def _indexed(values: Sequence[Hashable]) -> tuple[list[Hashable], NDArray[np.int64]]:
    names = list(dict.fromkeys(values))
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([places[value] for value in values], dtype=np.int64)


def _randomised(
    columns: Floats, chosen: Flags, strata: Sequence[Hashable] | None
) -> tuple[float, Floats, Floats]:
    """The p-value of the sums of the chosen rows, the sums, and what is expected of them.

    The statistic is the sum of squared distances from what is expected, each in units of its variance.
    """
    groups = _groups(strata, len(chosen))
    seen = columns[chosen].sum(axis=0)
    expected = np.zeros(columns.shape[1])
    for group in groups:
        expected += columns[group].mean(axis=0) * chosen[group].sum()
    random = np.random.Generator(np.random.PCG64(_SEED))
    sums = np.zeros((_DRAWS, columns.shape[1]))
    for group in groups:
        picked = int(chosen[group].sum())
        if 0 < picked < len(group):
            sums += _draws(columns[group], picked, random)
        elif picked:
            sums += columns[group].sum(axis=0)
    variances = np.maximum(sums.var(axis=0), 1e-12)
    distance = ((seen - expected) ** 2 / variances).sum()
    reached = ((sums - expected) ** 2 / variances).sum(axis=1) >= distance - 1e-9
    return float((1 + reached.sum()) / (1 + _DRAWS)), seen, expected


def _groups(strata: Sequence[Hashable] | None, size: int) -> list[NDArray[np.int64]]:
    if strata is None:
        return [np.arange(size)]
    index = _indexed(strata)[1]
    return [np.flatnonzero(index == group) for group in range(index.max() + 1)]


def _draws(columns: Floats, picked: int, random: np.random.Generator) -> Floats:
    """Sums of `picked` rows without replacement: of the distinct rows, how often each is drawn is hypergeometric."""
    rows, counts = np.unique(columns, axis=0, return_counts=True)
    if len(rows) <= _BATCH:
        drawn = random.multivariate_hypergeometric(
            counts, picked, size=_DRAWS, method="marginals"
        )
        return np.asarray(drawn @ rows)
    # A rank among many: its sum is as good as normal, with the variance of a draw without replacement.
    total = len(columns)
    mean, spread = columns.mean(axis=0) * picked, columns.var(axis=0, ddof=1)
    scale = np.sqrt(spread * picked * (1 - picked / total))
    return np.asarray(mean + scale * random.standard_normal((_DRAWS, columns.shape[1])))
