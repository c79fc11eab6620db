"""Contracts by their task ids, and where each of them stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.problems import KeyPath

if TYPE_CHECKING:
    from judgemesh.mesh.inputs.yaml_reader import Mark, YamlDocument


class Position(NamedTuple):
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


class LoadedContract(NamedTuple):
    """A contract and where it stands."""

    contract: EvalContract
    where: str
    base_dir: Path
    position: Position | None = None
    """Where its keys stand; None for a contract made in code."""

    def locate(self, path: KeyPath) -> str:
        """`file:line:column` of a key of this contract, or of the nearest key above it."""
        return self.where if self.position is None else self.position.where(path)


class ContractSet(NamedTuple):
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
    mapping = cast("Mapping[str, object]", data)
    try:
        return EvalContract.model_validate(data)
    except ValidationError as error:
        from judgemesh.mesh.inputs.contract_problems import contract_problems

        problems = tuple(map(str, contract_problems(error, mapping)))
    task_id = str(mapping.get("task_id", ""))
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
