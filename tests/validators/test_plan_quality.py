"""Plans: reading them, carrying them out on facts, and the four criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Judged,
    Need,
    Unanswered,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import (
    Abstain,
    Error,
    Fail,
    Pass,
    Skipped,
    Verdict,
    score_of,
)
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.plan_quality import plan_quality
from judgemesh.validators.plan_quality.dependencies import ordering
from judgemesh.validators.plan_quality.location import plan_of
from judgemesh.validators.plan_quality.plan import PlanStep
from judgemesh.validators.plan_quality.reading import list_items, read_plan

from .helpers import codes, kinds, make_case

CALL: dict[str, Any] = {"tool_name": "read_file", "arguments": {}}
USER = {"role": "user", "content": "Do it."}


def said(
    spec: Mapping[str, Any],
    result: Mapping[str, Any],
    answers: Any = None,
    **contract: Any,
) -> dict[str, Verdict]:
    """The verdicts by check."""
    case = make_case(
        {"plan": dict(spec), **contract}, result, judge=answers is not None
    )
    return {
        verdict.check: verdict
        for verdict in drive(plan_quality, case, answers or ()).verdicts
    }


def points(found: Mapping[str, Verdict]) -> float:
    """Planning quality on 0..10, as the report works it out."""
    scores = [
        score
        for one in found.values()
        if one.metric == "plan_quality" and (score := score_of(one)) is not None
    ]
    return 10 * sum(scores) / len(scores)


FILES: list[dict[str, Any]] = [
    {"id": "list", "action": "list_files", "outputs": ["files"]},
    {
        "id": "check",
        "action": "validate_rows",
        "inputs": ["files"],
        "outputs": ["rows"],
    },
    {
        "id": "clean",
        "action": "write_clean",
        "inputs": ["rows"],
        "access": "write",
        "rollback": "delete the new files",
    },
    {"id": "old", "action": "archive_uploads"},
    {"id": "report", "action": "summarise", "inputs": ["rows"]},
]
FILES_SPEC = {
    "steps": 5,
    "allowed": ["list_files", "validate_*", "write_*", "summarise"],
}


def test_the_worked_example_of_the_article() -> None:
    """Right order, no branch, one step out of scope, one of two writing steps marked and reversible: 3.75."""
    found = said(FILES_SPEC, {"plan": FILES})
    assert points(found) == pytest.approx(3.75)
    by_points = {check: verdict.details["points"] for check, verdict in found.items()}
    assert by_points == {
        "ordering": 2.5,
        "branches": 0.0,
        "scope": 0.0,
        "reversibility": 1.25,
    }
    assert "archive_uploads" in found["scope"].diagnostic
    assert all(verdict.gating is False for verdict in found.values())


def test_a_plan_without_fault() -> None:
    plan = [
        {**step, "on_failure": "stop and tell"} for step in FILES if step["id"] != "old"
    ]
    found = said(FILES_SPEC, {"plan": {"steps": plan}})
    assert points(found) == 10
    assert kinds(list(found.values())) == ["pass"] * 4


@pytest.mark.parametrize(
    ("plan", "share", "word"),
    [
        (
            [
                {"id": "a", "depends_on": ["b"]},
                {"id": "b"},
                {"id": "c", "depends_on": "b"},
            ],
            0.5,
            "2, 1, 3",
        ),
        (
            [
                {"id": "a", "depends_on": ["b"]},
                {"id": "b", "depends_on": ["a"]},
                {"id": "c"},
            ],
            0.5,
            "cycle",
        ),
        (
            [{"id": "a"}, {"id": "b", "after": ["nobody"]}, {"id": "c"}],
            0.0,
            "is no step",
        ),
        ([{"needs": ["1"]}, {}, {"id": "x"}], 0.0, "cycle"),
        (
            [{"inputs": ["f"]}, {"outputs": ["f"]}, {"id": "x", "inputs": ["given"]}],
            0.0,
            "only later",
        ),
        (
            [
                {"outputs": ["f"]},
                {"inputs": ["f"], "outputs": ["f"]},
                {"inputs": ["f"]},
            ],
            1.0,
            "",
        ),
    ],
)
def test_ordering(plan: list[Any], share: float, word: str) -> None:
    verdict = said({"steps": 3, "measure": ["ordering"]}, {"plan": plan})["ordering"]
    assert score_of(verdict) == share
    assert word in verdict.diagnostic


BLOCKS: dict[str, Any] = {
    "actions": {
        "pick-up": {
            "parameters": ["x"],
            "requires": ["clear {x}", "handempty"],
            "removes": ["handempty", "clear {x}"],
            "adds": ["holding {x}"],
        },
        "stack": {
            "parameters": ["x", "y"],
            "requires": ["holding {x}", "clear {y}"],
            "forbids": ["frozen {y}"],
            "removes": ["holding {x}", "clear {y}"],
            "adds": ["on {x} {y}", "clear {x}", "handempty"],
        },
    },
    "initial": ["clear a", "clear(b)", "(clear c)", "handempty", "frozen c"],
    "goal": ["on a b"],
    "measure": ["ordering"],
    "steps": 3,
}


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (["(pick-up a)", "(stack a b)"], ""),
        ("1. pick up A\n2. Stack(a, b)", ""),
        (
            [
                {"action": "pick_up", "arguments": {"x": "a"}},
                {"tool": "stack", "args": ["a", "b"]},
            ],
            "",
        ),
        ([{"name": "x", "description": "pick-up a"}, {"step": "stack a b"}], ""),
        (["(stack a b)"], "step 1: stack: needs 'holding a'"),
        (["(pick-up a)", "(stack a c)"], "step 2: stack: must not meet 'frozen c'"),
        (["(pick-up a)"], "does not bring about: on a b"),
        (["(pick-up a b)"], "takes 1 arguments, got 2"),
        (["(paint a)", "(pick-up a)", "(stack a b)"], "no declared action"),
        ([{"action": "pick-up", "arguments": {"y": "a"}}], "lacks x"),
        ([], "does not bring about: on a b"),
    ],
)
def test_carrying_out(plan: Any, why: str) -> None:
    found = said(BLOCKS, {"plan": plan, "trace": [USER]})
    verdict = found["conditions"]
    assert verdict.kind == ("fail" if why else "pass")
    assert verdict.gating is True
    assert why in verdict.diagnostic


def test_an_empty_plan_is_right_where_the_goal_holds_already() -> None:
    found = said({**BLOCKS, "goal": ["clear a"]}, {"plan": [], "trace": [USER]})
    assert found["conditions"].kind == "pass"
    assert not any(
        verdict.gating for verdict in found.values() if verdict.kind == "fail"
    )


def test_no_plan_before_the_first_call_scores_nothing() -> None:
    trace: list[dict[str, Any]] = [
        USER,
        CALL,
        {"role": "assistant", "content": "Plan:\n1. one\n2. two"},
        CALL,
        CALL,
    ]
    for spec in ({}, {"steps": 3}):
        found = said(spec, {"trace": trace})
        assert points(found) == 0
        assert codes(list(found.values())) == {C.SOP_NOT_FOLLOWED}
    assert said({"steps": 2}, {"trace": trace})["plan"].kind == "pass"
    assert points(said({}, {"trace": [USER, CALL, CALL]})) == 10


def test_where_a_plan_is_found() -> None:
    words = "I will do this:\n- list the files\n- delete the old ones"
    for step in (
        {"role": "assistant", "content": words},
        {"state_type": "PLAN", "content": words},
        {"state_type": "planning", "plan": ["list the files", "delete the old ones"]},
        {"role": "assistant", "content": words, "tool_name": "list_files"},
    ):
        plan = plan_of(make_case({}, {"trace": [USER, step, CALL]}).result)
        assert plan is not None
        assert [one.description for one in plan.steps] == [
            "list the files",
            "delete the old ones",
        ]
    assert (
        plan_of(
            make_case(
                {}, {"trace": [USER, CALL, {"role": "assistant", "content": words}]}
            ).result
        )
        is None
    )


def test_without_a_record_nothing_is_known() -> None:
    (verdict,) = said({"steps": 4, "gate": ["ordering"]}, {"output": "done"}).values()
    assert isinstance(verdict, Abstain)
    assert verdict.gating is True


def test_required_steps() -> None:
    spec = {
        "required": ["list_*", "notify"],
        "steps": 5,
        "measure": ["ordering"],
        "gate": ["required"],
    }
    verdict = said(spec, {"plan": FILES})["required"]
    assert isinstance(verdict, Fail)
    assert (verdict.codes, verdict.gating, verdict.diagnostic) == (
        (C.INCOMPLETE_ANSWER,),
        True,
        "the plan lacks notify",
    )
    assert (
        said({**spec, "required": ["summarise"]}, {"plan": FILES})["required"].kind
        == "pass"
    )


def test_labels_of_the_registry_say_what_writes() -> None:
    plan = [{"action": "sync"}, {"action": "look"}, {"action": "send_mail"}]
    tools = {
        "registry": [
            {"name": "sync", "access": "write"},
            {"name": "send_mail", "access": "read"},
        ]
    }
    verdict = said(
        {"steps": 3, "measure": ["reversibility"]}, {"plan": plan}, tools=tools
    )["reversibility"]
    assert isinstance(verdict, Fail)
    assert verdict.evidence_refs == ("plan:1",)


LIST = "1. look at the orders\n2. refund the second\n3. write to the customer"


def votes(**by_criterion: Vote) -> Any:
    def answer(need: Need) -> Answer:
        assert isinstance(need, Ask)
        return Judged(vote=by_criterion[need.question_id.removeprefix("plan_")])

    return answer


def test_what_a_text_does_not_declare_is_asked() -> None:
    answers = votes(
        ordering=Vote.NO, branches=Vote.NO, scope=Vote.NO, reversibility=Vote.YES
    )
    found = said({"objective": "Refund order 2."}, {"plan": LIST}, answers)
    assert {check: verdict.kind for check, verdict in found.items()} == {
        "ordering": "pass",
        "branches": "fail",
        "scope": "pass",
        "reversibility": "pass",
    }
    assert points(found) == 7.5
    unsure = votes(
        **dict.fromkeys(
            ("ordering", "branches", "scope", "reversibility"), Vote.CANNOT_ASSESS
        )
    )
    assert kinds(list(said({}, {"plan": LIST}, unsure).values())) == ["abstain"] * 4


def test_without_a_judge_a_text_is_skipped_never_passed() -> None:
    found = said({"gate": ["scope"]}, {"plan": LIST})
    assert all(isinstance(verdict, Skipped) for verdict in found.values())
    assert [check for check, verdict in found.items() if verdict.gating] == ["scope"]


PROSE = "First I look at the orders, then I refund the second one, and finally I tell the customer."


def prose_answers(data: object) -> Any:
    def answer(need: Need) -> Answer:
        if isinstance(need, Extract):
            assert PROSE in need.materials[0].text
            return Extracted(data=data)
        assert isinstance(need, Ask)
        return Judged(vote=Vote(need.expected))

    return answer


def test_prose_is_read_by_a_model() -> None:
    steps = [
        {"description": "look"},
        {"description": "refund", "depends_on": ["1"]},
        {"description": "tell"},
    ]
    found = said({}, {"plan": PROSE}, prose_answers({"steps": steps}))
    assert points(found) == 10
    assert (
        points(
            said(
                {"steps": 3},
                {"plan": PROSE, "trace": [USER]},
                prose_answers({"steps": []}),
            )
        )
        == 0
    )
    (verdict,) = said({}, {"plan": PROSE}, prose_answers(["x"])).values()
    assert isinstance(verdict, Abstain)
    (verdict,) = said({}, {"plan": PROSE}).values()
    assert isinstance(verdict, Abstain)


def test_a_broken_judge_is_no_grade() -> None:
    def broken(_need: Need) -> Answer:
        return Unanswered(error_type="down", message="down")

    assert all(
        isinstance(one, Error) for one in said({}, {"plan": LIST}, broken).values()
    )
    assert all(
        isinstance(one, Error) for one in said({}, {"plan": PROSE}, broken).values()
    )


def test_a_fact_about_no_parameter_is_refused() -> None:
    with pytest.raises(ValueError, match=r"names \{z\}, which is no parameter"):
        make_case(
            {"plan": {"actions": {"move": {"parameters": ["x"], "adds": ["at {z}"]}}}},
            {},
        )


HOSTILE: list[Any] = [
    "",
    [],
    {},
    [None, "", {}, []],
    42,
    True,
    "\x00\u202e1. \u0000",
    "1. " * 50_000,
    "(" * 100_000,
    [{"id": "a", "depends_on": ["a"] * 2_000}],
    [{"depends_on": {"x": 1}, "inputs": 3.5, "outputs": [None], "arguments": "no"}]
    * 50,
    ["step"] * 5_000,
    {"steps": {"steps": {"steps": []}}},
]


@pytest.mark.parametrize("plan", HOSTILE)
def test_hostile_plans_get_clear_verdicts(plan: Any) -> None:
    found = said({**BLOCKS, "required": ["x"]}, {"plan": plan, "trace": [USER]})
    assert found
    assert all(
        isinstance(one, Pass | Fail | Abstain | Skipped) for one in found.values()
    )
    assert all(len(one.diagnostic) < 5_000 for one in found.values())


def test_lists_in_text() -> None:
    assert list_items("Plan:\n 1) a\n 2) b") == ["a", "b"]
    assert list_items("Step 1: a\nStep 2: b") == ["a", "b"]
    assert list_items("(a b)\nsome words\nstack(b, c);") == ["(a b)", "stack(b, c)"]
    assert list_items("In 2020 we won. 3 of us.") == []
    assert len(read_plan({"plan": ["a", {"step": "b"}]}, "plan").steps) == 2


@st.composite
def graphs(draw: st.DrawFn) -> list[set[int]]:
    """Steps that depend on earlier ones only."""
    size = draw(st.integers(1, 7))
    return [
        draw(st.sets(st.integers(0, max(0, index - 1)))) if index else set[int]()
        for index in range(size)
    ]


def steps_of(graph: Sequence[set[int]], order: Sequence[int]) -> list[PlanStep]:
    return [
        PlanStep(
            number=number,
            id=f"s{index}",
            action=None,
            description="",
            text="",
            depends_on=tuple(f"s{one}" for one in sorted(graph[index])),
        )
        for number, index in enumerate(order, start=1)
    ]


@given(graphs(), st.data())
def test_an_order_it_offers_keeps_every_dependency(
    graph: list[set[int]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(range(len(graph))))
    found = ordering(steps_of(graph, shuffled))
    broken = sum(
        shuffled.index(source) > shuffled.index(target)
        for target, sources in enumerate(graph)
        for source in sources
    )
    assert len(found.broken) == broken
    assert found.total == sum(map(len, graph))
    assert found.order is not None
    mended = ordering(steps_of(graph, [shuffled[number - 1] for number in found.order]))
    assert mended.broken == ()
