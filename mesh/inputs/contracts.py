"""Contract files -> a contract set. A file holds one contract, a list of them, or several YAML documents; a folder is
read in the order of names. Every fault is one line `file:line:column: key: what was expected`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.problems import Path as KeyPath
from judgemesh.mesh.inputs.problems import Problem, problems_of
from judgemesh.mesh.inputs.yaml import Document, Mark, documents, items_of, text_of

_SUFFIXES: Final = (".yaml", ".yml", ".json")
_MAX_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True)
class LoadedContract:
    """A contract and where it stands."""

    contract: EvalContract
    where: str
    base_dir: Path
    marks: Mapping[KeyPath, Mark] = field(
        default_factory=dict[KeyPath, Mark], repr=False
    )
    """Positions of the keys that only an installed registry can judge: the `validators` section."""

    def locate(self, path: KeyPath) -> str:
        """`file:line:column` of a key of this contract, or of the nearest key above it."""
        name = self.where.rsplit(":", 2)[0]
        while path and path not in self.marks:
            path = path[:-1]
        return (
            "{}:{}:{}".format(name, *self.marks[path])
            if path in self.marks
            else self.where
        )


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

        lines = sorted(
            f"{task} {loaded.contract.digest()}"
            for task, loaded in self.by_task.items()
        )
        return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


ContractCheck = Callable[[EvalContract], Iterable[Problem]]
"""Finds the faults of a contract that its types cannot express."""


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
    loaded: dict[str, LoadedContract] = {}
    problems: list[str] = []
    for path in paths:
        for file in _files(path):
            _read(file, check, loaded, problems)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ContractError(problems[0] + more, problems=tuple(problems))
    if not loaded:
        raise ContractError(
            "no contract found",
            where=", ".join(map(str, paths)),
            hint=f"expected {', '.join(_SUFFIXES)} files",
        )
    return ContractSet(loaded)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(
            file
            for file in path.rglob("*")
            if file.suffix in _SUFFIXES and file.is_file()
        )
    return [path]


def _read(
    file: Path,
    check: ContractCheck,
    loaded: dict[str, LoadedContract],
    problems: list[str],
) -> None:
    try:
        for document in documents(text_of(file, max_bytes=_MAX_BYTES), str(file)):
            for data, path in items_of(document, "contracts"):
                _load_one(file, document, data, path, check, loaded, problems)
    except ContractError as error:
        problems.extend(error.problems)


def _load_one(
    file: Path,
    document: Document,
    data: Any,
    prefix: KeyPath,
    check: ContractCheck,
    loaded: dict[str, LoadedContract],
    problems: list[str],
) -> None:
    def where(path: KeyPath) -> str:
        return "{}:{}:{}".format(file, *document.mark((*prefix, *path)))

    if not isinstance(data, dict):
        problems.append(
            f"{where(())}: expected a contract (an object with `task_id`), got {type(data).__name__}"
        )
        return
    try:
        contract = EvalContract.model_validate(data)
    except ValidationError as error:
        found = sorted(
            problems_of(error, EvalContract),
            key=lambda problem: document.mark((*prefix, *problem.path)),
        )
        problems.extend(f"{where(problem.path)}: {problem}" for problem in found)
        return
    faults = list(check(contract))
    problems.extend(f"{where(problem.path)}: {problem}" for problem in faults)
    if (first := loaded.get(contract.task_id)) is not None:
        problems.append(
            f"{where(('task_id',))}: task_id: {contract.task_id!r} is already taken by {first.where}"
        )
    elif not faults:
        keys: list[KeyPath] = [
            ("validators", index) for index in range(len(contract.validators))
        ]
        marks = {key: document.mark((*prefix, *key)) for key in keys}
        loaded[contract.task_id] = LoadedContract(
            contract, where(()), file.parent, marks
        )
