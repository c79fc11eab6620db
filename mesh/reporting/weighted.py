"""Weighted scores for people and for machines: the mean and its band, classes, and the criteria that fail most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import exact_text
from judgemesh.mesh.analysis.weighted import WeightedSummary
from judgemesh.mesh.metrics.binary_weighted import BANDS, CriterionRate
from judgemesh.mesh.metrics.intervals import Interval, wilson
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_NAME: Final = 24
_STYLES: Final = ("bold green", "bold yellow", "bold red")


def weighted_view(tallies: Sequence[WeightedSummary]) -> Iterator[RenderableType]:
    """One block a score."""
    from rich.text import Text

    for place, one in enumerate(tallies):
        if place:
            yield Text("")
        yield _headline(one)
        yield Text(_basis(one), "dim")
        yield Text("")
        yield _outcomes(one)
        yield Text("")
        yield _criteria(one)
        notes = _notes(one)
        if notes:
            yield Text("")
            yield Text(
                "\n".join(f"warning: {one_line(note)}" for note in notes), "yellow"
            )


def _headline(one: WeightedSummary) -> Text:
    from rich.text import Text

    low, high = float(one.rate.low), float(one.rate.high)
    mean = f"{low:.3f}" if one.rate.exact else f"{low:.3f} to {high:.3f}"
    interval = f"  (95% CI {one.ci.low:.3f} to {one.ci.high:.3f})" if one.ci else ""
    style = next(
        (
            style
            for style, (_, name) in zip(_STYLES, BANDS, strict=True)
            if name == one.band
        ),
        "bold yellow",
    )
    return Text.assemble(
        (f"{one_line(one.name)}  TCR {mean}", "bold"),
        interval,
        "  ",
        (one.band or "between two bands", style),
    )


def _basis(one: WeightedSummary) -> str:
    results = plural(one.results, "result")
    tasks = "" if one.tasks == one.results else f", {plural(one.tasks, 'task')}"
    rest = one.results - one.exact
    open_ones = f", {rest:,} with a criterion nobody could decide" if rest else ""
    scaled = ", weights scaled to sum to 1" if one.normalised else ""
    return f"{results}{tasks}{open_ones}{scaled}"


def _outcomes(one: WeightedSummary) -> Table:
    table = plain_table()
    table.add_column("class", no_wrap=True)
    for name in ("results", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    for outcome, count in one.outcomes.items():
        table.add_row(outcome.value, f"{count:,}", f"{count / one.results:.1%}")
    unclassed = _unclassed(one)
    if unclassed:
        table.add_row("undecided", f"{unclassed:,}", f"{unclassed / one.results:.1%}")
    return table


def _unclassed(one: WeightedSummary) -> int:
    return one.results - sum(one.outcomes.values())


def _criteria(one: WeightedSummary) -> Table:
    """The one that fails most first; `open`: answers that nobody could give."""
    table = plain_table()
    table.add_column("criterion", no_wrap=True)
    for name in ("weight", "holds", "of", "rate", "95% CI", "open"):
        table.add_column(name, justify="right", no_wrap=True)
    for rate in one.criteria:
        interval = wilson(rate.held, rate.decided)
        table.add_row(
            one_line(rate.name, _NAME),
            _weight(one, rate.name),
            f"{rate.held:,}",
            f"{rate.decided:,}",
            f"{rate.rate:.1%}",
            f"{interval.low:.1%} to {interval.high:.1%}",
            f"{one.open_answers.get(rate.name, 0):,}",
        )
    for name in one.weights:
        if name not in {rate.name for rate in one.criteria}:
            left = f"{one.open_answers.get(name, 0):,}"
            table.add_row(
                one_line(name, _NAME), _weight(one, name), "-", "0", "-", "-", left
            )
    return table


def _weight(one: WeightedSummary, name: str) -> str:
    weight = one.weights.get(name)
    return "differs" if weight is None else exact_text(Fraction(weight))


def _notes(one: WeightedSummary) -> list[str]:
    found = [
        f"{rate.name} is {rate.warning} ({rate.decided} of {rate.decided}): it tells no result from another"
        for rate in one.criteria
        if rate.warning
    ]
    silent = [
        name for name in one.weights if name not in {rate.name for rate in one.criteria}
    ]
    found += [f"{name} was decided for no result" for name in silent]
    if _unclassed(one):
        found.append(
            f"{plural(_unclassed(one), 'result')} without a class: it would depend on what nobody could tell"
        )
    if one.ci is None:
        found.append("no interval: one result alone says nothing about others")
    return found


def weighted_json(one: WeightedSummary) -> dict[str, Any]:
    """Everything the view shows; the mean exact as text beside its digits."""
    return {
        "name": one.name,
        "results": one.results,
        "tasks": one.tasks,
        "exact_scores": one.exact,
        "tcr": float(one.rate.low) if one.rate.exact else None,
        "tcr_low": float(one.rate.low),
        "tcr_high": float(one.rate.high),
        "tcr_exact": [exact_text(one.rate.low), exact_text(one.rate.high)],
        "ci": _interval(one.ci),
        "band": one.band,
        "weights_scaled": one.normalised,
        "outcomes": {outcome.value: count for outcome, count in one.outcomes.items()},
        "undecided": _unclassed(one),
        "shares": {
            outcome.value: count / one.results
            for outcome, count in one.outcomes.items()
        },
        "criteria": [_criterion_json(one, rate) for rate in one.criteria],
        "warnings": _notes(one),
    }


def _criterion_json(one: WeightedSummary, rate: CriterionRate) -> dict[str, Any]:
    weight = one.weights.get(rate.name)
    return {
        "id": rate.name,
        "weight": None if weight is None else float(weight),
        "held": rate.held,
        "decided": rate.decided,
        "undecided": one.open_answers.get(rate.name, 0),
        "rate": rate.rate,
        "ci": _interval(wilson(rate.held, rate.decided)),
        "constant": rate.warning,
    }


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }
