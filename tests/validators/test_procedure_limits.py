"""Prerequisites, replay, permissions, limits and prose rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Ask, Judged, Need, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.validator import Validator
from judgemesh.contracts.verdicts import Abstain, Skipped, Verdict
from judgemesh.validators.constraints import constraints
from judgemesh.validators.limits import limits
from judgemesh.validators.permissions import permissions
from judgemesh.validators.permissions.paths import normalised
from judgemesh.validators.replay import replay
from judgemesh.validators.sop import sop

from .helpers import codes, diagnostics, kinds, nested, refs, verdicts


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_name": tool, "arguments": arguments}


def run(
    validator: Validator, spec: dict[str, Any], *steps: dict[str, Any]
) -> list[Verdict]:
    return verdicts(validator, {"sop": spec}, {"output": "done", "trace": list(steps)})


LOGIN = {"call": "login", "bind": {"user": "user"}}
PAY = {
    "tool": "pay",
    "requires": {
        "all": [LOGIN, {"any": ["quote", {"call": "offer", "bind": {"id": "item"}}]}]
    },
}


@pytest.mark.parametrize(
    ("steps", "broken"),
    [
        ([call("login", user="a"), call("quote"), call("pay", user="a")], []),
        (
            [
                call("login", user="a"),
                call("offer", id=7),
                call("pay", user="a", item=7),
            ],
            [],
        ),
        (
            [
                call("login", user="a"),
                call("offer", id=8),
                call("pay", user="a", item=7),
            ],
            ["trace:3"],
        ),
        ([call("login", user="b"), call("quote"), call("pay", user="a")], ["trace:3"]),
        ([call("quote"), call("pay", user="a"), call("login", user="a")], ["trace:2"]),
        (
            [
                {**call("login", user="a"), "error": "no"},
                call("quote"),
                call("pay", user="a"),
            ],
            ["trace:3"],
        ),
        (
            [
                call("login", user="a"),
                call("quote"),
                {**call("pay", user="b"), "error": "no"},
            ],
            [],
        ),
        ([call("login", user="a"), call("quote"), call("pay")], []),
        ([call("look")], []),
    ],
)
def test_prerequisites(steps: list[dict[str, Any]], broken: list[str]) -> None:
    found = run(sop, {"prerequisites": [PAY]}, *steps)
    assert refs(found) == broken, diagnostics(found)
    assert codes(found) == ({C.SOP_NOT_FOLLOWED} if broken else set())


def test_a_call_out_of_order_does_not_count_for_others() -> None:
    spec = {
        "prerequisites": [
            {"tool": "quote", "requires": "login"},
            {"tool": "pay", "requires": "quote"},
        ]
    }
    assert refs(run(sop, spec, call("quote"), call("pay"))) == ["trace:1", "trace:2"]
    assert refs(run(sop, spec, call("login"), call("quote"), call("pay"))) == []


def test_a_call_may_stand_for_another() -> None:
    implied = {
        "tool": "check_stock",
        "implies": [{"call": "exists", "bind": {"item": "sku"}}],
    }
    spec = {
        "prerequisites": [
            implied,
            {"tool": "buy", "requires": {"call": "exists", "bind": {"item": "item"}}},
        ]
    }
    assert (
        refs(run(sop, spec, call("check_stock", sku="x"), call("buy", item="x"))) == []
    )
    assert refs(
        run(sop, spec, call("check_stock", sku="y"), call("buy", item="x"))
    ) == ["trace:2"]


def test_a_deep_requirement_is_read() -> None:
    requirement: Any = {"call": "a"}
    for depth in range(60):
        requirement = {"all" if depth % 2 else "any": [requirement]}
    assert refs(
        run(sop, {"prerequisites": [{"tool": "b", "requires": requirement}]}, call("b"))
    ) == ["trace:1"]


@pytest.mark.parametrize(
    "bad",
    [
        {"call": "a", "all": ["b"]},
        dict[str, Any](),
        {"all": ["b"], "bind": {"x": "y"}},
        {"any": [dict[str, Any]()]},
        {"call": ""},
    ],
)
def test_requirements_that_mean_nothing(bad: dict[str, Any]) -> None:
    contract = {
        "task_id": "t",
        "sop": {"prerequisites": [{"tool": "b", "requires": bad}]},
    }
    with pytest.raises(ValueError, match=r"requires"):
        EvalContract.model_validate(contract)


@pytest.mark.parametrize(
    ("step", "spec", "kept"),
    [
        ({"result": True, "replay": True}, {}, True),
        ({"result": True, "replay": False}, {}, False),
        ({"result": [True, 3], "replay": [True, 3.0]}, {}, True),
        ({"result": 3, "replay": [True, 3]}, {}, False),
        ({"result": 3, "replay": [True, 3]}, {"wrapped": True}, True),
        ({"result": False, "replay": [False, False]}, {"wrapped": True}, False),
        ({"result": None, "replay": None}, {}, True),
    ],
)
def test_replay(step: dict[str, Any], spec: dict[str, Any], kept: bool) -> None:
    found = run(
        replay,
        {"replay": spec},
        {"role": "user", "content": "hi"},
        {**call("x"), **step},
    )
    assert kinds(found) == ["pass" if kept else "fail"]
    assert refs(found) == ([] if kept else ["trace:2"])


def test_what_was_not_replayed_proves_nothing() -> None:
    assert isinstance(run(replay, {"replay": {}}, call("x"))[0], Abstain)
    unlike = {**call("x"), "result": 1, "replay": 2, "replay_status": "unknown_tool"}
    assert isinstance(run(replay, {"replay": {}}, unlike)[0], Abstain)
    assert kinds(
        run(replay, {"replay": {}}, unlike, {**call("x"), "result": 1, "replay": 1})
    ) == ["pass"]
    assert kinds(run(replay, {"replay": {}}, {"role": "user", "content": "hi"})) == [
        "pass"
    ]


@pytest.mark.parametrize(
    ("spec", "steps", "excess"),
    [
        ({"calls": 2}, [call("a")] * 2, []),
        ({"calls": 2}, [call("a")] * 3, ["trace:3"]),
        ({"calls": 0}, [{"role": "user", "content": "x"}], []),
        ({"steps": 1}, [{"role": "user", "content": "x"}, call("a")], ["trace:2"]),
        ({"calls_per_tool": {"get_*": 1}}, [call("get_a"), call("get_b")], ["trace:2"]),
        ({"repeats": 2}, [call("a", x=1)] * 2 + [call("a", x=2)], []),
        ({"repeats": 2}, [call("a", x=1, y=2), call("a", y=2, x=1), call("a", x=1, y=2)], ["trace:3"]),
        ({"repeats": 2}, [call("a"), call("b")] * 4, []),
        ({"total_repeats": 2}, [call("a"), call("b"), call("a"), call("c"), call("a")], ["trace:5"]),
        ({"total_repeats": 2, "except_tools": ["a"]}, [call("a")] * 9, []),
        ({"cycle": 2}, [call("a"), call("b")] * 2, []),
        ({"cycle": 2}, [call("a"), call("b")] * 3, ["trace:5", "trace:6"]),
        ({"cycle": 1}, [call("a"), call("b"), call("c")] * 2, ["trace:4", "trace:5", "trace:6"]),
        ({"cycle": 1}, [call("a")] * 9, []),
    ],
)  # fmt: skip
def test_limits(
    spec: dict[str, Any], steps: list[dict[str, Any]], excess: list[str]
) -> None:
    found = run(limits, {"limits": spec}, *steps)
    assert refs(found) == excess, diagnostics(found)
    assert codes(found) == ({C.SOP_NOT_FOLLOWED} if excess else set())


@given(st.text("abc", max_size=30), st.integers(1, 3))
def test_cycles_by_definition(calls: str, cycle: int) -> None:
    looped = any(
        len(set(part)) > 1 and part * (cycle + 1) in calls
        for length in range(2, 11)
        for start in range(len(calls))
        if len(part := calls[start : start + length]) == length
    )
    assert (
        kinds(
            run(
                limits,
                {"limits": {"cycle": cycle}},
                {"role": "user", "content": "x"},
                *map(call, calls),
            )
        )
        == ["fail"]
    ) is looped


def test_deep_arguments_and_long_runs_are_counted() -> None:
    deep = {"tool_name": "a", "arguments": nested(50_000)}
    assert kinds(run(limits, {"limits": {"repeats": 1, "cycle": 1}}, deep, deep)) == [
        "pass"
    ]
    assert kinds(
        run(
            limits,
            {"limits": {"repeats": 1, "cycle": 3}},
            *(call("a", i=i) for i in range(20_000)),
        )
    ) == ["pass"]


FILES = {
    "paths": ["data/**", "https://api.example.org/v1/**"],
    "denied_paths": ["data/private/**", "**/*.key"],
}


@pytest.mark.parametrize(
    ("path", "fine"),
    [
        ("data/a.csv", True),
        ("data/x/../a.csv", True),
        ("./data/a.csv", True),
        ("data//a.csv", True),
        ("https://api.example.org/v1/orders?id=1", True),
        ("HTTPS://API.example.org/v1/orders", True),
        ("data/private/a", False),
        ("data/x/../private/a", False),
        ("data/%70rivate/a", False),
        ("data/%2570rivate/a", False),
        ("data\\private\\a", False),
        ("data/../../etc/passwd", False),
        ("../data/a", False),
        ("/data/a", False),
        ("/etc/passwd", False),
        ("data/a.key", False),
        ("data/\x00a", False),
        ("data/%2525252e", False),
        ("https://api.example.org/v1/../admin", False),
        ("https://api.example.org/../../v1/x", False),
        ("https://api.example.org.evil.example/v1/x", False),
        ("file:///data/a", False),
        ("", False),
    ],
)
def test_paths(path: str, fine: bool) -> None:
    found = run(permissions, {"permissions": FILES}, call("read", path=path))
    assert codes(found) == (set() if fine else {C.UNAUTHORIZED_ACTION}), normalised(
        path
    )


def test_paths_are_found_however_deep_and_under_any_of_the_names() -> None:
    steps = [
        call("read", batch=[{"filePath": "/etc/passwd"}]),
        call("read", Path=["data/ok", "../up"]),
        call("say", text="/etc"),
    ]
    assert refs(run(permissions, {"permissions": FILES}, *steps)) == [
        "trace:1",
        "trace:2",
    ]


@pytest.mark.parametrize(
    ("spec", "step", "kind", "says"),
    [
        (
            {"arguments": [{"tool": "pay", "arguments": {"to": "ann"}}]},
            {"tool_name": "pay", "arguments": '{"to": "ann"'},
            "abstain",
            "pay: what to is cannot be read",
        ),
        (
            {"paths": ["data/**"]},
            {"tool_name": "read", "arguments": '{"path": "/etc/passwd"'},
            "abstain",
            "the arguments of read cannot be read",
        ),
        (
            {"denied_paths": ["/etc/**"]},
            {"tool_name": "read", "arguments": "path=/etc/passwd"},
            "abstain",
            "the arguments of read cannot be read",
        ),
        (
            {"arguments": [{"tool": "pay", "arguments": {"to": "ann"}}]},
            call("pay", a={"To": "ann"}, b={"TO": "bo"}),
            "abstain",
            "pay: what to is cannot be read",
        ),
        ({"tools": ["pay"]}, {"tool_name": "pay", "arguments": "{"}, "pass", ""),
        (
            {"tools": ["read"], "paths": ["data/**"]},
            {"tool_name": "pay", "arguments": "{"},
            "fail",
            "pay is not among the allowed tools",
        ),
        (
            {"arguments": [{"tool": "pay", "arguments": {"to": "ann"}}]},
            {"tool_name": "read", "arguments": "{"},
            "pass",
            "",
        ),
    ],
)
def test_what_cannot_be_read_of_a_call_is_neither_allowed_nor_forbidden(
    spec: dict[str, Any], step: dict[str, Any], kind: str, says: str
) -> None:
    found = run(permissions, {"permissions": spec}, step)
    assert kinds(found) == [kind]
    assert says in (found[0].diagnostic or "")


@pytest.mark.parametrize(
    ("spec", "fine"),
    [
        ({"tools": ["get_*", "pay"]}, True),
        ({"tools": ["get_*"]}, False),
        ({"tools": []}, False),
        ({"arguments": [{"tool": "pay", "arguments": {"amount": {"le": 100}}}]}, False),
        (
            {
                "arguments": [
                    {"tool": "p*", "arguments": {"currency": {"one_of": ["EUR"]}}}
                ]
            },
            True,
        ),
        ({"arguments": [{"tool": "pay", "arguments": {"note": {"any": True}}}]}, True),
        (
            {
                "arguments": [
                    {
                        "tool": "pay",
                        "arguments": {"note": {"any": True}},
                        "required": True,
                    }
                ]
            },
            False,
        ),
        ({}, True),
    ],
)
def test_tools_and_arguments(spec: dict[str, Any], fine: bool) -> None:
    step = {**call("pay", amount=120, currency="EUR"), "status": "error"}
    assert codes(run(permissions, {"permissions": spec}, step)) == (
        set() if fine else {C.UNAUTHORIZED_ACTION}
    )


RULES = {
    "system_prompt": ["Never promise a refund."],
    "skill": [{"rule": "Answers are in French.", "gate": False}],
}


def test_prose_rules_are_questions_with_codes_of_their_own() -> None:
    asked: list[Ask] = []

    def judge(need: Need) -> Judged:
        assert isinstance(need, Ask)
        asked.append(need)
        return Judged(vote=Vote.NO, reason="it did not")

    found = verdicts(
        constraints, {"sop": RULES}, {"output": "Oui.", "trace": [call("a")]}, judge
    )
    assert codes(found) == {C.SYSTEM_PROMPT_VIOLATION, C.SKILL_INSTRUCTION_VIOLATION}
    assert [verdict.gating for verdict in found] == [True, False]
    assert "Never promise a refund." in asked[0].question
    assert [material.name for material in asked[0].materials] == [
        "instruction",
        "trace",
        "final_answer",
    ]


def test_a_question_of_ones_own() -> None:
    rule = {
        "rule": "no refunds",
        "id": "refund",
        "question": "Is a refund promised?",
        "pass_if": "no",
    }
    found = verdicts(
        constraints,
        {"sop": {"system_prompt": [rule]}},
        {"output": "x"},
        [Judged(vote=Vote.NO)],
    )
    assert (kinds(found), found[0].check) == (
        ["pass"],
        "criterion:system_prompt:refund",
    )


def test_without_a_judge_prose_rules_are_skipped_and_a_broken_judge_is_no_violation() -> (
    None
):
    assert all(
        isinstance(one, Skipped)
        for one in verdicts(constraints, {"sop": RULES}, {"output": "x"})
    )
    broken = Unanswered(error_type="timeout", message="late")
    assert kinds(
        verdicts(constraints, {"sop": RULES}, {"output": "x"}, [broken, broken])
    ) == ["error", "error"]


@pytest.mark.parametrize(
    ("validator", "spec"),
    [
        (limits, {"limits": {"calls": 1}}),
        (permissions, {"permissions": {"tools": []}}),
        (replay, {"replay": {}}),
        (sop, {"prerequisites": [PAY]}),
    ],
)
def test_without_a_trace_nothing_is_said_and_each_runs_where_it_is_asked_for(
    validator: Validator, spec: dict[str, Any]
) -> None:
    (found,) = verdicts(validator, {"sop": spec}, {"output": "done"})
    assert isinstance(found, Abstain)
    assert found.code is C.EVIDENCE_SOURCE_INACCESSIBLE
    for contract, runs in (
        ({"sop": spec}, True),
        ({"sop": {"required_tools": ["x"]}}, validator is sop),
        ({}, False),
    ):
        assert (
            validator.applies(EvalContract.model_validate({"task_id": "t", **contract}))
            is runs
        )
    assert isinstance(verdicts(validator, {}, {"output": "done"})[0], Skipped)
