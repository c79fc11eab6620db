"""Fits how often single votes of a judge are right, and how much they repeat each other, on people's labels.

The likelihood of a beta-binomial model does not depend on when asking stopped, so votes of any rule can be used: the
number of orders in which the votes can have come is the same factor for every model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from math import lgamma, log
from typing import Final

from judgemesh.contracts.opinions import Opinion
from judgemesh.mesh.judging.confidence.platt import MIN_LABELS
from judgemesh.mesh.judging.confidence.vote_accuracy import VoteAccuracy, VoteModel

MIN_OF_ANSWER: Final = 10
"""Labelled questions of each true answer below which nothing is said."""
_ACCURACIES: Final = tuple(step / 100 for step in range(50, 100))
_CORRELATIONS: Final = tuple(step / 20 for step in range(20))

Votes = tuple[int, int]
"""Right and wrong votes on one question."""


def fit_votes(labelled: Iterable[tuple[Opinion, bool]]) -> VoteAccuracy | None:
    """The most likely model of the votes; None with too few labels, or of one true answer only.

    Args:
        labelled: opinions of one judge, and what people say the answer is.
    """
    of_answer: dict[bool, Counter[Votes]] = {True: Counter(), False: Counter()}
    for opinion, truth in labelled:
        right, wrong = opinion.votes_yes, opinion.votes_no
        if not truth:
            right, wrong = wrong, right
        if right + wrong:
            of_answer[truth][right, wrong] += 1
    sizes = [counts.total() for counts in of_answer.values()]
    if sum(sizes) < MIN_LABELS or min(sizes) < MIN_OF_ANSWER:
        return None
    return VoteAccuracy(
        yes=_most_likely(of_answer[True]), no=_most_likely(of_answer[False])
    )


def _most_likely(counts: Counter[Votes]) -> VoteModel:
    """The model on the grid under which these votes are most likely; of equal ones the most careful."""
    models = [
        VoteModel(accuracy=accuracy, correlation=correlation)
        for accuracy in _ACCURACIES
        for correlation in _CORRELATIONS
    ]
    return max(models, key=partial(_log_likelihood, counts))


def _log_likelihood(counts: Counter[Votes], model: VoteModel) -> float:
    total = 0.0
    for (right, wrong), times in counts.items():
        total += times * _log_chance(right, wrong, model)
    return total


def _log_chance(right: int, wrong: int, model: VoteModel) -> float:
    """The log probability of these votes in one order."""
    if model.correlation <= 0.0:
        return right * log(model.accuracy) + wrong * log(1.0 - model.accuracy)
    size = 1.0 / model.correlation - 1.0
    a, b = model.accuracy * size, (1.0 - model.accuracy) * size
    return _log_beta(a + right, b + wrong) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
