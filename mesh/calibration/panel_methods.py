"""Methods that add a panel's judges up: majority, mean, best judge, tempered log-odds, ridge stacking.

Each method is fitted on labels into `Weights`, which a run applies to one question at a
time and `panel_chances` to an array. Votes are an n x k array of 1 (yes), 0 (no) and NaN
(no valid vote); probabilities lie between. The answer is P(yes) of each item; exactly .5 is
a tie, and a tie is an abstention, as is an item without a vote (NaN). numpy is imported by
the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.calibration.effective_votes import effective_votes, errors_of
from judgemesh.mesh.calibration.logistic import fit_logistic, sigmoid
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    MAX_LOGIT,
    Weights,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:
    from judgemesh.mesh.judging.late import np

LOG_ODDS_LABELS: Final = 30
STACKING_LABELS: Final = 100

_TIE: Final = 0.5
_EDGE: Final = 1e-6
_SLOPE_RIDGE: Final = 1.0
_BIAS_RIDGE: Final = 0.01


@dataclass(frozen=True, slots=True)
class PanelMethod:
    """From how many labels on a method may be used, and how it is fitted on votes and labels."""

    min_labels: int
    fit: Callable[[Floats, Bools], Weights]


def majority(votes: Floats) -> Floats:
    """The share of yes among the valid votes; NaN without one. More than half is a yes, half is a tie."""
    return mean_probability(majority_sides(votes))


def mean_probability(votes: Floats) -> Floats:
    """The mean of the judges' probabilities; NaN without one. For hard votes the same as the majority."""
    count = np.sum(~np.isnan(votes), axis=1)
    mean = np.nansum(votes, axis=1) / np.maximum(count, 1)
    return np.where(count > 0, mean, np.nan)


def majority_sides(votes: Floats) -> Floats:
    """1, 0 or NaN for each vote or probability."""
    no_side = np.isnan(votes) | (votes == _TIE)
    return np.where(no_side, np.nan, (votes > _TIE).astype(np.float64))


def panel_chances(weights: Weights, votes: Floats) -> Floats:
    """P(yes) of each row of votes by a panel's weights; `Weights.chance` says the same for one item."""
    if weights.method == "best_single":
        return votes[:, weights.judge or 0]
    if weights.method == "majority":
        return majority(votes)
    if weights.method == "mean_probability":
        return mean_probability(votes)
    sides = majority_sides(votes)
    if weights.slopes:
        scores = _logits(votes) @ np.array(weights.slopes) + weights.bias
    else:
        of_side = np.where(sides == 1.0, np.array(weights.yes), np.array(weights.no))
        terms = np.where(np.isnan(sides), 0.0, of_side)
        scores = weights.bias + terms.sum(axis=1)
    no_side_taken = np.isnan(sides).all(axis=1)
    return np.where(no_side_taken, np.nan, sigmoid(scores))


def best_judge(votes: Floats, truth: Bools) -> int:
    """The judge that agrees with the labels most often; of equals the first.

    Only judges count that voted at least half as often as the one who voted most: a few
    lucky votes are no record.
    """
    voted = np.sum(~np.isnan(votes) & (votes != _TIE), axis=0)
    voted_seldom = 2 * voted < np.max(voted)
    rates: list[float] = []
    for judge, seldom in enumerate(voted_seldom):
        rate = accuracy(votes[:, judge], truth)
        rates.append(-1.0 if seldom or rate is None else rate)
    return int(np.argmax(rates))


def accuracy(chances: Floats, truth: Bools) -> float | None:
    """The share of right answers among those given; None where none was given."""
    answered = ~np.isnan(chances) & (chances != _TIE)
    if not answered.any():
        return None
    return float(np.mean(np.equal(chances[answered] > _TIE, truth[answered])))


def credit(chances: Floats, truth: Bools) -> Floats:
    """1 for a right answer, 0 for a wrong one, 1/2 for an abstention."""
    answered = ~np.isnan(chances) & (chances != _TIE)
    right = (chances > _TIE) == truth
    return np.where(answered, right.astype(np.float64), _TIE)


def _fit_majority(_votes: Floats, _truth: Bools) -> Weights:
    return MAJORITY


def _fit_best_single(votes: Floats, truth: Bools) -> Weights:
    return Weights(method="best_single", judge=best_judge(votes, truth))


def _fit_mean(_votes: Floats, _truth: Bools) -> Weights:
    return Weights(method="mean_probability")


def _fit_log_odds(votes: Floats, truth: Bools) -> Weights:
    """A yes weighs ln(Se/(1-Sp)), a no ln((1-Se)/Sp), both tempered by n_eff / k.

    The bias is the log-odds of a yes. Rates are shrunk by a Beta(2,1) prior, so that a
    judge that was never wrong on the labels stays finite.
    """
    sides = majority_sides(votes)
    sensitivity = _shrunk_rates(sides[truth], 1.0)
    specificity = _shrunk_rates(sides[~truth], 0.0)
    yes = np.log(sensitivity / (1.0 - specificity))
    no = np.log((1.0 - sensitivity) / specificity)
    voting = max(1, int(np.sum(~np.isnan(sides).all(axis=0))))
    temper = effective_votes(errors_of(votes, truth)) / voting
    prior = float(np.log((truth.sum() + 1.0) / ((~truth).sum() + 1.0)))
    return Weights(
        method="log_odds",
        yes=tuple((temper * yes).tolist()),
        no=tuple((temper * no).tolist()),
        bias=prior,
    )


def _shrunk_rates(sides: Floats, right_side: float) -> Floats:
    """How often each judge is right on items of one class, shrunk by a Beta(2,1) prior."""
    right = np.sum(sides == right_side, axis=0)
    count = np.sum(~np.isnan(sides), axis=0)
    rates: Floats = (right + 2.0) / (count + 3.0)
    return rates


def _fit_stacking(votes: Floats, truth: Bools) -> Weights:
    """Ridge logistic regression on the judges' logits: a slope for each, and a bias."""
    features = _logits(votes)
    items, judges = features.shape
    columns = np.column_stack([features, np.ones(items)])
    penalty = np.array([_SLOPE_RIDGE] * judges + [_BIAS_RIDGE])
    *slopes, bias = fit_logistic(columns, truth.astype(np.float64), penalty).tolist()
    return Weights(method="stacking", slopes=tuple(slopes), bias=bias)


def _logits(votes: Floats) -> Floats:
    """The logit of each probability; +-1 for a hard vote, 0 for a missing one."""
    inside = np.clip(votes, _EDGE, 1.0 - _EDGE)
    logits = np.clip(np.log(inside / (1.0 - inside)), -MAX_LOGIT, MAX_LOGIT)
    hard = (votes == 0.0) | (votes == 1.0)
    values = np.where(hard, 2.0 * votes - 1.0, logits)
    return np.where(np.isnan(votes), 0.0, values)


METHODS: Final[Mapping[str, PanelMethod]] = {
    "majority": PanelMethod(1, _fit_majority),
    "best_single": PanelMethod(1, _fit_best_single),
    "mean_probability": PanelMethod(LOG_ODDS_LABELS, _fit_mean),
    "log_odds": PanelMethod(LOG_ODDS_LABELS, _fit_log_odds),
    "stacking": PanelMethod(STACKING_LABELS, _fit_stacking),
}
"""The simplest first."""
