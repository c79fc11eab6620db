"""The summary of a labelling session: tables for people, one JSON object for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.reference import (
    LabelDifference,
    ReviewerCalibration,
    partings,
)
from judgemesh.mesh.labelling.tree import OUTCOME_TREE
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_FEW: Final = 30
_MAX_SHOWN: Final = 20
_MAX_RATIONALE_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session and the set of results it is about.

    now: results labelled in this session. classes: of all labelled results of the set. ended: `done`, `quit`,
    `end of input` or `interrupted`.
    """

    labeler: str
    out: Path
    total: int
    labelled: int
    now: int
    skipped: int
    ended: str
    classes: Mapping[OutcomeClass, int]
    median_s: float | None
    calibration: ReviewerCalibration | None
    ledger: str | None = None


def summary_json(summary: Summary) -> dict[str, Any]:
    """JSON-ready; `agreement` is null without canonical labels."""
    agreement = None
    if summary.calibration is not None:
        agreement = _agreement_json(summary.calibration)
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
            outcome.value: summary.classes.get(outcome, 0) for outcome in OutcomeClass
        },
        "agreement": agreement,
    }


def _agreement_json(calibration: ReviewerCalibration) -> dict[str, Any]:
    confusion: dict[str, dict[str, int]] = {}
    for row in OutcomeClass:
        confusion[row.value] = {
            column.value: calibration.confusion.get((row, column), 0)
            for column in OutcomeClass
        }
    return {
        "items": calibration.items,
        "agreement": calibration.agreement,
        "agreement_ci": [calibration.low, calibration.high],
        "kappa": calibration.kappa,
        "ac1": calibration.ac1,
        "confusion": confusion,
        "differences": [_difference_json(label) for label in calibration.differences],
    }


def _difference_json(label: LabelDifference) -> dict[str, Any]:
    return {
        "result_id": label.result_id,
        "outcome_class": label.given.value,
        "canonical": label.canonical.outcome.value,
        "parted_at": label.parting.step.id if label.parting else None,
    }


def summary_view(summary: Summary) -> Iterator[RenderableType]:
    """For people: the labels of the session and, with canonical labels, the agreement with them."""
    parts = [
        f"{one_line(summary.labeler)}: {plural(summary.now, 'result')} labelled now",
        f"{summary.labelled:,} of {summary.total:,} in all",
    ]
    if summary.skipped:
        parts.append(f"{summary.skipped:,} skipped")
    if summary.median_s is not None:
        parts.append(f"{summary.median_s:.0f} s each (median)")
    yield ", ".join(parts)
    if summary.labelled:
        counts: list[str] = []
        for outcome in OutcomeClass:
            if summary.classes.get(outcome):
                counts.append(f"{outcome.value} {summary.classes[outcome]:,}")
        yield f"classes  {', '.join(counts)}"
    targets = [one_line(str(summary.out))]
    if summary.ledger:
        targets.append(one_line(summary.ledger))
    yield f"labels   {', '.join(targets)}"
    if summary.calibration is not None:
        yield ""
        yield from _agreement_view(summary.calibration)
    left = summary.total - summary.labelled
    if left:
        yield f"{plural(left, 'result')} left: the same command goes on there"


def _agreement_view(calibration: ReviewerCalibration) -> Iterator[RenderableType]:
    same = calibration.items - len(calibration.differences)
    interval = f"95 % interval {calibration.low:.2f} to {calibration.high:.2f}"
    share = f"{calibration.agreement:.3f} ({same} of {calibration.items})"
    yield f"agreement with the canonical labels  {share}, {interval}"
    yield f"beyond chance  Cohen's kappa {_number(calibration.kappa)}, Gwet's AC1 {_number(calibration.ac1)}"
    if calibration.items < _FEW:
        yield f"{calibration.items} are few: below {_FEW} the interval says more than the share"
    yield ""
    yield _confusion_table(calibration.confusion)
    if calibration.differences:
        yield ""
        yield _partings_table(calibration.differences)
        yield ""
        yield _differences_table(calibration.differences)
    yield ""


def _number(value: float | None) -> str:
    return "has no value (one class only)" if value is None else f"{value:.3f}"


def _confusion_table(
    confusion: Mapping[tuple[OutcomeClass, OutcomeClass], int],
) -> Table:
    table = plain_table()
    table.add_column("canonical / yours", no_wrap=True)
    for column in OutcomeClass:
        table.add_column(column.value, justify="right", overflow="fold")
    for row in OutcomeClass:
        cells = [row.value]
        for column in OutcomeClass:
            count = confusion.get((row, column), 0)
            cells.append(f"{count:,}" if count or row is column else "·")
        table.add_row(*cells)
    return table


def _partings_table(differences: tuple[LabelDifference, ...]) -> Table:
    table = plain_table()
    table.add_column("where you part")
    table.add_column("you said")
    table.add_column("canonical")
    table.add_column("times", justify="right")
    for (step, given), times in partings(differences).most_common():
        words = ("yes", "no") if given else ("no", "yes")
        table.add_row(OUTCOME_TREE.steps[step].question, *words, f"{times:,}")
    return table


def _differences_table(differences: tuple[LabelDifference, ...]) -> Table:
    table = plain_table()
    for name in ("result", "yours", "canonical", "why"):
        table.add_column(name)
    for label in differences[:_MAX_SHOWN]:
        table.add_row(
            one_line(label.result_id),
            label.given.value,
            label.canonical.outcome.value,
            one_line(label.canonical.rationale, _MAX_RATIONALE_CHARS),
        )
    if len(differences) > _MAX_SHOWN:
        table.add_row(f"and {len(differences) - _MAX_SHOWN:,} more", "", "", "")
    return table
