"""When to stop asking: lead-d voting with curtailment, a truncated sequential probability ratio test. Pure.

Votes are counted as `passing` and `failing`: the answer that would pass, and the other one. Asking stops when a side
leads by its margin, when the majority of `k_max` is decided, or when `k_max` votes were cast. The leader is the
verdict; a stop without the margin is *unstable*. "Cannot assess" is a vote for nobody. A vote that broke might have
gone either way, so it counts against whoever leads: a fault can cost votes or the verdict, it cannot make one.

`operating_point` is the exact dynamic programme of the rule: the benchmark and the tests measure against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from judgemesh.contracts.voting import Rule

MAX_BROKEN: Final = 2
"""Votes that may break before asking stops: each had its own retries, so more would only cost more."""


class Outcome(StrEnum):
    """What the votes say once asking has stopped."""

    PASSING = "passing"
    FAILING = "failing"
    UNSTABLE = "unstable"
    CANNOT_ASSESS = "cannot_assess"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The votes so far. `unsure` are those of "cannot assess", `broken` those that no answer came of."""

    passing: int = 0
    failing: int = 0
    unsure: int = 0
    broken: int = 0

    @property
    def cast(self) -> int:
        """Votes for a side."""
        return self.passing + self.failing

    @property
    def answered(self) -> int:
        """Votes that could be read."""
        return self.cast + self.unsure


def decide(rule: Rule, count: Count) -> Outcome | None:
    """What the votes say; None while another vote is wanted."""
    lead = count.passing - count.failing
    if count.cast >= rule.k_min:
        if lead - count.broken >= rule.pass_lead:
            return Outcome.PASSING
        if -lead - count.broken >= rule.fail_lead:
            return Outcome.FAILING
    if not _is_over(rule, count):
        return None
    if count.answered < rule.k_min:
        return Outcome.BROKEN
    return (
        Outcome.CANNOT_ASSESS
        if count.unsure >= max(1, count.cast)
        else Outcome.UNSTABLE
    )


def _is_over(rule: Rule, count: Count) -> bool:
    """Whether asking has ended without a lead."""
    if (
        max(count.passing, count.failing) >= rule.majority
        or count.answered + count.broken >= rule.k_max
    ):
        return True
    # A judge that keeps saying that it cannot tell is believed by the same margin as one that takes a side.
    sure_of_nothing = count.unsure - max(count.passing, count.failing) >= rule.opening
    return sure_of_nothing or count.broken >= MAX_BROKEN


# --- the exact figures of a rule ---


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """A rule at one accuracy: how often the leader at the stop is the wrong side, how often the stop is unstable
    (whoever leads), and how many votes it takes on average."""

    error: float
    unstable: float
    expected_votes: float


def operating_point(
    rule: Rule, accuracy: float, *, truth: Literal["pass", "fail"] = "pass"
) -> OperatingPoint:
    """The exact figures for independent votes, each right with probability `accuracy`, by dynamic programming.

    Raises:
        ValueError: the accuracy lies outside 0..1.
    """
    if not 0.0 <= accuracy <= 1.0:
        raise ValueError(f"accuracy must lie in 0..1, got {accuracy}")
    yes = accuracy if truth == "pass" else 1.0 - accuracy
    reach: dict[tuple[int, int], float] = {(0, 0): 1.0}
    error = unstable = votes = 0.0
    for cast in range(rule.k_max + 1):
        for passing in range(cast + 1):
            chance = reach.pop((passing, cast - passing), 0.0)
            if chance == 0.0:
                continue
            count = Count(passing=passing, failing=cast - passing)
            outcome = decide(rule, count)
            if outcome is None:
                for step, share in (((1, 0), yes), ((0, 1), 1.0 - yes)):
                    state = (count.passing + step[0], count.failing + step[1])
                    reach[state] = reach.get(state, 0.0) + chance * share
                continue
            votes += chance * cast
            unstable += chance * (outcome is Outcome.UNSTABLE)
            error += chance * _wrong_share(count, truth)
    return OperatingPoint(error=error, unstable=unstable, expected_votes=votes)


def _wrong_share(count: Count, truth: Literal["pass", "fail"]) -> float:
    if count.passing == count.failing:
        return 0.5
    return float((count.passing > count.failing) != (truth == "pass"))


def untruncated(lead: int, accuracy: float) -> tuple[float, float]:
    """Wrong side and expected votes of a symmetric lead without an upper limit, in closed form.

    Raises:
        ValueError: the accuracy does not lie strictly between 0 and 1.
    """
    if not 0.0 < accuracy < 1.0:
        raise ValueError(f"accuracy must lie strictly between 0 and 1, got {accuracy}")
    ratio = (1.0 - accuracy) / accuracy
    power: float = ratio**lead
    wrong = power / (1.0 + power)
    if accuracy == _EVEN:
        return wrong, float(lead * lead)
    return wrong, lead * (1.0 - power) / ((2.0 * accuracy - 1.0) * (1.0 + power))


_EVEN: Final = 0.5
