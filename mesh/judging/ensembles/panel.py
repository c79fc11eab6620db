"""Several judges, one answer: majority, tempered log-odds, ridge stacking, and how many judges they really are.

Votes are an n x k array of 1 (yes), 0 (no) and NaN (no valid vote); probabilities lie between. A panel's answer is
P(yes) for each item; exactly .5 is a tie, and a tie is an abstention, as is an item without a vote (NaN).

Judges make the same mistakes, so k of them are not k independent votes: `effective_votes` says how many they are worth.
numpy is imported by the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.judging.confidence.logistic import fit_logistic, sigmoid
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
    Panel = Callable[[Floats], Floats]
    """From votes (n x k) to P(yes) (n), NaN where it cannot say."""
    Fit = Callable[[Floats, Bools], Panel]
else:
    from judgemesh.mesh.judging.late import np

LOG_ODDS_LABELS: Final = 30
STACKING_LABELS: Final = 100
FEW_VOTES: Final = 1.5
"""Below so many effective votes a panel is nearly one judge."""

_COPIES: Final = 0.99
"""Judges that take the same side so often are one judge, and weights only add noise to what it says."""

_EDGE: Final = 1e-6
_FOLDS: Final = 5
_REPEATS: Final = 3


# --- how many judges ---


def effective_votes(errors: Floats) -> float:
    """n_eff = k / (1 + (k-1) rho), rho the mean correlation of the judges' errors (n x k, NaN for no vote).

    A negative mean correlation counts as none: k judges are never worth more than k. Judges that never err, or always
    do, have no correlation and count as agreeing with everybody: nothing shows that they are independent. A judge that
    never voted is none.
    """
    errors = errors[:, ~np.isnan(errors).all(axis=0)]
    width = errors.shape[1]
    if width < _PAIR:
        return float(width)
    pairs = [
        _correlation(errors[:, a], errors[:, b])
        for a in range(width)
        for b in range(a + 1, width)
    ]
    rho = min(1.0, max(0.0, float(np.mean(pairs))))
    return float(width / (1.0 + (width - 1) * rho))


def _correlation(left: Floats, right: Floats) -> float:
    both = ~(np.isnan(left) | np.isnan(right))
    a, b = left[both], right[both]
    if len(a) < _PAIR or float(np.std(a)) == 0.0 or float(np.std(b)) == 0.0:
        return 1.0
    return float(np.corrcoef(a, b)[0, 1])


def errors_of(votes: Floats, truth: Bools) -> Floats:
    """1 where a judge's vote is wrong, 0 where it is right, NaN where there is none; .5 counts as none."""
    valid = ~np.isnan(votes) & (votes != _TIE)
    return np.where(
        valid, ((votes > _TIE) != truth[:, None]).astype(np.float64), np.nan
    )


# --- the ways to add up ---


def majority(votes: Floats) -> Floats:
    """The share of yes among the valid votes; NaN without one. More than half is a yes, half is a tie."""
    sides = np.where(
        np.isnan(votes) | (votes == _TIE), np.nan, (votes > _TIE).astype(np.float64)
    )
    count = np.sum(~np.isnan(sides), axis=1)
    return np.where(count > 0, np.nansum(sides, axis=1) / np.maximum(count, 1), np.nan)


def mean_probability(votes: Floats) -> Floats:
    """The mean of what the judges give; for hard votes the same as the majority."""
    count = np.sum(~np.isnan(votes), axis=1)
    return np.where(count > 0, np.nansum(votes, axis=1) / np.maximum(count, 1), np.nan)


def one_judge(column: int) -> Panel:
    """The panel that listens to one judge."""

    def panel(votes: Floats) -> Floats:
        return votes[:, column]

    return panel


