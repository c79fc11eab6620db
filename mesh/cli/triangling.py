"""What `judgemesh triangle` does: fetch the axes, weigh them, show."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.choosing import chosen_run, pairs_of
from judgemesh.mesh.inputs.rows import number_of

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.triangle import Record
    from judgemesh.mesh.metrics.triangle import Axis

_FLAGS: Final = {"tsa": "tool_selection", "pq": "plan_quality", "ra": "rollback"}
_HEAVIEST: Final = Decimal(1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triangling:
    """What is measured, how it is weighed and shown."""

    ledger: str
    file: Path | None = None
    run: str | None = None
    ra: str | None = None
    preset: str = "default"
    weights: str | None = None
    contracts: tuple[Path, ...] = ()
    as_json: bool = False


def show_triangle(wanted: Triangling) -> None:
    """Print axes, T, and what to mend first.

    Raises:
        InputError: no such file or run, a bad row or weight, or no axis was measured at all.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.triangle import measure, read_records
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.metrics.triangle import Axis
    from judgemesh.mesh.reporting.triangle import (
        Triangle,
        triangle_json,
        triangle_view,
    )

    weights = _weights(wanted)
    rollback, more = _rollback(wanted.ra)
    if wanted.file is not None:
        if wanted.run is not None:
            raise ConfigError("give a FILE or --run, not both")
        name, records = str(wanted.file), read_records(wanted.file)
    else:
        name, records = asyncio.run(_of_run(wanted))
    where = "file" if wanted.file is not None else "run"
    records = [*records, *more]
    axes = measure(records, rollback=rollback, seed=_seed(records), where=where)
    if all(axes[axis].score is None for axis in Axis):
        raise ConfigError("; ".join(axes[axis].why_not for axis in Axis), where=name)
    kinds = list(dict.fromkeys(record.task_type for record in records))
    types = {
        kind: measure(
            [one for one in records if one.task_type == kind], where=where, spread=False
        )
        for kind in kinds
    }
    found = Triangle(
        source=name,
        preset="" if wanted.weights else wanted.preset,
        weights=weights,
        axes=axes,
        types=types if len(types) > 1 else {},
        task_types=len({record.task_type for record in records if record.decisions}),
    )
    if wanted.as_json:
        show_json(triangle_json(found))
    else:
        show(*triangle_view(found))


async def _of_run(wanted: Triangling) -> tuple[str, list[Record]]:
    from judgemesh.mesh.analysis.triangle import records_of_run
    from judgemesh.mesh.grading.contracts import load_contracts

    contracts = load_contracts(wanted.contracts) if wanted.contracts else None
    async with chosen_run(wanted.ledger, wanted.run) as (ledger, run):
        return run.run_id, [
            one async for one in records_of_run(ledger, run.run_id, contracts)
        ]


def _rollback(given: str | None) -> tuple[Fraction | None, list[Record]]:
    """A score, or the records of a file as far as they are about rollback."""
    from judgemesh.mesh.analysis.triangle import Record, read_records

    if given is None:
        return None, []
    try:
        value = float(given)
    except ValueError:
        records = [
            Record(task_id=one.task_id, task_type=one.task_type, ra=one.ra)
            for one in read_records(Path(given))
            if one.ra
        ]
        if not records:
            raise ConfigError("no row has `ra`", where=given) from None
        return None, records
    try:
        return Fraction(
            str(number_of(value, "a score of rollback", least=0, most=10))
        ), []
    except ValueError as error:
        raise ConfigError(str(error), where="--ra") from None


def _weights(wanted: Triangling) -> Mapping[Axis, Decimal]:
    from judgemesh.mesh.metrics.triangle import WORKLOADS, Axis

    if wanted.weights is None:
        return WORKLOADS[wanted.preset]
    if wanted.preset != "default":
        raise ConfigError("give --preset or --weights, not both")
    given = pairs_of(wanted.weights, "--weights")
    if given.keys() != _FLAGS.keys():
        odd = ", ".join(sorted(given.keys() ^ _FLAGS.keys()))
        raise ConfigError(
            f"expected one weight for each of tsa, pq and ra; look at {odd}",
            where="--weights",
        )
    return {Axis(_FLAGS[name]): _weight(name, value) for name, value in given.items()}


def _weight(name: str, text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not (value.is_finite() and 0 < value <= _HEAVIEST):
        raise ConfigError(
            f"{name}: expected a number above 0, got {text!r:.60}",
            where="--weights",
            hint="each axis matters in every workload",
        )
    return value


def _seed(records: Sequence[Record]) -> int:
    """A seed that follows from what is measured, whatever its order."""
    lines = sorted(
        f"{one.task_id} {one.correct} {one.decisions} {one.pq} {sorted(one.ra.items())}"
        for one in records
    )
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:8])
