from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.voting import GATE, SINGLE, SOFT, VotingRule
from judgemesh.mesh.judging.voting.rules import (
    MAX_BROKEN,
    Count,
    VoteOutcome,
    decide,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from judging.operating_point import operating_point, untruncated

LEAD_3 = VotingRule(pass_lead=3, fail_lead=3, k_max=9)
RULES = st.sampled_from([SINGLE, SOFT, GATE, LEAD_3])
COUNTS = st.builds(
    Count,
    passing=st.integers(0, 9),
    failing=st.integers(0, 9),
    unsure=st.integers(0, 9),
    broken=st.integers(0, 3),
)


@pytest.mark.parametrize(
    ("rule", "accuracy", "error", "votes"),
    [
        (LEAD_3, 0.9, 0.0019, 3.71),
        (LEAD_3, 0.8, 0.0252, 4.57),
        (LEAD_3, 0.6, 0.275, 6.03),
        (SOFT, 0.9, 0.0150, 2.39),
        (SOFT, 0.8, 0.0733, 2.74),
        (SOFT, 0.6, 0.329, 3.19),
    ],
)
def test_the_figures_of_the_design(
    rule: VotingRule, accuracy: float, error: float, votes: float
) -> None:
    exact = operating_point(rule, accuracy)
    assert exact.error == pytest.approx(error, rel=0.005)
    assert exact.expected_votes == pytest.approx(votes, abs=0.005)


@pytest.mark.parametrize("rule", [SINGLE, SOFT, GATE])
@pytest.mark.parametrize("truth", ["pass", "fail"])
@pytest.mark.parametrize("accuracy", [0.55, 0.9])
def test_the_dynamic_programme_is_what_listing_every_sequence_gives(
    rule: VotingRule, truth: Literal["pass", "fail"], accuracy: float
) -> None:
    error = votes = 0.0
    for sequence in product((True, False), repeat=rule.k_max):
        chance = 1.0
        for right in sequence:
            chance *= accuracy if right else 1 - accuracy
        passing = failing = 0
        for right in sequence:
            if right == (truth == "pass"):
                passing += 1
            else:
                failing += 1
            if decide(rule, Count(passing=passing, failing=failing)) is not None:
                break
        votes += chance * (passing + failing)
        error += chance * ((passing > failing) != (truth == "pass"))
    exact = operating_point(rule, accuracy, truth=truth)
    assert exact.error == pytest.approx(error)
    assert exact.expected_votes == pytest.approx(votes)


@pytest.mark.parametrize("accuracy", [0.5, 0.6, 0.9])
def test_without_a_limit_it_is_the_closed_form(accuracy: float) -> None:
    exact = operating_point(VotingRule(pass_lead=3, fail_lead=3, k_max=401), accuracy)
    error, votes = untruncated(3, accuracy)
    assert exact.error == pytest.approx(error, abs=1e-6)
    assert exact.expected_votes == pytest.approx(votes, abs=1e-4)


@given(RULES, COUNTS)
def test_what_broke_or_could_not_tell_never_makes_a_verdict(
    rule: VotingRule, count: Count
) -> None:
    outcome = decide(rule, count)
    lead = count.passing - count.failing
    if outcome is VoteOutcome.PASSING:
        assert lead - count.broken >= rule.pass_lead
    if outcome is VoteOutcome.FAILING:
        assert -lead - count.broken >= rule.fail_lead
    if count.cast < rule.k_min:
        assert outcome not in (VoteOutcome.PASSING, VoteOutcome.FAILING)


@given(
    RULES,
    st.lists(
        st.sampled_from(["passing", "failing", "unsure", "broken"]),
        min_size=30,
        max_size=30,
    ),
)
def test_asking_always_ends(rule: VotingRule, kinds: list[str]) -> None:
    counts: dict[str, int] = {"passing": 0, "failing": 0, "unsure": 0, "broken": 0}
    for asked, kind in enumerate(kinds):
        if decide(rule, Count(**counts)) is not None:
            assert asked <= rule.k_max
            return
        counts[kind] += 1
    pytest.fail("it never ended")


@pytest.mark.parametrize(
    ("rule", "count", "outcome"),
    [
        (SOFT, Count(), None),
        (SOFT, Count(passing=1), None),
        (SOFT, Count(passing=2), VoteOutcome.PASSING),
        (SOFT, Count(passing=3, failing=2), VoteOutcome.UNSTABLE),
        (SOFT, Count(passing=2, failing=2), None),
        (
            SOFT,
            Count(passing=2, broken=1),
            None,
        ),  # the broken one may have been the other side's
        (SOFT, Count(passing=3, broken=1), VoteOutcome.PASSING),
        (SOFT, Count(unsure=2), VoteOutcome.CANNOT_ASSESS),
        (SOFT, Count(passing=1, unsure=1), None),
        (SOFT, Count(broken=MAX_BROKEN), VoteOutcome.BROKEN),
        (SOFT, Count(passing=1, broken=MAX_BROKEN), VoteOutcome.UNSTABLE),
        (GATE, Count(failing=1), None),  # one vote decides no gate
        (GATE, Count(failing=2), VoteOutcome.FAILING),
        (GATE, Count(passing=2), None),
        (GATE, Count(passing=3), VoteOutcome.PASSING),
        (GATE, Count(passing=1, broken=2), VoteOutcome.BROKEN),
        (SINGLE, Count(passing=1), VoteOutcome.PASSING),
        (SINGLE, Count(unsure=1), VoteOutcome.CANNOT_ASSESS),
        (SINGLE, Count(broken=1), VoteOutcome.BROKEN),
    ],
)
def test_the_rules(rule: VotingRule, count: Count, outcome: VoteOutcome | None) -> None:
    assert decide(rule, count) is outcome


@pytest.mark.parametrize(
    "options", [{"pass_lead": 0}, {"k_max": 1}, {"k_min": 0}, {"k_min": 9}]
)
def test_a_rule_that_cannot_be_met_is_refused(options: dict[str, Any]) -> None:
    every: dict[str, Any] = {"pass_lead": 2, "fail_lead": 2, "k_max": 5, **options}
    with pytest.raises(ValueError, match=r"leads|k_max"):
        VotingRule(**every)
