"""Tool selection: calls against an expert's, and against the registry."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.tools import ToolsSpec
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped, Verdict
from judgemesh.mesh.grading.contract_check.faults import contract_faults
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.tool_selection import tool_selection
from judgemesh.validators.tool_selection.expert_comparison import against_expert
from judgemesh.validators.tool_selection.picks import PickedCall
from judgemesh.validators.tool_selection.registry import ToolRegistry

from .helpers import codes, diagnostics, make_case

Calls = Sequence[tuple[str, Mapping[str, Any]]]


def run(tools: Mapping[str, Any], calls: Calls) -> list[Verdict]:
    """What the validator says about a trace of an utterance and these calls."""
    steps: list[dict[str, Any]] = [{"role": "assistant", "content": "Let me see."}]
    steps += [
        {"tool_name": name, "arguments": dict(arguments)} for name, arguments in calls
    ]
    return drive(tool_selection, make_case({"tools": tools}, {"trace": steps})).verdicts


def picks(tools: Mapping[str, Any], calls: Calls) -> tuple[int, int, float]:
    """Correct picks, decisions, and the score."""
    verdict = next(one for one in run(tools, calls) if one.check == "picks")
    assert isinstance(verdict, Pass | Fail)
    assert verdict.metric == "tool_selection"
    assert verdict.score is not None
    correct, decisions = verdict.details["correct"], verdict.details["decisions"]
    assert isinstance(correct, int)
    assert isinstance(decisions, int)
    return correct, decisions, verdict.score


SEARCH = {"tool": "search", "arguments": {"q": "kettle"}}
A, B = {"tool": "a"}, {"tool": "b"}


SHARES: list[tuple[dict[str, Any], Calls, tuple[int, int, float]]] = [
    # Two equal calls that are both right: the answer is 1, not one half.
    ({"expected": [SEARCH, SEARCH]}, [("search", {"q": "kettle"})] * 2, (2, 2, 1.0)),
    (
        {"expected": [{**SEARCH, "count": 2}]},
        [("search", {"q": "kettle"})] * 2,
        (2, 2, 1.0),
    ),
    # One call answers one decision only.
    ({"expected": [SEARCH, SEARCH]}, [("search", {"q": "kettle"})], (1, 2, 0.5)),
    # A call beyond the expert's costs as much as a decision.
    ({"expected": [A]}, [("a", {}), ("b", {})], (1, 2, 0.5)),
    ({"expected": [A], "extra_penalty": 0.5}, [("a", {}), ("b", {})], (1, 2, 1 / 1.5)),
    ({"expected": [A], "extra_calls": "allow"}, [("a", {}), ("b", {})], (1, 1, 1.0)),
    # Only the first pick counts: the right one after a wrong one earns nothing.
    (
        {"expected": [SEARCH]},
        [("search", {"q": "cat"}), ("search", {"q": "kettle"})],
        (0, 1, 0.0),
    ),
    # Three decisions, each reached on the second try, in one way and in another.
    (
        {"expected": [A, B, SEARCH]},
        [
            ("x", {}),
            ("a", {}),
            ("y", {}),
            ("b", {}),
            ("search", {"q": "cat"}),
            ("search", {"q": "kettle"}),
        ],
        (0, 3, 0.0),
    ),
    (
        {"expected": [A, B, SEARCH], "ordered": True},
        [
            ("a", {"q": 1}),
            ("a", {}),
            ("b", {"q": 1}),
            ("b", {}),
            ("search", {}),
            ("search", {"q": "kettle"}),
        ],
        (0, 3, 0.0),
    ),
    # A second wrong try is a call beyond the expert's.
    ({"expected": [A, B]}, [("x", {}), ("y", {}), ("a", {}), ("b", {})], (1, 3, 1 / 3)),
    # A wrong try of a tool belongs to the decision for that tool, whatever came between.
    (
        {"expected": [SEARCH, A, B]},
        [
            ("search", {"q": "cat"}),
            ("a", {}),
            ("b", {}),
            ("search", {"q": "kettle"}),
        ],
        (2, 3, 2 / 3),
    ),
    # A repeated right call spoils nothing that follows.
    ({"expected": [A, B]}, [("a", {}), ("a", {}), ("b", {})], (2, 3, 2 / 3)),
    # A wrong call after the last decision is one more decision.
    ({"expected": [A, B]}, [("a", {}), ("b", {}), ("x", {})], (2, 3, 2 / 3)),
    # Exploration that the contract allows is no pick.
    (
        {"expected": [A, B], "extra_calls": "allow"},
        [("x", {}), ("a", {}), ("b", {})],
        (2, 2, 1.0),
    ),
    ({"expected": [A, B]}, [("c", {}), ("b", {})], (1, 2, 0.5)),
    # The catch-all must not take the call that only it could leave to the other.
    (
        {
            "expected": [
                {"tool": "s", "arguments": {"q": {"any": True}}},
                {"tool": "s", "arguments": {"q": 1}},
            ]
        },
        [("s", {"q": 1}), ("s", {"q": 2})],
        (2, 2, 1.0),
    ),
    # Order.
    ({"expected": [A, B], "ordered": True}, [("b", {}), ("a", {})], (1, 2, 0.5)),
    ({"expected": [A, B], "ordered": True}, [("a", {}), ("b", {})], (2, 2, 1.0)),
    (
        {"expected": [A, B], "ordered": True},
        [("x", {}), ("a", {}), ("b", {})],
        (1, 2, 0.5),
    ),
    (
        {"expected": [A, A, B], "ordered": True},
        [("a", {}), ("b", {}), ("a", {})],
        (2, 3, 2 / 3),
    ),
    # No call is right.
    ({"expected": []}, [], (1, 1, 1.0)),
    ({"expected": []}, [("a", {})], (0, 1, 0.0)),
    ({"expected": [], "ignore": ["think*"]}, [("think_hard", {})], (1, 1, 1.0)),
]


@pytest.mark.parametrize(("tools", "calls", "expected"), SHARES)
def test_share_of_right_picks(
    tools: dict[str, Any], calls: Calls, expected: tuple[int, int, float]
) -> None:
    assert picks(tools, calls) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "arguments", "right"),
    [
        ({"arguments": {"q": "x"}}, {"q": "x"}, True),
        ({"arguments": {"q": "x"}}, {"q": "x", "more": 1}, False),
        ({"arguments": {"q": "x"}, "match": "subset"}, {"q": "x", "more": 1}, True),
        ({"arguments": {"q": "x"}, "optional": ["more"]}, {"q": "x", "more": 1}, True),
        ({"arguments": {"q": "x", "n": 5}, "optional": ["n"]}, {"q": "x"}, True),
        (
            {"arguments": {"q": "x", "n": 5}, "optional": ["n"]},
            {"q": "x", "n": 6},
            False,
        ),
        ({"arguments": {"q": "x"}}, {}, False),
        (
            {"arguments": {"amount": {"equals": 10, "tolerance": 0.5}}},
            {"amount": 10.4},
            True,
        ),
        (
            {"arguments": {"amount": {"equals": 10, "tolerance": 0.5}}},
            {"amount": 10.6},
            False,
        ),
        (
            {"arguments": {"ids": {"schema": {"type": "array", "minItems": 1}}}},
            {"ids": []},
            False,
        ),
        (
            {"arguments": {"city": {"equals": "New York, NY", "fold": True}}},
            {"city": "new-york ny"},
            True,
        ),
        (
            {"arguments": {"city": {"equals": "New York, NY"}}},
            {"city": "new-york ny"},
            False,
        ),
        ({"arguments": {"sum": 1}}, {"sum": 1.0}, True),
        ({"arguments": {"sum": 1}}, {"sum": True}, False),
    ],
)
def test_arguments(
    call: dict[str, Any], arguments: dict[str, Any], right: bool
) -> None:
    assert picks({"expected": [{"tool": "t", **call}]}, [("t", arguments)])[0] == int(
        right
    )


REGISTRY: list[dict[str, Any]] = [
    {
        "name": "delete_now",
        "access": "write",
        "risk": "destructive",
        "cost": 1,
        "equivalents": ["delete_preview"],
    },
    {"name": "delete_preview", "access": "write", "risk": "safe", "cost": 9},
    {
        "name": "scan",
        "access": "read",
        "risk": "safe",
        "cost": 100,
        "equivalents": ["lookup"],
    },
    {
        "name": "lookup",
        "access": "read",
        "risk": "safe",
        "cost": 1,
        "aliases": ["look.up"],
    },
    {
        "name": "pay",
        "access": "write",
        "parameters": {
            "type": "object",
            "properties": {"eur": {"type": "number"}},
            "required": ["eur"],
        },
    },
]


ALONE: list[tuple[Calls, tuple[int, int, float], str | None]] = [
    ([("lookup", {}), ("look.up", {})], (2, 2, 1.0), None),
    ([("scan", {})], (0, 1, 0.0), "better_tool_existed"),
    # Safer goes before cheaper.
    ([("delete_now", {})], (0, 1, 0.0), "better_tool_existed"),
    ([("delete_preview", {})], (1, 1, 1.0), None),
    ([("pay", {"eur": 5}), ("pay", {"eur": "5"})], (1, 2, 0.5), "invalid_arguments"),
    ([("pay", {"eur": "5"}), ("pay", {"eur": 5})], (0, 1, 0.0), "invalid_arguments"),
    ([("scan", {}), ("lookup", {})], (0, 1, 0.0), "better_tool_existed"),
    ([("scan", {}), ("pay", {"eur": 5})], (1, 2, 0.5), "better_tool_existed"),
    ([("erase_disk", {})], (0, 1, 0.0), "unknown_tool"),
]


@pytest.mark.parametrize(("calls", "expected", "problem"), ALONE)
def test_the_registry_alone(
    calls: Calls, expected: tuple[int, int, float], problem: str | None
) -> None:
    assert picks({"registry": REGISTRY}, calls) == pytest.approx(expected)
    (verdict,) = run({"registry": REGISTRY}, calls)
    wrong = verdict.details.get("wrong", [])
    assert isinstance(wrong, list)
    rows = cast("list[dict[str, Any]]", wrong)
    assert [row["problem"] for row in rows] == ([problem] if problem else [])


def test_a_better_equivalent_is_right_where_the_expert_used_another() -> None:
    tools = {
        "expected": [{"tool": "scan", "arguments": {"id": 1}}],
        "registry": REGISTRY,
    }
    assert picks(tools, [("lookup", {"id": 1})]) == (1, 1, 1.0)
    assert picks(tools, [("scan", {"id": 1})]) == (0, 1, 0.0)


def test_forbidden_extra_calls_fail_the_gate() -> None:
    found = run({"expected": [A], "extra_calls": "forbid"}, [("a", {}), ("b", {})])
    assert codes(found) == {C.SOP_NOT_FOLLOWED, C.UNAUTHORIZED_ACTION}
    forbidden = next(one for one in found if one.check == "forbidden_calls")
    assert isinstance(forbidden, Fail)
    assert forbidden.gating is None
    assert forbidden.evidence_refs == ("trace:3",)
    assert (
        picks({"expected": [A], "extra_calls": "forbid"}, [("a", {}), ("b", {})])[2]
        == 0.5
    )
    assert not codes(run({"expected": [A], "extra_calls": "forbid"}, [("a", {})]))


def test_a_wrong_argument_is_no_forbidden_call() -> None:
    found = run(
        {"expected": [SEARCH], "extra_calls": "forbid"}, [("search", {"q": "cat"})]
    )
    assert codes(found) == {C.WRONG_EXECUTION_PARAMETERS}
    assert "'cat'" in diagnostics(found)
    assert "'kettle'" in diagnostics(found)


def test_a_first_pick_beyond_the_experts_is_a_forbidden_call() -> None:
    pay = {"tool": "pay", "arguments": {"eur": 5}}
    twice = run(
        {"expected": [pay], "extra_calls": "forbid"},
        [("pay", {"eur": 50}), ("pay", {"eur": 5})],
    )
    assert C.UNAUTHORIZED_ACTION in codes(twice)
    assert "pay came on a later try" in diagnostics(twice)


def test_calls_made_at_once_are_no_later_tries() -> None:
    def call(name: str) -> dict[str, Any]:
        return {"type": "tool_use", "id": name, "name": name, "input": {}}

    steps = [{"role": "assistant", "content": [call("x"), call("a")]}]
    case = make_case({"tools": {"expected": [A]}}, {"trace": steps})
    (verdict,) = drive(tool_selection, case).verdicts
    assert (verdict.details["correct"], verdict.details["decisions"]) == (1, 2)


FIRST: list[tuple[dict[str, Any], Calls, bool, bool]] = [
    ({"expected": [SEARCH, A]}, [("a", {}), ("search", {"q": "cat"})], True, True),
    ({"expected": [SEARCH, A]}, [("search", {"q": "cat"}), ("a", {})], False, True),
    ({"expected": [SEARCH, A], "ordered": True}, [("a", {})], False, False),
    ({"expected": [A]}, [], False, False),
    ({"expected": []}, [], True, True),
    ({"registry": REGISTRY}, [("scan", {}), ("lookup", {})], False, False),
]


@pytest.mark.parametrize(("tools", "calls", "pick", "tool"), FIRST)
def test_the_first_pick(
    tools: dict[str, Any], calls: Calls, pick: bool, tool: bool
) -> None:
    verdict = run(tools, calls)[0]
    assert verdict.details["first_pick_correct"] is pick
    assert verdict.details["first_tool_correct"] is tool


def test_the_section_gates_only_on_request() -> None:
    wrong: Calls = [("b", {})]
    assert run({"expected": [A]}, wrong)[0].gating is False
    assert run({"expected": [A], "gate": True}, wrong)[0].gating is True
    assert run({"expected": [A], "gate": True}, [("a", {})])[0].gating is True


def test_what_cannot_be_told_is_no_grade() -> None:
    case = make_case({"tools": {"expected": [A], "gate": True}}, {"output": "done"})
    (verdict,) = drive(tool_selection, case).verdicts
    assert isinstance(verdict, Abstain)
    assert (verdict.code, verdict.gating) == (C.EVIDENCE_SOURCE_INACCESSIBLE, True)
    assert isinstance(run({}, [])[0], Skipped)
    assert isinstance(run({"registry": REGISTRY}, [])[0], Skipped)


CONTRADICTIONS: list[dict[str, Any]] = [
    {"registry": [{"name": "a"}, {"name": "b", "aliases": ["a"]}]},
    {"registry": [{"name": "a", "equivalents": ["b"]}]},
    {"registry": [{"name": "a"}], "expected": [{"tool": "b"}]},
]


@pytest.mark.parametrize("tools", CONTRADICTIONS)
def test_a_contract_that_contradicts_itself_is_refused(tools: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"stands twice|not in the registry"):
        EvalContract.model_validate({"task_id": "t", "tools": tools})


def test_a_schema_that_is_none_is_found_by_contract_check() -> None:
    tools = {"registry": [{"name": "a", "parameters": {"type": "nothing"}}]}
    (problem,) = contract_faults(
        EvalContract.model_validate({"task_id": "t", "tools": tools})
    )
    assert str(problem).startswith(
        "tools.registry[0].parameters: not a usable JSON Schema"
    )


def test_hostile_calls_stay_within_bounds() -> None:
    many: Calls = [("a", {"n": number}) for number in range(2_000)]
    crowded = {
        "expected": [
            {"tool": "a", "arguments": {"n": number}} for number in range(2_000)
        ]
    }
    assert isinstance(run(crowded, many)[0], Abstain)
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"a": deep}
    odd: Calls = [
        ("", {}),
        ("\u202egnp.exe", {"\x00": deep}),
        ("a" * 100_000, {"q": "x" * 1_000_000}),
    ]
    assert picks({"expected": [SEARCH]}, odd)[:2] == (0, 3)
    assert len(diagnostics(run({"expected": [SEARCH]}, odd))) < 1_000_000


calls_strategy = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, {"any": True}])),
    max_size=6,
)


def spec_of(expected: Sequence[tuple[str, Any]], **more: Any) -> ToolsSpec:
    return ToolsSpec.model_validate(
        {
            "expected": [
                {"tool": name, "arguments": {"n": value}} for name, value in expected
            ],
            **more,
        }
    )


def made(calls: Sequence[tuple[str, int]]) -> list[PickedCall]:
    return [
        PickedCall(name, {"n": value}, f"trace:{index}")
        for index, (name, value) in enumerate(calls)
    ]


@given(
    calls_strategy,
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2])), max_size=6),
    st.randoms(use_true_random=False),
)
def test_order_changes_nothing_where_it_does_not_matter(
    expected: list[tuple[str, Any]], calls: list[tuple[str, int]], rng: random.Random
) -> None:
    for extra in ("penalise", "forbid", "allow"):
        before = against_expert(
            made(calls), spec_of(expected, extra_calls=extra), ToolRegistry([])
        )
        moved = rng.sample(expected, len(expected))
        after = against_expert(
            made(calls), spec_of(moved, extra_calls=extra), ToolRegistry([])
        )
        assert (before.correct, before.decisions) == (after.correct, after.decisions)
        assert before.score(1.0) == after.score(1.0)
        assert 0 <= before.correct <= before.answered <= before.decisions
        shuffled = against_expert(
            made(rng.sample(calls, len(calls))),
            spec_of(expected, extra_calls=extra),
            ToolRegistry([]),
        )
        # The order of calls decides only whether an answer came on the first try.
        assert (before.answered, before.made) == (shuffled.answered, shuffled.made)


def best_by_trying(
    expected: Sequence[tuple[str, Any]], calls: Sequence[tuple[str, int]]
) -> int:
    """The largest number of calls that fit decisions, over every pairing."""
    padded = [*calls, *[("", 0)] * max(0, len(expected) - len(calls))]
    return max(
        sum(
            bool(name == call and (isinstance(value, dict) or value == given_value))
            for (name, value), (call, given_value) in zip(expected, order, strict=False)
        )
        for order in permutations(padded, len(expected))
    )


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2, {"any": True}])),
        max_size=4,
    ),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2])), max_size=4),
)
def test_the_assignment_is_the_best_there_is(
    expected: list[tuple[str, Any]], calls: list[tuple[str, int]]
) -> None:
    if expected:
        found = against_expert(made(calls), spec_of(expected), ToolRegistry([]))
        assert found.answered == best_by_trying(expected, calls)
        later = found.answered - found.correct
        assert found.decisions == max(len(expected), len(calls)) - later


@given(
    calls_strategy,
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2])), max_size=6),
)
def test_order_can_only_cost(
    expected: list[tuple[str, Any]], calls: list[tuple[str, int]]
) -> None:
    if expected:
        free = against_expert(made(calls), spec_of(expected), ToolRegistry([]))
        ordered = against_expert(
            made(calls), spec_of(expected, ordered=True), ToolRegistry([])
        )
        assert ordered.answered <= free.answered
        exact = against_expert(
            made([(name, 1) for name, _ in expected]),
            spec_of(expected, ordered=True),
            ToolRegistry([]),
        )
        wanted = [value == 1 or isinstance(value, dict) for _, value in expected]
        assert exact.correct >= sum(wanted[:1])
        if all(wanted):
            assert exact.correct == exact.decisions


TYPED = {
    "name": "pay",
    "parameters": {
        "type": "object",
        "properties": {"amount": {"type": "number"}},
        "required": ["amount"],
    },
}
PAY = {"tool": "pay", "arguments": {"amount": 5}}


@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize(
    ("tools", "kinds"),
    [
        ({"expected": [PAY]}, [Abstain]),
        ({"registry": [TYPED]}, [Abstain]),
        ({"expected": [PAY], "min_score": 0.9}, [Abstain]),
        # A call beyond the expert's is one, whatever its arguments are.
        ({"expected": [], "extra_calls": "forbid"}, [Fail, Fail]),
        ({"registry": [A_TOOL := {"name": "search"}]}, [Fail]),
        # Nothing is asked of the arguments.
        ({"expected": [{"tool": "pay", "match": "subset"}]}, [Pass]),
        ({"registry": [{"name": "pay"}, A_TOOL]}, [Pass]),
        ({"expected": [PAY, A]}, [Fail, Abstain]),
        ({"expected": [{**PAY, "arguments": {}}], "extra_calls": "forbid"}, [Abstain, Pass]),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be_read_are_no_wrong_arguments(
    tools: dict[str, Any], kinds: list[type[Verdict]], *, gate: bool
) -> None:
    steps = [{"tool_name": "pay", "arguments": '{"amount": 5'}]
    contract = {"tools": {**tools, "gate": gate}}
    verdicts = drive(tool_selection, make_case(contract, {"trace": steps})).verdicts
    assert [type(verdict) for verdict in verdicts] == kinds
    for verdict in verdicts:
        if isinstance(verdict, Abstain):
            assert verdict.code is C.EVIDENCE_SOURCE_INACCESSIBLE
            assert "those of pay [trace:" in verdict.diagnostic
            if verdict.check == "picks":
                assert verdict.gating == (gate or "min_score" in tools)


def test_a_pick_that_is_wrong_in_any_case_fails_without_a_score() -> None:
    steps = [{"tool_name": "pay", "arguments": '{"amount": 5'}]
    case = make_case({"tools": {"expected": [PAY, A], "gate": True}}, {"trace": steps})
    verdict, score = drive(tool_selection, case).verdicts
    assert isinstance(verdict, Fail)
    assert isinstance(score, Abstain)
    assert (verdict.score, verdict.metric, verdict.details) == (None, None, {})
    assert (score.metric, score.gating) == ("tool_selection", False)
    assert "a was never called as expected" in verdict.diagnostic
    assert "pay" not in verdict.diagnostic
