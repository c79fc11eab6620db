"""Faults and warnings of contract files, checked against the installed validators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.grading.contracts import check_contracts, load_contracts
from judgemesh.mesh.grading.plugins import ValidatorRegistry


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractFindings:
    """Faults and warnings (`file:line:column: message`), and the number of contracts."""

    contracts: int
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_paths(paths: Sequence[Path]) -> ContractFindings:
    """Read and check contracts; faults are returned, not raised."""
    try:
        contracts = load_contracts(tuple(paths))
    except ContractError as error:
        return ContractFindings(contracts=0, problems=error.problems)
    count = len(contracts.contracts)
    try:
        warnings = check_contracts(contracts, ValidatorRegistry.discover())
    except ContractError as error:
        return ContractFindings(contracts=count, problems=error.problems)
    return ContractFindings(contracts=count, warnings=tuple(warnings))
