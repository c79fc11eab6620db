"""The JSON Schema of an eval contract as authors may write it.

It is the model's own schema, and the short forms that the contract reader accepts: a bare
value for a matcher, a tool name for an activity, a name for a validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, cast

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TITLE: Final = "judgemesh eval contract"

_SHORT_FORMS: Final[Mapping[str, dict[str, Any]]] = MappingProxyType(
    {
        "Matcher": {"description": "Any plain value: equal to it."},
        "Activity": {"type": "string", "description": "The name of a tool."},
        "Requirement": {
            "type": "string",
            "description": "The name of a tool that must have been called.",
        },
        "Constraint": {"type": "string", "description": "The rule in prose."},
        "ValidatorChoice": {
            "type": "string",
            "description": "The name of a validator.",
        },
        "Money": {
            "type": ["number", "string"],
            "description": "An amount in US dollars.",
        },
    }
)
_PROPERTY_FORMS: Final[Mapping[tuple[str, str], dict[str, Any]]] = MappingProxyType(
    {
        ("EvalContract", "version"): {"type": ["string", "number"], "default": "1"},
        ("Criterion", "pass_if"): {
            "enum": ["yes", "no", True, False],
            "default": "yes",
        },
    }
)


def contract_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that every contract the reader accepts conforms to."""
    from judgemesh.contracts.contract import EvalContract

    schema: dict[str, Any] = EvalContract.model_json_schema(by_alias=True)
    for (model, name), form in _PROPERTY_FORMS.items():
        definition = schema if model == "EvalContract" else schema["$defs"][model]
        properties = definition["properties"]
        properties[name] = {"title": properties[name].get("title", name), **form}
    widened: dict[str, Any] = _widen(schema)
    return {"$schema": DIALECT, **widened, "title": TITLE}


def _widen(node: Any) -> Any:
    """A schema in which each reference to a model also accepts its short form."""
    if isinstance(node, list):
        return [_widen(entry) for entry in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, Any]", node)
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name not in _SHORT_FORMS:
        return {key: _widen(value) for key, value in schema.items()}
    variants = [{"$ref": schema["$ref"]}, _SHORT_FORMS[name]]
    others = {key: schema[key] for key in schema if key != "$ref"}
    return {**others, "anyOf": variants}
