"""Two versions compared: their levels, the change of the success rate, the gates, and the results that flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.mesh.analysis.graded_rows import (
    GradedRow,
    capped_rows,
    check_ceiling_used,
    no_costs,
    one_currency,
)
from judgemesh.mesh.analysis.labels.labels import read_reviews
from judgemesh.mesh.analysis.labels.people import (
    overridden,
    people_of,
    unseen_grades,
)
from judgemesh.mesh.analysis.outcomes import GradedResults, OutcomeQuery, results_of
from judgemesh.mesh.analysis.row_checks import check_labels_used
from judgemesh.mesh.analysis.success import row_seed, task_of, valid
from judgemesh.mesh.analysis.versions.flips import Flip, flips_of
from judgemesh.mesh.analysis.versions.pairing import (
    By,
    Pairing,
    check_pairs,
    compared,
    pairing_of,
    values_of,
)
from judgemesh.mesh.metrics.asr import CREDITS, AgentSuccess, agent_success
from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    PairedComparison,
    UnpairedComparison,
    paired,
    unpaired,
)
from judgemesh.mesh.metrics.gates import GateComparison, gates


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareQuery:
    """Two versions, and how they are rated.

    by: what pairs results; None chooses by the data. unpaired: nothing is paired.
    labels: files of people's labels; one for both versions, or A's and then B's.
    """

    a: str
    b: str
    results: OutcomeQuery
    by: By | None = None
    unpaired: bool = False
    ceiling: Decimal | None = None
    credit: Mapping[OutcomeClass, Decimal] = field(default_factory=lambda: CREDITS)
    labels: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version as `asr` rates it, over all of its results.

    passed: share of the decided gates that passed; None without gates.
    """

    name: str
    success: AgentSuccess
    passed: float | None
    failed_gates: int
    open_gates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionComparison:
    """The change from A to B. gates: None where nothing is paired."""

    a: Version
    b: Version
    success: PairedComparison | UnpairedComparison
    gates: GateComparison | None
    flips: Sequence[Flip]
    pairing: Pairing
    tasks: int
    currency: str

    @property
    def regressed(self) -> bool:
        """Whether B is worse beyond chance."""
        return self.success.change is ComparisonVerdict.REGRESSED


async def compare_versions(query: CompareQuery) -> VersionComparison:
    """Compare two files or runs, with people's labels in place of grades.

    Raises:
        InputError: no such file or run, a bad row, several currencies, too few pairs.
        LedgerError: the ledger cannot be read.
    """
    sides = [await results_of(name, query.results) for name in (query.a, query.b)]
    sides = _with_label_files(sides, query)
    for side in sides:
        _say_unseen(side, query)
    older, newer = (side.with_labels() for side in sides)
    currency = one_currency([*older, *newer])
    if query.ceiling is not None:
        ceiling = Money(query.ceiling, currency)
        check_ceiling_used([*older, *newer], query.results.warn)
        older, newer = _with_ceiling(older, ceiling), _with_ceiling(newer, ceiling)
    names = (sides[0].name, sides[1].name)
    older, newer = _with_costs(older, newer, names, query)
    pairing = pairing_of(older, newer, query.by, names, unpaired=query.unpaired)
    versions = [
        _version(name, rows, query, clustered=pairing.clustered)
        for name, rows in zip(names, (older, newer), strict=True)
    ]
    older, newer = compared(older, newer, pairing)
    flips: list[Flip] = []
    split = None
    if pairing.by is not None:
        flips = flips_of(older, newer, by_result=pairing.by == "result")
        split = gates(_passed(older, pairing), _passed(newer, pairing))
    return VersionComparison(
        a=versions[0],
        b=versions[1],
        success=_change(older, newer, pairing, query),
        gates=split,
        flips=flips,
        pairing=pairing,
        tasks=len({row.task_id for row in older} & {row.task_id for row in newer}),
        currency=currency,
    )


def _change(
    a: Sequence[GradedRow],
    b: Sequence[GradedRow],
    pairing: Pairing,
    query: CompareQuery,
) -> PairedComparison | UnpairedComparison:
    older, older_open, older_most = values_of(a, pairing, query.credit, "a")
    newer, newer_open, newer_most = values_of(b, pairing, query.credit, "b")
    compare = unpaired if pairing.by is None else paired
    if compare is paired:
        check_pairs(older, newer, pairing)
    return valid(
        lambda: compare(
            older,
            newer,
            open_a=older_open,
            open_b=newer_open,
            at_most=(older_most, newer_most),
        )
    )


