"""Faults of a contract that its types cannot express: patterns, schemas, codes, names and weighted scores."""

from __future__ import annotations

from collections.abc import Iterator

from judgemesh.contracts.codes import CODES, Effect, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh.grading.contract_check.matchers import matcher_faults
from judgemesh.mesh.grading.contract_check.model_tree import models_below
from judgemesh.mesh.grading.contract_check.names import name_faults
from judgemesh.mesh.grading.contract_check.patterns import pattern_problems
from judgemesh.mesh.grading.contract_check.schemas import schema_problems
from judgemesh.mesh.grading.contract_check.vacuous import vacuous_faults
from judgemesh.mesh.inputs.problems import Problem


def contract_faults(contract: EvalContract) -> Iterator[Problem]:
    """All faults of a contract that can be seen without the installed plug-ins and the files it names."""
    for model, path in models_below(contract):
        yield from pattern_problems(model, path)
        yield from schema_problems(model, path)
        yield from matcher_faults(model, path)
    yield from _code_faults(contract)
    yield from name_faults(contract)
    yield from vacuous_faults(contract)
    if contract.scoring.weighted:
        yield from _weighted_faults(contract)


def _weighted_faults(contract: EvalContract) -> Iterator[Problem]:
    from judgemesh.mesh.grading.weighted.definition import faults_of

    for name in contract.scoring.weighted:
        for fault in faults_of(contract, name):
            yield Problem(("scoring", "weighted", name, *fault.path), fault.message)


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
            fault = _code_fault(text)
            if fault is not None:
                yield Problem((*path, index), fault)


def _code_fault(text: str) -> str | None:
    from judgemesh.mesh.grading.coverage.near_codes import near_code

    code = parse_code(text)
    if code is not None and CODES[code].effect is Effect.HOLD:
        return f"{code} speaks of the evaluator; it cannot fail an agent"
    near = near_code(text)
    return near and f"{text!r} is no failure code; did you mean {near}?"
