"""Contracts checked: faults that the types cannot express, and what deserves a look before grading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from judgemesh.contracts.codes import CODES, Effect, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExpectedChange
from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.section import Matcher
from judgemesh.contracts.tools import Tool
from judgemesh.mesh.grading.plan import compile_plan, unusable
from judgemesh.mesh.grading.plugins import Registry
from judgemesh.mesh.grading.weighted_definition import faults_of
from judgemesh.mesh.inputs import contracts as files
from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract, read_contracts
from judgemesh.mesh.inputs.problems import Path as KeyPath
from judgemesh.mesh.inputs.problems import Problem


def load_contracts(paths: Sequence[Path]) -> ContractSet:
    """Read and check contract files and folders.

    Raises:
        ContractError: with every fault of every file in `problems`.
    """
    return read_contracts(paths, semantic_problems)


def contract_set(
    contracts: Iterable[EvalContract], *, base_dir: Path = Path()
) -> ContractSet:
    """A checked set of contracts made in code.

    Raises:
        ContractError: two contracts have the same task id, or a weighted score of one has a fault.
    """
    made = files.contract_set(contracts, base_dir=base_dir)
    for loaded in made.contracts:
        contract = loaded.contract
        for name in contract.scoring.weighted:
            for fault in faults_of(contract, name):
                raise ContractError(
                    f"{contract.task_id}: scoring.weighted.{name}: {fault.message}"
                )
    return made


def semantic_problems(contract: EvalContract) -> Iterator[Problem]:
    """Faults that the types cannot see: patterns that do not compile, schemas that are none, codes that cannot gate."""
    for path, pattern in _patterns(contract, ()):
        if (fault := _pattern_fault(pattern)) is not None:
            yield Problem(path, f"not a usable pattern (RE2 syntax): {fault}")
    for path, schema in _schemas(contract, ()):
        if (fault := _schema_fault(schema)) is not None:
            yield Problem(path, f"not a usable JSON Schema: {fault}")
    criteria = contract.success_criteria
    for section, entries in (
        (("success_criteria",), criteria.must_not_include),
        (
            ("success_criteria", "execution_result"),
            criteria.execution_result.must_not_include,
        ),
    ):
        for index, entry in enumerate(entries):
            code = parse_code(entry)
            if code is not None and CODES[code].effect is Effect.HOLD:
                path = (*section, "must_not_include", index)
                yield Problem(
                    path,
                    f"{code} says something about the evaluator; it cannot fail an agent",
                )
    for name in contract.scoring.weighted:
        for one in faults_of(contract, name):
            yield Problem(("scoring", "weighted", name, *one.path), one.message)


def _patterns(model: BaseModel, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    for name, key in (("pattern", "pattern"), ("says", "says")):
        value = getattr(model, name, None)
        if isinstance(value, str) and not (
            name == "says" and not isinstance(model, Activity)
        ):
            yield (*path, key), value
    for child, where in _children(model, path):
        yield from _patterns(child, where)


def _schemas(model: BaseModel, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(model, EvalContract) and model.output_schema is not None:
        yield (*path, "output_schema"), model.output_schema
    if isinstance(model, Matcher) and model.json_schema is not None:
        yield (*path, "schema"), model.json_schema
    if isinstance(model, Tool) and model.parameters is not None:
        yield (*path, "parameters"), model.parameters
    for child, where in _children(model, path):
        yield from _schemas(child, where)


def _children(model: BaseModel, path: KeyPath) -> Iterator[tuple[BaseModel, KeyPath]]:
    for name in model.model_fields_set:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            yield value, (*path, name)
        elif isinstance(value, list):
            for index, item in enumerate(cast("list[Any]", value)):
                if isinstance(item, BaseModel):
                    yield item, (*path, name, index)
        elif isinstance(value, dict):
            for key, item in cast("dict[str, Any]", value).items():
                if isinstance(item, BaseModel):
                    yield item, (*path, name, key)


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
        return str(error).strip().split("\n", 1)[0][:300]
    return None


def _refuse(uri: str) -> Any:
    raise OSError(f"references are not fetched: {uri}; put the definition under $defs")


def check_contracts(contracts: ContractSet, registry: Registry) -> list[str]:
    """What deserves a look before grading, one line each; each line says where.

    Raises:
        ContractError: a contract names a validator that is not there or cannot be loaded.
    """
    warnings: list[str] = []
    problems: list[str] = []
    for loaded in contracts.contracts:
        contract = loaded.contract
        unknown = [
            f"{loaded.locate(('validators', index))}: validators[{index}]: {problem}"
            for index, choice in enumerate(contract.validators)
            if (problem := unusable(choice.name, registry)) is not None
        ]
        problems.extend(unknown)
        if not unknown:
            warnings.extend(_warnings(loaded, registry))
    if problems:
        raise ContractError(problems[0], problems=tuple(problems))
    return warnings


def _warnings(loaded: LoadedContract, registry: Registry) -> Iterator[str]:
    contract = loaded.contract
    plan = compile_plan(contract, registry, base_dir=loaded.base_dir)
    where = f"{loaded.where}: {contract.task_id}"
    for row in plan.preset:
        yield f"{where}: {row.verdict.diagnostic}; its results can only be undecided"
    if vacuous(contract):
        yield f"{where}: an execution is required and no change is expected; a pass would rest on nothing: undecided"
    running = {planned.validator.name for planned in plan.validators}
    for name, section in contract.scoring.weighted.items():
        for check in section.checks:
            if check.validator not in running:
                yield (
                    f"{where}: scoring.weighted.{name}: no validator {check.validator!r} runs under this contract; "
                    f"{check.id!r} can never be decided"
                )
    gating = [
        planned
        for planned in plan.validators
        if planned.gate is not False and planned.validator.gate
    ]
    asks = (
        contract.criteria
        or contract.fields
        or contract.model_fields_set
        - {"task_id", "task_name", "version", "family", "input"}
    )
    if not gating or not asks:
        yield f"{where}: the contract asks for nothing that could fail"


def vacuous(contract: EvalContract) -> bool:
    """Whether the contract requires an execution and expects no change of state (SPEC section 5)."""
    if (
        contract.state is None
        or not contract.success_criteria.execution_result.required
    ):
        return False
    if (
        contract.execution is not None and contract.execution.expected
    ) or contract.state.documents:
        return False
    return all(_no_op(change) for change in contract.state.expected)


def _no_op(change: ExpectedChange) -> bool:
    return {"before", "after"} <= change.model_fields_set and bool(
        change.before == change.after
    )
