"""Faults of a contract that its types cannot express: patterns, schemas, codes and weighted scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel

from judgemesh.contracts.codes import CODES, Effect, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.section import Matcher
from judgemesh.contracts.tools import Tool
from judgemesh.mesh.grading.weighted_definition import faults_of
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_MAX_SCHEMA_FAULT_CHARS = 300


def contract_faults(contract: EvalContract) -> Iterator[Problem]:
    """Patterns that do not compile, schemas that are none, codes that cannot gate, scores that do not add up."""
    for model, path in _sections(contract, ()):
        yield from _pattern_faults(model, path)
        yield from _schema_faults(model, path)
    yield from _code_faults(contract)
    for name in contract.scoring.weighted:
        for fault in faults_of(contract, name):
            yield Problem(("scoring", "weighted", name, *fault.path), fault.message)


def _sections(model: BaseModel, path: KeyPath) -> Iterator[tuple[BaseModel, KeyPath]]:
    """A model and all models below it, each with its keys."""
    yield model, path
    for name in model.model_fields_set:
        for child, keys in _models(getattr(model, name)):
            yield from _sections(child, (*path, name, *keys))


def _models(value: Any) -> Iterator[tuple[BaseModel, KeyPath]]:
    """The models that a field holds: its value, or the items of a list or mapping."""
    if isinstance(value, BaseModel):
        yield value, ()
        return
    pairs: Any = ()
    if isinstance(value, list):
        pairs = enumerate(cast("list[Any]", value))
    elif isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
    for key, child in pairs:
        if isinstance(child, BaseModel):
            yield child, (key,)


def _pattern_faults(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    patterns = {"pattern": getattr(model, "pattern", None)}
    if isinstance(model, Activity):
        patterns["says"] = model.says
    for key, pattern in patterns.items():
        fault = _pattern_fault(pattern) if isinstance(pattern, str) else None
        if fault is not None:
            message = f"not a usable pattern (RE2 syntax): {fault}"
            yield Problem((*path, key), message)


def _pattern_fault(pattern: str) -> str | None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else error
        return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return None


def _schema_faults(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    match model:
        case EvalContract():
            key, schema = "output_schema", model.output_schema
        case Matcher():
            key, schema = "schema", model.json_schema
        case Tool():
            key, schema = "parameters", model.parameters
        case _:
            return
    fault = None if schema is None else _schema_fault(schema)
    if fault is not None:
        yield Problem((*path, key), f"not a usable JSON Schema: {fault}")


def _schema_fault(schema: Any) -> str | None:
    import jsonschema_rs

    try:
        jsonschema_rs.validator_for(schema, retriever=_refuse)
    except (
        ValueError,
        TypeError,
        RecursionError,
        OSError,
        jsonschema_rs.ReferencingError,
    ) as error:
        return str(error).strip().split("\n", 1)[0][:_MAX_SCHEMA_FAULT_CHARS]
    return None


def _refuse(uri: str) -> Any:
    raise OSError(f"references are not fetched: {uri}; put the definition under $defs")


def _code_faults(contract: EvalContract) -> Iterator[Problem]:
    """Codes that speak of the evaluator cannot fail an agent."""
    criteria = contract.success_criteria
    entries = {
        ("success_criteria", "must_not_include"): criteria.must_not_include,
        (
            "success_criteria",
            "execution_result",
            "must_not_include",
        ): criteria.execution_result.must_not_include,
    }
    for path, texts in entries.items():
        for index, text in enumerate(texts):
            code = parse_code(text)
            if code is not None and CODES[code].effect is Effect.HOLD:
                message = f"{code} speaks of the evaluator; it cannot fail an agent"
                yield Problem((*path, index), message)
