"""Weighted scores: the mean and its band, classes, and the criteria that fail most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.weighted_score import exact_text
from judgemesh.mesh.analysis.weighted import WeightedSummary, criterion_interval
from judgemesh.mesh.metrics.binary_weighted import BANDS, CriterionRate
from judgemesh.mesh.reporting.numbers import (
    interval_json,
    interval_note,
    interval_text,
    optional_float,
)
from judgemesh.mesh.reporting.tables import add_columns, plain_table, warnings_block
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_NAME_LIMIT: Final = 24
_STYLES: Final = ("bold green", "bold yellow", "bold red")
_STYLE_OF_BAND: Final = {
    name: style for (_, name), style in zip(BANDS, _STYLES, strict=True)
}
_BETWEEN_BANDS: Final = "bold yellow"


def weighted_view(summaries: Sequence[WeightedSummary]) -> Iterator[RenderableType]:
    """One block a score."""
    from rich.text import Text

    for number, summary in enumerate(summaries):
        if number:
            yield Text("")
        yield _headline(summary)
        yield Text(_basis(summary), "dim")
        yield Text("")
        yield _outcomes_table(summary)
        yield Text("")
        yield _criteria_table(summary)
        yield from warnings_block(_notes(summary))


def _headline(summary: WeightedSummary) -> Text:
    from rich.text import Text

    low, high = float(summary.rate.low), float(summary.rate.high)
    mean = f"{low:.3f}"
    if not summary.rate.exact:
        mean += f" to {high:.3f}"
    band = (_between(summary), _BETWEEN_BANDS)
    if summary.band is not None:
        band = (summary.band, _STYLE_OF_BAND.get(summary.band, "bold"))
    return Text.assemble(
        (f"{one_line(summary.name)}  TCR {mean}", "bold"),
        interval_note(summary.ci),
        "  ",
        band,
    )


def _between(summary: WeightedSummary) -> str:
    """What is known where the interval spans several bands."""
    if summary.point_band is None:
        return "between two bands"
    if summary.ci is None:
        return f"no band: one result is {one_line(summary.point_band)}, others are not known"
    return f"no band: the mean is {one_line(summary.point_band)}, its interval is not"


def _basis(summary: WeightedSummary) -> str:
    parts = [plural(summary.results, "result")]
    if summary.tasks != summary.results:
        parts.append(plural(summary.tasks, "task"))
    undecided = summary.results - summary.exact
    if undecided:
        parts.append(f"{undecided:,} with an undecided criterion")
    if summary.normalised:
        parts.append("weights scaled to sum to 1")
    return ", ".join(parts)


def _outcomes_table(summary: WeightedSummary) -> Table:
    counts = {outcome.value: count for outcome, count in summary.outcomes.items()}
    if summary.undecided:
        counts["undecided"] = summary.undecided
    table = plain_table()
    table.add_column("class", no_wrap=True)
    add_columns(table, "results", "share")
    for name, count in counts.items():
        table.add_row(name, f"{count:,}", f"{count / summary.results:.1%}")
    return table


def _criteria_table(summary: WeightedSummary) -> Table:
    """The criterion that fails most first; `open`: answers that are missing."""
    table = plain_table()
    table.add_column("criterion", no_wrap=True)
    add_columns(table, "weight", "holds", "of", "rate", "95% CI", "open")
    for criterion in summary.criteria:
        cells = (
            f"{criterion.held:,}",
            f"{criterion.decided:,}",
            f"{criterion.rate:.1%}",
            interval_text(criterion_interval(criterion), ".1%"),
        )
        _add_criterion(table, summary, criterion.name, *cells)
    for name in _never_decided(summary):
        _add_criterion(table, summary, name, "-", "0", "-", "-")
    return table


def _add_criterion(
    table: Table, summary: WeightedSummary, name: str, *cells: str
) -> None:
    weight = summary.weights.get(name)
    weight_text = "differs"
    if weight is not None:
        weight_text = exact_text(Fraction(weight))
    open_answers = f"{summary.open_answers.get(name, 0):,}"
    table.add_row(one_line(name, _NAME_LIMIT), weight_text, *cells, open_answers)


def _never_decided(summary: WeightedSummary) -> list[str]:
    decided = {criterion.name for criterion in summary.criteria}
    never_decided: list[str] = []
    for name in summary.weights:
        if name not in decided:
            never_decided.append(name)
    return never_decided


def _notes(summary: WeightedSummary) -> list[str]:
    notes: list[str] = []
    for criterion in summary.criteria:
        if criterion.warning:
            count = f"{criterion.decided} of {criterion.decided}"
            notes.append(
                f"{criterion.name} is {criterion.warning} ({count}): it tells no result from another"
            )
    for name in _never_decided(summary):
        notes.append(f"{name} was decided for no result")
    if summary.undecided:
        results = plural(summary.undecided, "result")
        notes.append(
            f"{results} without a class: it depends on undecided criteria, "
            "or on whether the goal was confirmed"
        )
    if summary.bands_differ:
        notes.append(
            "contracts have different bands for this score; the usual ones are used"
        )
    if summary.ci is None:
        notes.append("no interval: one result alone says nothing about others")
    return notes


def weighted_json(summary: WeightedSummary) -> dict[str, Any]:
    """Everything the view shows; the mean exact as text beside its digits."""
    low, high = summary.rate.low, summary.rate.high
    counts = {outcome.value: count for outcome, count in summary.outcomes.items()}
    return {
        "name": summary.name,
        "results": summary.results,
        "tasks": summary.tasks,
        "exact_scores": summary.exact,
        "tcr": float(low) if summary.rate.exact else None,
        "tcr_low": float(low),
        "tcr_high": float(high),
        "tcr_exact": [exact_text(low), exact_text(high)],
        "ci": interval_json(summary.ci),
        "bands": {label: float(bound) for bound, label in summary.bands},
        "band": summary.band,
        "band_of_mean": summary.point_band,
        "weights_scaled": summary.normalised,
        "outcomes": counts,
        "undecided": summary.undecided,
        "shares": {name: count / summary.results for name, count in counts.items()},
        "criteria": [
            _criterion_json(summary, criterion) for criterion in summary.criteria
        ],
        "warnings": _notes(summary),
    }


def _criterion_json(
    summary: WeightedSummary, criterion: CriterionRate
) -> dict[str, Any]:
    return {
        "id": criterion.name,
        "weight": optional_float(summary.weights.get(criterion.name)),
        "held": criterion.held,
        "decided": criterion.decided,
        "undecided": summary.open_answers.get(criterion.name, 0),
        "rate": criterion.rate,
        "ci": interval_json(criterion_interval(criterion)),
        "constant": criterion.warning,
    }
