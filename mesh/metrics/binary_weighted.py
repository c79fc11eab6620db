"""Binary weighted evaluation (article 004, SPEC section 7): yes/no criteria, weights, one exact score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.intervals import Interval

Weights = Mapping[str, Decimal]


class Outcome(StrEnum):
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
SUCCESS: Final = Fraction(3, 4)
GRACEFUL: Final = Fraction(1, 2)
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
    low = sum((shares[name] for name, held in checks.items() if held), Fraction(0))
    open_weight = sum(
        (shares[name] for name, held in checks.items() if held is None), Fraction(0)
    )
    return Score(low, low + open_weight)


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
    found: Score,
    *,
    goal_confirmed: bool,
    failed_state: bool,
    hard_failures: Iterable[bool | None] = (),
) -> Outcome | None:
    """The class of a score, or None while the interval of an abstained criterion spans several.

    Args:
        found: the score.
        goal_confirmed: the goal was reached and confirmed (a booking exists).
        failed_state: the run ended in its failed state.
        hard_failures: criteria that make it a hard failure by themselves (a wrong booking); None is undecided.
    """
    flags = list(hard_failures)
    if any(flags):
        return Outcome.HARD_FAILURE
    if any(flag is None for flag in flags):
        return None
    ends = {
        _class(end, goal_confirmed=goal_confirmed, failed_state=failed_state)
        for end in (found.low, found.high)
    }
    return ends.pop() if len(ends) == 1 else None


def _class(value: Fraction, *, goal_confirmed: bool, failed_state: bool) -> Outcome:
    if goal_confirmed and value >= SUCCESS:
        return Outcome.SUCCESSFUL_COMPLETION
    if failed_state and value == 0:
        return Outcome.HARD_FAILURE
    return Outcome.GRACEFUL_FAILURE if value >= GRACEFUL else Outcome.PARTIAL_FAILURE


def completion_rate(scores: Sequence[Score]) -> Score:
    """The task completion rate: the mean of the scores; an interval as soon as one is.

    Raises:
        ValueError: there are no scores; the mean of nothing is no 0.
    """
    if not scores:
        raise ValueError("no scores, so there is no completion rate")
    return Score(
        sum((one.low for one in scores), Fraction(0)) / len(scores),
        sum((one.high for one in scores), Fraction(0)) / len(scores),
    )


def completion_interval(scores: Sequence[Score], *, seed: int) -> Interval:
    """The 95 % interval of the completion rate; abstentions count as failed at its low end and as met at its high end.

    Raises:
        ValueError: there are no scores.
    """
    from judgemesh.mesh.metrics.intervals import Interval, anchored

    low = anchored([float(one.low) for one in scores], seed=seed)
    if all(one.exact for one in scores):
        return low
    high = anchored([float(one.high) for one in scores], seed=seed)
    return Interval(low.low, high.high, "worst and best case, anchored", low.level)


def band(rate: Score) -> str | None:
    """The label of a completion rate, or None while its interval spans several."""
    labels = {
        next(label for bound, label in BANDS if end >= bound)
        for end in (rate.low, rate.high)
    }
    return labels.pop() if len(labels) == 1 else None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Share of each class among the runs that have one, how many these are, and how many are undecided."""

    shares: Mapping[Outcome, float]
    decided: int
    undecided: int


def breakdown(outcomes: Sequence[Outcome | None]) -> Breakdown:
    """How often runs end in each class; None is a run whose abstentions leave several open.

    Raises:
        ValueError: no run has a class.
    """
    decided = [one for one in outcomes if one is not None]
    if not decided:
        raise ValueError("no run has a class, so there are no shares")
    shares = {one: decided.count(one) / len(decided) for one in Outcome}
    return Breakdown(shares, len(decided), len(outcomes) - len(decided))


def criterion_rates(runs: Sequence[Mapping[str, bool | None]]) -> list[CriterionRate]:
    """How often each criterion held where it was decided, the one failing most first.

    A criterion that was always or never true over two runs or more tells nothing apart, and says so.
    """
    names = dict.fromkeys(name for run in runs for name in run)
    rates: list[CriterionRate] = []
    for name in names:
        decided = [one for run in runs if (one := run.get(name)) is not None]
        if not decided:
            continue
        held = sum(decided)
        constant = (
            {0: "always false", len(decided): "always true"}.get(held)
            if len(decided) > 1
            else None
        )
        rates.append(
            CriterionRate(name, held, len(decided), held / len(decided), constant)
        )
    return sorted(rates, key=lambda one: (one.rate, one.name))
