"""The rule of the fewest votes whose verdicts are no more often wrong than those of five votes. Pure.

A lead is the test of Wald's sequential probability ratio test: of votes that are right with probability p, a lead of d
multiplies the odds by (p / (1-p))^d, so that errors of at most alpha and beta need the lead
log((1-beta) / alpha) / log(p / (1-p)) (Wald, *Sequential Tests of Statistical Hypotheses*, Ann. Math. Stat. 16, 1945;
no other test with these errors needs fewer votes on average: Wald and Wolfowitz, 1948). Wald's bounds hold for
independent votes and without a limit on their number. Votes of one judge are neither, so the errors of each rule are
computed exactly, by dynamic programming over the beta-binomial model of the labels.

Independent votes need about the lead of five votes. A judge that repeats itself needs fewer: then five votes say hardly
more than two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import Final

from judgemesh.contracts.voting import FIVE, VotingRule
from judgemesh.mesh.judging.confidence.vote_accuracy import VoteAccuracy, VoteModel
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide

TOLERANCE: Final = 0.001
"""How much more often than with five votes a question may go without the right verdict."""

RULES: Final = (
    VotingRule(pass_lead=2, fail_lead=2, k_max=3, majority_decides=True),
    VotingRule(pass_lead=2, fail_lead=2, k_max=5, majority_decides=True),
    VotingRule(pass_lead=2, fail_lead=2, k_max=7, majority_decides=True),
    FIVE,
)
"""The candidates. One vote decides no gate. They treat both answers alike: it does not matter which answer passes."""


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What a rule does with votes of a model.

    error: the probability of the wrong verdict or of none. votes: the expected number of votes.
    """

    error: float
    votes: float


def operating_point(rule: VotingRule, model: VoteModel) -> OperatingPoint:
    """The error and the expected votes of a rule that treats both answers alike; exact."""
    error = votes = 0.0
    states: dict[tuple[int, int], float] = {(0, 0): 1.0}
    while states:
        following: dict[tuple[int, int], float] = {}
        for (right, wrong), chance in states.items():
            outcome = decide(rule, Count(passing=right, failing=wrong))
            if outcome is not None:
                votes += chance * (right + wrong)
                error += chance * (outcome is not VoteOutcome.PASSING)
                continue
            next_right = model.right(right, wrong)
            for state, share in (
                ((right + 1, wrong), next_right),
                ((right, wrong + 1), 1.0 - next_right),
            ):
                following[state] = following.get(state, 0.0) + chance * share
        states = following
    return OperatingPoint(error, votes)


def wald_lead(accuracy: float, *, alpha: float, beta: float) -> int:
    """The lead that independent votes of this accuracy (above .5) need for errors of at most alpha and beta."""
    return ceil(log((1.0 - beta) / alpha) / log(accuracy / (1.0 - accuracy)))


@lru_cache(maxsize=64)
def fewest_votes(accuracy: VoteAccuracy | None) -> VotingRule:
    """The rule with the fewest expected votes whose error is within `TOLERANCE` of that of five votes.

    For questions with either answer. Without a measured accuracy it is the majority of five, curtailed: that one gives
    the verdicts of five votes whatever the judge is like.
    """
    if accuracy is None:
        return FIVE
    models = (accuracy.yes, accuracy.no)
    allowed = [operating_point(FIVE, model).error + TOLERANCE for model in models]
    best, fewest = FIVE, _expected_votes(FIVE, models)
    for rule in RULES:
        errors = [operating_point(rule, model).error for model in models]
        holds = all(error <= most for error, most in zip(errors, allowed, strict=True))
        votes = _expected_votes(rule, models)
        if holds and votes < fewest:
            best, fewest = rule, votes
    return best


def _expected_votes(rule: VotingRule, models: tuple[VoteModel, VoteModel]) -> float:
    return sum(operating_point(rule, model).votes for model in models) / len(models)
