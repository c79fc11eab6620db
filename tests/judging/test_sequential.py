"""The votes of economy mode: five votes curtailed, and the rule of the fewest votes by what labels say."""

from __future__ import annotations

import random
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.voting import ECONOMY, FIVE, LEAD, SOFT, VotingRule
from judgemesh.mesh.calibration.vote_fit import fit_votes
from judgemesh.mesh.judging.confidence.vote_accuracy import (
    VoteAccuracy,
    VoteModel,
    vote_accuracy_from_json,
)
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide
from judgemesh.mesh.judging.voting.sequential import (
    RULES,
    TOLERANCE,
    fewest_votes,
    operating_point,
    wald_lead,
)

FIXED_5: Final = VotingRule(pass_lead=1, fail_lead=1, k_max=5, k_min=5)
MODELS = st.builds(
    VoteModel,
    accuracy=st.floats(0.55, 0.99),
    correlation=st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.8, 0.95]),
)


def stopped(rule: VotingRule, votes: tuple[bool, ...]) -> tuple[VoteOutcome, int]:
    """What a rule makes of votes, and after how many."""
    for asked in range(len(votes) + 1):
        passing = sum(votes[:asked])
        outcome = decide(rule, Count(passing=passing, failing=asked - passing))
        if outcome is not None:
            return outcome, asked
    raise AssertionError("the rule does not end")


def majority(votes: tuple[bool, ...]) -> VoteOutcome | None:
    """The verdict of five votes, all of them counted."""
    passing = sum(votes)
    return decide(FIXED_5, Count(passing=passing, failing=len(votes) - passing))


@pytest.mark.parametrize("votes", list(product((True, False), repeat=5)))
def test_five_curtailed_gives_the_verdict_of_five(votes: tuple[bool, ...]) -> None:
    outcome, asked = stopped(FIVE, votes)
    assert outcome is majority(votes)
    assert 3 <= asked <= 5
    # No vote is left out that could have changed the verdict.
    rest = product((True, False), repeat=5 - asked)
    assert {majority(votes[:asked] + more) for more in rest} == {outcome}


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 3))
def test_the_majority_of_five_counts_only_votes(
    passing: int, failing: int, unsure: int, broken: int
) -> None:
    count = Count(passing=passing, failing=failing, unsure=unsure, broken=broken)
    outcome = decide(FIVE, count)
    if outcome is VoteOutcome.PASSING:
        assert passing >= 3
        assert passing > failing or failing >= 3
    if outcome is VoteOutcome.FAILING:
        assert failing >= 3


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_the_operating_point_is_what_listing_every_sequence_gives(
    rule: VotingRule, correlation: float
) -> None:
    model = VoteModel(accuracy=0.85, correlation=correlation)
    error = asked = 0.0
    for votes in product((True, False), repeat=rule.k_max):
        chance = 1.0
        for position, right in enumerate(votes):
            so_far = sum(votes[:position])
            next_right = model.right(so_far, position - so_far)
            chance *= next_right if right else 1.0 - next_right
        outcome, count = stopped(rule, votes)
        asked += chance * count
        error += chance * (outcome is not VoteOutcome.PASSING)
    exact = operating_point(rule, model)
    assert exact.error == pytest.approx(error)
    assert exact.votes == pytest.approx(asked)


@given(MODELS, MODELS)
def test_fewer_votes_are_no_more_often_wrong_than_five(
    yes: VoteModel, no: VoteModel
) -> None:
    rule = fewest_votes(VoteAccuracy(yes=yes, no=no))
    votes = 0.0
    for model in (yes, no):
        point, five = operating_point(rule, model), operating_point(FIVE, model)
        assert point.error <= five.error + TOLERANCE
        votes += point.votes - five.votes
    assert votes <= 1e-9
    assert min(rule.pass_lead, rule.fail_lead) >= 2  # one vote decides no gate


