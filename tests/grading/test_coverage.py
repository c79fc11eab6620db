"""The coverage table: everything a contract names, and who looks for it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import CODES, Effect, FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.validator import Case, Validator, always, never, validator
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.coverage.near_codes import near_code
from judgemesh.mesh.grading.coverage.places import PLACES, SECTIONS
from judgemesh.mesh.grading.plan import GradingPlan, compile_plan
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.grading.soft_score import LOW_CODES
from judgemesh.mesh.inputs.contracts import contract_set
from judgemesh.mesh.inputs.problems import dotted

from .strategies import abstains, passes, rows

_NOT_CHECKED = {
    "task_id",
    "task_name",
    "version",
    "family",
    "input",
    "fields",
    "validators",
    "scoring",
    "outcome",
}
"""Keys of a contract that describe, or that only change how other keys are checked."""


COMPLETED: dict[str, Any] = {"task_id": "t", "validators": ["completion"]}
"""A contract that asks for a completed run."""


def plan(sections: dict[str, Any], *extra: Validator) -> GradingPlan:
    contract = EvalContract.model_validate({**COMPLETED, **sections})
    return compile_plan(contract, ValidatorRegistry.discover().with_validators(extra))


def unlooked(sections: dict[str, Any], *extra: Validator) -> list[str]:
    rows = plan(sections, *extra).coverage
    return [dotted(row.path) for row in rows if not row.is_looked_for]


def forbidding(*entries: str, **sections: Any) -> dict[str, Any]:
    return {"success_criteria": {"must_not_include": list(entries)}, **sections}


EMPTY: list[tuple[dict[str, Any], str]] = [
    ({"sop": {}}, "sop"),
    ({"sop": {"required_tools": []}}, "sop"),
    ({"sop": {"permissions": {}}}, "sop.permissions"),
    ({"sop": {"permissions": {"arguments": []}}}, "sop.permissions"),
    ({"sop": {"limits": {}}}, "sop.limits"),
    ({"sop": {"limits": {"except_tools": ["think"]}}}, "sop.limits"),
    ({"state": {}}, "state"),
    ({"execution": {}}, "execution"),
    ({"claims": {"tool_results": "never"}}, "claims"),
    ({"tools": {}}, "tools"),
    ({"tools": {"ordered": True}}, "tools"),
]


@pytest.mark.parametrize(("sections", "key"), EMPTY)
def test_an_empty_section_checks_nothing(sections: dict[str, Any], key: str) -> None:
    compiled = plan(sections)
    assert unlooked(sections) == [key]
    assert [row.verdict.check for row in compiled.preset] == [key]
    assert [one.validator.name for one in compiled.validators] == ["completion"]


def test_a_contract_that_checks_nothing_is_not_looked_for() -> None:
    assert unlooked({"validators": []}) == ["task_id"]
    assert unlooked({"validators": ["completion"]}) == []
    assert unlooked({"validators": [], **forbidding("EXECUTION_TIMEOUT")}) == []


ASKED: list[dict[str, Any]] = [
    {"sop": {"permissions": {"tools": []}}},
    {"sop": {"limits": {"calls": 0}}},
    {"state": {"expected": []}},
    {"state": {"ignored": ["/log/*"]}},
    {"execution": {"expected": []}},
    {"execution": {"source": {"type": "result"}}},
    {"tools": {"expected": []}},
    {"claims": {"facts": [{"subject": "a", "property": "b", "value": 1}]}},
    {"success_criteria": {"execution_result": {"required": True}}, "execution": {}},
    forbidding("ACTION_NOT_EXECUTED", execution={"expected": []}),
    forbidding("as an AI", "wrong facts about us"),
]


@pytest.mark.parametrize("sections", ASKED, ids=str)
def test_what_asks_for_something_is_looked_for(sections: dict[str, Any]) -> None:
    assert unlooked(sections) == []


FALSY = [
    ({"fields": {"paid": {"equals": False}}}, "fields.paid.equals"),
    ({"fields": {"points": {"equals": 0}}}, "fields.points.equals"),
    ({"fields": {"points": {"ge": 0}}}, "fields.points.ge"),
    ({"fields": {"name": {"equals": ""}}}, "fields.name.equals"),
    ({"output_schema": False}, "output_schema"),
]


@pytest.mark.parametrize(("sections", "path"), FALSY, ids=str)
def test_a_value_that_must_be_false_or_empty_has_its_row(
    sections: dict[str, Any], path: str
) -> None:
    assert path in [dotted(row.path) for row in plan(sections).coverage]


@pytest.mark.parametrize("gate", [True, False])
def test_an_option_that_is_off_has_none(gate: bool) -> None:
    budget = {"gate": gate, "ceiling": {"amount": 1, "currency": "EUR"}}
    paths = [dotted(row.path) for row in plan({"budget": budget}).coverage]
    assert ("budget.gate" in paths) == gate


UNLOOKED = [
    forbidding("SKILL_INSTRUCTION_VIOLATION"),
    forbidding("STATE_MISMATCH"),
    forbidding("LOW_READABILITY_SCORE"),
    forbidding("LOW_METHODOLOGY_SCORE", criteria=[{"id": "a", "question": "Is it?"}]),
    forbidding("FABRICATED_REFERENCE"),
]


@pytest.mark.parametrize("sections", UNLOOKED, ids=str)
def test_a_declared_code_is_not_looked_for(sections: dict[str, Any]) -> None:
    assert unlooked(sections) == ["success_criteria.must_not_include[0]"]


def _named(code: FailureCode, *, gate: bool = True, applies: bool = False) -> Validator:
    def check(case: Case) -> bool:
        return True

    chooser = always if applies else never
    make = validator(name="own", version="1", codes=(code,), applies=chooser, gate=gate)
    return make(check)


def test_a_validator_of_another_package_vouches_with_its_codes() -> None:
    own = _named(FailureCode.SKILL_INSTRUCTION_VIOLATION)
    asked = forbidding("SKILL_INSTRUCTION_VIOLATION")
    assert unlooked(asked, own) != []
    assert unlooked({**asked, "validators": ["own"]}, own) == []
    ungated = {**asked, "validators": [{"name": "own", "gate": False}]}
    assert unlooked(ungated, own) != []
    soft = _named(FailureCode.SKILL_INSTRUCTION_VIOLATION, gate=False)
    assert unlooked({**asked, "validators": ["own"]}, soft) != []


def test_a_run_can_add_the_validator_that_looks() -> None:
    own = _named(FailureCode.SKILL_INSTRUCTION_VIOLATION)
    contract = EvalContract.model_validate(
        {"task_id": "t", **forbidding("SKILL_INSTRUCTION_VIOLATION")}
    )
    registry = ValidatorRegistry.discover().with_validators([own])
    assert compile_plan(contract, registry).preset
    assert not compile_plan(contract, registry, also=["own"]).preset


def test_a_validator_switched_off_leaves_its_sections_unlooked() -> None:
    off = ["completion", {"name": "sop", "enabled": False}]
    sections = {"sop": {"forbidden_tools": ["rm"]}, "validators": off}
    assert unlooked(sections) == ["sop.forbidden_tools[0]"]


def test_a_criterion_with_a_forbidden_code_is_a_gate() -> None:
    criterion = {"id": "a", "question": "Is it right?", "code": "WRONG_FACT"}
    compiled = plan(forbidding("WRONG_FACT", criteria=[criterion]))
    assert compiled.contract.criteria[0].gate is True
    soft = {**criterion, "gate": False}
    sections = forbidding("SKILL_INSTRUCTION_VIOLATION")
    sections["criteria"] = [{**soft, "code": "SKILL_INSTRUCTION_VIOLATION"}]
    assert unlooked(sections) == ["success_criteria.must_not_include[0]"]
    assert plan(sections).contract.criteria[0].gate is False


def test_every_section_of_a_contract_has_its_row() -> None:
    named = {place.keys[0] for place in PLACES} | {place.keys[0] for place in SECTIONS}
    sections = set(EvalContract.model_fields) - _NOT_CHECKED
    assert sections - named <= {"budget"}


NEAR = {
    "UNAUTHORISED_PAYMENT": "UNAUTHORIZED_PAYMENT",
    "duplicate execution": "DUPLICATE_EXECUTION",
    "Duplicate-Execution": "DUPLICATE_EXECUTION",
    "WRONG_FACTS": "WRONG_FACT",
    "fabricatedReference": "FABRICATED_REFERENCE",
    "FABRICATED_CITATION": "FABRICATED_REFERENCE",
    "PAYMENT_UNAUTHORIZED": "UNAUTHORIZED_PAYMENT",
    "LOW_READABILITY": "LOW_READABILITY_SCORE",
    "hallucination": "UNSUPPORTED_CLAIM",
    "wrong_execution_params": "WRONG_EXECUTION_PARAMETERS",
}
PROSE = (
    "wrong facts about us",
    "as an AI",
    "guaranteed return",
    "internal_notes",
    "execution_target",
    "confirmation_id",
    "SECRET_KEY",
    "DO_NOT_SHARE",
    "ORDER_NOT_FOUND",
    "side effects",
    "the tool failed",
    "no refund",
    "unknown",
    "total_price",
    "日本語",
    "...",
)


@pytest.mark.parametrize("entry", NEAR)
def test_a_near_miss_of_a_code(entry: str) -> None:
    assert near_code(entry) == NEAR[entry]


@pytest.mark.parametrize("entry", [*PROSE, *FailureCode])
def test_prose_and_codes_are_no_near_misses(entry: str) -> None:
    assert near_code(entry) is None


LOW_METRICS = {code: metric.value for metric, code in LOW_CODES.items()}
LOW = sorted(LOW_METRICS)
_sections = st.fixed_dictionaries(
    {},
    optional={
        "sop": st.sampled_from(
            [
                {},
                {"permissions": {}},
                {"forbidden_tools": ["rm"]},
                {"limits": {"calls": 3}},
            ]
        ),
        "state": st.sampled_from([{}, {"expected": []}]),
        "execution": st.sampled_from([{}, {"expected": []}]),
        "claims": st.sampled_from(
            [
                {"tool_results": "never"},
                {"evidence": [{"id": "a", "text": "It rained."}]},
            ]
        ),
        "evidence": st.just({"required": True}),
        "criteria": st.just(
            [{"id": "a", "question": "Is it right?", "code": "WRONG_FACT"}]
        ),
    },
)
_agent_codes = [code for code in FailureCode if CODES[code].effect is not Effect.HOLD]


@given(
    _sections,
    st.sets(st.sampled_from(_agent_codes), max_size=4),
    st.lists(rows(passes), max_size=4),
)
def test_a_name_nobody_looks_for_never_passes(
    sections: dict[str, Any], codes: set[FailureCode], passing: list[ValidatorVerdict]
) -> None:
    compiled = plan(forbidding(*sorted(codes), **sections))
    rows_of_names = [row for row in compiled.coverage if not row.is_looked_for]
    assert len(compiled.preset) == len(rows_of_names)
    gate = aggregate([*compiled.preset, *passing], compiled.contract).gate
    if compiled.preset:
        assert gate is not Gate.PASS


@given(
    st.lists(rows(), max_size=6),
    rows(abstains),
    st.sets(st.sampled_from(LOW)),
)
def test_an_abstention_never_helps_a_score_that_is_a_gate(
    given_rows: list[ValidatorVerdict], more: ValidatorVerdict, codes: set[FailureCode]
) -> None:
    contract = EvalContract.model_validate(
        {"task_id": "t", **forbidding(*sorted(codes))}
    )
    before = aggregate(given_rows, contract)
    after = aggregate([*given_rows, more], contract)
    if before.gate is not Gate.PASS:
        assert after.gate is not Gate.PASS
    if before.gate is Gate.FAIL:
        assert after.gate is Gate.FAIL
    for code in codes:
        measured = LOW_METRICS[code] in before.scores
        assert measured or before.gate is not Gate.PASS


def test_a_finding_in_a_contract_made_in_code_names_the_contract() -> None:
    spec = {"tool_results": "always", "evidence": [{"id": "a", "text": "It rained."}]}
    contract = EvalContract.model_validate({**COMPLETED, "claims": spec})
    (loaded,) = contract_set([contract]).contracts
    assert loaded.locate(("claims", "evidence", 0)) == "contract 1"
