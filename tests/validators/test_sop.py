"""Procedure rules over the steps of a run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Rule
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped, Verdict
from judgemesh.validators.sop import sop
from judgemesh.validators.sop.templates import TEMPLATES
from judgemesh.validators.sop.trace import Steps

from .helpers import codes, diagnostics, kinds, make_case, refs, verdicts


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call."""
    return {"tool_name": name, "arguments": arguments}


def user(text: str) -> dict[str, Any]:
    """An utterance of the user."""
    return {"role": "user", "content": text}


def run(spec: dict[str, Any], *steps: dict[str, Any]) -> list[Verdict]:
    """Steps against a procedure."""
    return verdicts(sop, {"sop": spec}, {"output": "done", "trace": list(steps)})


def rule(template: str, **fields: Any) -> dict[str, Any]:
    """A procedure of one rule."""
    return {"rules": [{"id": "r1", "template": template, **fields}]}


@pytest.mark.parametrize(
    ("spec", "steps", "kept"),
    [
        ({"required_tools": ["check_*"]}, [call("check_id")], True),
        ({"required_tools": ["check_*"]}, [call("recheck_id")], False),
        ({"required_tools": ["check.id"]}, [call("checkxid")], False),
        (rule("existence", activity="book"), [call("book")], True),
        (rule("existence", activity="book", count=2), [call("book")], False),
        (rule("absence", activity="book"), [call("look")], True),
        (rule("absence", activity="book"), [call("book")], False),
        (rule("absence", activity="book", count=2), [call("book")], True),
        (rule("precedence", first="confirm", then="book"), [call("confirm"), call("book")], True),
        (rule("precedence", first="confirm", then="book"), [call("book"), call("confirm")], False),
        (rule("precedence", first="confirm", then="book"), [call("look")], True),
        (rule("response", first="book", then="notify"), [call("book"), call("notify")], True),
        (rule("response", first="book", then="notify"), [call("notify"), call("book")], False),
        (rule("response", first="book", then="notify"), [call("book"), call("book"), call("notify")], True),
        (rule("precedence", first="confirm", then="book", same=["id"]), [call("confirm", id=1), call("book", id=1.0)], True),
        (rule("precedence", first="confirm", then="book", same=["id"]), [call("confirm", id=1), call("book", id=True)], False),
        (rule("precedence", first="confirm", then="book", same=["id"]), [call("confirm", id=1), call("book", id=2)], False),
        (rule("precedence", first="confirm", then="book", same=["id"]), [call("confirm"), call("book")], False),
        (rule("precedence", first="confirm", then="book", same=["o.id"]), [call("confirm", o={"id": [1]}), call("book", o={"id": [1]})], True),
        (rule("precedence", first={"role": "user", "says": "(?i)yes"}, then="book", same=["id"]), [user("Yes, A7 please"), call("book", id="A7")], True),
        (rule("precedence", first={"role": "user", "says": "(?i)yes"}, then="book", same=["id"]), [user("Yes, A77"), call("book", id="A7")], False),
        (rule("absence", activity={"tool": "pay", "where": {"amount": {"gt": 500}}}), [call("pay", amount=500)], True),
        (rule("absence", activity={"tool": "pay", "where": {"amount": {"gt": 500}}}), [call("pay", amount=501)], False),
        (rule("absence", activity={"tool": "*", "where": {"amount": {"gt": 500}}}), [call("pay")], True),
        (rule("existence", activity={"tool": "get", "where": {"result.ok": True}}), [{**call("get"), "result": '{"ok": true}'}], True),
        (rule("existence", activity={"tool": "get", "where": {"result": {"contains": "ok"}}}), [{**call("get"), "result": "all ok"}], True),
        (rule("existence", activity={"tool": "get", "where": {"result.ok": True}}), [{**call("get"), "result": "{broken"}], False),
        (rule("existence", activity={"tool": "get", "succeeded": True}), [{**call("get"), "error": "boom"}], False),
        (rule("existence", activity={"tool": "get", "succeeded": False}), [{**call("get"), "status": "error"}], True),
        (rule("existence", activity={"state": "validate"}), [{"state_type": "VALIDATE"}], True),
        (rule("existence", activity={"role": "assistant", "says": "sorry"}), [user("sorry")], False),
    ],
)  # fmt: skip
def test_rules(
    spec: dict[str, Any], steps: list[dict[str, Any]], *, kept: bool
) -> None:
    found = run(spec, *steps)
    assert kinds(found) == ["pass" if kept else "fail"], diagnostics(found)
    assert codes(found) == (set() if kept else {C.SOP_NOT_FOLLOWED})
    assert {verdict.metric for verdict in found} == {"methodology"}


def test_forbidden_tools() -> None:
    found = run({"forbidden_tools": ["delete_*"]}, call("look"), call("delete_user"))
    assert codes(found) == {C.UNAUTHORIZED_ACTION}
    assert refs(found) == ["trace:2"]


def test_counterexamples_use_the_steps_own_ids() -> None:
    steps = [
        {**call("book"), "step_id": "s-1"},
        call("confirm"),
        {**call("book", id=2), "step_id": "s-3"},
        call("look"),
    ]
    found = run(rule("precedence", first="confirm", then="book"), *steps)
    assert refs(found) == ["trace:s-1"]
    assert "step s-1" in diagnostics(found)
    assert run(rule("absence", activity="look"), *steps)[0].evidence_refs == (
        "trace:4",
    )


