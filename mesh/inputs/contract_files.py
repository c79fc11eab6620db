"""Contract files, read into a contract set.

A file holds one contract, a list of them, or several YAML documents; a folder is read in the order of names. Every
fault is one line `file:line:column: key: what was expected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.contract_problems import contract_problems
from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract, Position
from judgemesh.mesh.inputs.problems import Problem
from judgemesh.mesh.inputs.yaml import documents, items_of, text_of

_SUFFIXES: Final = (".yaml", ".yml", ".json")
ContractCheck = Callable[[EvalContract], Iterable[Problem]]
"""Finds the faults of a contract that its types cannot express."""


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
            faults = contract_problems(error, cast("dict[str, Any]", data))
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