def best_judge(votes: Floats, truth: Bools) -> int:
    """The judge that agrees with the labels most often; of equals the first.

    Only those count that voted at least half as often as the one who voted most: a few lucky votes are no record.
    """
    voted = np.sum(~np.isnan(votes) & (votes != _TIE), axis=0)
    rates = [accuracy(votes[:, column], truth) for column in range(votes.shape[1])]
    seldom = 2 * voted < np.max(voted)
    return int(
        np.argmax(
            [
                -1.0 if few or rate is None else rate
                for rate, few in zip(rates, seldom, strict=True)
            ]
        )
    )


def log_odds(votes: Floats, truth: Bools) -> Panel:
    """Votes weighted by ln(Se/(1-Sp)) for a yes and ln((1-Se)/Sp) for a no, tempered by n_eff / k."""
    return applied(log_odds_weights(votes, truth))


def log_odds_weights(votes: Floats, truth: Bools) -> Weights:
    """The weights of `log_odds`: ln(Se/(1-Sp)) and ln((1-Se)/Sp), tempered, and the log-odds of a yes as bias.

    Rates are shrunk by a Beta(2,1) prior, so that a judge that was never wrong on the labels stays finite.
    """
    sides = majority_sides(votes)
    hits = {side: _shrunk(sides, truth == side, side) for side in (True, False)}
    yes = np.log(hits[True] / (1.0 - hits[False]))
    no = np.log((1.0 - hits[True]) / hits[False])
    voting = max(1, int(np.sum(~np.isnan(sides).all(axis=0))))
    temper = effective_votes(errors_of(votes, truth)) / voting
    prior = float(np.log((truth.sum() + 1.0) / ((~truth).sum() + 1.0)))
    return Weights(
        method="log_odds",
        yes=tuple(float(weight) for weight in temper * yes),
        no=tuple(float(weight) for weight in temper * no),
        bias=prior,
    )


def applied(weights: Weights) -> Panel:
    """Weights as a panel over arrays; for one item `Weights.chance` says the same."""

    def by_side(new: Floats) -> Floats:
        sides = majority_sides(new)
        terms = np.where(
            np.isnan(sides),
            0.0,
            np.where(sides == 1.0, np.array(weights.yes), np.array(weights.no)),
        )
        return np.where(
            np.isnan(sides).all(axis=1),
            np.nan,
            sigmoid(weights.bias + terms.sum(axis=1)),
        )

    def by_logit(new: Floats) -> Floats:
        scores = _logits(new) @ np.array(weights.slopes) + weights.bias
        return np.where(
            np.isnan(majority_sides(new)).all(axis=1), np.nan, sigmoid(scores)
        )

    if weights.method == "best_single":
        return one_judge(weights.judge or 0)
    plain: dict[str, Panel] = {
        "majority": majority,
        "mean_probability": mean_probability,
    }
    return plain.get(weights.method) or (by_logit if weights.slopes else by_side)


def fitted(method: str, votes: Floats, truth: Bools) -> Weights:
    """The weights of a method of `METHODS`, fitted on all of the labels."""
    if method == "log_odds":
        return log_odds_weights(votes, truth)
    if method == "stacking":
        return stacking_weights(votes, truth)
    if method == "best_single":
        return Weights(method=method, judge=best_judge(votes, truth))
    return MAJORITY if method == "majority" else Weights(method=method)


def majority_sides(votes: Floats) -> Floats:
    """1, 0 or NaN for each vote or probability."""
    return np.where(
        np.isnan(votes) | (votes == _TIE), np.nan, (votes > _TIE).astype(np.float64)
    )


def _shrunk(sides: Floats, rows: Bools, side: bool) -> Floats:  # noqa: FBT001 - which class the rows are of
    chosen = sides[rows]
    right = np.sum(chosen == float(side), axis=0)
    count = np.sum(~np.isnan(chosen), axis=0)
    rate: Floats = (right + 2.0) / (count + 3.0)
    return rate


def stacking(votes: Floats, truth: Bools) -> Panel:
    """Ridge logistic regression on the judges' logits; a hard vote is a logit of +-1, a missing one 0."""
    return applied(stacking_weights(votes, truth))


def stacking_weights(votes: Floats, truth: Bools) -> Weights:
    """The weights of `stacking`: a slope for each judge's logit, ridge 1, and a bias."""
    features = _logits(votes)
    columns = np.column_stack([features, np.ones(len(features))])
    penalty = np.array([1.0] * features.shape[1] + [0.01])
    weights = fit_logistic(columns, truth.astype(np.float64), penalty)
    return Weights(
        method="stacking",
        slopes=tuple(float(weight) for weight in weights[:-1]),
        bias=float(weights[-1]),
    )


def _logits(votes: Floats) -> Floats:
    held = np.clip(votes, _EDGE, 1.0 - _EDGE)
    logits = np.clip(np.log(held / (1.0 - held)), -MAX_LOGIT, MAX_LOGIT)
    hard = (votes == 0.0) | (votes == 1.0)
    return np.where(np.isnan(votes), 0.0, np.where(hard, 2.0 * votes - 1.0, logits))


def accuracy(chances: Floats, truth: Bools) -> float | None:
    """The share of right answers among those given; None where none was given."""
    answered = ~np.isnan(chances) & (chances != _TIE)
    return (
        float(np.mean(np.equal(chances[answered] > _TIE, truth[answered])))
        if bool(answered.any())
        else None
    )


# --- the choice ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelChoice:
    """The panel to use. `rates`: cross-validated agreement with the labels, by method. `n_eff`: effective votes."""

    method: str
    panel: Panel
    n_eff: float
    rates: Mapping[str, float] = field(default_factory=dict[str, float])
    warnings: tuple[str, ...] = ()


def choose(
    votes: Floats, truth: Bools, *, seed: int = 0, soft: bool | None = None
) -> PanelChoice:
    """The panel that the labels speak for.

    Below 30 labels, and where the judges are copies of one, the majority; below 100 log-odds weights, or of
    probabilities, which these would reduce to sides, the mean; from 100 on stacking. Another way takes its place where
    it beats it by more than two standard errors on labels neither was fitted on. To take whatever looks best on the
    labels, or what beats the majority by one standard error, was worse on recorded public answers: the difference is
    mostly chance at a few hundred labels.

    Args:
        votes: n x k, see above.
        truth: n human labels.
        seed: of the folds.
        soft: whether these are the judges' own probabilities, not shares of votes; without a word, whether any of them
            is neither 0 nor 1.

    Raises:
        ValueError: no labels, or not as many as rows of votes.
    """
    if len(votes) != len(truth) or not len(truth):
        raise ValueError(
            f"{len(votes)} rows of votes and {len(truth)} labels; both must be as many, and at least one"
        )
    n_eff = effective_votes(errors_of(votes, truth))
    warnings = (
        (nearly_one(n_eff, votes.shape[1]),)
        if n_eff < FEW_VOTES and votes.shape[1] > 1
        else ()
    )
    one_sided = bool(truth.all()) or not bool(truth.any())
    if len(truth) < LOG_ODDS_LABELS or one_sided or _are_copies(votes):
        return PanelChoice(
            method="majority", panel=majority, n_eff=n_eff, warnings=warnings
        )
    ways = {name: fit for name, (least, fit) in METHODS.items() if len(truth) >= least}
    gained_by = _cross_validated(votes, truth, ways, seed)
    rates = {name: float(np.mean(gained)) for name, gained in gained_by.items()}
    method = default_method(len(truth), soft=_is_soft(votes) if soft is None else soft)
    base = gained_by[method]
    for name in ways:
        if rates[name] > rates[method] and is_better(gained_by[name], base, errors=2.0):
            method = name
    return PanelChoice(
        method=method,
        panel=ways[method](votes, truth),
        n_eff=n_eff,
        rates=rates,
        warnings=warnings,
    )


