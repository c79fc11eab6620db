"""From judge verdicts to a rate one may publish, with human labels (JUDGING section 7).

Which estimator is right follows from how the labels were drawn, so it is asked for, never guessed. `post_stratified`
is for labels drawn from this very run; `rogan_gladen` for an older reference set under another prevalence and the same
judge configuration. Anything else is refused. `corrected` picks between the two, or refuses, from how the labels were
drawn and which judge configuration gave the verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.clusters import quantile_of_t
from judgemesh.mesh.metrics.intervals import LEVEL, Interval
from judgemesh.mesh.metrics.strata import effective_labels

DRAWS: Final = 4_000
MIN_YOUDEN: Final = 0.2
_MIN_LABELS: Final = 2
_UPPER: Final = 0.975
_STRICT_UPPER: Final = 0.985


class Drawn(StrEnum):
    """How the labelled items were chosen; it decides what their labels may be used for."""

    AT_RANDOM = "at_random"
    """At random from this very run."""
    BY_VERDICT = "by_verdict"
    """At random within each verdict of this very run."""
    ANOTHER_RUN = "another_run"
    """At random from an older run, or a reference set: how common success is may have changed."""
    ANOTHER_RUN_BY_VERDICT = "another_run_by_verdict"
    """At random within each verdict of an older run: sensitivity and specificity cannot be read off."""
    CHOSEN = "chosen"
    """Any other way: the hard ones, the ones users complained about, the first ones."""


THIS_RUN: Final = frozenset({Drawn.AT_RANDOM, Drawn.BY_VERDICT})
_MENDS: Final = {
    Drawn.ANOTHER_RUN: "a correction by verdict is right only for labels of this very run; use `rogan_gladen`",
    Drawn.ANOTHER_RUN_BY_VERDICT: "labels drawn within the verdicts of another run say nothing about this one; "
    "label results of this run",
    Drawn.CHOSEN: "labels that were not drawn at random cannot correct a rate; draw some at random",
}


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate of true successes, 0..1, and how it was made.

    effective_labels: how many results, labelled at random without any judge, would give as narrow an interval.
    """

    rate: float
    ci: Interval
    effective_labels: float


def check_this_run(drawn: Drawn) -> None:
    """Refuse labels that were not drawn at random from this run.

    Raises:
        ValueError: they were not; the message says what to do instead.
    """
    if drawn not in THIS_RUN:
        raise ValueError(f"the labels were drawn {drawn.value!r}: {_MENDS[drawn]}")


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Human labels by the judge's verdict: how many of each verdict were labelled, and how many people called true."""

    yes_labelled: int
    yes_true: int
    no_labelled: int
    no_true: int

    def __post_init__(self) -> None:
        """Counts must be possible."""
        if not (
            0 <= self.yes_true <= self.yes_labelled
            and 0 <= self.no_true <= self.no_labelled
        ):
            raise ValueError("more labels are true than there are labels")


def corrected(
    judged_yes: int,
    judged: int,
    labels: LabelCounts,
    *,
    drawn: Drawn,
    judge: str,
    labelled_judge: str,
    seed: int,
    level: float = LEVEL,
) -> Corrected:
    """The estimator that fits how the labels were drawn, or a refusal.

    Args:
        judged_yes: results of the run that the judge passed.
        judged: all results of the run.
        labels: human labels by the judge's verdict.
        drawn: how the labelled results were chosen.
        judge: digest of model, prompts and criterion that judged the run.
        labelled_judge: the same of the verdicts beside the labels.
        seed: of the draws.
        level: of the interval.

    Raises:
        ValueError: another judge configuration gave the labelled verdicts; the labels were not drawn at random; or the
            estimator's own guards.
    """
    if judge != labelled_judge:
        raise ValueError(
            "the labelled verdicts come from another judge configuration (model, prompt or criterion changed); "
            "judge the labelled results again"
        )
    if drawn is Drawn.ANOTHER_RUN:
        false_yes = labels.yes_labelled - labels.yes_true
        true_no = labels.no_labelled - labels.no_true
        return rogan_gladen(
            judged_yes,
            judged,
            true_yes=labels.yes_true,
            positives=labels.yes_true + labels.no_true,
            true_no=true_no,
            negatives=false_yes + true_no,
            level=level,
        )
    return post_stratified(
        judged_yes, judged, labels, seed=seed, level=level, drawn=drawn
    )


