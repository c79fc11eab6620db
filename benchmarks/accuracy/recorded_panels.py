"""Panels that only the benchmark of recorded answers compares: Dawid-Skene, and cross-fitting of the default panel.

Votes are arrays as in `judgemesh.mesh.calibration.panel_methods`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from judgemesh.mesh.calibration.logistic import sigmoid
from judgemesh.mesh.calibration.panel_choice import choose, is_better
from judgemesh.mesh.calibration.panel_methods import (
    METHODS,
    credit,
    majority,
    majority_sides,
    panel_chances,
)

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.panel_methods import Bools, Floats

_TIE: Final = 0.5
_FOLDS: Final = 5
_CONVERGED: Final = 1e-7
_MANY_AGAINST: Final = 0.1
_CLEARLY: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupervised:
    """What Dawid-Skene makes of votes without a label. Its probabilities are not calibrated.

    warning: why its labels may be the wrong way round; empty where nothing points to it.
    """

    chances: Floats
    sensitivity: Floats
    specificity: Floats
    warning: str = ""


def dawid_skene(votes: Floats, *, steps: int = 200) -> Unsupervised:
    """Expectation-maximisation from the majority; two classes, rates shrunk by a flat prior."""
    sides = majority_sides(votes)
    share = majority(votes)
    chance = np.where(np.isnan(share), 0.5, share)
    said_yes, said_no = sides == 1.0, sides == 0.0
    sensitivity = specificity = np.zeros(votes.shape[1])
    for _ in range(steps):
        before = chance
        sensitivity = (chance @ said_yes + 1.0) / (chance @ (said_yes | said_no) + 2.0)
        specificity = ((1.0 - chance) @ said_no + 1.0) / (
            (1.0 - chance) @ (said_yes | said_no) + 2.0
        )
        prior = (chance.sum() + 1.0) / (len(chance) + 2.0)
        score = (
            np.log(prior / (1.0 - prior))
            + said_yes @ np.log(sensitivity / (1.0 - specificity))
            + said_no @ np.log((1.0 - sensitivity) / specificity)
        )
        chance = sigmoid(score)
        if float(np.max(np.abs(chance - before))) < _CONVERGED:
            break
    chance = np.where(np.isnan(share), np.nan, chance)
    warning = _may_be_flipped(chance, share, sensitivity, specificity)
    return Unsupervised(
        chances=chance,
        sensitivity=sensitivity,
        specificity=specificity,
        warning=warning,
    )


def _may_be_flipped(
    chance: Floats, share: Floats, sensitivity: Floats, specificity: Floats
) -> str:
    """Signs, without labels, that the two classes have changed places or that the judges do not support two classes."""
    below = int(np.sum(sensitivity + specificity < 1.0))
    given = ~np.isnan(share) & (share != _TIE)
    against = (
        float(np.mean(np.not_equal(chance[given] > _TIE, share[given] > _TIE)))
        if bool(given.any())
        else 0.0
    )
    signs: list[str] = []
    if below:
        signs.append(f"{below} of {len(sensitivity)} judges come out worse than chance")
    if against > _MANY_AGAINST:
        signs.append(f"it contradicts the majority on {against:.0%} of the items")
    return (
        f"Dawid-Skene may have flipped its labels: {' and '.join(signs)}"
        if signs
        else ""
    )


def contradicted_by_labels(found: Unsupervised, share: Floats, truth: Bools) -> str:
    """The same warning, from labels: the aggregation is worse than a coin, or clearly worse than the majority."""
    own, plain = credit(found.chances, truth), credit(share, truth)
    if float(np.mean(own)) < _TIE:
        return f"Dawid-Skene flipped its labels: it agrees with {np.mean(own):.0%} of the human ones"
    if is_better(plain, own, errors=1.0) and float(np.mean(plain - own)) > _CLEARLY:
        return f"Dawid-Skene agrees with {np.mean(own):.1%} of the labels, the majority with {np.mean(plain):.1%}"
    return ""


def cross_fitted(
    votes: Floats, truth: Bools, *, folds: int = _FOLDS, seed: int = 0
) -> tuple[Floats, Sequence[str]]:
    """P(yes) of the default panel for every item, chosen and fitted on the other folds alone; and what was chosen.

    A single item has no others: the majority answers.
    """
    if len(truth) == 1:
        return majority(votes), ["majority"]
    chances: Floats = np.full(len(truth), np.nan)
    chosen: list[str] = []
    fold = np.random.default_rng(seed).permutation(len(truth)) % folds
    for number in range(folds):
        train, test = fold != number, fold == number
        if not bool(test.any()):
            continue
        choice = choose(
            votes[train], truth[train], soft=_is_soft(votes[train]), seed=seed
        )
        weights = METHODS[choice.method].fit(votes[train], truth[train])
        chances[test] = panel_chances(weights, votes[test])
        chosen.append(choice.method)
    return chances, chosen


def _is_soft(votes: Floats) -> bool:
    return bool((~np.isnan(votes) & (votes != 0.0) & (votes != 1.0)).any())
