"""Two runs, result by result: how many have which pair of gates, and which results flipped. Reads all of both runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, and_, func, literal, select

from judgemesh.contracts.report import Gate
from judgemesh.mesh.ledger.schema.summary_tables import result_summary
from judgemesh.mesh.viewer.queries.task_change import task_change

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.comparison import PairedComparison

FLIPS_KEPT: Final = 2_000
"""Of each direction; the counts are exact whatever is kept."""

Pair = tuple[str, str]
"""Gate before and after."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs have in common.

    counts: results that both have, by their pair of gates. flips: the first ids of each pair of different gates.
    only_before, only_after: results that one of the runs has not.
    by_task: the change with tasks as the units, where they have several results or no result is in both runs.
    """

    counts: Mapping[Pair, int]
    flips: Mapping[Pair, Sequence[str]]
    only_before: int
    only_after: int
    by_task: PairedComparison | None = None

    @property
    def shared(self) -> int:
        """Results that both runs have."""
        return sum(self.counts.values())

    def count(self, before: Gate, after: Gate) -> int:
        """Results with that pair of gates."""
        return self.counts.get((before.value, after.value), 0)


def compare_runs(connection: Connection, before: str, after: str) -> Comparison:
    """The comparison of two runs, paired by result id."""
    old, new = result_summary.alias("old"), result_summary.alias("new")
    both = and_(
        new.c.eval_id == literal(f"{after}:").concat(old.c.result_id),
        old.c.run_id == before,
    )
    paired = old.join(new, both)
    keys = (old.c.gate, new.c.gate)
    grouped = select(*keys, func.count()).select_from(paired).group_by(*keys)
    counts: dict[Pair, int] = {}
    for old_gate, new_gate, count in connection.execute(grouped):
        counts[old_gate, new_gate] = count
    flips: dict[Pair, Sequence[str]] = {}
    for pair in counts:
        if pair[0] != pair[1]:
            query = (
                select(old.c.result_id)
                .select_from(paired)
                .where(old.c.gate == pair[0], new.c.gate == pair[1])
                .order_by(old.c.result_id)
                .limit(FLIPS_KEPT)
            )
            flips[pair] = list(connection.execute(query).scalars())
    shared = sum(counts.values())
    return Comparison(
        counts=counts,
        flips=flips,
        only_before=_size(connection, before) - shared,
        only_after=_size(connection, after) - shared,
        by_task=task_change(connection, before, after, shared=shared),
    )


def _size(connection: Connection, run_id: str) -> int:
    table: Any = result_summary.c
    query = (
        select(func.count()).select_from(result_summary).where(table.run_id == run_id)
    )
    return connection.execute(query).scalar_one()
