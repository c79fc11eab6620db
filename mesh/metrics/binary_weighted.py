"""Binary weighted evaluation (article 004, SPEC section 7): yes/no criteria, weights, one exact score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.weighted_score import USUAL_THRESHOLDS

Weights = Mapping[str, Decimal]


class WeightedOutcome(StrEnum):
    """The four classes of article 004."""

    SUCCESSFUL_COMPLETION = "successful_completion"
    GRACEFUL_FAILURE = "graceful_failure"
    PARTIAL_FAILURE = "partial_failure"
    HARD_FAILURE = "hard_failure"


def _weights(**weights: str) -> Weights:
    return MappingProxyType({name: Decimal(weight) for name, weight in weights.items()})


PRESETS: Final[Mapping[str, Weights]] = MappingProxyType(
    {
        "completion": _weights(
            correct_participants="0.25",
            correct_time="0.25",
            correct_duration="0.10",
            explored_alternatives="0.20",
            clear_explanation="0.20",
        ),
        "clarity": _weights(
            addresses_request="0.30",
            provides_next_step="0.25",
            is_concise="0.20",
            no_hallucination="0.15",
            appropriate_tone="0.10",
        ),
        # These are the article's weights. They sum to .95, so this preset is always normalised.
        "recovery": _weights(
            detected_error="0.30",
            requested_clarification="0.25",
            actionable_message="0.20",
            no_hallucination="0.15",
            no_crash="0.05",
        ),
    }
)
SUCCESS, GRACEFUL = USUAL_THRESHOLDS
BANDS: Final = (
    (Fraction(85, 100), "production ready"),
    (Fraction(70, 100), "usable but needs improvement"),
    (Fraction(0), "not production ready"),
)


@dataclass(frozen=True, slots=True)
class Score:
    """An exact score; an interval while a criterion abstained. Both ends are in 0..1."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether every criterion was decided."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class CriterionRate:
    """How often a criterion held. `warning` is set where it tells nothing apart."""

    name: str
    held: int
    decided: int
    rate: float
    warning: str | None


def score(
    checks: Mapping[str, bool | None], weights: Weights, *, normalise: bool = False
) -> Score:
    """The sum of the weights of the true criteria, exactly; None is an abstention and may fall either way.

    Raises:
        ValueError: the weights do not sum to 1 (the message prints the sum), a weight is not above 0, or checks and
            weights name different criteria.
    """
    shares = checked_weights(weights, normalise=normalise)
    if checks.keys() != weights.keys():
        odd = sorted(checks.keys() ^ weights.keys())
        raise ValueError(
            f"checks and weights name different criteria: {', '.join(odd)}"
        )
    met = undecided = Fraction(0)
    for name, held in checks.items():
        if held is None:
            undecided += shares[name]
        elif held:
            met += shares[name]
    return Score(met, met + undecided)


def checked_weights(
    weights: Weights, *, normalise: bool = False
) -> dict[str, Fraction]:
    """The weights as exact fractions that sum to 1.

    Raises:
        ValueError: they do not, and `normalise` was not asked for; or one is not above 0.
    """
    exact = {name: Fraction(weight) for name, weight in weights.items()}
    wrong = [name for name, weight in exact.items() if weight <= 0]
    if wrong or not exact:
        raise ValueError(
            f"weights must be above 0: {', '.join(wrong) or 'there are none'}"
        )
    total = sum(exact.values(), Fraction(0))
    if total != 1 and not normalise:
        raise ValueError(
            f"weights must sum to 1, these sum to {float(total):g}; give `normalise: true` to scale them"
        )
    return {name: weight / total for name, weight in exact.items()}


def preset(name: str) -> dict[str, Decimal]:
    """The weights of a preset as the article prints them; score `recovery` with `normalise=True` (they sum to .95)."""
    return dict(PRESETS[name])


def classify(
    score: Score,
    *,
    goal_confirmed: bool,
    failed_state: bool,
    hard_failures: Iterable[bool | None] = (),
    thresholds: tuple[Fraction, Fraction] = (SUCCESS, GRACEFUL),
) -> WeightedOutcome | None:
    """The class of a score, or None while the interval of an abstained criterion spans several.

    Args:
        score: the score.
        goal_confirmed: the goal was reached and confirmed (a booking exists).
        failed_state: the run ended in its failed state.
        thresholds: the lowest scores of a successful completion and of a graceful failure.
        hard_failures: criteria that make it a hard failure by themselves (a wrong booking); None is undecided.
    """
    flags = list(hard_failures)
    if any(flags):
        return WeightedOutcome.HARD_FAILURE
    if any(flag is None for flag in flags):
        return None
    ends = {
        _class(
            end,
            thresholds,
            goal_confirmed=goal_confirmed,
            failed_state=failed_state,
        )
        for end in (score.low, score.high)
    }
    return ends.pop() if len(ends) == 1 else None


def _class(
    value: Fraction,
    thresholds: tuple[Fraction, Fraction],
    *,
    goal_confirmed: bool,
    failed_state: bool,
) -> WeightedOutcome:
    success, graceful = thresholds
    if goal_confirmed and value >= success:
        return WeightedOutcome.SUCCESSFUL_COMPLETION
    if failed_state and value == 0:
        return WeightedOutcome.HARD_FAILURE
    return (
        WeightedOutcome.GRACEFUL_FAILURE
        if value >= graceful
        else WeightedOutcome.PARTIAL_FAILURE
    )


def completion_rate(scores: Sequence[Score]) -> Score:
    """The task completion rate: the mean of the scores; an interval as soon as one is.

    Raises:
        ValueError: there are no scores; the mean of nothing is no 0.
    """
    if not scores:
        raise ValueError("no scores, so there is no completion rate")
    low = sum((score.low for score in scores), Fraction(0))
    high = sum((score.high for score in scores), Fraction(0))
    return Score(low / len(scores), high / len(scores))


Bands = Sequence[tuple[Fraction, str]]
"""Lower bounds and labels, the highest first; the last bound is 0."""


def band(
    rate: Score, bands: Bands = BANDS, *, low: float = 1.0, high: float = 0.0
) -> str | None:
    """The label of a completion rate, or None while its interval spans several.

    Args:
        rate: the completion rate.
        bands: the labels.
        low: the lower end of its confidence interval, where there is one.
        high: the upper end.
    """
    ends = (min(rate.low, Fraction(low)), max(rate.high, Fraction(high)))
    labels = {_band(end, bands) for end in ends}
    return labels.pop() if len(labels) == 1 else None


def _band(rate: Fraction, bands: Bands) -> str:
    return next(label for bound, label in bands if rate >= bound)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Share of each class among the runs that have one, how many these are, and how many are undecided."""

    shares: Mapping[WeightedOutcome, float]
    decided: int
    undecided: int


def breakdown(outcomes: Sequence[WeightedOutcome | None]) -> Breakdown:
    """How often runs end in each class; None is a run whose abstentions leave several open.

    Raises:
        ValueError: no run has a class.
    """
    decided = [outcome for outcome in outcomes if outcome is not None]
    if not decided:
        raise ValueError("no run has a class, so there are no shares")
    shares = {
        outcome: decided.count(outcome) / len(decided) for outcome in WeightedOutcome
    }
    return Breakdown(shares, len(decided), len(outcomes) - len(decided))


def criterion_rates(runs: Sequence[Mapping[str, bool | None]]) -> list[CriterionRate]:
    """How often each criterion held where it was decided, the one failing most first.

    A criterion that was always or never true over two runs or more tells nothing apart, and says so.
    """
    answers: dict[str, list[bool]] = {}
    for run in runs:
        for name, held in run.items():
            if held is not None:
                answers.setdefault(name, []).append(held)
    rates = [_criterion_rate(name, decided) for name, decided in answers.items()]
    return sorted(rates, key=lambda criterion: (criterion.rate, criterion.name))


def _criterion_rate(name: str, answers: Sequence[bool]) -> CriterionRate:
    held = sum(answers)
    warning = None
    if len(answers) > 1 and held == 0:
        warning = "always false"
    elif len(answers) > 1 and held == len(answers):
        warning = "always true"
    return CriterionRate(name, held, len(answers), held / len(answers), warning)
