"""The runs of traces as a table and as data: `judgemesh trace list`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.analysis.trace_list import UNNAMED, ListedRun, TraceList
from judgemesh.mesh.reporting.bill.data import monies
from judgemesh.mesh.reporting.bill.rows import costs_text
from judgemesh.mesh.reporting.tables import (
    add_columns,
    fill_terminal,
    name_table,
    plain_table,
)
from judgemesh.mesh.reporting.text import duration, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_NAME_LIMIT: Final = 40
_MAX_CODES: Final = 3
_WIDE: Final = 110
_NARROW: Final = 80
_TEXTS: Final = {"agent": _NARROW, "skill": _WIDE, "model": _WIDE}
"""Columns of text, and the width from which on each is shown."""


def list_view(
    listed: TraceList, *, group_by: str | None, width: int
) -> Iterator[RenderableType]:
    """A row a run, or a group; fewer columns where there is less room."""
    from rich.text import Text

    if group_by is None:
        yield _runs_table(listed, width)
    else:
        yield _groups_table(listed, group_by, width)
    more = listed.total - len(listed.rows)
    if more > 0:
        yield Text(f"and {more:,} more (--limit 0 shows all)")
    found = [f"{code} in {plural(runs, 'run')}" for code, runs in _found(listed.rows)]
    if found:
        yield Text(f"found most: {', '.join(found)}")


def _runs_table(listed: TraceList, width: int) -> Table:
    rows = listed.rows
    names = [name for name, least in _TEXTS.items() if width >= least]
    texts = [
        name for name in names if any(getattr(run, name) != UNNAMED for run in rows)
    ]
    table = plain_table()
    table.add_column("run", overflow="ellipsis", no_wrap=True, ratio=3, min_width=8)
    for name in texts:
        table.add_column(name, overflow="ellipsis", no_wrap=True, ratio=2, min_width=5)
    if width >= _NARROW:
        add_columns(table, "start", justify="left")
    add_columns(table, "steps", "tokens", "cost")
    if width >= _WIDE:
        add_columns(table, "took", "failed")
    add_columns(table, "found")
    fill_terminal(table, width)
    table.collapse_padding = True
    for run in rows:
        cells = [one_line(run.name, _NAME_LIMIT)]
        cells += [one_line(getattr(run, name), _NAME_LIMIT) for name in texts]
        if width >= _NARROW:
            cells.append("-" if run.start is None else f"{run.start:%Y-%m-%d %H:%M}")
        cells += [f"{run.steps:,}", f"{run.tokens:,}", _cost(run)]
        if width >= _WIDE:
            cells += [_took(run), f"{run.failed_steps:,}"]
        table.add_row(*cells, _findings(run))
    return table


def _groups_table(listed: TraceList, group_by: str, width: int) -> Table:
    is_wide = width >= _NARROW
    heads = [group_by, "runs", "tokens", "cost"]
    if is_wide:
        heads += ["steps", "tokens a run"]
    rows: list[list[str]] = []
    for run in listed.rows:
        row = [run.name, f"{run.runs:,}", f"{run.tokens:,}", _cost(run)]
        if is_wide:
            row += [f"{run.steps:,}", f"{run.tokens // run.runs:,}"]
        rows.append([*row, _findings(run)])
    return name_table([*heads, "found"], rows, width=width)


def _cost(run: ListedRun) -> str:
    """The cost; `≤` before an upper bound, `unknown`, and `+ ?` where a part of it is unknown."""
    if not run.cost:
        return "unknown" if run.cost_unknown else "-"
    cost = costs_text(run.cost, is_at_most=run.cost_is_at_most)
    return cost + (" + ?" if run.cost_unknown else "")


def _took(run: ListedRun) -> str:
    return "-" if run.latency_ms is None else duration(run.latency_ms / 1000)


def _findings(run: ListedRun) -> str:
    """How much was found; an exclamation mark for dangers."""
    if not run.findings:
        return "-"
    return f"{len(run.findings):,}{'!' if run.dangers else ''}"


def _found(rows: Iterable[ListedRun]) -> list[tuple[str, int]]:
    """The commonest codes of the rows."""
    counts = Counter(code for run in rows for code in run.findings)
    return counts.most_common(_MAX_CODES)


def list_json(listed: TraceList, *, group_by: str | None) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "group_by": group_by,
        "total": listed.total,
        "shown": len(listed.rows),
        "rows": list(map(_row_json, listed.rows)),
        "malformed": listed.malformed.count,
    }


def _row_json(run: ListedRun) -> dict[str, Any]:
    return {
        "name": run.name,
        "runs": run.runs,
        "agent": _known(run.agent),
        "skill": _known(run.skill),
        "model": _known(run.model),
        "task": _known(run.task),
        "status": _known(run.status),
        "start": None if run.start is None else run.start.isoformat(),
        "steps": run.steps,
        "failed_steps": run.failed_steps,
        "tokens": run.tokens,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "costs": monies(run.cost),
        "cost_is_at_most": run.cost_is_at_most,
        "cost_unknown_steps": run.cost_unknown,
        "latency_ms": run.latency_ms,
        "findings": dict(Counter(run.findings)),
        "dangers": run.dangers,
    }


def _known(name: str) -> str | None:
    return None if name == UNNAMED else name
