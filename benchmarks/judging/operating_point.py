"""The exact figures of a voting rule, for the benchmark of votes and for tests.

`operating_point` is the dynamic programme of the rule; `untruncated` the closed form of a
lead without an upper limit on votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from judgemesh.contracts.voting import VotingRule
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """A rule at one accuracy: how often the leader at the stop is the wrong side, how often the stop is unstable
    (whoever leads), and how many votes it takes on average."""

    error: float
    unstable: float
    expected_votes: float


def operating_point(
    rule: VotingRule, accuracy: float, *, truth: Literal["pass", "fail"] = "pass"
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
            unstable += chance * (outcome is VoteOutcome.UNSTABLE)
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