def test_methodology_is_the_weighted_share_and_each_rule_has_its_word_on_the_gate() -> (
    None
):
    spec: dict[str, Any] = {
        "required_tools": ["look"],
        "rules": [
            {"id": "a", "template": "existence", "activity": "look", "weight": 2},
            {
                "id": "b",
                "template": "existence",
                "activity": "x",
                "weight": 3,
                "gate": False,
            },
            {
                "id": "c",
                "template": "existence",
                "activity": "y",
                "weight": 5,
                "code": "SKILL_INSTRUCTION_VIOLATION",
            },
            {
                "id": "d",
                "template": "absence",
                "activity": "look",
                "weight": 7,
                "gate": False,
            },
        ],
    }
    found = run(spec, call("look"))
    assert [verdict.weight for verdict in found if isinstance(verdict, Pass)] == [3.0]
    failed = {
        (verdict.codes[0], verdict.gating): verdict.weight
        for verdict in found
        if isinstance(verdict, Fail)
    }
    assert failed == {
        (C.SOP_NOT_FOLLOWED, False): 10.0,
        (C.SKILL_INSTRUCTION_VIOLATION, True): 5.0,
    }


@pytest.mark.parametrize(
    "trace", [None, {}, {"ref": "file.json"}, {"events": [{"a": 1}]}]
)
def test_without_steps_nothing_is_said(trace: object) -> None:
    (verdict,) = verdicts(
        sop, {"sop": {"forbidden_tools": ["x"]}}, {"output": "done", "trace": trace}
    )
    assert isinstance(verdict, Abstain)
    assert verdict.code is C.EVIDENCE_SOURCE_INACCESSIBLE


@pytest.mark.parametrize("trace", [[], {"steps": []}])
def test_an_empty_trace_says_that_nothing_was_called(trace: object) -> None:
    result = {"output": "done", "trace": trace}
    (verdict,) = verdicts(sop, {"sop": {"forbidden_tools": ["x"]}}, result)
    assert isinstance(verdict, Pass)
    (verdict,) = verdicts(sop, {"sop": {"required_tools": ["x"]}}, result)
    assert isinstance(verdict, Fail)


def test_without_rules_it_is_skipped() -> None:
    assert isinstance(run({}, call("look"))[0], Skipped)
    assert not sop.applies(make_case({}, {}).contract)


def test_a_pattern_bomb_and_a_long_trace_are_linear() -> None:
    steps = [user("a" * 5_000 + "!")] * 20 + [
        call("confirm", id=index) for index in range(5_000)
    ]
    steps += [call("book", id=5_000 + index) for index in range(5_000)]
    spec = {
        "rules": [
            {"id": "bomb", "template": "absence", "activity": {"says": "^(a+)+$"}},
            {
                "id": "pairs",
                "template": "precedence",
                "first": "confirm",
                "then": "book",
                "same": ["id"],
            },
            {
                "id": "back",
                "template": "response",
                "first": "confirm",
                "then": "book",
                "same": ["id"],
            },
        ]
    }
    assert kinds(run(spec, *steps)) == ["fail", "pass"]


events = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from([None, 1, 2, [1], "1", True])),
    max_size=9,
)


def trace_of(drawn: list[tuple[str, Any]]) -> list[TraceStep]:
    """Tool calls with one argument, or with none."""
    return [
        TraceStep(tool_name=name, arguments={} if value is None else {"k": value})
        for name, value in drawn
    ]


def bound(one: TraceStep, two: TraceStep, same: list[str]) -> bool:
    """The definition of agreement on `k`: the same value of the same type, or an id as a number and as a text."""
    if not same:
        return True
    left, right = one.arguments.get("k"), two.arguments.get("k")
    if {type(left), type(right)} == {int, str}:
        return str(left) == str(right)
    return left is not None and type(left) is type(right) and left == right


@given(events, st.sampled_from([[], ["k"]]))
def test_precedence_by_definition(
    drawn: list[tuple[str, Any]], same: list[str]
) -> None:
    steps = trace_of(drawn)
    wrong = [
        str(index + 1)
        for index, step in enumerate(steps)
        if step.tool_name == "y"
        and not any(
            early.tool_name == "x" and bound(early, step, same)
            for early in steps[:index]
        )
    ]
    found = TEMPLATES["precedence"](
        Rule.model_validate(
            {
                "id": "r",
                "template": "precedence",
                "first": "x",
                "then": "y",
                "same": same,
            }
        ),
        Steps(steps),
    )
    assert (() if found is None else found.steps) == tuple(wrong)


@given(events, st.sampled_from([[], ["k"]]))
def test_response_by_definition(drawn: list[tuple[str, Any]], same: list[str]) -> None:
    steps = trace_of(drawn)
    wrong = [
        str(index + 1)
        for index, step in enumerate(steps)
        if step.tool_name == "x"
        and not any(
            late.tool_name == "y" and bound(step, late, same)
            for late in steps[index + 1 :]
        )
    ]
    found = TEMPLATES["response"](
        Rule.model_validate(
            {"id": "r", "template": "response", "first": "x", "then": "y", "same": same}
        ),
        Steps(steps),
    )
    assert (() if found is None else found.steps) == tuple(wrong)


@given(events, st.integers(1, 4))
def test_existence_and_absence_are_opposites(
    drawn: list[tuple[str, Any]], count: int
) -> None:
    steps = Steps(trace_of(drawn))
    held = [
        TEMPLATES[template](
            Rule.model_validate(
                {"id": "r", "template": template, "activity": "x", "count": count}
            ),
            steps,
        )
        is None
        for template in ("existence", "absence")
    ]
    assert held == [
        sum(name == "x" for name, _ in drawn) >= count,
        sum(name == "x" for name, _ in drawn) < count,
    ]
