"""How many independent votes the judges of a panel are worth, from the correlation of their errors.

Judges make the same mistakes, so k of them are not k independent votes. Votes are an n x k
array of 1 (yes), 0 (no) and NaN (no valid vote); probabilities lie between, and .5 is no
vote. numpy is imported by the first call.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:
    from judgemesh.mesh.judging.late import np

FEW_VOTES: Final = 1.5
"""Below so many effective votes a panel is nearly one judge."""

_TIE: Final = 0.5
_PAIR: Final = 2


def effective_votes(errors: Floats) -> float:
    """n_eff = k / (1 + (k-1) rho), with rho the mean correlation of the judges' errors.

    A negative rho counts as 0: k judges are never worth more than k. Judges that never
    err, or always do, have no correlation and count as agreeing with everybody: nothing
    shows that they are independent. A judge that never voted is not counted.

    Args:
        errors: n x k, as `errors_of` returns them.
    """
    voted = ~np.isnan(errors).all(axis=0)
    errors = errors[:, voted]
    judges = errors.shape[1]
    if judges < _PAIR:
        return float(judges)
    correlations: list[float] = []
    for first, second in combinations(range(judges), _PAIR):
        correlations.append(_correlation(errors[:, first], errors[:, second]))
    rho = min(1.0, max(0.0, float(np.mean(correlations))))
    return float(judges / (1.0 + (judges - 1) * rho))


def _correlation(left: Floats, right: Floats) -> float:
    both_voted = ~(np.isnan(left) | np.isnan(right))
    left, right = left[both_voted], right[both_voted]
    if len(left) < _PAIR or float(np.std(left)) == 0.0 or float(np.std(right)) == 0.0:
        return 1.0
    return float(np.corrcoef(left, right)[0, 1])


def errors_of(votes: Floats, truth: Bools) -> Floats:
    """1 where a judge's vote is wrong, 0 where it is right, NaN where there is none."""
    valid = ~np.isnan(votes) & (votes != _TIE)
    wrong = (votes > _TIE) != truth[:, None]
    return np.where(valid, wrong.astype(np.float64), np.nan)


def nearly_one(n_eff: float, judges: int) -> str:
    """The warning about a panel whose judges err together."""
    return f"{judges} judges carry {n_eff:.1f} effective votes: the panel is nearly one judge"
