"""Coverage, faults and warnings of contract files, checked against the installed validators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.grading.contract_check.check import (
    CheckedContract,
    checked_contracts,
    load_contracts,
)
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.runs.contract_trial import Trial, try_contracts


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractFindings:
    """Faults and warnings (`file:line:column: message`), and each contract with its coverage table."""

    contracts: tuple[CheckedContract, ...] = ()
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    trials: tuple[Trial, ...] = ()


def check_paths(
    paths: Sequence[Path],
    *,
    also: Sequence[str] = (),
    results: Sequence[Path] = (),
) -> ContractFindings:
    """Read and check contracts; faults are returned, not raised.

    Args:
        paths: contract files and folders.
        also: validators that a run adds to those of each contract.
        results: files of results on which the names of the contracts are tried.
    """
    try:
        contracts = load_contracts(tuple(paths))
        registry = ValidatorRegistry.discover()
    except ContractError as error:
        return ContractFindings(problems=error.problems)
    checked = tuple(checked_contracts(contracts, registry, also=also))
    problems: list[str] = []
    warnings: list[str] = []
    for contract in checked:
        problems += contract.problems
        warnings += contract.warnings
    trials, unusable = try_contracts(contracts, results)
    warnings += unusable
    for trial in trials:
        warnings += trial.unmet()
    return ContractFindings(
        contracts=checked,
        problems=tuple(problems),
        warnings=tuple(warnings),
        trials=tuple(trials),
    )
