"""Contracts, read and checked: faults raise, and what deserves a look before grading becomes a warning.

A fault is a contradiction, or a thing that the contract names and that nobody looks for. A warning is a thing that is
looked for and can say little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.grading.contract_check.faults import contract_faults
from judgemesh.mesh.grading.contract_check.sources import source_faults
from judgemesh.mesh.grading.contract_check.warnings import contract_warnings
from judgemesh.mesh.grading.coverage.rows import Coverage
from judgemesh.mesh.grading.plan import GradingPlan, compile_plan, unusable
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.inputs import contracts as files
from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract
from judgemesh.mesh.inputs.problems import Problem


class CheckedContract(NamedTuple):
    """What checking one contract found: its coverage table, errors and warnings, one line each."""

    loaded: LoadedContract
    coverage: tuple[Coverage, ...] = ()
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def load_contracts(paths: Sequence[Path]) -> ContractSet:
    """Read and check contract files and folders.

    Raises:
        ContractError: with every fault of every file in `problems`.
    """
    from judgemesh.mesh.inputs.contract_files import read_contracts

    return read_contracts(paths, contract_faults)


def contract_set(
    contracts: Iterable[EvalContract], *, base_dir: Path = Path()
) -> ContractSet:
    """A checked set of contracts made in code.

    Raises:
        ContractError: two contracts have the same task id, or one has a fault; all faults are in `problems`.
    """
    checked = files.contract_set(contracts, base_dir=base_dir)
    problems: list[str] = []
    for loaded in checked.contracts:
        for fault in contract_faults(loaded.contract):
            problems.append(f"{loaded.contract.task_id}: {fault}")
    _raise(problems)
    return checked


def check_contracts(
    contracts: ContractSet, registry: ValidatorRegistry, *, also: Sequence[str] = ()
) -> list[str]:
    """Warnings before grading, one line each; each line says where.

    Args:
        contracts: the contracts.
        registry: the installed validators.
        also: validators that the run adds to those of each contract.

    Raises:
        ContractError: a contract names what nobody looks for, a validator that cannot be used, or a source that cannot
            be opened; every fault is in `problems`.
    """
    warnings: list[str] = []
    problems: list[str] = []
    for checked in checked_contracts(contracts, registry, also=also):
        problems += checked.problems
        warnings += checked.warnings
    _raise(problems)
    return warnings


def checked_contracts(
    contracts: ContractSet, registry: ValidatorRegistry, *, also: Sequence[str] = ()
) -> Iterator[CheckedContract]:
    """Each contract with its coverage table and findings; nothing is raised."""
    for loaded in contracts.contracts:
        faults = list(_unusable_validators(loaded.contract, registry))
        faults += source_faults(loaded.contract, loaded.base_dir)
        if any(fault.path[0] == "validators" for fault in faults):
            yield CheckedContract(loaded, problems=_located(loaded, faults))
            continue
        plan = compile_plan(
            loaded.contract,
            registry,
            base_dir=loaded.base_dir,
            also=[name for name in also if unusable(name, registry) is None],
        )
        faults += _unlooked(plan)
        yield CheckedContract(
            loaded,
            plan.coverage,
            _located(loaded, faults),
            _located(loaded, contract_warnings(loaded.contract, plan)),
        )


def _unusable_validators(
    contract: EvalContract, registry: ValidatorRegistry
) -> Iterator[Problem]:
    for index, choice in enumerate(contract.validators):
        problem = unusable(choice.name, registry)
        if problem is not None:
            yield Problem(("validators", index), problem)
        elif choice.args and not registry.validators[choice.name].takes_args:
            message = (
                f"{choice.name} takes no arguments, so that nothing would be checked by them; "
                "remove them, and say what is expected in its section of the contract"
            )
            yield Problem(("validators", index, "args"), message)


def _unlooked(plan: GradingPlan) -> Iterator[Problem]:
    """What nobody looks for."""
    for row in plan.coverage:
        if not row.is_looked_for:
            remedy = f"; {row.remedy}" if row.remedy else ""
            yield Problem(row.path, f"{row.what}: {row.why}{remedy}")


def _located(loaded: LoadedContract, problems: Iterable[Problem]) -> tuple[str, ...]:
    lines: list[str] = []
    for problem in problems:
        where = loaded.locate(problem.path)
        if not problem.path or loaded.position is None:
            where += f": {loaded.contract.task_id}"
        lines.append(f"{where}: {problem}")
    return tuple(lines)


def _raise(problems: Sequence[str]) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ContractError(problems[0] + more, problems=tuple(problems))
