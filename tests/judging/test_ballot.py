"""The votes on one question as a state machine, and the rules and policies by which they decide."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import pytest

from judgemesh.contracts.errors import ConfigError, JudgeMalformed, JudgeUnavailable
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import BatchAudit, Vote
from judgemesh.contracts.voting import (
    GATE,
    LEAD,
    SINGLE,
    SINGLE_VOTE,
    SOFT,
    VotingPolicy,
    VotingRule,
    policy_of,
)
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.signals import Signals
from judgemesh.mesh.judging.voting.ballot import Ballot, Cast
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide

WORDS = {"y": Vote.YES, "n": Vote.NO, "?": Vote.CANNOT_ASSESS}
BROKEN = JudgeMalformed("no JSON")
SPENT = BudgetSpent("the budget is spent")


def ballot(
    votes: str = "",
    *faults: Any,
    rule: VotingRule = SOFT,
    expected: Literal["yes", "no"] = "yes",
) -> Ballot:
    """`yyn?`: the votes in their order, each on a wording of its own."""
    cast = [
        Cast(index=index, wording=f"w{index}", said=WORDS[sign], reason=f"r{index}")
        for index, sign in enumerate(votes)
    ]
    return Ballot(rule=rule, expected=expected, cast=cast, faults=list(faults))


# --- rules and policies ---


def test_the_rules_of_the_design() -> None:
    figures = [
        (one.pass_lead, one.fail_lead, one.k_max, one.k_min, one.opening, one.majority)
        for one in (SINGLE, SOFT, GATE)
    ]
    assert figures == [(1, 1, 1, 1, 1, 1), (2, 2, 5, 1, 2, 3), (3, 2, 9, 2, 2, 5)]


REFUSED: list[tuple[tuple[int, int, int, int], str]] = [
    ((0, 1, 3, 1), "1 or more"),
    ((1, 0, 3, 1), "1 or more"),
    ((1, 1, 3, 0), "1 or more"),
    ((3, 1, 2, 1), "k_max 2 leaves no room"),
    ((1, 3, 2, 1), "k_max 2 leaves no room"),
    ((1, 1, 2, 3), "k_max 2 leaves no room"),
]


@pytest.mark.parametrize(("figures", "message"), REFUSED)
def test_a_rule_that_cannot_be_met(
    figures: tuple[int, int, int, int], message: str
) -> None:
    passes, fails, most, least = figures
    with pytest.raises(ValueError, match=message):
        VotingRule(pass_lead=passes, fail_lead=fails, k_max=most, k_min=least)


def test_a_rule_may_be_exactly_met() -> None:
    rule = VotingRule(pass_lead=3, fail_lead=3, k_max=3, k_min=3)
    assert (rule.opening, rule.majority) == (3, 2)


def test_the_policies() -> None:
    assert LEAD.to_json() == {
        "soft": [2, 2, 5, 1],
        "gate": [3, 2, 9, 2],
        "rotate": True,
        "negated": "yes_no_negated.v1",
        "least": [0.75, 0.9],
    }
    assert (LEAD.prompt, LEAD.temperature) == ("yes_no.v1", 0.7)
    assert (LEAD.rule(gating=True), LEAD.rule(gating=False)) == (GATE, SOFT)
    assert (LEAD.least(gating=True), LEAD.least(gating=False)) == (0.9, 0.75)
    assert SINGLE_VOTE.to_json() == {
        "soft": [1, 1, 1, 1],
        "gate": [1, 1, 1, 1],
        "rotate": False,
        "negated": None,
        "least": [0.75, 0.9],
    }
    assert SINGLE_VOTE.temperature == 0.0


def test_the_second_judge_needs_a_longer_lead() -> None:
    assert LEAD.strong() == replace(
        LEAD, soft=VotingRule(pass_lead=3, fail_lead=3, k_max=9)
    )
    assert SINGLE_VOTE.strong() is SINGLE_VOTE


def test_a_policy_by_its_name() -> None:
    assert policy_of("lead") is LEAD
    assert policy_of("single") is SINGLE_VOTE
    own = VotingPolicy(soft=SINGLE)
    assert policy_of(own) is own
    with pytest.raises(ConfigError, match="no voting policy 'other'") as refused:
        policy_of("other")
    assert "expected lead or single or economy" in str(refused.value)
    assert refused.value.where == "votes"


DECIDED: list[tuple[VotingRule, tuple[int, int, int, int], VoteOutcome | None]] = [
    (SOFT, (2, 0, 0, 0), VoteOutcome.PASSING),
    (SOFT, (0, 2, 0, 0), VoteOutcome.FAILING),
    (SOFT, (1, 0, 0, 0), None),
    (SOFT, (2, 1, 0, 0), None),
    (SOFT, (3, 1, 0, 0), VoteOutcome.PASSING),
    (SOFT, (3, 2, 0, 0), VoteOutcome.UNSTABLE),
    (SOFT, (2, 3, 0, 0), VoteOutcome.UNSTABLE),
    (SOFT, (2, 0, 0, 1), None),
    (SOFT, (3, 0, 0, 1), VoteOutcome.PASSING),
    (SOFT, (0, 3, 0, 1), VoteOutcome.FAILING),
    (SOFT, (0, 0, 0, 2), VoteOutcome.BROKEN),
    (SOFT, (1, 0, 0, 2), VoteOutcome.UNSTABLE),
    (SOFT, (0, 0, 2, 0), VoteOutcome.CANNOT_ASSESS),
    (SOFT, (0, 0, 1, 0), None),
    (SOFT, (1, 0, 2, 0), None),
    (SOFT, (1, 0, 3, 0), VoteOutcome.CANNOT_ASSESS),
    (SOFT, (1, 1, 2, 0), None),
    (SOFT, (1, 1, 3, 0), VoteOutcome.CANNOT_ASSESS),
    (SOFT, (2, 1, 2, 0), VoteOutcome.UNSTABLE),
    (GATE, (2, 0, 0, 0), None),
    (GATE, (3, 0, 0, 0), VoteOutcome.PASSING),
    (GATE, (0, 2, 0, 0), VoteOutcome.FAILING),
    (GATE, (0, 0, 1, 2), VoteOutcome.BROKEN),
    (GATE, (5, 3, 0, 0), VoteOutcome.UNSTABLE),
    (GATE, (4, 3, 0, 0), None),
    (SINGLE, (1, 0, 0, 0), VoteOutcome.PASSING),
    (SINGLE, (0, 1, 0, 0), VoteOutcome.FAILING),
    (SINGLE, (0, 0, 1, 0), VoteOutcome.CANNOT_ASSESS),
    (SINGLE, (0, 0, 0, 1), VoteOutcome.BROKEN),
    (SINGLE, (0, 0, 0, 0), None),
]


@pytest.mark.parametrize(("rule", "votes", "outcome"), DECIDED)
def test_when_votes_decide(
    rule: VotingRule, votes: tuple[int, int, int, int], outcome: VoteOutcome | None
) -> None:
    passing, failing, unsure, broken = votes
    count = Count(passing=passing, failing=failing, unsure=unsure, broken=broken)
    assert decide(rule, count) is outcome
    assert (count.cast, count.answered) == (
        passing + failing,
        passing + failing + unsure,
    )


# --- a ballot ---


def test_the_votes_are_counted() -> None:
    one = ballot("yyn?", BROKEN)
    assert (one.yes, one.no, one.unsure, one.broken, one.asked) == (2, 1, 1, 1, 5)
    assert one.score() == "2 yes, 1 no, 1 cannot assess, 1 broken"
    assert ballot().score() == "no vote"
    assert ballot("n").score() == "1 no"


NEXT: list[tuple[Ballot, range]] = [
    (ballot(), range(2)),
    (ballot(rule=SINGLE), range(1)),
    (ballot("y"), range(1, 2)),
    (ballot("yn"), range(2, 3)),
    (ballot("y", BROKEN), range(2, 3)),
    (ballot("yn?"), range(3, 4)),
    (ballot("yy"), range(0)),
    (ballot("y", SPENT), range(0)),
]


@pytest.mark.parametrize(("one", "indexes"), NEXT)
def test_what_is_asked_next(one: Ballot, indexes: range) -> None:
    assert one.next_votes() == indexes


OUTCOMES: list[tuple[str, Literal["yes", "no"], VoteOutcome, Vote]] = [
    ("yy", "yes", VoteOutcome.PASSING, Vote.YES),
    ("nn", "yes", VoteOutcome.FAILING, Vote.NO),
    ("nn", "no", VoteOutcome.PASSING, Vote.NO),
    ("yy", "no", VoteOutcome.FAILING, Vote.YES),
    ("??", "yes", VoteOutcome.CANNOT_ASSESS, Vote.CANNOT_ASSESS),
    ("ynyny", "yes", VoteOutcome.UNSTABLE, Vote.CANNOT_ASSESS),
]


@pytest.mark.parametrize(("votes", "expected", "outcome", "verdict"), OUTCOMES)
def test_what_the_votes_come_to(
    votes: str, expected: Literal["yes", "no"], outcome: VoteOutcome, verdict: Vote
) -> None:
    one = ballot(votes, expected=expected)
    assert one.outcome is outcome
    assert one.verdict(outcome) is verdict


def test_why_there_is_no_verdict() -> None:
    other = JudgeUnavailable("down")
    assert ballot("y").fault() is None
    assert ballot("yyy", BROKEN).fault() is None
    assert ballot("nnn", BROKEN).fault() is None
    assert ballot("", other, BROKEN).fault() is other
    assert ballot("y", BROKEN).fault() is BROKEN
    assert ballot("y", BROKEN, SPENT).fault() is SPENT
    assert ballot("yn?", BROKEN, BROKEN).fault() is None
    assert ballot("yn?", BROKEN, SPENT).fault() is SPENT


def with_fields(one: Ballot, **fields: list[Any]) -> Ballot:
    for name, values in fields.items():
        one.cast = [
            replace(vote, **{name: value})
            for vote, value in zip(one.cast, values, strict=True)
        ]
    return one


def test_what_calibration_reads() -> None:
    plain = Signals(yes=2, no=1, p_yes=None, contradicted=False, quote_found=None)
    assert ballot("yyn").signals() == plain
    quoted = with_fields(ballot("yyn"), quote_found=[True, None, False])
    assert quoted.signals().quote_found is True
    quoted = with_fields(ballot("yyn"), quote_found=[True, False, True])
    assert quoted.signals().quote_found is False
    quoted = with_fields(ballot("ynn"), quote_found=[False, True, True])
    assert quoted.signals().quote_found is True
    even = with_fields(ballot("yn"), quote_found=[True, False])
    assert even.signals().quote_found is True
    sure = with_fields(ballot("yyn"), p_yes=[0.75, None, 0.25])
    assert sure.signals().p_yes == 0.5
    sure.p_yes = 0.8
    assert sure.signals().p_yes == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("votes", "inverted", "answer", "against"),
    [
        ("yyn", [False, False, True], Vote.YES, True),
        ("yyn", [False, False, False], Vote.YES, False),
        ("yyy", [False, False, True], Vote.YES, False),
        ("nny", [False, False, True], Vote.NO, True),
        ("??y", [False, False, True], Vote.CANNOT_ASSESS, False),
    ],
)
def test_the_negated_question_contradicts(
    votes: str, inverted: list[bool], answer: Vote, *, against: bool
) -> None:
    one = with_fields(ballot(votes), inverted=inverted)
    expected = "the negated question was answered against it" if against else ""
    assert one.disagreement(answer) == expected
    if answer is not Vote.CANNOT_ASSESS:
        assert one.signals().contradicted is against


def test_a_wording_that_always_says_otherwise() -> None:
    one = with_fields(ballot("yyynn"), wording=["a", "a", "a", "b", "b"])
    assert one.disagreement(Vote.YES) == ("every vote on the wording b went against it")
    assert one.disagreement(Vote.NO) == "every vote on the wording a went against it"
    assert with_fields(ballot("yyn"), wording=["a", "a", "b"]).disagreement(
        Vote.YES
    ) == ""  # fmt: skip
    mixed = with_fields(ballot("yyyny"), wording=["a", "a", "a", "b", "b"])
    assert mixed.disagreement(Vote.YES) == ""
    negated = with_fields(
        ballot("nnyy"),
        wording=["a", "a", "b", "b"],
        inverted=[False, False, True, True],
    )
    assert "negated" in negated.disagreement(Vote.NO)


def test_the_first_vote_speaks() -> None:
    one = ballot("nyy")
    one.cast.reverse()
    assert one.reason(Vote.YES) == "r1"
    assert one.reason(Vote.NO) == "r0"
    assert one.reason(Vote.CANNOT_ASSESS) == ""
    negated = with_fields(ballot("yy"), inverted=[True, False])
    assert negated.reason(Vote.YES) == "r1"
    assert negated.speaker(Vote.NO) is None


def test_models_and_costs() -> None:
    def usd(text: str) -> Money:
        return Money(Decimal(text))

    one = with_fields(
        ballot("yn"), model=["a", "b"], cost=[usd("0.1"), usd("0.2")],
        cost_avoided=[None, usd("0.4")],
    )  # fmt: skip
    one.cast.reverse()
    assert (one.model(), one.served()) == ("b", frozenset({"a", "b"}))
    assert (one.cost(), one.cost_avoided()) == (usd("0.3"), usd("0.4"))
    assert with_fields(one, cost=[None, usd("1")]).cost() is None
    none = ballot()
    assert (none.model(), none.served(), none.cost()) == (None, frozenset(), None)
    assert none.batch_audit() is None


def test_the_audit_of_a_batch() -> None:
    audit = BatchAudit(call="c", position=0, size=2, together=Vote.YES, alone=Vote.NO)
    one = with_fields(ballot("yn"), audit=[None, audit])
    assert one.batch_audit() is audit


# --- the negated question is asked again where it contradicts the leader ---


def negating(
    votes: str, *, inverted: tuple[int, ...], negated: tuple[int, ...]
) -> Ballot:
    """A ballot of `votes` of which those with an index in `inverted` were cast on the negated question."""
    made = ballot(votes)
    made.cast = [replace(one, inverted=one.index in inverted) for one in made.cast]
    made.negated = negated
    return made


AGAIN: list[tuple[str, tuple[int, ...], tuple[int, ...], range]] = [
    # A decided ballot whose only negated vote says otherwise asks once more, if the next vote is one of those.
    ("yynyy", (2,), (2, 5), range(5, 6)),
    ("nnynn", (2,), (2, 5), range(5, 6)),
    # The next vote would not ask the negated question.
    ("yynyy", (2,), (2, 6), range(0)),
    ("yynyy", (2,), (), range(0)),
    # The negated vote agrees with the leader, or there is none.
    ("yyy", (2,), (2, 3), range(0)),
    ("yyy", (), (3,), range(0)),
    # One of two negated votes agrees.
    ("yynyyy", (2, 5), (2, 5, 6), range(0)),
    # Nobody leads: there is nothing to contradict.
    ("?????", (2,), (2, 5), range(0)),
]
"""Votes, those on the negated question, the votes that may ask it again, and what is asked for next."""


@pytest.mark.parametrize(("votes", "inverted", "negated", "next_votes"), AGAIN)
def test_a_contradicted_leader_is_asked_about_once_more(
    votes: str, inverted: tuple[int, ...], negated: tuple[int, ...], next_votes: range
) -> None:
    made = negating(votes, inverted=inverted, negated=negated)
    assert made.outcome is not None
    assert made.next_votes() == next_votes
