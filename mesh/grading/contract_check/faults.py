"""Faults of a contract that its types cannot express: patterns, schemas, codes, names and weighted scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from judgemesh.contracts.codes import CODES, Effect, parse_code
from judgemesh.contracts.contract import EvalContract, SuccessCriteria
from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.schema_circles import circular_reference
from judgemesh.contracts.section import Conditions
from judgemesh.contracts.tools import Tool
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.grading.contract_check.names import name_faults
from judgemesh.mesh.grading.coverage.near_codes import near_code
from judgemesh.mesh.grading.weighted.definition import faults_of
from judgemesh.mesh.inputs.problems import KeyPath, Problem

_MAX_SCHEMA_FAULT_CHARS = 300


def contract_faults(contract: EvalContract) -> Iterator[Problem]:
    """All faults of a contract that can be seen without the installed plug-ins and the files it names."""
    for model, path in models_below(contract):
        yield from _pattern_faults(model, path)
        yield from _schema_faults(model, path)
    yield from _code_faults(contract)
    yield from name_faults(contract)
    for name in contract.scoring.weighted:
        for fault in faults_of(contract, name):
            yield Problem(("scoring", "weighted", name, *fault.path), fault.message)


def _pattern_faults(model: BaseModel, path: KeyPath) -> Iterator[Problem]:
    patterns: dict[KeyPath, Any] = {("pattern",): getattr(model, "pattern", None)}
    if isinstance(model, Activity):
        patterns["says",] = model.says
    if isinstance(model, SuccessCriteria):
        for index, pattern in enumerate(model.must_not_match):
            patterns["must_not_match", index] = pattern
    for keys, pattern in patterns.items():
        fault = _pattern_fault(pattern) if isinstance(pattern, str) else None
        if fault is not None:
            message = f"not a usable pattern (RE2 syntax): {fault}"
            yield Problem((*path, *keys), message)


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
        case Conditions():
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
        return str(error).strip().split("\n", 1)[0][:_MAX_SCHEMA_FAULT_CHARS]
    return None


def _refuse(uri: str) -> Any:
    raise OSError(f"references are not fetched: {uri}; put the definition under $defs")


def _code_faults(contract: EvalContract) -> Iterator[Problem]:
    """Codes that speak of the evaluator cannot fail an agent; a misspelt code would be looked for as text."""
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
            near = near_code(text)
            if code is not None and CODES[code].effect is Effect.HOLD:
                message = f"{code} speaks of the evaluator; it cannot fail an agent"
                yield Problem((*path, index), message)
            if near is not None:
                message = f"{text!r} is no failure code; did you mean {near}?"
                yield Problem((*path, index), message)
