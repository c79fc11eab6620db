"""The data of the charts, in the form that `charts.js` of the reports draws. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.mesh.viewer.queries.figures import CodeFigures, CostFigures, GateFigures

Chart = dict[str, Any]
_GATES: Final = (("pass", "passed"), ("undecided", "undecided"), ("fail", "failed"))
_COLOURS: Final = ("fail", "environment", "evaluator", "undecided", "pass", "other")
"""Names of colours for series that have none of their own, told apart in both colour schemes."""


def gates_chart(gates: GateFigures) -> Chart:
    """The gates of a run as the parts of one bar."""
    rows: list[Chart] = []
    for gate, name in _GATES:
        count: int = getattr(gates, name)
        if count:
            rows.append({"name": name, "value": count, "group": gate})
    return {"rows": rows}


def codes_chart(codes: Sequence[CodeFigures]) -> Chart:
    """How many results fail for each primary code, coloured by whose failure it is."""
    rows: list[Chart] = []
    for row in codes:
        if row.as_primary:
            bar = {
                "name": row.code,
                "value": row.as_primary,
                "text": f"{row.as_primary:,}",
                "group": attribution_of(row.code),
            }
            rows.append(bar)
    return {"rows": rows}


def gates_over_time(days: Sequence[tuple[str, GateFigures]]) -> Chart:
    """The share of passed results day by day, and what it would be if undecided results passed."""
    rows: list[Chart] = []
    for day, gates in days:
        if not _is_day(day):
            continue
        for group, share in (("pass", gates.rate), ("undecided", gates.rate_if_passed)):
            text = f"{day}: {share or 0:.1%} of {gates.results:,}"
            rows.append({"x": day, "y": share, "group": group, "text": text})
    return {"rows": rows, "time": True, "y": "share of results"}


def codes_over_time(
    days: Sequence[tuple[str, str, int]], codes: Sequence[str]
) -> tuple[Chart, list[tuple[str, str]]]:
    """Failed results by day and primary code, and the legend: code, colour."""
    colours = dict(zip(codes, _COLOURS, strict=False))
    counts = {(day, code): count for day, code, count in days if _is_day(day)}
    rows: list[Chart] = []
    for day in sorted({day for day, _ in counts}):
        for code, colour in colours.items():
            count = counts.get((day, code), 0)
            rows.append(
                {
                    "x": day,
                    "y": count,
                    "group": colour,
                    "text": f"{day}: {count:,} {code}",
                }
            )
    return {"rows": rows, "time": True, "y": "failed results"}, list(colours.items())


def costs_chart(costs: Sequence[CostFigures], texts: Mapping[int, str]) -> Chart:
    """Known costs of one currency as bars. texts: what stands at the bar of each position."""
    rows: list[Chart] = []
    for position, row in enumerate(costs):
        if row.cost is not None:
            rows.append(
                {
                    "name": row.name or "(none)",
                    "value": float(row.cost.amount),
                    "text": texts[position],
                    "group": "model",
                }
            )
    return {"rows": rows}


def costs_over_time(costs: Sequence[CostFigures]) -> Chart:
    """Known costs of one currency by day."""
    rows: list[Chart] = []
    for row in costs:
        if row.cost is not None and _is_day(row.name):
            value = float(row.cost.amount)
            text = f"{row.name}: {value:.4g} {row.cost.currency}"
            rows.append({"x": row.name, "y": value, "group": "model", "text": text})
    return {"rows": rows, "time": True, "y": "cost"}


def attribution_of(code: str) -> str:
    """Whose failure a code is; `other` for one that this version does not know."""
    try:
        return CODES[FailureCode(code)].attribution.value
    except ValueError:
        return "other"


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
