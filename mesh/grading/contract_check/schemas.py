"""JSON Schemas of a contract: what cannot be used, what nobody reads, and what hardly constrains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.section import Conditions
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_MAX_FAULT_CHARS: Final = 300
_TOOLS: Final = ("tools",)
_EVERY_VALUE: Final = (
    "every value fits; constrain it, or write `any: true` where any value will do"
)
_EVERY_JSON: Final = "every JSON value fits; constrain it, for example `type: object`"


def schema_problems(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    """Faults of the schema that a section holds, if it holds one."""
    key, schema = _schema_of(model, path)
    if key is None or schema is None:
        return
    from judgemesh.contracts.schemas.faults import schema_faults
    from judgemesh.contracts.schemas.vacuous import accepts_everything

    here = (*path, key)
    unread = list(schema_faults(schema))
    for fault in unread:
        yield Problem((*here, *fault.path), fault.message)
    broken = _unusable(schema)
    if broken is not None:
        yield Problem(here, f"not a usable JSON Schema: {broken}")
    if isinstance(model, Conditions) and not unread and accepts_everything(schema):
        yield Problem(here, _EVERY_VALUE)


def schema_warnings(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    """Parts of the schema that a section holds, if it holds one, which hardly constrain."""
    key, schema = _schema_of(model, path)
    if key is None or schema is None:
        return
    from judgemesh.contracts.schemas.vacuous import accepts_everything, weak_parts

    here = (*path, key)
    for part in weak_parts(schema):
        yield Problem((*here, *part.path), part.message)
    if isinstance(model, EvalContract) and accepts_everything(schema):
        yield Problem(here, _EVERY_JSON)


def _schema_of(model: BaseModel, path: KeyPath) -> tuple[str | None, Any]:
    """The key under which a section holds a schema, and the schema."""
    match model:
        case EvalContract():
            return "output_schema", model.output_schema
        case Conditions():
            return "schema", model.json_schema
        case _ if path[:1] == _TOOLS:
            from judgemesh.contracts.sections.tools import Tool

            if isinstance(model, Tool):
                return "parameters", model.parameters
        case _:
            pass
    return None, None


def _unusable(schema: Any) -> str | None:
    import jsonschema_rs

    from judgemesh.contracts.schemas.circles import circular_reference

    circle = circular_reference(schema)
    if circle is not None:
        return f"{circle} refers to itself and says nothing"
    try:
        jsonschema_rs.validator_for(schema, retriever=_refuse)
    except (
        ValueError,
        TypeError,
        RecursionError,
        OSError,
        jsonschema_rs.ReferencingError,
    ) as error:
        return str(error).strip().split("\n", 1)[0][:_MAX_FAULT_CHARS]
    return None


def _refuse(uri: str) -> Any:
    raise OSError(f"references are not fetched: {uri}; put the definition under $defs")
