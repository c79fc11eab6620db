"""What pairs the results of two versions, and what counts as one unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.graded_rows import (
    GradedRow,
    amount,
    cost_is_missing,
)
from judgemesh.mesh.analysis.row_checks import check_paired_names
from judgemesh.mesh.metrics.asr import contribution

By = Literal["task", "result"]
Values = dict[str, list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """How two sets are compared.

    by: what pairs their results, None for two sets that are not paired.
    clustered: whether results of a task are one unit. Where they are not, each result is one.
    chosen: whether the user chose it.
    repeated: whether a task has several results on a side.
    """

    by: By | None
    repeated: bool
    clustered: bool = True
    chosen: bool = False


def pairing_of(
    a: Sequence[GradedRow],
    b: Sequence[GradedRow],
    by: By | None,
    names: tuple[str, str],
    *,
    unpaired: bool,
) -> Pairing:
    """By task; where tasks repeat and both sides have the same results, by result; where no task is shared, not at all.

    Raises:
        ConfigError: a row lacks the id that pairs it.
    """
    repeated = _repeats(a) or _repeats(b)
    if unpaired:
        return Pairing(by=None, repeated=repeated, chosen=True)
    for rows, name in zip((a, b), names, strict=True):
        key = f"{by or 'task'}_id"
        check_paired_names(
            [row.result_id for row in rows if key in row.unnamed], key, name
        )
    if by is not None:
        return Pairing(by=by, repeated=repeated, clustered=by == "task", chosen=True)
    tasks = _tasks(a) & _tasks(b)
    if not tasks:
        return Pairing(by=None, repeated=repeated)
    if repeated and _same_results(a, b):
        return Pairing(by="result", repeated=repeated, clustered=len(tasks) > 1)
    return Pairing(by="task", repeated=repeated)


def _repeats(rows: Sequence[GradedRow]) -> bool:
    return len(_tasks(rows)) < len(rows)


def _tasks(rows: Sequence[GradedRow]) -> set[str]:
    return {row.task_id for row in rows}


def _same_results(a: Sequence[GradedRow], b: Sequence[GradedRow]) -> bool:
    """Whether more than half of the results of the smaller side are on the other, under the same task."""
    older, newer = (
        {(row.task_id, row.result_id) for row in rows if not row.unnamed}
        for rows in (a, b)
    )
    return 2 * len(older & newer) > min(len(a), len(b))


def compared(
    a: Sequence[GradedRow], b: Sequence[GradedRow], pairing: Pairing
) -> tuple[list[GradedRow], list[GradedRow]]:
    """The rows that are compared: of results paired by their id, those that both sides have."""
    if pairing.by != "result":
        return list(a), list(b)
    shared = {row.result_id for row in a} & {row.result_id for row in b}
    older = [row for row in a if row.result_id in shared]
    newer = [row for row in b if row.result_id in shared]
    return older, newer


def values_of(
    rows: Sequence[GradedRow],
    pairing: Pairing,
    credit: Mapping[OutcomeClass, Decimal],
    side: str,
) -> tuple[Values, Values, Values]:
    """By unit: what decided results contribute, the most of undecided ones, and those of the first of unknown cost.

    A result under a ceiling whose cost is unknown counts as free; it stands in the third as well, because it can be
    worth anything down to 0.

    Args:
        rows: of one side.
        pairing: says what a unit is.
        credit: of each class.
        side: a name that keeps the tasks of two sets apart that are not paired.
    """
    best = max(credit, key=lambda outcome: credit[outcome])
    decided: Values = {}
    undecided: Values = {}
    uncosted: Values = {}
    for row in rows:
        unit = row.task_id if pairing.clustered else row.result_id
        if pairing.by is None:
            unit = f"{side}:{unit}"
        values = undecided if row.outcome is None else decided
        cost, ceiling = amount(row.cost), amount(row.ceiling)
        value = contribution(row.outcome or best, cost, ceiling, credit)
        values.setdefault(unit, []).append(float(value))
        if cost_is_missing(row, credit):
            uncosted.setdefault(unit, []).append(float(value))
    return decided, undecided, uncosted


def check_pairs(a: Values, b: Values, pairing: Pairing) -> None:
    """Refuse a paired comparison of fewer than two pairs.

    Raises:
        ConfigError: fewer are decided on both sides.
    """
    shared = len(a.keys() & b.keys())
    if shared < 2:
        unit, other = ("tasks", "result") if pairing.clustered else ("results", "task")
        raise ConfigError(
            f"two versions are compared on the {unit} they share; these share {shared} that both decided",
            hint=f"--by {other} pairs by {other}_id; --unpaired compares two sets of tasks",
        )
