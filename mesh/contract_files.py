"""Contract files -> a contract set. A file holds one contract, a list of them, or several YAML documents; a folder is
read in the order of names. Every fault is one line `file:line:column: key: what was expected`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import BaseModel, ValidationError

from judgemesh.contracts.codes import CODES, Effect, parse_code
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExpectedChange
from judgemesh.contracts.errors import ContractError
from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.section import Matcher
from judgemesh.contracts.tools import Tool
from judgemesh.mesh.plan import compile_plan, unusable
from judgemesh.mesh.problems import Path as KeyPath
from judgemesh.mesh.problems import Problem, problems_of
from judgemesh.mesh.registry import Registry
from judgemesh.mesh.weighted import faults_of
from judgemesh.mesh.yaml_text import Document, Mark, documents, items_of, text_of

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_MAX_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class LoadedContract:
    """A contract and where it stands."""

    contract: EvalContract
    where: str
    base_dir: Path
    marks: Mapping[KeyPath, Mark] = field(default_factory=dict[KeyPath, Mark], repr=False)
    """Positions of the keys that only an installed registry can judge: the `validators` section."""

    def locate(self, path: KeyPath) -> str:
        """`file:line:column` of a key of this contract, or of the nearest key above it."""
        name = self.where.rsplit(":", 2)[0]
        while path and path not in self.marks:
            path = path[:-1]
        return "{}:{}:{}".format(name, *self.marks[path]) if path in self.marks else self.where


@dataclass(frozen=True, slots=True)
class ContractSet:
    """Contracts by task id."""

    by_task: Mapping[str, LoadedContract]

    @property
    def contracts(self) -> tuple[LoadedContract, ...]:
        """All of them, in the order they were read."""
        return tuple(self.by_task.values())

    def find(self, name: str) -> LoadedContract | None:
        """The contract of a task id, or None."""
        return self.by_task.get(name)

    def digest(self) -> str:
        """One digest for all: it changes when any contract does."""
        import hashlib

        lines = sorted(f"{task} {loaded.contract.digest()}" for task, loaded in self.by_task.items())
        return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def contract_set(contracts: Iterable[EvalContract], *, base_dir: Path = Path()) -> ContractSet:
    """A set of contracts made in code.

    Raises:
        ContractError: two of them have one task id, or a weighted score of one has a fault.
    """
    by_task: dict[str, LoadedContract] = {}
    for position, contract in enumerate(contracts, start=1):
        if contract.task_id in by_task:
            raise ContractError(f"two contracts have the task_id {contract.task_id!r}")
        for name in contract.scoring.weighted:
            for fault in faults_of(contract, name):
                raise ContractError(f"{contract.task_id}: scoring.weighted.{name}: {fault.message}")
        by_task[contract.task_id] = LoadedContract(contract, f"contract {position}", base_dir)
    return ContractSet(by_task)


def load_contracts(paths: Sequence[Path]) -> ContractSet:
    """Read contract files and folders.

    Raises:
        ContractError: with every fault of every file in `problems`.
    """
    loaded: dict[str, LoadedContract] = {}
    problems: list[str] = []
    for path in paths:
        for file in _files(path):
            _read(file, loaded, problems)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ContractError(problems[0] + more, problems=tuple(problems))
    if not loaded:
        raise ContractError(
            "no contract found", where=", ".join(map(str, paths)), hint=f"expected {', '.join(_SUFFIXES)} files"
        )
    return ContractSet(loaded)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    return [path]


def _read(file: Path, loaded: dict[str, LoadedContract], problems: list[str]) -> None:
    try:
        for document in documents(text_of(file, max_bytes=_MAX_BYTES), str(file)):
            for data, path in items_of(document, "contracts"):
                _load_one(file, document, data, path, loaded, problems)
    except ContractError as error:
        problems.extend(error.problems)


def _load_one(
    file: Path, document: Document, data: Any, prefix: KeyPath, loaded: dict[str, LoadedContract], problems: list[str]
) -> None:
    def where(path: KeyPath) -> str:
        return "{}:{}:{}".format(file, *document.mark((*prefix, *path)))

    if not isinstance(data, dict):
        problems.append(f"{where(())}: expected a contract (an object with `task_id`), got {type(data).__name__}")
        return
    try:
        contract = EvalContract.model_validate(data)
    except ValidationError as error:
        found = sorted(problems_of(error, EvalContract), key=lambda problem: document.mark((*prefix, *problem.path)))
        problems.extend(f"{where(problem.path)}: {problem}" for problem in found)
        return
    faults = list(semantic_problems(contract))
    problems.extend(f"{where(problem.path)}: {problem}" for problem in faults)
    if (first := loaded.get(contract.task_id)) is not None:
        problems.append(f"{where(('task_id',))}: task_id: {contract.task_id!r} is already taken by {first.where}")
    elif not faults:
        keys: list[KeyPath] = [("validators", index) for index in range(len(contract.validators))]
        marks = {key: document.mark((*prefix, *key)) for key in keys}
        loaded[contract.task_id] = LoadedContract(contract, where(()), file.parent, marks)


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
        (("success_criteria", "execution_result"), criteria.execution_result.must_not_include),
    ):
        for index, entry in enumerate(entries):
            code = parse_code(entry)
            if code is not None and CODES[code].effect is Effect.HOLD:
                path = (*section, "must_not_include", index)
                yield Problem(path, f"{code} says something about the evaluator; it cannot fail an agent")
    for name in contract.scoring.weighted:
        for one in faults_of(contract, name):
            yield Problem(("scoring", "weighted", name, *one.path), one.message)


def _patterns(model: BaseModel, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    for name, key in (("pattern", "pattern"), ("says", "says")):
        value = getattr(model, name, None)
        if isinstance(value, str) and not (name == "says" and not isinstance(model, Activity)):
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
    except (ValueError, TypeError, RecursionError, OSError, jsonschema_rs.ReferencingError) as error:
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
    gating = [planned for planned in plan.validators if planned.gate is not False and planned.validator.gate]
    asks = (
        contract.criteria
        or contract.fields
        or contract.model_fields_set - {"task_id", "task_name", "version", "family", "input"}
    )
    if not gating or not asks:
        yield f"{where}: the contract asks for nothing that could fail"


def vacuous(contract: EvalContract) -> bool:
    """Whether the contract requires an execution and expects no change of state (SPEC section 5)."""
    if contract.state is None or not contract.success_criteria.execution_result.required:
        return False
    if (contract.execution is not None and contract.execution.expected) or contract.state.documents:
        return False
    return all(_no_op(change) for change in contract.state.expected)


def _no_op(change: ExpectedChange) -> bool:
    return {"before", "after"} <= change.model_fields_set and bool(change.before == change.after)
