"""Which results are graded otherwise in the newer version, and with which failure codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.graded_rows import GradedRow

_CREDITED = (OutcomeClass.COMPLETE, OutcomeClass.PARTIAL_PLUS)


class FlipKind(StrEnum):
    """The direction of a flip."""

    WORSE = "worse"
    BETTER = "better"
    OTHER = "other"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Flip:
    """A result, or a task with several results, that is graded otherwise.

    before, after: the class, or the classes of a task's results with their numbers.
    lost, gained: failure codes of the older version that the newer lacks, and the reverse.
    """

    task_id: str
    result_id: str | None
    kind: FlipKind
    before: str
    after: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]


def flips_of(
    a: Sequence[GradedRow], b: Sequence[GradedRow], *, by_result: bool
) -> list[Flip]:
    """The flips, the worse first; results that one side lacks are none."""
    older, newer = _grouped(a, by_result=by_result), _grouped(b, by_result=by_result)
    flips: list[Flip] = []
    for name in sorted(older.keys() & newer.keys()):
        flip = _flip(older[name], newer[name])
        if flip is not None:
            flips.append(flip)
    kinds = list(FlipKind)
    return sorted(flips, key=lambda flip: kinds.index(flip.kind))


def _grouped(
    rows: Sequence[GradedRow], *, by_result: bool
) -> dict[str, list[GradedRow]]:
    groups: dict[str, list[GradedRow]] = {}
    for row in rows:
        groups.setdefault(row.result_id if by_result else row.task_id, []).append(row)
    return groups


def _flip(a: Sequence[GradedRow], b: Sequence[GradedRow]) -> Flip | None:
    before, after = _classes(a), _classes(b)
    if before == after:
        return None
    older, newer = _codes(a), _codes(b)
    single = len(a) == len(b) == 1
    return Flip(
        task_id=b[0].task_id,
        result_id=b[0].result_id if single else None,
        kind=_kind(a, b),
        before=before,
        after=after,
        lost=tuple(sorted(older - newer)),
        gained=tuple(sorted(newer - older)),
    )


def _classes(rows: Sequence[GradedRow]) -> str:
    counts = Counter(
        "undecided" if row.outcome is None else row.outcome.value for row in rows
    )
    if len(rows) == 1:
        return next(iter(counts))
    return ", ".join(f"{counts[name]} {name}" for name in sorted(counts))


def _kind(a: Sequence[GradedRow], b: Sequence[GradedRow]) -> FlipKind:
    if any(row.outcome is None for row in (*a, *b)):
        return FlipKind.UNDECIDED
    older, newer = _rank(a), _rank(b)
    if older == newer:
        return FlipKind.OTHER
    return FlipKind.WORSE if newer < older else FlipKind.BETTER


def _rank(rows: Sequence[GradedRow]) -> tuple[float, float]:
    """The share of complete results, then of those with credit."""
    shares = [
        sum(row.outcome in classes for row in rows) / len(rows)
        for classes in (_CREDITED[:1], _CREDITED)
    ]
    return shares[0], shares[1]


def _codes(rows: Sequence[GradedRow]) -> set[str]:
    codes: set[str] = set()
    for row in rows:
        codes.update(row.codes)
    return codes