def default_method(labels: int, *, soft: bool) -> str:
    """The way that goes with so many labels of votes, or of probabilities (`soft`)."""
    if labels < LOG_ODDS_LABELS:
        return "majority"
    if labels >= STACKING_LABELS:
        return "stacking"
    return "mean_probability" if soft else "log_odds"


def _are_copies(votes: Floats) -> bool:
    """Whether all judges say the same, or only one says anything."""
    sides = majority_sides(votes)
    alike: list[float] = []
    for a, b in combinations(range(sides.shape[1]), _PAIR):
        both = ~(np.isnan(sides[:, a]) | np.isnan(sides[:, b]))
        if bool(both.any()):
            alike.append(float(np.mean(np.equal(sides[both, a], sides[both, b]))))
    return not alike or min(alike) >= _COPIES


def _is_soft(votes: Floats) -> bool:
    return bool((~np.isnan(votes) & (votes != 0.0) & (votes != 1.0)).any())


def is_better(gained: Floats, base: Floats, *, errors: float = 1.0) -> bool:
    """Better by more than so many standard errors of the paired difference."""
    gain = gained - base
    return float(np.mean(gain)) > errors * float(np.std(gain)) / float(
        np.sqrt(len(gain))
    )


def cross_fitted_with(
    method: str, votes: Floats, truth: Bools, *, folds: int = _FOLDS, seed: int = 0
) -> Floats:
    """P(yes) of one method for every item, fitted on the other folds alone."""
    chances: Floats = np.full(len(truth), np.nan)
    fold = np.random.default_rng(seed).permutation(len(truth)) % folds
    for number in range(folds):
        train, test = fold != number, fold == number
        if bool(train.any()) and bool(test.any()):
            chances[test] = applied(fitted(method, votes[train], truth[train]))(
                votes[test]
            )
    return chances


def nearly_one(n_eff: float, judges: int) -> str:
    """The warning of a panel whose judges err together."""
    return f"{judges} judges carry {n_eff:.1f} effective votes: the panel is nearly one judge"


def _fit_best(votes: Floats, truth: Bools) -> Panel:
    return one_judge(best_judge(votes, truth))


def _fit_majority(_votes: Floats, _truth: Bools) -> Panel:
    return majority


def _fit_mean(_votes: Floats, _truth: Bools) -> Panel:
    return mean_probability


METHODS: Final[Mapping[str, tuple[int, Fit]]] = {
    "majority": (1, _fit_majority),
    "best_single": (1, _fit_best),
    "mean_probability": (LOG_ODDS_LABELS, _fit_mean),
    "log_odds": (LOG_ODDS_LABELS, log_odds),
    "stacking": (STACKING_LABELS, stacking),
}
"""From how many labels on, and how, each panel is fitted; the simplest first."""


def _cross_validated(
    votes: Floats, truth: Bools, ways: Mapping[str, Fit], seed: int
) -> dict[str, Floats]:
    """For each method the credit of every item when it was held out; the same folds for every method."""
    right: dict[str, Floats] = {name: np.zeros(len(truth)) for name in ways}
    draw = np.random.default_rng(seed)
    for _ in range(_REPEATS):
        fold = draw.permutation(len(truth)) % _FOLDS
        for number in range(_FOLDS):
            train, test = fold != number, fold == number
            for name, fit in ways.items():
                right[name][test] += (
                    credit(fit(votes[train], truth[train])(votes[test]), truth[test])
                    / _REPEATS
                )
    return right


def credit(chances: Floats, truth: Bools) -> Floats:
    """1 for a right answer, 0 for a wrong one, 1/2 for an abstention."""
    answered = ~np.isnan(chances) & (chances != _TIE)
    return np.where(answered, ((chances > _TIE) == truth).astype(np.float64), _TIE)


_TIE: Final = 0.5
_PAIR: Final = 2
