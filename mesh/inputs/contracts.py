"""Contract files, read into a contract set.

A file holds one contract, a list of them, or several YAML documents; a folder is read in the order of names. Every
fault is one line `file:line:column: key: what was expected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.problems import KeyPath, Problem, problems_of
from judgemesh.mesh.inputs.yaml import documents, items_of, text_of
from judgemesh.mesh.inputs.yaml_reader import Mark, YamlDocument

_SUFFIXES: Final = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Position:
    """Where a contract stands: its file, its YAML document, and the keys down to it."""

    file: Path
    document: YamlDocument
    prefix: KeyPath

    def mark(self, path: KeyPath) -> Mark:
        """Line and column of a key, or of the nearest key above it."""
        return self.document.mark((*self.prefix, *path))

    def where(self, path: KeyPath = ()) -> str:
        """`file:line:column` of a key."""
        line, column = self.mark(path)
        return f"{self.file}:{line}:{column}"

    def loaded(self, contract: EvalContract) -> LoadedContract:
        """The contract that stands here."""
        return LoadedContract(contract, self.where(), self.file.parent, self)


@dataclass(frozen=True, slots=True)
class LoadedContract:
    """A contract and where it stands."""

    contract: EvalContract
    where: str
    base_dir: Path
    position: Position | None = field(default=None, repr=False)
    """Where its keys stand; None for a contract made in code."""

    def locate(self, path: KeyPath) -> str:
        """`file:line:column` of a key of this contract, or of the nearest key above it."""
        return self.where if self.position is None else self.position.where(path)


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

        lines: list[str] = []
        for task_id, loaded in sorted(self.by_task.items()):
            lines.append(f"{task_id} {loaded.contract.digest()}")
        return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


ContractCheck = Callable[[EvalContract], Iterable[Problem]]
"""Finds the faults of a contract that its types cannot express."""


def contract_of(data: object) -> EvalContract:
    """A contract from an object or a mapping with the keys of a contract file.

    Raises:
        ContractError: it is neither, or the mapping is no contract; `problems` has a line for each fault.
    """
    if isinstance(data, EvalContract):
        return data
    if not isinstance(data, Mapping):
        raise ContractError(
            f"expected a file, a contract or a mapping, got {type(data).__name__}",
            where="contracts",
        )
    try:
        return EvalContract.model_validate(data)
    except ValidationError as error:
        problems = tuple(map(str, problems_of(error, EvalContract)))
    task_id = str(cast("Mapping[str, object]", data).get("task_id", ""))
    raise ContractError(problems[0], where=f"contract {task_id!r}", problems=problems)


def contract_set(
    contracts: Iterable[EvalContract], *, base_dir: Path = Path()
) -> ContractSet:
    """A set of contracts made in code.

    Raises:
        ContractError: two contracts have the same task id.
    """
    by_task: dict[str, LoadedContract] = {}
    for position, contract in enumerate(contracts, start=1):
        if contract.task_id in by_task:
            raise ContractError(f"two contracts have the task_id {contract.task_id!r}")
        by_task[contract.task_id] = LoadedContract(
            contract, f"contract {position}", base_dir
        )
    return ContractSet(by_task)


def read_contracts(paths: Sequence[Path], check: ContractCheck) -> ContractSet:
    """Read contract files and folders; every contract is passed to `check` too.

    Raises:
        ContractError: with every fault of every file in `problems`.
    """
    reader = _Reader(check)
    for path in paths:
        for file in _files(path):
            reader.read(file)
    problems = reader.problems
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ContractError(problems[0] + more, problems=tuple(problems))
    if not reader.by_task:
        raise ContractError(
            "no contract found",
            where=", ".join(map(str, paths)),
            hint=f"expected {', '.join(_SUFFIXES)} files",
        )
    return ContractSet(reader.by_task)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [file for file in path.rglob("*") if file.suffix in _SUFFIXES]
    return sorted(file for file in files if file.is_file())


@dataclass(slots=True)
class _Reader:
    """Reads one file after the other; faults of all of them are collected."""

    check: ContractCheck
    by_task: dict[str, LoadedContract] = field(
        default_factory=dict[str, LoadedContract]
    )
    problems: list[str] = field(default_factory=list[str])

    def read(self, file: Path) -> None:
        """Read every contract of a file."""
        try:
            text = text_of(file)
            for document in documents(text, str(file)):
                for data, prefix in items_of(document, "contracts"):
                    self._add(data, Position(file, document, prefix))
        except ContractError as error:
            self.problems.extend(error.problems)

    def _add(self, data: Any, position: Position) -> None:
        """Add the contract that `data` describes, or its faults."""
        if not isinstance(data, dict):
            kind = type(data).__name__
            self.problems.append(
                f"{position.where()}: expected a contract (an object with `task_id`), got {kind}"
            )
            return
        try:
            contract = EvalContract.model_validate(data)
        except ValidationError as error:
            faults = problems_of(error, EvalContract)
            faults.sort(key=lambda fault: position.mark(fault.path))
        else:
            faults = list(self.check(contract))
            other = self.by_task.get(contract.task_id)
            if other is not None:
                message = f"{contract.task_id!r} is already taken by {other.where}"
                faults.append(Problem(("task_id",), message))
            elif not faults:
                self.by_task[contract.task_id] = position.loaded(contract)
        self.problems.extend(
            f"{position.where(fault.path)}: {fault}" for fault in faults
        )
