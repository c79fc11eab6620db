"""The rows of the coverage table, one for each kind of thing that a contract can name."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.validator import Case, Validator, validator
from judgemesh.mesh.grading.coverage.codes import feeding, gates
from judgemesh.mesh.grading.coverage.guards import coverage_of, empty_sections
from judgemesh.mesh.grading.coverage.rows import Coverage, Runners
from judgemesh.mesh.inputs.problems import dotted

NOBODY = Runners({}, (), ())
EXECUTED = ("ACTION_NOT_EXECUTED", "STATE_CHANGE_FAILED")
CHANGED = ("STATE_CHANGE_FAILED", "PARTIAL_STATE_CHANGE")
CITED = ("CITATION_NOT_FOUND", "FABRICATED_REFERENCE")
WORLD = ("execution", "state", "documents")
SOP = ("SOP_NOT_FOLLOWED",)
EXECUTION = {"source": {"type": "result"}}

# What a contract names: the sections, the row's path and words, its validators, and the codes that vouch for it.
NAMED: list[tuple[dict[str, Any], str, str, tuple[str, ...], tuple[str, ...]]] = [
    ({"success_criteria": {"required_outputs": ["report"]}}, "success_criteria.required_outputs[0]",
     "required output 'report'", ("required_fields",), ("MISSING_REQUIRED_OUTPUT",)),
    ({"success_criteria": {"must_include": ["total"]}}, "success_criteria.must_include[0]", "field 'total'",
     ("required_fields",), ("MISSING_REQUIRED_FIELD",)),
    ({"success_criteria": {"execution_result": {"required": True}}}, "success_criteria.execution_result.required",
     "required execution", WORLD, EXECUTED),
    ({"success_criteria": {"execution_result": {"must_include": ["id"]}}},
     "success_criteria.execution_result.must_include[0]", "reported field 'id'", ("execution",),
     ("MISSING_REQUIRED_FIELD",)),
    ({"success_criteria": {"must_not_match": ["x+"]}}, "success_criteria.must_not_match[0]",
     "forbidden pattern 'x+'", ("forbidden_content",), ("SYSTEM_PROMPT_VIOLATION",)),
    ({"fields": {"total": {"equals": 5}}}, "fields.total.equals", "expected value", ("expected_answer",),
     ("WRONG_FACT",)),
    ({"budget": {"max_latency_ms": 5}}, "budget.max_latency_ms", "longest run", ("spending",), ("EXECUTION_TIMEOUT",)),
    ({"output_schema": {"type": "object"}}, "output_schema", "schema 'object'", ("output_format",),
     ("OUTPUT_FORMAT_INVALID",)),
    ({"evidence": {"sources": [{"type": "jsonl", "path": "x"}]}}, "evidence.sources[0]", "source 'jsonl'",
     ("citations", "claims"), CITED),
    ({"claims": {"facts": [{"subject": "a", "property": "b", "value": 1}]}}, "claims.facts[0]", "fact 'a'",
     ("claims",), ("WRONG_FACT",)),
    ({"claims": {"evidence": [{"id": "e", "text": "x"}]}}, "claims.evidence[0]", "evidence text 'e'", ("claims",),
     ("UNSUPPORTED_CLAIM", "WRONG_FACT")),
    ({"sop": {"required_tools": ["look"]}}, "sop.required_tools[0]", "required tool 'look'", ("sop",), SOP),
    ({"sop": {"forbidden_tools": ["drop"]}}, "sop.forbidden_tools[0]", "forbidden tool 'drop'", ("sop",),
     ("UNAUTHORIZED_ACTION",)),
    ({"sop": {"rules": [{"id": "r", "template": "existence", "activity": "look"}]}}, "sop.rules[0]", "rule 'r'",
     ("sop",), SOP),
    ({"execution": EXECUTION}, "execution.source", "source 'result'", ("execution",), EXECUTED),
    ({"execution": {"expected": [{"kind": "refund"}]}}, "execution.expected[0]", "expected execution 'refund'",
     ("execution",), EXECUTED),
    ({"execution": {**EXECUTION, "high_risk": ["wire"]}}, "execution.high_risk[0]", "high-risk action 'wire'",
     ("execution",), ("UNCONFIRMED_HIGH_RISK_ACTION",)),
    ({"execution": {**EXECUTION, "payments": ["pay"]}}, "execution.payments[0]", "payment 'pay'", ("execution",),
     ("UNAUTHORIZED_PAYMENT",)),
    ({"state": {"expected": [{"path": "/a", "op": "add"}]}}, "state.expected[0]", "expected change '/a'", ("state",),
     CHANGED),
    ({"state": {"forbidden": ["/b"]}}, "state.forbidden[0]", "forbidden change '/b'", ("state",),
     ("UNAUTHORIZED_ACTION",)),
    ({"budget": {"ceiling": 5, "gate": True}}, "budget.gate", "gate on the cost", ("spending",), SOP),
    ({"sop": {"prerequisites": [{"tool": "pay", "requires": {"call": "login"}}]}}, "sop.prerequisites[0]",
     "prerequisite 'pay'", ("sop",), SOP),
    ({"sop": {"system_prompt": [{"id": "p", "rule": "Never lie."}]}}, "sop.system_prompt[0]",
     "rule of the system prompt 'p'", ("constraints",), ("SYSTEM_PROMPT_VIOLATION",)),
    ({"sop": {"skill": ["Look first."]}}, "sop.skill[0]", "rule of the skill 'Look first.'", ("constraints",),
     ("SKILL_INSTRUCTION_VIOLATION",)),
    ({"state": {"documents": [{"path": "x.csv"}]}}, "state.documents[0]", "document '/x.csv'", ("documents",), CHANGED),
    ({"tools": {"expected": [{"tool": "look"}]}}, "tools.expected[0]", "expert's call 'look'", ("tool_selection",),
     SOP),
    ({"tools": {"registry": [{"name": "look"}]}}, "tools.registry[0]", "tool 'look'", ("tool_selection",), SOP),
    ({"plan": {"required": ["a"]}}, "plan.required[0]", "required step 'a'", ("plan_quality",), SOP),
    ({"plan": {"goal": ["b"]}}, "plan.goal[0]", "goal of the plan 'b'", ("plan_quality",), SOP),
    ({"plan": {}}, "plan", "section `plan`", ("plan_quality",), SOP),
    ({"sop": {"replay": {}}}, "sop.replay", "section `sop.replay`", ("replay",), SOP),
    ({"criteria": [{"id": "c", "question": "Is it?"}]}, "criteria[0]", "criterion 'c'", ("criteria",), ()),
    ({"success_criteria": {"must_not_include": ["as an AI"]}}, "success_criteria.must_not_include[0]",
     "forbidden text 'as an AI'", ("forbidden_content",), ("SYSTEM_PROMPT_VIOLATION",)),
    ({"answer": {"equals": "x"}}, "answer", "section `answer`", ("expected_answer",), ("WRONG_FACT",)),
    ({"evidence": {}}, "evidence", "section `evidence`", ("citations", "claims"), (*CITED, "MISSING_EVIDENCE")),
    ({"claims": {"tool_results": "always"}}, "claims", "section `claims`", ("claims",),
     ("UNSUPPORTED_CLAIM", "WRONG_FACT")),
    ({"sop": {"permissions": {"tools": []}}}, "sop.permissions", "section `sop.permissions`", ("permissions",),
     ("UNAUTHORIZED_ACTION",)),
    ({"sop": {"limits": {"calls": 3}}}, "sop.limits", "section `sop.limits`", ("limits",), SOP),
    ({"execution": EXECUTION}, "execution", "section `execution`", ("execution",), EXECUTED),
    ({"state": {"expected": []}}, "state", "section `state`", ("state", "documents"), CHANGED),
    ({"tools": {"expected": []}}, "tools", "section `tools`", ("tool_selection",), SOP),
]  # fmt: skip
REMEDIES: list[tuple[dict[str, Any], str]] = [
    ({"claims": {"tool_results": "never"}}, "give `facts`, `evidence` texts or sources, or let `tool_results` count"),
    ({"sop": {}}, "name tools, rules, permissions, limits or prose rules"),
    ({"sop": {"permissions": {}}}, "give `tools`, `paths`, `arguments` or `denied_paths`"),
    ({"sop": {"limits": {}}},
     "give one of calls, steps, calls_per_tool, repeats, total_repeats, cycle"),
    ({"execution": {}}, "give `expected` (`expected: []`: nothing may be executed)"),
    ({"state": {}}, "give `expected` (`expected: []`: nothing may change) or `documents`"),
    ({"tools": {}}, "give `expected` (`expected: []`: no call is right) or a `registry`"),
]  # fmt: skip


def contract(sections: dict[str, Any]) -> EvalContract:
    return EvalContract.model_validate({"task_id": "t", **sections})


def named(name: str, code: str = "UNKNOWN_FAILURE", **options: Any) -> Validator:
    def check(case: Case) -> bool:
        return True

    make = validator(name=name, version="1", codes=(FailureCode(code),), **options)
    return make(check)


def running(*validators: Validator, guarding: tuple[str, ...] = ()) -> Runners:
    by_name = {one.name: one for one in validators}
    return Runners(by_name, tuple(by_name), guarding)


def row(sections: dict[str, Any], path: str, runners: Runners) -> Coverage:
    rows = coverage_of(contract(sections), runners)
    (one,) = [row for row in rows if dotted(row.path) == path]
    return one


@pytest.mark.parametrize(("sections", "path", "what", "checks", "codes"), NAMED)
def test_each_named_thing_has_a_row(
    sections: dict[str, Any],
    path: str,
    what: str,
    checks: tuple[str, ...],
    codes: tuple[str, ...],
) -> None:
    one = row(sections, path, NOBODY)
    names = " or ".join(map(repr, checks))
    assert (one.what, one.check, one.is_looked_for) == (what, path, False)
    assert one.why == f"no validator {names} runs under this contract"
    assert one.remedy == (
        "install it, do not disable it, or name a validator that declares the code"
    )
    built_in = [named(name) for name in (*checks, "another")]
    assert row(sections, path, running(*built_in)) == Coverage(
        path=one.path, what=what, checks=checks
    )
    for check in checks:
        assert row(sections, path, running(named(check))).checks == (check,)
    for code in FailureCode:
        vouches = row(sections, path, running(named("own", code))).is_looked_for
        assert vouches == (code in codes), code


def test_a_validator_vouches_only_where_the_contract_names_it() -> None:
    own = named("own", "WRONG_FACT")
    sections = {"answer": {"equals": "x"}}
    assert not row(sections, "answer", Runners({"own": own}, (), ())).is_looked_for
    assert not row(sections, "answer", Runners({}, ("own",), ())).is_looked_for
    two = running(named("zeta", "WRONG_FACT"), named("alpha", "WRONG_FACT"))
    assert row(sections, "answer", two).checks == ("alpha", "zeta")


@pytest.mark.parametrize(("sections", "remedy"), REMEDIES)
def test_an_empty_section_says_what_it_needs(
    sections: dict[str, Any], remedy: str
) -> None:
    (place,) = empty_sections(contract(sections))
    one = row(sections, place.path, running(named("another")))
    assert (one.why, one.remedy, one.check) == (
        "the section is empty, and asks for nothing",
        remedy,
        place.path,
    )


def test_a_section_of_parts_is_looked_for_by_them() -> None:
    sections = {"sop": {"required_tools": ["look"]}}
    assert row(sections, "sop", NOBODY).checks == ("its parts",)


@pytest.mark.parametrize("key", ["calls", "steps", "repeats", "total_repeats"])
def test_each_limit_asks(key: str) -> None:
    assert not list(empty_sections(contract({"sop": {"limits": {key: 2}}})))


PERMISSIONS: list[dict[str, Any]] = [
    {"tools": []},
    {"paths": []},
    {"denied_paths": ["/etc/**"]},
]


@pytest.mark.parametrize("permissions", PERMISSIONS, ids=str)
def test_each_permission_asks(permissions: dict[str, Any]) -> None:
    sections = {"sop": {"permissions": permissions}}
    assert not list(empty_sections(contract(sections)))


def test_sources_are_evidence_for_claims() -> None:
    sections: dict[str, Any] = {"claims": {"tool_results": "never"}}
    sources = [{"type": "jsonl", "path": "x"}]
    assert list(empty_sections(contract({**sections, "evidence": {}})))
    assert not list(
        empty_sections(contract({**sections, "evidence": {"sources": sources}}))
    )


def forbidding(code: str, place: str = "must_not_include") -> dict[str, Any]:
    if place == "outcome":
        return {"outcome": {"effects": {code: "gate"}}}
    criteria: dict[str, Any] = {place: [code]}
    if place == "execution_result":
        criteria = {place: {"must_not_include": [code]}}
    return {"success_criteria": criteria}


CODE_PATHS = {
    "must_not_include": "success_criteria.must_not_include[0]",
    "execution_result": "success_criteria.execution_result.must_not_include[0]",
    "outcome": "outcome.effects.STATE_MISMATCH",
}


@pytest.mark.parametrize("place", CODE_PATHS)
def test_a_forbidden_code_needs_a_check_that_guards_the_gate(place: str) -> None:
    sections, path = forbidding("STATE_MISMATCH", place), CODE_PATHS[place]
    check = "must_not_include:STATE_MISMATCH"
    if place == "outcome":
        check = "outcome.effects.STATE_MISMATCH"
    alone = row(sections, path, NOBODY)
    assert alone == Coverage(
        path=alone.path,
        what="code STATE_MISMATCH",
        check=check,
        why="no check that guards the gate looks for STATE_MISMATCH under this contract",
        remedy="add the section that does, or a gating criterion with this `code`",
    )
    own, other = named("own", "STATE_MISMATCH"), named("other", "WRONG_FACT")
    assert not row(sections, path, running(own, other)).is_looked_for
    guarded = running(own, other, guarding=("own", "other"))
    assert row(sections, path, guarded).checks == ("own",)


def test_an_effect_that_is_no_gate_has_no_row() -> None:
    one = contract({"outcome": {"effects": {"STATE_MISMATCH": "soft"}}})
    paths = [row.path for row in coverage_of(one, NOBODY)]
    assert paths == [("task_id",)]


def test_a_criterion_gates_where_the_contract_makes_its_code_a_gate() -> None:
    moved = {"outcome": {"effects": {"STATE_MISMATCH": "gate"}}}
    criteria = [{"id": "c", "question": "Is it?", "code": "STATE_MISMATCH"}]
    (criterion,) = contract({**moved, "criteria": criteria}).criteria
    assert gates(criterion, contract(moved))
    softened = {"outcome": {"effects": {"STATE_MISMATCH": "soft"}}}
    assert not gates(criterion, contract(softened))
    assert not gates(criterion, contract({}))


CRITERIA: list[tuple[dict[str, Any], bool]] = [
    ({"code": "SOP_NOT_FOLLOWED", "gate": True}, True),
    ({"code": "SOP_NOT_FOLLOWED", "gate": False}, False),
    ({"code": "SOP_NOT_FOLLOWED"}, True),
    ({"gate": True}, False),
    ({"code": "WRONG_FACT", "gate": True}, False),
]


@pytest.mark.parametrize(("criterion", "looks"), CRITERIA, ids=str)
def test_a_criterion_looks_for_its_code_where_it_gates(
    criterion: dict[str, Any], *, looks: bool
) -> None:
    sections = {
        **forbidding("SOP_NOT_FOLLOWED"),
        "criteria": [{"id": "c", "question": "Is it?", **criterion}],
    }
    judge = named("criteria", "SOP_NOT_FOLLOWED")
    path = CODE_PATHS["must_not_include"]
    one = row(sections, path, running(judge, guarding=("criteria",)))
    assert one.checks == (("criteria (c)",) if looks else ())
    assert not row(sections, path, running(judge)).is_looked_for


def test_a_low_score_is_looked_for_by_what_feeds_it() -> None:
    criteria = [
        {"id": "c", "question": "Is it?", "metric": "readability"},
        {"id": "d", "question": "Is it?", "metric": "methodology"},
    ]
    sections = {**forbidding("LOW_READABILITY_SCORE"), "criteria": criteria}
    judge = named("criteria")
    path = CODE_PATHS["must_not_include"]
    assert row(sections, path, running(judge)).checks == ("criteria (c)",)
    assert list(feeding("readability", contract(sections), NOBODY)) == []


def test_a_near_miss_of_a_code_says_which() -> None:
    sections = forbidding("WRONG_FACTS")
    one = row(sections, CODE_PATHS["must_not_include"], NOBODY)
    assert (one.what, one.remedy) == (
        "forbidden text 'WRONG_FACTS'",
        "write WRONG_FACT",
    )
    assert one.why == (
        "looks like the name of a failure code, and is none; did you mean WRONG_FACT?"
    )
    assert one.check == CODE_PATHS["must_not_include"]


SCORED = {"scoring": {"weighted": {"quality": {"checks": [{"id": "done", "validator": "completion", "weight": 1}]}}}}  # fmt: skip


def test_a_contract_that_checks_nothing_has_a_row_of_its_own() -> None:
    everywhere = named("completion", "EXECUTION_TIMEOUT")
    (one,) = coverage_of(contract({}), Runners({"completion": everywhere}, (), ()))
    assert (one.path, one.check, one.is_looked_for) == (("task_id",), "contract", False)
    assert one.why == "the contract checks nothing, so any answer would pass"
    (alone,) = coverage_of(contract({}), NOBODY)
    assert alone.path == ("task_id",)


@pytest.mark.parametrize(
    ("sections", "names"),
    [
        ({}, ("completion",)),
        (SCORED, ()),
        ({"success_criteria": {"must_not_include": ["EXECUTION_TIMEOUT"]}}, ()),
    ],
)
def test_a_contract_that_asks_for_what_runs_everywhere_checks_something(
    sections: dict[str, Any], names: tuple[str, ...]
) -> None:
    everywhere = named("completion", "EXECUTION_TIMEOUT")
    runners = Runners({"completion": everywhere}, names, ())
    assert not any(
        row.path == ("task_id",) for row in coverage_of(contract(sections), runners)
    )


def test_another_code_than_those_of_what_runs_everywhere_does_not_ask_for_it() -> None:
    everywhere = named("completion", "EXECUTION_TIMEOUT")
    sections = {"success_criteria": {"must_not_include": ["WRONG_FACT"]}}
    runners = Runners({"completion": everywhere}, (), ())
    assert row(sections, "task_id", runners).check == "contract"
