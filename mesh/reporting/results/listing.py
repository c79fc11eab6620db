"""A list of results: gate, id, primary code and the reason, one result a line, or two on a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import money_to_json
from judgemesh.mesh.analysis.results.rows import ResultRow
from judgemesh.mesh.reporting.results.report import GATE_STYLES
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.text import Text

_GATE_COLUMNS: Final = 9
_ID_COLUMNS: Final = 32
_CODE_COLUMNS: Final = 30
_GAP: Final = "  "
_ONE_LINE_FROM: Final = 110
"""From this width on gate, id, code and reason stand on one line."""
_UNLIMITED: Final = 1_000
_REASON_CHARS: Final = 500


def rows_view(rows: Iterable[ResultRow], *, width: int) -> Iterator[Text]:
    """The rows for a terminal of this width; every line fits it."""
    rows = list(rows)
    longest = max((len(one_line(row.result_id)) for row in rows), default=0)
    id_columns = longest if width >= _UNLIMITED else min(longest, _ID_COLUMNS)
    for row in rows:
        if width >= _ONE_LINE_FROM:
            yield _wide(row, id_columns, width)
        else:
            yield from _narrow(row, width)


def plain_rows(rows: Iterable[ResultRow]) -> Iterator[str]:
    """The rows with tabs between gate, id, primary code, score and reason; the first line names them."""
    yield "gate\tresult\tcode\tscore\treason"
    for row in rows:
        score = "" if row.score is None else f"{row.score:.2f}"
        code = "" if row.primary is None else row.primary.code
        cells = (row.gate.value, row.result_id, code, score, row.reason)
        yield "\t".join(map(one_line, cells))


def row_json(row: ResultRow) -> dict[str, Any]:
    """A row as JSON-ready data; unknown costs are null."""
    return {
        "result_id": row.result_id,
        "task_id": row.task_id,
        "gate": row.gate.value,
        "stated_gate": row.stated_gate.value,
        "primary_failure_reason_code": None
        if row.primary is None
        else row.primary.code,
        "failure_reason_codes": [label.code for label in row.codes],
        "outcome_class": None if row.outcome_class is None else row.outcome_class.value,
        "outcome_score": row.score,
        "reason": row.reason,
        "evaluator_cost": money_to_json(row.judge_cost),
        "agent_cost": money_to_json(row.agent_cost),
        "agent_latency_ms": row.agent_latency_ms,
        "started_at": row.started_at,
    }


def _wide(row: ResultRow, id_columns: int, width: int) -> Text:
    code = "" if row.primary is None else row.primary.code
    line = _gate(row)
    line.append_text(_column(row.result_id, id_columns, "bold"))
    line.append(_GAP)
    line.append_text(_column(code, _CODE_COLUMNS, ""))
    line.append(_GAP)
    line.append(one_line(row.reason, _REASON_CHARS), "dim")
    return _cut(line, width)


def _narrow(row: ResultRow, width: int) -> Iterator[Text]:
    """The reason stands below; a code that has no room beside the id stands before it."""
    from rich.text import Text

    indent = " " * (_GATE_COLUMNS + len(_GAP))
    name = one_line(row.result_id)
    code = "" if row.primary is None else row.primary.code
    reason = one_line(row.reason, _REASON_CHARS)
    room = width - len(indent) - len(_GAP) - len(code)
    head = _gate(row)
    if code and len(name) <= room:
        head.append(name, "bold").append(_GAP).append(code)
    else:
        head.append(name, "bold")
        reason = f"{code}: {reason}" if code else reason
    yield _cut(head, width)
    yield _cut(Text.assemble(indent, (reason, "dim")), width)


def _gate(row: ResultRow) -> Text:
    from rich.text import Text

    name = f"{row.gate.value:<{_GATE_COLUMNS}}{_GAP}"
    return Text().append(name, GATE_STYLES[row.gate])


def _column(text: str, columns: int, style: str) -> Text:
    from rich.text import Text

    cell = Text(one_line(text, _REASON_CHARS), style)
    cell.truncate(columns, overflow="ellipsis", pad=True)
    return cell


def _cut(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    line.overflow = "ignore"
    return line
