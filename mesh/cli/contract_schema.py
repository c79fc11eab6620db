"""The JSON Schema of an eval contract, as an author may write it: the model's own schema, widened by the short forms
that the contract reader accepts (a bare value for a matcher, a tool name for an activity, a name for a validator).
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
    """JSON Schema (2020-12) that every contract the reader accepts fits."""
    from judgemesh.contracts.contract import EvalContract

    schema: dict[str, Any] = EvalContract.model_json_schema(by_alias=True)
    definitions: dict[str, Any] = schema["$defs"]
    for (owner, name), form in _PROPERTY_FORMS.items():
        properties = (schema if owner == "EvalContract" else definitions[owner])[
            "properties"
        ]
        properties[name] = {"title": properties[name].get("title", name), **form}
    widened: dict[str, Any] = _widen(schema)
    return {"$schema": DIALECT, **widened, "title": TITLE}


def _widen(node: Any) -> Any:
    """The schema with each reference to a model that has a short form replaced by: the model, or the short form."""
    if isinstance(node, list):
        return [_widen(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    given = cast("dict[str, Any]", node)
    name = str(given.get("$ref", "")).removeprefix("#/$defs/")
    if name in _SHORT_FORMS:
        rest = {key: value for key, value in given.items() if key != "$ref"}
        return {**rest, "anyOf": [{"$ref": given["$ref"]}, _SHORT_FORMS[name]]}
    return {key: _widen(value) for key, value in given.items()}
