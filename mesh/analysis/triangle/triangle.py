"""The Triangle of a file of records, or of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.outcomes import is_file_name
from judgemesh.mesh.analysis.row_checks import Warn, check_contracts_used, ignore
from judgemesh.mesh.analysis.run_lookup import opened_run
from judgemesh.mesh.analysis.seeds import seed_of
from judgemesh.mesh.analysis.triangle.axes import measure
from judgemesh.mesh.analysis.triangle.by_task import (
    Axes,
    axes_by_task,
    grave_kills,
    mean_interval,
    pooled_interval,
)
from judgemesh.mesh.analysis.triangle.composite import Triangle
from judgemesh.mesh.analysis.triangle.records import (
    AxisRecord,
    read_records,
    records_of_run,
)
from judgemesh.mesh.grading.contract_check.check import load_contracts
from judgemesh.mesh.metrics.comparison import PairedComparison, paired
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.triangle import TOP, Axis


@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleQuery:
    """What is measured. rollback: records or a score from elsewhere. warn: told of contracts that are not used."""

    ledger: str
    weights: Mapping[Axis, Decimal]
    preset: str = ""
    file: Path | None = None
    run: str | None = None
    rollback: Fraction | None = None
    rollback_records: Sequence[AxisRecord] = ()
    contracts: tuple[Path, ...] = ()
    warn: Warn = ignore


async def triangle_of(query: TriangleQuery) -> Triangle:
    """The Triangle of a file of records, or of a run.

    Raises:
        InputError: no such file or run, a bad row, or no axis was measured at all.
        LedgerError: the ledger cannot be read.
    """
    if query.file is not None:
        name, where, records = str(query.file), "file", read_records(query.file)
    else:
        where = "run"
        name, records = await _records_of_run(query)
    if query.rollback is not None or query.rollback_records:
        records = _without_rollback(records, name, query.warn)
    records = [*_typed(records, name, query), *query.rollback_records]
    axes = measure(records, rollback=query.rollback, seed=_seed(records), where=where)
    if all(axes[axis].score is None for axis in Axis):
        reasons = "; ".join(axes[axis].why_not for axis in Axis)
        raise ConfigError(reasons, where=name)
    by_type: dict[str, list[AxisRecord]] = {}
    for record in records:
        by_type.setdefault(record.task_type, []).append(record)
    types: dict[str, Axes] = {}
    if len(by_type) > 1:
        for task_type, members in by_type.items():
            types[task_type] = measure(members, where=where, spread=False)
    late, zero = grave_kills(records)
    triangle = Triangle(
        source=name,
        preset=query.preset,
        weights=query.weights,
        axes=axes,
        types=types,
        task_types=len({record.task_type for record in records if record.decisions}),
        tasks=axes_by_task(records, query.rollback, where),
        late=late,
        zero=zero,
    )
    return replace(triangle, ci=_interval(triangle, records, query))


def _interval(
    triangle: Triangle, records: Sequence[AxisRecord], query: TriangleQuery
) -> Interval | None:
    """The interval of T by task: of the mean over tasks, or of the pooled axes.

    None where no task has all three axes: drawing tasks then draws one axis at a time, and says nothing about T.
    """
    if triangle.t() is None or not triangle.task_scores():
        return None
    seed = _seed(records)
    if triangle.is_mean:
        return mean_interval(list(triangle.task_scores().values()), seed=seed)
    return pooled_interval(records, query.rollback, query.weights, seed=seed)


@dataclass(frozen=True, slots=True)
class TriangleChange:
    """Two Triangles of the same tasks. comparison: of T by task; None below two shared tasks, and `why_not` says so."""

    before: Triangle
    after: Triangle
    comparison: PairedComparison | None
    why_not: str = ""


async def triangle_change(
    query: TriangleQuery, before: str, after: Triangle
) -> TriangleChange:
    """Compare a Triangle with an earlier one of a file or a run, task by task.

    Raises:
        InputError: as `triangle_of`.
        LedgerError: the ledger cannot be read.
    """
    is_file = is_file_name(before)
    earlier = replace(
        query,
        file=Path(before) if is_file else None,
        run=None if is_file else before,
        rollback_records=(),
    )
    older = await triangle_of(earlier)
    scores = [one.task_scores() for one in (older, after)]
    a, b = ({task: [value] for task, value in own.items()} for own in scores)
    try:
        return TriangleChange(older, after, paired(a, b, low=0.0, high=float(TOP)))
    except ValueError as error:
        return TriangleChange(older, after, None, str(error))


async def _records_of_run(query: TriangleQuery) -> tuple[str, list[AxisRecord]]:
    async with opened_run(query.ledger, query.run) as (ledger, run):
        rows = records_of_run(ledger, run.run_id)
        return run.run_id, [record async for record in rows]


def _without_rollback(
    records: Sequence[AxisRecord], name: str, warn: Warn
) -> list[AxisRecord]:
    """The records for another rollback score; what they said of rollback is named."""
    own = sum(bool(record.ra) for record in records)
    if own:
        warn(f"{name}: --ra replaces the `ra` of {own} rows")
    return [replace(record, ra={}) for record in records]


def _typed(
    records: Sequence[AxisRecord], name: str, query: TriangleQuery
) -> list[AxisRecord]:
    """The records with the families of contracts as task types, where they have none of their own."""
    if not query.contracts:
        return list(records)
    contracts = load_contracts(query.contracts)
    tasks = [record.task_id for record in records]
    check_contracts_used(contracts, tasks, name, query.warn)
    typed: list[AxisRecord] = []
    for record in records:
        loaded = contracts.find(record.task_id)
        family = loaded.contract.family if loaded else None
        own_type = record.task_type != record.task_id
        use = record.task_type if own_type or not family else family
        typed.append(replace(record, task_type=use))
    return typed


def _seed(records: Sequence[AxisRecord]) -> int:
    return seed_of(
        f"{record.task_id} {record.correct} {record.decisions} {record.pq} "
        f"{sorted(record.ra.items())}"
        for record in records
    )
