"""Plans and the registry behind them."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.validator import (
    Case,
    Form,
    Stage,
    Validator,
    always,
    never,
    validator,
)
from judgemesh.contracts.verdicts import Reason, Skipped
from judgemesh.mesh.grading.plan import compile_plan
from judgemesh.mesh.grading.plugins import ValidatorRegistry, adapt, load


def make(
    name: str, *, applies: bool = False, stage: Stage = Stage.DETERMINISTIC
) -> Validator:
    chooser = always if applies else never
    return validator(name=name, version="1", applies=chooser, stage=stage)(
        lambda case: True
    )


def registry(*validators: Validator, **broken: str) -> ValidatorRegistry:
    return ValidatorRegistry({one.name: one for one in validators}, broken)


def contract(**sections: object) -> EvalContract:
    return EvalContract.model_validate({"task_id": "t", **sections})


def test_validators_choose_themselves_or_are_named() -> None:
    known = registry(make("always", applies=True), make("named"), make("other"))
    plan = compile_plan(
        contract(
            validators=[
                {"name": "named", "gate": False, "timeout_s": 3, "args": {"a": 1}}
            ]
        ),
        known,
    )
    assert [
        (one.validator.name, one.gate, one.timeout_s) for one in plan.validators
    ] == [
        ("always", None, 60.0),
        ("named", False, 3.0),
    ]
    assert dict(plan.validators[1].args) == {"a": 1}


def test_a_contract_can_switch_a_validator_off_and_a_run_can_add_one() -> None:
    known = registry(make("always", applies=True), make("named"))
    plan = compile_plan(
        contract(validators=[{"name": "always", "enabled": False}]),
        known,
        also=["named"],
        timeout_s=9,
    )
    assert [(one.validator.name, one.timeout_s) for one in plan.validators] == [
        ("named", 9)
    ]


def test_cheap_stages_come_first() -> None:
    known = registry(
        make("a", applies=True, stage=Stage.MODEL),
        make("b", applies=True, stage=Stage.SOURCE),
        make("c", applies=True),
    )
    assert [
        one.validator.name for one in compile_plan(contract(), known).validators
    ] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nmaed", r"no validator is called 'nmaed'; did you mean 'named'\?"),
        (
            "zzz",
            r"no validator is called 'zzz'; `judgemesh validators` lists what is installed",
        ),
        ("torn", r"validator 'torn' cannot be loaded \(ImportError: no module\)"),
    ],
)
def test_a_named_validator_that_cannot_run_is_an_error_not_a_skipped_gate(
    name: str, says: str
) -> None:
    known = registry(make("named"), torn="ImportError: no module")
    with pytest.raises(ConfigError, match=says):
        compile_plan(contract(validators=[name]), known)


def test_what_nobody_can_check_holds_the_gate_undecided() -> None:
    asked = contract(
        success_criteria={
            "must_not_include": ["fabricated_reference", "guarantee", "wrong_fact"]
        },
        criteria=[
            {"id": "f", "question": "Are all facts right?", "code": "WRONG_FACT"}
        ],
        evidence={"required": True},
    )
    plan = compile_plan(asked, registry())
    assert [row.verdict.check for row in plan.preset] == [
        "contract",
        "evidence",
        "criteria[0]",
        "must_not_include:FABRICATED_REFERENCE",
        "must_not_include:WRONG_FACT",
        "success_criteria.must_not_include[1]",
    ]
    assert all(
        isinstance(row.verdict, Skipped) and row.verdict.reason == Reason.NOT_CONFIGURED
        for row in plan.preset
    )
    assert all(row.gating for row in plan.preset)


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "judgemesh.validators")


def test_a_plugin_that_cannot_be_loaded_is_kept_with_its_reason() -> None:
    found = load(
        [
            point("gone", "no_such_module_here:x"),
            point("module", "json:nothing"),
            point("value", "math:pi"),
        ]
    )
    assert found.validators == {}
    assert found.broken["gone"].startswith("no_such_module_here:x: ModuleNotFoundError")
    assert "AttributeError" in found.broken["module"]
    assert "float is no validator" in found.broken["value"]


def test_one_name_belongs_to_one_package() -> None:
    with pytest.raises(
        ConfigError, match="two installed packages offer a validator 'a'"
    ):
        load([point("a", "json:loads"), point("a", "json:dumps")])
    with pytest.raises(ConfigError, match="two validators are called 'a'"):
        registry(make("a")).with_validators([make("a")])


def test_bare_functions_of_each_form_are_adapted() -> None:
    def plain(case: Case) -> bool:
        """Says yes."""
        return True

    async def asynchronous(case: Case) -> bool:
        return True

    assert (adapt(plain, "p").form, adapt(plain, "p").summary) == (
        Form.PLAIN,
        "Says yes.",
    )
    assert adapt(asynchronous, "a").form is Form.ASYNC
    with pytest.raises(TypeError, match="called 'x', its validator 'named'"):
        adapt(make("named"), "x")
    with pytest.raises(TypeError, match="type is no validator"):
        adapt(dict, "d")


def test_the_built_in_validators_come_through_their_entry_points() -> None:
    found = ValidatorRegistry.discover()
    assert {
        "completion",
        "required_fields",
        "forbidden_content",
        "output_format",
        "execution",
        "state",
        "sop",
        "criteria",
    } <= set(found.validators)
    assert not found.broken
    assert all(found.origin(name).startswith("judgemesh ") for name in ("state", "sop"))
    assert all(one.summary and one.version for one in found.validators.values())