def test_a_judge_that_repeats_itself_is_asked_twice() -> None:
    independent = VoteModel(accuracy=0.9)
    repeating = VoteModel(accuracy=0.9, correlation=0.7)
    assert fewest_votes(VoteAccuracy(yes=independent, no=independent)) == FIVE
    rule = fewest_votes(VoteAccuracy(yes=repeating, no=repeating))
    assert (rule.pass_lead, rule.k_max) == (2, 5)
    assert operating_point(rule, repeating).votes < 2.2
    assert fewest_votes(None) == FIVE


@pytest.mark.parametrize("accuracy", [0.8, 0.9, 0.95])
def test_walds_lead_keeps_walds_bounds(accuracy: float) -> None:
    """Independent votes, no limit: the errors are within the bounds, and one less lead breaks them."""
    error = operating_point(FIVE, VoteModel(accuracy=accuracy)).error
    lead = wald_lead(accuracy, alpha=error, beta=error)
    ratio = accuracy / (1 - accuracy)
    assert 1 / (1 + ratio**lead) <= error < 1 / (1 + ratio ** (lead - 1))


def labelled(
    model: VoteModel, truth: bool, count: int, draw: random.Random, rule: VotingRule
) -> list[tuple[Opinion, bool]]:
    """Opinions of a judge that votes by the rule."""
    pairs: list[tuple[Opinion, bool]] = []
    for _ in range(count):
        right = wrong = 0
        while decide(rule, Count(passing=right, failing=wrong)) is None:
            if draw.random() < model.right(right, wrong):
                right += 1
            else:
                wrong += 1
        yes, no = (right, wrong) if truth else (wrong, right)
        opinion = Opinion(
            question_id="q",
            question="?",
            criterion="c",
            gating=True,
            model="m",
            prompts="p",
            votes_yes=yes,
            votes_no=no,
        )
        pairs.append((opinion, truth))
    return pairs


@pytest.mark.parametrize("rule", [FIVE, LEAD.gate, SOFT, FIXED_5])
def test_labels_tell_how_often_votes_are_right_whenever_asking_stopped(
    rule: VotingRule,
) -> None:
    yes = VoteModel(accuracy=0.9, correlation=0.3)
    no = VoteModel(accuracy=0.75)
    draw = random.Random(7)  # noqa: S311 (a simulation)
    pairs = labelled(yes, True, 2000, draw, rule) + labelled(
        no, False, 2000, draw, rule
    )
    fitted = fit_votes(pairs)
    assert fitted is not None
    assert fitted.yes.accuracy == pytest.approx(0.9, abs=0.03)
    assert fitted.yes.correlation == pytest.approx(0.3, abs=0.1)
    assert fitted.no.accuracy == pytest.approx(0.75, abs=0.03)
    assert fitted.no.correlation <= 0.1
    assert vote_accuracy_from_json(fitted.to_json()) == fitted


def test_few_labels_say_nothing() -> None:
    draw = random.Random(1)  # noqa: S311 (a simulation)
    model = VoteModel(accuracy=0.9)
    few = labelled(model, True, 20, draw, FIVE)
    few += labelled(model, False, 9, draw, FIVE)
    assert fit_votes(few) is None
    assert fit_votes(labelled(model, True, 100, draw, FIVE)) is None
    enough = few + labelled(model, False, 1, draw, FIVE)
    assert fit_votes(enough) is not None


@pytest.mark.parametrize(
    "bad", [{}, {"yes": [0.9, 0.0]}, {"yes": [1.0, 0.0], "no": [0.9, 0.0]}]
)
def test_an_accuracy_that_cannot_be_read(bad: dict[str, list[float]]) -> None:
    with pytest.raises((KeyError, ValueError)):
        vote_accuracy_from_json(bad)


def test_the_policy_of_the_mode() -> None:
    assert ECONOMY.gate == FIVE
    assert ECONOMY.to_json()["gate"] == [3, 3, 5, 1, 1]
    assert ECONOMY.to_json()["negated_again"] is True
    assert ECONOMY.strong().gate == FIVE
