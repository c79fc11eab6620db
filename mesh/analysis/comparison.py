"""Two versions compared on the tasks they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Gate
from judgemesh.mesh.analysis.graded_rows import GradedRow, amount, one_currency
from judgemesh.mesh.analysis.outcomes import OutcomeQuery, results_of
from judgemesh.mesh.analysis.row_checks import check_paired_names
from judgemesh.mesh.analysis.success import row_seed
from judgemesh.mesh.metrics.asr import contribution
from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    GateComparison,
    PairedComparison,
    gates,
    paired,
)

By = Literal["task", "result"]


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """The change of the success rate from A to B, and of the gates."""

    success: PairedComparison
    gates: GateComparison

    @property
    def regressed(self) -> bool:
        """Whether B is worse beyond chance."""
        return self.success.change is ComparisonVerdict.REGRESSED


async def compare_versions(
    a: str, b: str, by: By, query: OutcomeQuery
) -> VersionComparison:
    """Compare two files or runs, with people's labels in place of grades.

    Args:
        a: the older version, a JSONL file or a run.
        b: the newer version.
        by: what pairs results: their task (repeats are averaged), or their own id.
        query: the ledger, contracts and labels.

    Raises:
        InputError: no such file or run, a bad row, several currencies, too few pairs.
        LedgerError: the ledger cannot be read.
    """
    older = await _paired_rows(a, by, query)
    newer = await _paired_rows(b, by, query)
    both = [*older, *newer]
    one_currency(both)
    try:
        success = paired(
            _contributions(older, by), _contributions(newer, by), seed=row_seed(both)
        )
    except ValueError as error:
        hint = "--by result pairs by result_id" if by == "task" else None
        raise ConfigError(str(error), hint=hint) from None
    return VersionComparison(success, gates(_passed(older, by), _passed(newer, by)))


async def _paired_rows(name: str, by: By, query: OutcomeQuery) -> list[GradedRow]:
    """The rows of a version; each has the id that pairs it."""
    rows = (await results_of(name, query)).with_labels()
    key = f"{by}_id"
    unnamed = [row.result_id for row in rows if key in row.unnamed]
    check_paired_names(unnamed, key, name)
    return rows


def _contributions(rows: Sequence[GradedRow], by: By) -> Mapping[str, Sequence[float]]:
    """What each decided result adds to the success rate, by the key that pairs."""
    contributions: dict[str, list[float]] = {}
    for row in rows:
        if row.outcome is not None:
            value = contribution(row.outcome, amount(row.cost), amount(row.ceiling))
            contributions.setdefault(_key(row, by), []).append(float(value))
    return contributions


def _passed(rows: Sequence[GradedRow], by: By) -> dict[str, bool]:
    """Whether all decided gates of a key passed; undecided gates do not count."""
    passed: dict[str, bool] = {}
    for row in rows:
        if row.gate in (Gate.PASS, Gate.FAIL):
            key = _key(row, by)
            passed[key] = passed.get(key, True) and row.gate is Gate.PASS
    return passed


def _key(row: GradedRow, by: By) -> str:
    return row.task_id if by == "task" else row.result_id