def post_stratified(
    judged_yes: int,
    judged: int,
    labels: LabelCounts,
    *,
    seed: int,
    level: float = LEVEL,
    drawn: Drawn = Drawn.AT_RANDOM,
) -> Corrected:
    """Tenenbein's double-sampling estimator: theta = w a1 + (1 - w) a0, w the judge's yes share of the whole run.

    a_v is the share of true successes among the labelled items of verdict v. The interval comes from Jeffreys draws
    a_v ~ Beta(k + 1/2, n - k + 1/2), w ~ Beta(W + 1/2, N - W + 1/2).

    Args:
        judged_yes: results of the run that the judge passed.
        judged: all results of the run.
        labels: labels drawn at random from this run, or at random within each verdict.
        seed: of the draws.
        level: of the interval.
        drawn: how the labelled results were chosen.

    Raises:
        ValueError: the labels were not drawn at random from this run, or a verdict that occurs has fewer than two.
    """
    check_this_run(drawn)
    if not 0 <= judged_yes <= judged or judged < 1:
        raise ValueError(
            f"needs 0 <= judged_yes <= judged, got {judged_yes} of {judged}"
        )
    _check_labelled("yes", judged_yes, labels.yes_labelled)
    _check_labelled("no", judged - judged_yes, labels.no_labelled)
    share = judged_yes / judged
    yes_rate = _ratio(labels.yes_true, labels.yes_labelled)
    no_rate = _ratio(labels.no_true, labels.no_labelled)
    random = np.random.Generator(np.random.PCG64(seed))
    yes = _jeffreys_draws(random, labels.yes_true, labels.yes_labelled)
    no = _jeffreys_draws(random, labels.no_true, labels.no_labelled)
    weight = _jeffreys_draws(random, judged_yes, judged)
    rates = weight * yes + (1 - weight) * no
    low, high = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2])
    method = "post-stratified, Jeffreys draws"
    return Corrected(
        rate=share * yes_rate + (1 - share) * no_rate,
        ci=Interval(float(low), float(high), method, level),
        effective_labels=effective_labels(float(rates.mean()), float(rates.var())),
    )


def _check_labelled(verdict: str, judged: int, labelled: int) -> None:
    required = min(_MIN_LABELS, judged)
    if labelled < required:
        raise ValueError(
            f"{judged} results were judged {verdict!r} and {labelled} of them are labelled; "
            f"label {required} or more"
        )


def _jeffreys_draws(
    random: np.random.Generator, successes: int, trials: int
) -> NDArray[np.float64]:
    return random.beta(successes + 0.5, trials - successes + 0.5, DRAWS)


def rogan_gladen(
    judged_yes: float,
    judged: float,
    *,
    true_yes: float,
    positives: float,
    true_no: float,
    negatives: float,
    level: float = LEVEL,
) -> Corrected:
    """Rogan and Gladen's estimator (p + Sp - 1) / (Se + Sp - 1), clipped, with Lang and Reiczigel's interval (2014).

    Where runs of one task are repeated, in the run or in the reference, the counts must come from `effective_counts`:
    repeated runs taken as independent give an interval that is far too narrow.

    Args:
        judged_yes: results of the run that the judge passed.
        judged: all results of the run.
        true_yes: of `positives` reference items that are truly good, how many the judge passed.
        positives: reference items that are truly good.
        true_no: of `negatives` reference items that are truly bad, how many the judge failed.
        negatives: reference items that are truly bad.
        level: of the interval.

    Raises:
        ValueError: Se + Sp - 1 is below .2: such a judge says too little to correct by.
    """
    for part, whole in (
        (judged_yes, judged),
        (true_yes, positives),
        (true_no, negatives),
    ):
        if not 0 <= part <= whole:
            raise ValueError("a count is larger than its total")
    if min(judged, positives, negatives) < 1:
        raise ValueError("needs results, and reference items of both kinds")
    youden = true_yes / positives + true_no / negatives - 1
    if youden < MIN_YOUDEN:
        raise ValueError(
            f"sensitivity + specificity - 1 is {youden:.2f}, below {MIN_YOUDEN}: the judge says too little"
        )
    rate = _clipped((judged_yes / judged + true_no / negatives - 1) / youden)
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = judged + z * z
    p = (judged_yes + z * z / 2) / n
    sensitivity = (true_yes + 1) / (positives + 2)
    specificity = (true_no + 1) / (negatives + 2)
    scale = sensitivity + specificity - 1
    centre = (p + specificity - 1) / scale
    se_variance = sensitivity * (1 - sensitivity) / (positives + 2)
    sp_variance = specificity * (1 - specificity) / (negatives + 2)
    shift = 2 * z * z * (centre * se_variance - (1 - centre) * sp_variance)
    variance = (
        p * (1 - p) / n + centre**2 * se_variance + (1 - centre) ** 2 * sp_variance
    )
    spread = z * math.sqrt(variance) / scale
    middle = centre + shift
    interval = Interval(
        _clipped(middle - spread),
        _clipped(middle + spread),
        "Rogan-Gladen, Lang-Reiczigel",
        level,
    )
    labels = effective_labels(_clipped(middle), (spread / z) ** 2)
    return Corrected(rate, interval, labels)


def _clipped(rate: float) -> float:
    return min(1.0, max(0.0, rate))


def _ratio(part: int, whole: int) -> float:
    """A share of a stratum; one that does not occur in the run has weight 0, so its share is of no account."""
    return part / whole if whole else 0.0


def effective_counts(tasks: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Successes and trials that tell as much as these runs of tasks do, for estimators that take counts.

    The variance of the pooled share with tasks as units, over that of independent runs, is the design effect (Kish,
    Survey Sampling, 1965) by which the trials are divided. The share stays what it is.

    Args:
        tasks: successes and runs of each task.

    Returns:
        Between as many trials as there are effective tasks and as many as there are runs.

    Raises:
        ValueError: there are no runs, or a task has more successes than runs.
    """
    if not tasks or not all(0 <= k <= n and n >= 1 for k, n in tasks):
        raise ValueError("needs tasks with runs, and no more successes than runs")
    runs = np.array([n for _, n in tasks], dtype=float)
    means = np.array([k for k, _ in tasks]) / runs
    weights = runs / runs.sum()
    total = float(runs.sum())
    if len(tasks) == total:
        return float(means.sum()), total
    least = 1 / float(weights @ weights)
    # Of whole numbers: the sum of weighted means is above 1 by a rounding error now and then.
    share = sum(k for k, _ in tasks) / total
    variance = 0.0
    if len(tasks) > 1:
        variance = float(means.var(ddof=1)) / least
    # Where nothing failed, or all did, nothing is known of how alike runs are.
    trials = least if share in (0, 1) else total
    if variance > 0:
        # The spread of few tasks is itself uncertain: t in place of the normal quantile, at the level of 97 % that
        # simulations ask of it, as for differences.
        t = quantile_of_t(_STRICT_UPPER, max(1.0, least - 1))
        t /= NormalDist().inv_cdf(_UPPER)
        trials = share * (1 - share) / (variance * t * t)
    trials = max(1.0, min(total, trials if len(tasks) > 1 else 1.0))
    return share * trials, trials