def _version(
    name: str, rows: Sequence[GradedRow], query: CompareQuery, *, clustered: bool
) -> Version:
    tasks = [task_of(row, named=clustered) for row in rows]
    success = valid(
        lambda: agent_success(tasks, seed=row_seed(rows), credit=query.credit)
    )
    gate = [row.gate for row in rows]
    passed, failed = gate.count(Gate.PASS), gate.count(Gate.FAIL)
    return Version(
        name=name,
        success=success,
        passed=passed / (passed + failed) if passed + failed else None,
        failed_gates=failed,
        open_gates=gate.count(Gate.UNDECIDED),
    )


def _with_ceiling(rows: Sequence[GradedRow], ceiling: Money) -> list[GradedRow]:
    return [replace(row, ceiling=row.ceiling or ceiling) for row in rows]


def _without_ceiling(rows: Sequence[GradedRow]) -> list[GradedRow]:
    return [replace(row, ceiling=None) for row in rows]


def _with_costs(
    older: list[GradedRow],
    newer: list[GradedRow],
    names: tuple[str, str],
    query: CompareQuery,
) -> tuple[list[GradedRow], list[GradedRow]]:
    """Both sides, without ceilings where neither has costs; what cannot be held against a ceiling is said.

    Raises:
        ConfigError: a side has no cost that a ceiling can be held against; without `--ceiling` that is allowed where
            neither side has one, because both are then rated by their classes alone.
    """
    counts = [capped_rows(rows, query.credit) for rows in (older, newer)]
    if query.ceiling is None and all(unknown == capped for unknown, capped in counts):
        if any(unknown for unknown, _capped in counts):
            query.results.warn("no cost is known on either side: ceilings are not used")
        return _without_ceiling(older), _without_ceiling(newer)
    for name, (unknown, capped) in zip(names, counts, strict=True):
        if unknown and unknown == capped:
            raise no_costs(name)
        if unknown:
            query.results.warn(
                f"{name}: {unknown} of {capped} results that a cost ceiling is for have no cost; the rate of the side "
                "counts them as free, its bounds, the change and the verdict as worth anything from 0 to that"
            )
    return older, newer


def _with_label_files(
    sides: Sequence[GradedResults], query: CompareQuery
) -> list[GradedResults]:
    """The results with the labels of the files in place of those of the ledger.

    Raises:
        ConfigError: there are more than two files, none is for a result of a side, or one file could mean either side.
    """
    files = query.labels
    if not files:
        return list(sides)
    if len(files) > 2:
        raise ConfigError("expected one file, or A's and then B's", where="--labels")
    found: list[GradedResults] = []
    ids = [{row.result_id for row in side.rows} for side in sides]
    for place, side in enumerate(sides):
        reviews = read_reviews(files[min(place, len(files) - 1)])
        labelled = [review.item.result_id for review in reviews]
        if len(files) == 1:
            _check_one_side(labelled, ids)
            check_labels_used(labelled, ids[0] | ids[1], "A and B", query.results.warn)
        else:
            check_labels_used(labelled, ids[place], side.name, query.results.warn)
        found.append(replace(side, people=people_of(reviews)))
    return found


def _say_unseen(side: GradedResults, query: CompareQuery) -> None:
    """Say where labels changed some grades of a version while others were not looked at."""
    _rows, overrides = overridden(side.rows, side.people)
    unseen = unseen_grades(side.rows, side.people)
    if unseen and (overrides.changed or overrides.decided):
        query.results.warn(
            f"{side.name}: {unseen}; a change may come from the labels alone (--no-labels ignores those of a ledger)"
        )


def _check_one_side(labelled: Sequence[str], ids: Sequence[set[str]]) -> None:
    both = sorted(set(labelled) & ids[0] & ids[1])
    if both:
        raise ConfigError(
            f"{both[0]} is a result of A and of B, and the label does not say which",
            where="--labels",
            hint="give --labels twice: the labels of A, then those of B",
        )


def _passed(rows: Sequence[GradedRow], pairing: Pairing) -> dict[str, bool]:
    """Whether all decided gates of a unit passed; undecided gates do not count."""
    passed: dict[str, bool] = {}
    for row in rows:
        if row.gate in (Gate.PASS, Gate.FAIL):
            key = row.task_id if pairing.clustered else row.result_id
            passed[key] = passed.get(key, True) and row.gate is Gate.PASS
    return passed
