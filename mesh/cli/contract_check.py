"""What `judgemesh contract check` finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgemesh.mesh.reporting.text import one_line, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Faults and warnings, one line each (`file:line:column: what`), and how many contracts were read."""

    contracts: int
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def conclusion(self) -> str:
        """One line for people."""
        counts = f"{plural(len(self.problems), 'fault')}, {plural(len(self.warnings), 'warning')}"
        return (
            counts
            if self.problems
            else f"{plural(self.contracts, 'contract')} can be used; {counts}"
        )

    def to_json(self) -> dict[str, object]:
        """`{ok, contracts, problems, warnings}`."""
        return {
            "ok": not self.problems,
            "contracts": self.contracts,
            "problems": list(self.problems),
            "warnings": list(self.warnings),
        }


def check_paths(paths: Sequence[Path]) -> Findings:
    """Read contracts and look at them with what is installed; faults come back as data."""
    from judgemesh.contracts.errors import ContractError
    from judgemesh.mesh.grading.contracts import check_contracts, load_contracts
    from judgemesh.mesh.grading.plugins import Registry

    try:
        contracts = load_contracts(tuple(paths))
    except ContractError as error:
        return Findings(contracts=0, problems=_lines(error.problems))
    count = len(contracts.contracts)
    try:
        return Findings(
            contracts=count,
            warnings=_lines(check_contracts(contracts, Registry.discover())),
        )
    except ContractError as error:
        return Findings(contracts=count, problems=_lines(error.problems))


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(one_line(text) for text in texts)
