"""The decision tree of the outcome classes: whatever is answered, it ends in one class, and soon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.tree import DEFINITIONS, OUTCOME_TREE, Next, Place

ANSWERS = st.lists(st.booleans(), min_size=4, max_size=8)


def reached(answers: list[bool]) -> tuple[int, Place]:
    """How many of the answers were needed, and where they lead."""
    for count in range(len(answers) + 1):
        place = OUTCOME_TREE.walk(answers[:count])
        if place.outcome is not None:
            return count, place
    raise AssertionError(f"{answers} end nowhere")


@given(ANSWERS)
def test_every_way_ends_in_exactly_one_class_after_at_most_four_keys(
    answers: list[bool],
) -> None:
    count, place = reached(answers)
    assert 1 <= count <= 4
    assert place.step is None
    for shorter in range(count):
        open_place = OUTCOME_TREE.walk(answers[:shorter])
        assert (open_place.outcome, open_place.step is None) == (None, False)
    if count < len(answers):
        with pytest.raises(ValueError, match="needs fewer"):
            OUTCOME_TREE.walk(answers[: count + 1])


def test_every_class_is_reached_and_every_step_asked() -> None:
    ways = list(OUTCOME_TREE.paths())
    assert {outcome for _, outcome in ways} == set(OutcomeClass)
    assert len({answers for answers, _ in ways}) == len(ways)
    assert {
        step.id for answers, _ in ways for step, _ in OUTCOME_TREE.asked(answers)
    } == set(OUTCOME_TREE.steps)
    assert len(ways) == 5  # one way to each class: a label says which answers led to it


def test_the_tree_asks_in_the_order_of_the_article() -> None:
    ways = {outcome: answers for answers, outcome in OUTCOME_TREE.paths()}
    assert ways == {
        OutcomeClass.ABANDONED: (False,),
        OutcomeClass.HALLUCINATED: (True, True),
        OutcomeClass.COMPLETE: (True, False, True),
        OutcomeClass.PARTIAL_PLUS: (True, False, False, True),
        OutcomeClass.PARTIAL_MINUS: (True, False, False, False),
    }


def test_every_step_leads_somewhere_and_says_what_yes_and_no_mean() -> None:
    def known(way: Next) -> bool:
        return isinstance(way, OutcomeClass) or way in OUTCOME_TREE.steps

    for name, step in OUTCOME_TREE.steps.items():
        assert name == step.id
        assert known(step.yes)
        assert known(step.no)
        assert step.question.endswith("?")
        starts = [paragraph.split(":")[0] for paragraph in step.rubric]
        assert starts[:2] == ["Yes", "No"]
    assert set(DEFINITIONS) == set(OutcomeClass)


@given(ANSWERS, st.sampled_from(OutcomeClass))
def test_two_ways_part_at_the_first_step_where_they_differ(
    answers: list[bool], expected: OutcomeClass
) -> None:
    count, place = reached(answers)
    given_answers = tuple(answers[:count])
    parting = OUTCOME_TREE.parting(given_answers, expected)
    assert (parting is None) == (place.outcome is expected)
    if parting is not None:
        other = next(
            way for way, outcome in OUTCOME_TREE.paths() if outcome is expected
        )
        asked = [step.id for step, _ in OUTCOME_TREE.asked(given_answers)]
        at = asked.index(parting.step.id)
        assert given_answers[:at] == other[:at]
        assert (given_answers[at], other[at]) == (parting.given, parting.expected)
        assert parting.given != parting.expected


def test_a_walk_that_is_not_over_has_no_parting() -> None:
    with pytest.raises(ValueError, match="no class yet"):
        OUTCOME_TREE.parting((True,), OutcomeClass.COMPLETE)
