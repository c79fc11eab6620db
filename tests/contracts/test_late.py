"""A part of a contract or a result that is loaded late is validated, dumped and described as its model is."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.contracts.result_parts.changes import StateEvidence
from judgemesh.contracts.result_parts.claims import Citation, Claim
from judgemesh.contracts.result_parts.trace import Trace
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.answer import AnswerSpec
from judgemesh.contracts.sections.budget import Budget
from judgemesh.contracts.sections.choice import ValidatorChoice
from judgemesh.contracts.sections.criterion import Criterion
from judgemesh.contracts.sections.effects import ExecutionSpec, StateSpec
from judgemesh.contracts.sections.evidence import ClaimsSpec, EvidenceSpec
from judgemesh.contracts.sections.procedure import SopSpec
from judgemesh.contracts.sections.tools import PlanSpec, ToolsSpec
from judgemesh.contracts.sections.weighted import Weighted
from judgemesh.mesh.inputs.model_problems import problems_of

MODELS: dict[str, type[BaseModel]] = {
    "budget": Budget,
    "claims": ClaimsSpec,
    "evidence": EvidenceSpec,
    "execution": ExecutionSpec,
    "plan": PlanSpec,
    "sop": SopSpec,
    "state": StateSpec,
    "tools": ToolsSpec,
}
GIVEN: dict[str, dict[str, Any]] = {
    "budget": {"ceiling": 2.5, "gate": True},
    "claims": {"max_claims": 7},
    "evidence": {"min_citations": 2},
    "execution": {"expected": [{"kind": "refund", "not_before": "2026-01-31"}]},
    "plan": {"objective": "To arrive."},
    "sop": {"rules": [{"id": "a", "template": "init", "activity": {"tool": "x"}}]},
    "state": {"expected": [{"path": "a", "match": {"not": 3}}]},
    "tools": {"extra_calls": "forbid"},
}


@pytest.mark.parametrize("name", MODELS)
def test_the_value_is_the_model(name: str) -> None:
    section = MODELS[name].model_validate(GIVEN[name])
    from_data = EvalContract.model_validate({"task_id": "t", name: GIVEN[name]})
    from_model = EvalContract.model_validate({"task_id": "t", name: section})
    assert getattr(from_data, name) == section
    assert getattr(from_model, name) is section
    for mode in ("json", "python"):
        dumped = from_data.model_dump(mode=mode, exclude_unset=True, by_alias=True)
        assert dumped[name] == section.model_dump(
            mode=mode, exclude_unset=True, by_alias=True
        )
    assert from_data.digest() == from_model.digest()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("wrong", [5, "text", {"unknown": 1}], ids=repr)
def test_faults_are_those_of_the_model_below_its_key(name: str, wrong: object) -> None:
    with pytest.raises(ValidationError) as own:
        MODELS[name].model_validate(wrong)
    with pytest.raises(ValidationError) as late:
        EvalContract.model_validate({"task_id": "t", name: wrong})
    expected = own.value.errors(include_url=False)
    found = late.value.errors(include_url=False)
    assert found == [{**fault, "loc": (name, *fault["loc"])} for fault in expected]


def test_a_misspelt_key_is_compared_with_those_of_the_model() -> None:
    with pytest.raises(ValidationError) as raised:
        EvalContract.model_validate({"task_id": "t", "state": {"expcted": []}})
    (problem,) = problems_of(raised.value, EvalContract)
    assert "did you mean 'expected'" in str(problem)


@pytest.mark.parametrize("name", MODELS)
def test_json_schema_refers_to_the_model(name: str) -> None:
    schema = EvalContract.model_json_schema()
    model = MODELS[name].__name__
    reference = {"$ref": f"#/$defs/{model}"}
    assert reference in schema["properties"][name]["anyOf"]
    own = MODELS[name].model_json_schema()
    assert schema["$defs"][model]["description"] == own["description"]


Keys = tuple[str | int, ...]
_RESULT = {"result_id": "r", "task_id": "t"}
DEEPER: dict[str, tuple[type[BaseModel], Keys, type[BaseModel], dict[str, Any]]] = {
    "answer": (EvalContract, ("answer",), AnswerSpec, {"equals": 42}),
    "criteria": (EvalContract, ("criteria", 0), Criterion, {"id": "a", "question": "Polite?"}),
    "validators": (EvalContract, ("validators", 0), ValidatorChoice, {"name": "state"}),
    "weighted": (EvalContract, ("scoring", "weighted", "w"), Weighted, {"preset": "recovery"}),
    "actions": (AgentResult, ("actions", 0), Action, {"kind": "refund", "target": 7}),
    "records": (AgentResult, ("records", 0), ExecutionRecord, {"kind": "refund", "at": "2026-01-31"}),
    "state": (AgentResult, ("state",), StateEvidence, {"diff": [{"path": "a", "new": 3}]}),
    "trace": (AgentResult, ("trace",), Trace, {"steps": [{"tool_name": "x"}], "export": 1}),
    "citations": (AgentResult, ("output", "citations", 0), Citation, {"id": 3, "page": 9}),
    "claims": (AgentResult, ("output", "claims", 0), Claim, {"statement": "x", "citations": "a"}),
}  # fmt: skip
"""By part: the model that holds it, its keys there, its own model, and a value."""


_WRONG = ("kind", "title", "diff", "steps", "name", "question", "checks", "fold")
"""Keys of these models at which no number can stand."""


def whole(owner: type[BaseModel], keys: Keys, value: object) -> dict[str, Any]:
    """Data of the owner with one value deep in it."""
    for key in reversed(keys):
        value = [value] if isinstance(key, int) else {key: value}
    assert isinstance(value, dict)
    return {**(_RESULT if owner is AgentResult else {"task_id": "t"}), **value}


def held(model: Any, keys: Keys) -> Any:
    """What a model or its dump holds at the keys."""
    for key in keys:
        model = getattr(model, str(key)) if isinstance(model, BaseModel) else model[key]
    return model


@pytest.mark.parametrize("name", DEEPER)
def test_a_part_in_a_list_or_a_result_is_the_model(name: str) -> None:
    owner, keys, model, given = DEEPER[name]
    part = model.model_validate(given)
    from_data = owner.model_validate(whole(owner, keys, given))
    from_model = owner.model_validate(whole(owner, keys, part))
    assert type(held(from_data, keys)) is model
    assert held(from_data, keys) == part
    assert held(from_model, keys) is part
    each: tuple[dict[str, Any], ...] = ({"mode": "json"}, {"by_alias": True})
    for options in each:
        dumped = from_data.model_dump(exclude_unset=True, **options)
        assert held(dumped, keys) == part.model_dump(exclude_unset=True, **options)
    assert pickle.loads(pickle.dumps(from_data)) == from_data  # noqa: S301


@pytest.mark.parametrize("name", sorted(DEEPER.keys() - {"claims"}))
def test_faults_of_a_part_are_those_of_its_model_below_its_keys(name: str) -> None:
    owner, keys, model, given = DEEPER[name]
    wrong = {**given, **dict.fromkeys(_WRONG, 3.5)}
    with pytest.raises(ValidationError) as own:
        model.model_validate(wrong)
    with pytest.raises(ValidationError) as late:
        owner.model_validate(whole(owner, keys, wrong))
    expected = own.value.errors(include_url=False)
    found = late.value.errors(include_url=False)
    assert found == [{**fault, "loc": (*keys, *fault["loc"])} for fault in expected]
