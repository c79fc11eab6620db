"""A run as one HTML file: the first screen, the list of its results, and a page for each of them.

The file is written as a stream. Rows of the list stand in it as inert JSON, `_ROWS` of them together; the pages of
results as HTML in compressed chunks, which the browser unpacks when one is looked at. Of the results only the open
chunk is in memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Sequence
from typing import Any, BinaryIO, Final

from judgemesh.contracts.version import VERSION
from judgemesh.mesh.analysis.results.result_page import ResultPage
from judgemesh.mesh.analysis.results.rows import ResultRow
from judgemesh.mesh.analysis.results.run_page import RunPage
from judgemesh.mesh.reporting.html.assets import CHARTS, STYLES, TABLE, TABLE_STYLES
from judgemesh.mesh.reporting.html.environment import environment, fragment
from judgemesh.mesh.reporting.html.inert import inert_json, packed_json
from judgemesh.mesh.reporting.html.page import rendered, single_page
from judgemesh.mesh.reporting.html.result_view import ResultView
from judgemesh.mesh.reporting.html.run_view import RunView
from judgemesh.mesh.reporting.text import one_line

_DATA: Final = "<!-- data -->"
"""Where the results stand in the page. Values are escaped, so that none of them can hold it."""

_ROWS: Final = 500
_CHUNK_CHARS: Final = 2**18
_REASON_CHARS: Final = 200
_TITLE_CHARS: Final = 24
_MARKS: Final = {
    "pass": "p",
    "fail": "f",
    "abstain": "a",
    "error": "e",
    "skipped": "s",
}
_SCRIPTS: Final = (*CHARTS, *TABLE, "static/report.js")


async def write_run_report(
    file: BinaryIO,
    run: RunPage,
    pages: AsyncIterable[ResultPage],
    *,
    warnings: Sequence[str] = (),
) -> None:
    """Write the report of a run.

    Args:
        file: where to.
        run: the first screen.
        pages: every result of the run, in the order of the list.
        warnings: of the run.
    """
    title = f"judgemesh: {run.gates.passed:,} of {run.gates.results:,} passed"
    page = single_page(
        "report", title, styles=(*STYLES, *TABLE_STYLES), scripts=_SCRIPTS
    )
    checks = [check.name for check in run.checks]
    html = rendered(
        "report.html",
        page=page,
        view=RunView(run),
        warnings=warnings,
        columns={
            "checks": checks,
            "titles": [one_line(name, _TITLE_CHARS) for name in checks],
        },
        version=VERSION,
    )
    head, tail = html.split(_DATA)
    file.write(head.encode("utf-8", "replace"))
    writer = _Results(file, checks)
    async for result in pages:
        writer.add(result)
    writer.finish()
    file.write(tail.encode("utf-8", "replace"))


class _Results:
    """Writes rows and chunks of pages as they come."""

    def __init__(self, file: BinaryIO, checks: Sequence[str]) -> None:
        self._file = file
        self._checks = checks
        self._template = environment().get_template("result_part.html")
        self._rows: list[list[Any]] = []
        self._parts: list[str] = []
        self._chunk = 0
        self._chars = 0

    def add(self, page: ResultPage) -> None:
        row = page.row
        base = f"#result/{fragment(row.result_id)}/"
        part = self._template.render(view=ResultView(page, base))
        self._rows.append([*_cells(row, self._checks), self._chunk, len(self._parts)])
        self._parts.append(part)
        self._chars += len(part)
        if self._chars >= _CHUNK_CHARS:
            self._flush_parts()
        if len(self._rows) >= _ROWS:
            self._flush_rows()

    def finish(self) -> None:
        self._flush_parts()
        self._flush_rows()

    def _flush_parts(self) -> None:
        if self._parts:
            self._write(
                f'text/plain" id="chunk-{self._chunk}', packed_json(self._parts)
            )
            self._chunk += 1
        self._parts = []
        self._chars = 0

    def _flush_rows(self) -> None:
        if self._rows:
            self._write('application/json" class="rows', inert_json(self._rows))
        self._rows = []

    def _write(self, attributes: str, content: str) -> None:
        self._file.write(f'<script type="{attributes}">{content}</script>\n'.encode())


def _whole(text: str) -> str:
    """A text that an address can hold: halves of characters are replaced, as `fragment` does."""
    return text.encode("utf-8", "replace").decode()


def _cells(row: ResultRow, checks: Sequence[str]) -> list[Any]:
    """A row of the list, in the order that static/report.js reads; checks as one letter each."""
    kinds = {cell.name: _MARKS[cell.kind] for cell in row.checks}
    cost = row.agent_cost
    return [
        _whole(row.result_id),
        row.task_id,
        row.gate.value,
        row.primary.code if row.primary else "",
        [label.code for label in row.codes],
        row.outcome_class.value if row.outcome_class else "",
        row.score,
        None if cost is None else float(cost.amount),
        "" if cost is None else cost.currency,
        row.agent_latency_ms,
        one_line(row.reason, _REASON_CHARS),
        "".join(kinds.get(name, ".") for name in checks),
    ]
