"""The Agent Success Rate of a judged run, corrected by people's classes of some of its tasks."""

from __future__ import annotations

from decimal import Decimal

import pytest

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import CREDITS
from judgemesh.mesh.metrics.correction import Drawn
from judgemesh.mesh.metrics.outcome_correction import JudgedTask, corrected_success
from judgemesh.mesh.metrics.strata import Stratum, stratified_mean

Class = OutcomeClass
D = Decimal


def judged(
    outcome: OutcomeClass, many: int, labels: dict[OutcomeClass, int]
) -> list[JudgedTask]:
    """Tasks of one judged class, of which some are labelled."""
    known = [
        JudgedTask(outcome, human)
        for human, count in labels.items()
        for _ in range(count)
    ]
    return known + [JudgedTask(outcome)] * (many - len(known))


RUN = [
    *judged(
        Class.COMPLETE,
        600,
        {Class.COMPLETE: 48, Class.PARTIAL_PLUS: 6, Class.HALLUCINATED: 6},
    ),
    *judged(
        Class.PARTIAL_PLUS,
        150,
        {Class.COMPLETE: 3, Class.PARTIAL_PLUS: 9, Class.PARTIAL_MINUS: 3},
    ),
    *judged(Class.PARTIAL_MINUS, 200, {Class.PARTIAL_MINUS: 14, Class.PARTIAL_PLUS: 2}),
    *judged(Class.ABANDONED, 50, {Class.ABANDONED: 4}),
]


def test_each_stratum_is_worth_what_its_labels_are_worth() -> None:
    found = corrected_success(RUN, drawn=Drawn.AT_RANDOM, seed=1)
    complete, partial, nothing = (48 + 0.4 * 6) / 60, (3 + 0.4 * 9) / 15, 0.4 * 2 / 20
    assert found.rate == pytest.approx(0.6 * complete + 0.15 * partial + 0.25 * nothing)
    assert found.judged == pytest.approx(0.6 + 0.4 * 0.15)
    assert (found.tasks, found.labelled) == (1000, 95)
    assert found.ci.low < found.rate < found.ci.high
    assert found.table[Class.PARTIAL_PLUS][Class.COMPLETE] == 3
    hallucinated, interval = found.shares[Class.HALLUCINATED]
    assert hallucinated == pytest.approx(0.6 * 6 / 60)
    assert interval.low < 0.06 < interval.high
    assert sum(share for share, _ in found.shares.values()) == pytest.approx(1)


def test_weights_are_tunable_and_costs_count() -> None:
    generous = {**CREDITS, Class.PARTIAL_PLUS: D("0.5"), Class.PARTIAL_MINUS: D("0.1")}
    found = corrected_success(RUN, drawn=Drawn.BY_VERDICT, seed=1, credit=generous)
    assert found.rate > corrected_success(RUN, drawn=Drawn.BY_VERDICT, seed=1).rate
    dear = [JudgedTask(task.judged, task.human, D("0.15"), D("0.10")) for task in RUN]
    halved = corrected_success(dear, drawn=Drawn.AT_RANDOM, seed=1)
    assert halved.rate == pytest.approx(0.5 * (0.6 * 48 / 60 + 0.15 * 3 / 15))
    with pytest.raises(ValueError, match="no credit is given for abandoned"):
        corrected_success(
            RUN,
            drawn=Drawn.AT_RANDOM,
            seed=1,
            credit={
                one: credit
                for one, credit in CREDITS.items()
                if one is not Class.ABANDONED
            },
        )


def test_effective_labels_are_many_for_a_good_judge_and_few_for_a_useless_one() -> None:
    good = [
        *judged(Class.COMPLETE, 700, {Class.COMPLETE: 70}),
        *judged(Class.ABANDONED, 300, {Class.ABANDONED: 30}),
    ]
    mixed = {Class.COMPLETE: 35, Class.ABANDONED: 15}
    useless = [
        *judged(Class.COMPLETE, 500, mixed),
        *judged(Class.ABANDONED, 500, mixed),
    ]
    sharp = corrected_success(good, drawn=Drawn.AT_RANDOM, seed=1)
    blunt = corrected_success(useless, drawn=Drawn.AT_RANDOM, seed=1)
    assert sharp.effective_labels > 300
    assert blunt.effective_labels == pytest.approx(100, rel=0.1)
    everything = [JudgedTask(task.human, task.human) for task in RUN if task.human]
    assert corrected_success(
        everything, drawn=Drawn.AT_RANDOM, seed=1
    ).effective_labels == pytest.approx(95, rel=0.1)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        (Drawn.ANOTHER_RUN, "right only for labels of this very run"),
        (Drawn.ANOTHER_RUN_BY_VERDICT, "label results of this run"),
        (Drawn.CHOSEN, "were not drawn at random cannot correct a rate"),
    ],
)
def test_labels_that_were_not_drawn_from_this_run_are_refused(
    drawn: Drawn, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        corrected_success(RUN, drawn=drawn, seed=1)


def test_a_class_without_labels_is_refused_by_name() -> None:
    tasks = [
        *judged(Class.COMPLETE, 10, {Class.COMPLETE: 5}),
        *judged(Class.PARTIAL_PLUS, 7, {Class.COMPLETE: 1}),
    ]
    with pytest.raises(
        ValueError,
        match=r"7 tasks were judged partial\+ and 1 of them are labelled; label 2 or more",
    ):
        corrected_success(tasks, drawn=Drawn.AT_RANDOM, seed=1)
    lone = [
        *judged(Class.COMPLETE, 10, {Class.COMPLETE: 5}),
        *judged(Class.PARTIAL_PLUS, 1, {Class.COMPLETE: 1}),
    ]
    assert corrected_success(lone, drawn=Drawn.AT_RANDOM, seed=1).rate == 1.0
    with pytest.raises(ValueError, match="at least one judged task"):
        corrected_success([], drawn=Drawn.AT_RANDOM, seed=1)


def test_a_mean_over_strata_refuses_what_has_none() -> None:
    for strata in ([], [Stratum(5, [])], [Stratum(1, [1.0, 0.0])], [Stratum(5, [1.2])]):
        with pytest.raises(
            ValueError, match=r"at least one stratum|needs 1 or more|lie in 0\.\.1"
        ):
            stratified_mean(strata, seed=1)
    assert stratified_mean([Stratum(9, [2.0, 4.0])], seed=1, low=1, high=5).rate == 3.0
