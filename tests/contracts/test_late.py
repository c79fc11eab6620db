"""A section that is loaded late is validated, dumped and described as its model is."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExecutionSpec, StateSpec
from judgemesh.contracts.evidence import ClaimsSpec, EvidenceSpec
from judgemesh.contracts.procedure import SopSpec
from judgemesh.contracts.tools import PlanSpec, ToolsSpec
from judgemesh.mesh.inputs.problems import problems_of

MODELS: dict[str, type[BaseModel]] = {
    "claims": ClaimsSpec,
    "evidence": EvidenceSpec,
    "execution": ExecutionSpec,
    "plan": PlanSpec,
    "sop": SopSpec,
    "state": StateSpec,
    "tools": ToolsSpec,
}
GIVEN: dict[str, dict[str, Any]] = {
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
