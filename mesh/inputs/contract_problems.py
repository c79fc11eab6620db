"""What is wrong with a contract, in words of the section that its author meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.inputs.model_problems import problems_of
from judgemesh.mesh.inputs.problems import Problem

if TYPE_CHECKING:
    from pydantic import ValidationError

_FIELDS: Final = ("fields",)
_SCHEMA: Final = (
    "holds a JSON Schema; each key of `fields` is the name of a field, with its rule below it (`total: {gt: 0}`, "
    "or `total: {}` for one that must be there): move the schema to `output_schema`"
)
_NAMES: Final = (
    "expected an object of fields with their rules, got a list; "
    "a field that must be there is written `name: {}`"
)


def contract_problems(error: ValidationError, data: Mapping[str, Any]) -> list[Problem]:
    """The faults of a contract.

    A `fields` section that is something else as a whole is one fault, instead of one a key.
    """
    problems = problems_of(error, EvalContract)
    message = _other_than_fields(data.get("fields"))
    others = [problem for problem in problems if problem.path[:1] != _FIELDS]
    if not message or len(others) == len(problems):
        return problems
    return [*others, Problem(_FIELDS, message)]


def _other_than_fields(section: object) -> str:
    """What stands where rules of fields are expected; empty where they may be there."""
    if isinstance(section, list):
        return _NAMES
    if not isinstance(section, dict):
        return ""
    keys = cast("Mapping[str, object]", section)
    is_schema = isinstance(keys.get("type"), str) or isinstance(
        keys.get("required"), list
    )
    return _SCHEMA if is_schema or _are_schemas(keys.get("properties")) else ""


def _are_schemas(properties: object) -> bool:
    """Whether each value is an object with a type, which no rule of a field has."""
    if not isinstance(properties, dict) or not properties:
        return False
    values = cast("Mapping[str, object]", properties).values()
    return all(isinstance(value, dict) and "type" in value for value in values)
