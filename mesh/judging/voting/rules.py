"""When the votes decide: lead-d voting with curtailment, a truncated sequential probability ratio test. Pure.

Votes are counted as `passing` and `failing`: the answer that would pass, and the other
one. Asking stops when one of them leads by its margin, when the majority of `k_max` is
decided, or when `k_max` votes were cast. The leader is the verdict; a stop without the
margin is *unstable*, unless the rule lets the majority of `k_max` decide. "Cannot assess"
is a vote for neither. A vote that broke might have been either, so it counts against the
leader: a fault can cost votes or the verdict, but cannot make one.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from judgemesh.contracts.voting import VotingRule

MAX_BROKEN: Final = 2
"""Votes that may break before asking stops: each had retries of its own."""


class VoteOutcome(StrEnum):
    """What the votes come to when asking stops."""

    PASSING = "passing"
    FAILING = "failing"
    UNSTABLE = "unstable"
    CANNOT_ASSESS = "cannot_assess"
    BROKEN = "broken"


class Count(NamedTuple):
    """The votes so far: `unsure` ones are "cannot assess", `broken` ones could not be read."""

    passing: int = 0
    failing: int = 0
    unsure: int = 0
    broken: int = 0

    @property
    def cast(self) -> int:
        """Votes for yes or no."""
        return self.passing + self.failing

    @property
    def answered(self) -> int:
        """Votes that could be read."""
        return self.cast + self.unsure


@lru_cache(maxsize=1024)  # one or two votes on each question, and few rules
def decide(rule: VotingRule, count: Count) -> VoteOutcome | None:
    """What the votes come to; None while another vote is needed."""
    verdict = _verdict(rule, count)
    if verdict is not None or not _is_over(rule, count):
        return verdict
    if count.answered < rule.k_min:
        return VoteOutcome.BROKEN
    if count.unsure >= max(1, count.cast):
        return VoteOutcome.CANNOT_ASSESS
    return VoteOutcome.UNSTABLE


def _verdict(rule: VotingRule, count: Count) -> VoteOutcome | None:
    """The verdict, once one answer has the lead or the majority that the rule wants."""
    if count.cast < rule.k_min:
        return None
    lead = count.passing - count.failing
    if lead - count.broken >= rule.pass_lead or (
        lead > 0 and _has_majority(rule, count.passing)
    ):
        return VoteOutcome.PASSING
    if -lead - count.broken >= rule.fail_lead or (
        lead < 0 and _has_majority(rule, count.failing)
    ):
        return VoteOutcome.FAILING
    return None


def _has_majority(rule: VotingRule, votes: int) -> bool:
    """Whether so many votes for one answer decide without the lead."""
    return rule.majority_decides and votes >= rule.majority


def _is_over(rule: VotingRule, count: Count) -> bool:
    """Whether asking has ended without a lead."""
    if max(count.passing, count.failing) >= rule.majority:
        return True
    if count.answered + count.broken >= rule.k_max:
        return True
    # "Cannot assess" is believed by the same margin as yes and no.
    unassessable = count.unsure - max(count.passing, count.failing) >= rule.opening
    return unassessable or count.broken >= MAX_BROKEN
