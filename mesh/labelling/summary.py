"""What a session came to: for people as tables, for machines as one object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.reference import Calibration, Difference, partings
from judgemesh.mesh.labelling.tree import OUTCOME_TREE
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_FEW: Final = 30
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session and the set it is about. now: labels given in this session, the last word of each result; classes: of
    all labelled results of the set. ended: `done`, `quit`, `end of input` or `interrupted`."""

    labeler: str
    out: Path
    total: int
    labelled: int
    now: int
    skipped: int
    ended: str
    classes: Mapping[OutcomeClass, int]
    median_s: float | None
    calibration: Calibration | None
    ledger: str | None = None


def summary_json(summary: Summary) -> dict[str, Any]:
    """JSON-ready; `agreement` is null without canonical labels."""
    return {
        "labeler": summary.labeler,
        "file": str(summary.out),
        "ledger": summary.ledger,
        "ended": summary.ended,
        "total": summary.total,
        "labelled": summary.labelled,
        "labelled_now": summary.now,
        "skipped": summary.skipped,
        "left": summary.total - summary.labelled,
        "median_seconds": summary.median_s,
        "outcome_classes": {
            one.value: summary.classes.get(one, 0) for one in OutcomeClass
        },
        "agreement": None
        if summary.calibration is None
        else _agreement_json(summary.calibration),
    }


def _agreement_json(found: Calibration) -> dict[str, Any]:
    return {
        "items": found.items,
        "agreement": found.agreement,
        "agreement_ci": [found.low, found.high],
        "kappa": found.kappa,
        "ac1": found.ac1,
        "confusion": {
            row.value: {
                column.value: found.confusion.get((row, column), 0)
                for column in OutcomeClass
            }
            for row in OutcomeClass
        },
        "differences": [
            {
                "result_id": one.result_id,
                "outcome_class": one.given.value,
                "canonical": one.canonical.outcome.value,
                "parted_at": one.parting.step.id if one.parting else None,
            }
            for one in found.differences
        ],
    }


def summary_view(summary: Summary) -> Iterator[RenderableType]:
    """For people: what was done, and with canonical labels how far they agree and where not."""
    parts = [
        f"{one_line(summary.labeler)}: {plural(summary.now, 'result')} labelled now",
        f"{summary.labelled:,} of {summary.total:,} in all",
    ]
    parts += [f"{summary.skipped:,} skipped"] if summary.skipped else []
    parts += (
        [f"{summary.median_s:.0f} s each (median)"]
        if summary.median_s is not None
        else []
    )
    yield ", ".join(parts)
    if summary.labelled:
        counts = [
            f"{one.value} {summary.classes[one]:,}"
            for one in OutcomeClass
            if summary.classes.get(one)
        ]
        yield f"classes  {', '.join(counts)}"
    yield f"labels   {one_line(str(summary.out))}" + (
        f", {one_line(summary.ledger)}" if summary.ledger else ""
    )
    if summary.calibration is not None:
        yield ""
        yield from _agreement_view(summary.calibration)
    left = summary.total - summary.labelled
    if left:
        yield f"{plural(left, 'result')} left: the same command goes on there"


def _agreement_view(found: Calibration) -> Iterator[RenderableType]:
    same = found.items - len(found.differences)
    interval = f"95 % interval {found.low:.2f} to {found.high:.2f}"
    yield f"agreement with the canonical labels  {found.agreement:.3f} ({same} of {found.items}), {interval}"
    yield f"beyond chance  Cohen's kappa {_number(found.kappa)}, Gwet's AC1 {_number(found.ac1)}"
    if found.items < _FEW:
        yield f"{found.items} are few: below {_FEW} the interval says more than the share"
    yield ""
    yield _confusion_table(found.confusion)
    if found.differences:
        yield ""
        yield _partings_table(found.differences)
        yield ""
        yield _differences_table(found.differences)
    yield ""


def _number(value: float | None) -> str:
    return "has no value (one class only)" if value is None else f"{value:.3f}"


def _confusion_table(
    confusion: Mapping[tuple[OutcomeClass, OutcomeClass], int],
) -> Table:
    table = plain_table()
    table.add_column("canonical / yours", no_wrap=True)
    for one in OutcomeClass:
        table.add_column(one.value, justify="right", overflow="fold")
    for row in OutcomeClass:
        table.add_row(
            row.value,
            *(
                _count(confusion.get((row, column), 0), row, column)
                for column in OutcomeClass
            ),
        )
    return table


def _count(count: int, row: OutcomeClass, column: OutcomeClass) -> str:
    return f"{count:,}" if count or row is column else "·"


def _partings_table(differences: tuple[Difference, ...]) -> Table:
    table = plain_table()
    table.add_column("where you part")
    table.add_column("you said")
    table.add_column("canonical")
    table.add_column("times", justify="right")
    found: Counter[tuple[str, bool]] = partings(differences)
    for (step, given), times in found.most_common():
        words = ("yes", "no") if given else ("no", "yes")
        table.add_row(OUTCOME_TREE.steps[step].question, *words, f"{times:,}")
    return table


def _differences_table(differences: tuple[Difference, ...]) -> Table:
    table = plain_table()
    for name in ("result", "yours", "canonical", "why"):
        table.add_column(name)
    for one in differences[:_SHOWN]:
        rationale = one_line(one.canonical.rationale, 200)
        table.add_row(
            one_line(one.result_id),
            one.given.value,
            one.canonical.outcome.value,
            rationale,
        )
    if len(differences) > _SHOWN:
        table.add_row(f"and {len(differences) - _SHOWN:,} more", "", "", "")
    return table
