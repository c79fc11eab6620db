"""Which method of adding a panel's judges up the labels speak for, by cross-validation.

Votes are arrays as in `panel_methods`. numpy is imported by the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.calibration.effective_votes import effective_votes, errors_of
from judgemesh.mesh.calibration.panel_methods import (
    LOG_ODDS_LABELS,
    METHODS,
    STACKING_LABELS,
    PanelMethod,
    credit,
    majority_sides,
    panel_chances,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:
    from judgemesh.mesh.judging.late import np

_COPIES: Final = 0.99
"""Judges that take the same side so often are one judge: weights only add noise to its answer."""

_CLEARLY_BETTER: Final = 2.0
"""Standard errors by which another method must beat the default one."""

_FOLDS: Final = 5
_REPEATS: Final = 3
_PAIR: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelChoice:
    """The method to use. `rates`: cross-validated agreement with the labels, by method. `n_eff`: effective votes."""

    method: str
    n_eff: float
    rates: Mapping[str, float] = field(default_factory=dict[str, float])


def choose(
    votes: Floats, truth: Bools, *, soft: bool = False, seed: int = 0
) -> PanelChoice:
    """The method that the labels speak for.

    The majority below 30 labels, and where the judges are copies of one. Below 100 labels
    log-odds weights for votes; for probabilities, which these would reduce to sides, the
    mean. From 100 labels on stacking. Another method takes the default's place where it
    beats it by more than two standard errors on labels that neither was fitted on. To take
    the method that looks best on the labels, or one that beats the majority by one standard
    error, was worse on recorded public answers: at a few hundred labels the difference is
    mostly chance.

    Args:
        votes: n x k.
        truth: n human labels.
        soft: whether these are the judges' own probabilities, not shares of votes.
        seed: of the folds.

    Raises:
        ValueError: no labels, or not as many as rows of votes.
    """
    if len(votes) != len(truth) or not len(truth):
        raise ValueError(
            f"{len(votes)} rows of votes and {len(truth)} labels; both must be as many, and at least one"
        )
    labels = len(truth)
    n_eff = effective_votes(errors_of(votes, truth))
    one_sided = bool(truth.all()) or not bool(truth.any())
    if labels < LOG_ODDS_LABELS or one_sided or _are_copies(votes):
        return PanelChoice(method="majority", n_eff=n_eff)
    methods = {
        name: method for name, method in METHODS.items() if labels >= method.min_labels
    }
    credits_by = _cross_validated(votes, truth, methods, seed)
    rates = {name: float(np.mean(credits_by[name])) for name in methods}
    default = default_method(labels, soft=soft)
    best = default
    for name in methods:
        clearly_better = is_better(
            credits_by[name], credits_by[default], errors=_CLEARLY_BETTER
        )
        if rates[name] > rates[best] and clearly_better:
            best = name
    return PanelChoice(method=best, n_eff=n_eff, rates=rates)


def default_method(labels: int, *, soft: bool) -> str:
    """The method for so many labels of votes, or of probabilities (`soft`)."""
    if labels < LOG_ODDS_LABELS:
        return "majority"
    if labels >= STACKING_LABELS:
        return "stacking"
    return "mean_probability" if soft else "log_odds"


def _are_copies(votes: Floats) -> bool:
    """Whether all judges say the same, or only one says anything."""
    sides = majority_sides(votes)
    agreements: list[float] = []
    for first, second in combinations(range(sides.shape[1]), _PAIR):
        left, right = sides[:, first], sides[:, second]
        both_voted = ~(np.isnan(left) | np.isnan(right))
        if both_voted.any():
            same = np.equal(left[both_voted], right[both_voted])
            agreements.append(float(np.mean(same)))
    return not agreements or min(agreements) >= _COPIES


def is_better(credit_by_item: Floats, base: Floats, *, errors: float) -> bool:
    """Whether the credits are better by more than so many standard errors of the paired difference."""
    gain = credit_by_item - base
    standard_error = float(np.std(gain)) / float(np.sqrt(len(gain)))
    return float(np.mean(gain)) > errors * standard_error


def cross_fitted_with(method: str, votes: Floats, truth: Bools) -> Floats:
    """P(yes) of one method for every item, fitted on the other folds alone."""
    chances: Floats = np.full(len(truth), np.nan)
    fold = np.random.default_rng(0).permutation(len(truth)) % _FOLDS
    for number in range(_FOLDS):
        train, test = fold != number, fold == number
        if train.any() and test.any():
            weights = METHODS[method].fit(votes[train], truth[train])
            chances[test] = panel_chances(weights, votes[test])
    return chances


def _cross_validated(
    votes: Floats, truth: Bools, methods: Mapping[str, PanelMethod], seed: int
) -> dict[str, Floats]:
    """For each method the credit of every item when it was held out; the same folds for every method."""
    credits_by: dict[str, Floats] = {name: np.zeros(len(truth)) for name in methods}
    draw = np.random.default_rng(seed)
    for _ in range(_REPEATS):
        fold = draw.permutation(len(truth)) % _FOLDS
        for number in range(_FOLDS):
            train, test = fold != number, fold == number
            for name, method in methods.items():
                weights = method.fit(votes[train], truth[train])
                chances = panel_chances(weights, votes[test])
                credits_by[name][test] += credit(chances, truth[test]) / _REPEATS
    return credits_by
