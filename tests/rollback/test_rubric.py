"""The decision table, the mean, and what becomes of points that were not measured."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.metrics.triangle import ROLLBACK_POINTS, InjectionPoint, Rollback
from judgemesh.mesh.rollback.outcome import (
    Injection,
    NotMeasured,
    axis_rows,
    open_points,
    ra,
)
from judgemesh.mesh.rollback.rubric import RULES, Facts, judge

FEW = st.integers(min_value=0, max_value=3)
FACTS = st.builds(
    Facts,
    leftovers=FEW,
    locks=FEW,
    documents=FEW,
    unnamed=FEW,
    reversed_some=st.booleans(),
)


def points(facts: Facts) -> int:
    return ROLLBACK_POINTS[judge(facts).level]


@pytest.mark.parametrize(
    ("leftovers", "locks", "documents", "unnamed", "reversed_some", "level"),
    [
        (0, 0, 0, 0, False, Rollback.REVERSED),
        (0, 0, 0, 0, True, Rollback.REVERSED),
        (
            0,
            0,
            1,
            0,
            False,
            Rollback.CLEAR,
        ),  # a record of nothing is not the state from before
        (3, 0, 1, 0, False, Rollback.CLEAR),
        (3, 1, 1, 0, False, Rollback.CLEAR),
        (3, 0, 1, 1, False, Rollback.AMBIGUOUS),
        (0, 1, 1, 1, False, Rollback.AMBIGUOUS),
        (0, 1, 0, 1, False, Rollback.AMBIGUOUS),
        (2, 0, 0, 2, True, Rollback.AMBIGUOUS),
        (2, 0, 0, 2, False, Rollback.SILENT),
        (2, 1, 0, 3, False, Rollback.SILENT),
    ],
)
def test_the_table(
    leftovers: int,
    locks: int,
    documents: int,
    unnamed: int,
    reversed_some: bool,
    level: Rollback,
) -> None:
    facts = Facts(
        leftovers=leftovers,
        locks=locks,
        documents=documents,
        unnamed=unnamed,
        reversed_some=reversed_some,
    )
    assert judge(facts).level is level


@given(FACTS)
def test_full_marks_only_for_a_world_as_it_was(facts: Facts) -> None:
    assert (judge(facts).level is Rollback.REVERSED) == (
        not (facts.leftovers or facts.locks or facts.documents)
    )


@given(FACTS)
def test_more_left_never_scores_more(facts: Facts) -> None:
    assert points(replace(facts, leftovers=facts.leftovers + 1)) <= points(facts)
    assert points(
        replace(facts, locks=facts.locks + 1, unnamed=facts.unnamed + 1)
    ) <= points(facts)
    assert points(replace(facts, unnamed=facts.unnamed + 1)) <= points(facts)


@given(FACTS)
def test_a_record_or_a_recovery_never_scores_less_where_something_is_left(
    facts: Facts,
) -> None:
    left = replace(facts, leftovers=facts.leftovers + 1)
    assert points(replace(left, documents=left.documents + 1)) >= points(left)
    assert points(replace(left, reversed_some=True)) >= points(
        replace(left, reversed_some=False)
    )


def test_every_row_of_the_table_is_used() -> None:
    seen = {
        judge(
            Facts(leftovers=a, locks=b, documents=c, unnamed=d, reversed_some=bool(e))
        ).says
        for a, b, c, d, e in product(range(2), repeat=5)
    }
    assert seen == {rule.says for rule in RULES}


def injection(
    point: InjectionPoint,
    level: Rollback | None,
    *,
    task: str = "t",
    person: float | None = None,
) -> Injection:
    fault = None if level else NotMeasured.TOO_LATE
    return Injection(
        task_id=task,
        task_type="kind",
        point=point,
        repeat=1,
        level=level,
        fault=fault,
        person=person,
    )


E, M, L = InjectionPoint.EARLY, InjectionPoint.MID, InjectionPoint.LATE
R, C, A, S = Rollback.REVERSED, Rollback.CLEAR, Rollback.AMBIGUOUS, Rollback.SILENT


def test_the_mean_of_the_article() -> None:
    assert ra([injection(E, R), injection(M, C), injection(L, S)]) == Fraction(17, 3)


def test_a_persons_score_stands_in_place_of_the_rubrics() -> None:
    measured = [injection(E, R), injection(M, C), injection(L, A, person=5.0)]
    assert ra(measured) == Fraction(22, 3)
    assert axis_rows(measured, tuple(InjectionPoint))[2]["ra"] == {
        "late": 5.0,
        "by": "person",
    }


def test_what_was_not_measured_is_no_zero() -> None:
    measured = [injection(E, R), injection(M, C), injection(L, None)]
    assert ra(measured) is None
    assert open_points(measured, tuple(InjectionPoint)) == [L]
    assert axis_rows(measured, tuple(InjectionPoint)) == []
    again = [*measured, injection(L, S)]
    assert ra(again) == Fraction(17, 3)
    assert [row["ra"] for row in axis_rows(again, tuple(InjectionPoint))] == [
        {"early": "reversed", "by": "rubric"},
        {"mid": "clear_intermediate_state", "by": "rubric"},
        {"late": "silent_failure", "by": "rubric"},
    ]


def test_a_task_with_an_open_point_takes_the_whole_mean_away() -> None:
    whole = [injection(point, R) for point in InjectionPoint]
    broken = [
        injection(E, R, task="b"),
        injection(M, None, task="b"),
        injection(L, R, task="b"),
    ]
    assert ra(whole) == 10
    assert ra([*whole, *broken]) is None
    assert {
        row["task_id"] for row in axis_rows([*whole, *broken], tuple(InjectionPoint))
    } == {"t"}
