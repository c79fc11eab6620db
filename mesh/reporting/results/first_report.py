"""The first report of `judgemesh init`: what was read, how it was graded, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.verdicts import codes_of
from judgemesh.mesh.inputs.files.limits import CONTRACT
from judgemesh.mesh.inputs.files.reading import read_text_file
from judgemesh.mesh.reporting.results.report import GATE_STYLES
from judgemesh.mesh.reporting.tables import add_columns, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from judgemesh.mesh.analysis.drafting.start import Start
    from judgemesh.mesh.runs.batch import BatchResult

_MAX_ROWS: Final = 20
_WORST_FIRST: Final = (Gate.FAIL, Gate.UNDECIDED, Gate.PASS)
_WHY_CHARS: Final = 300
_REVIEW: Final = "REVIEW"


def first_report(
    start: Start, result: BatchResult, reports: Sequence[Report], *, judged: bool
) -> Iterator[RenderableType]:
    """The runs with their gates, what the draft rests on, and the next commands."""
    from rich.text import Text

    yield Text(_read(start))
    yield Text("")
    yield _table(reports)
    summary = result.summary
    yield Text("")
    gates = (
        f"{summary.passed:,} passed, {summary.failed:,} failed, {summary.undecided:,} undecided under the drafted"
        " contract. It was drafted from these runs, so a pass says little yet."
    )
    yield Text(gates)
    for warning in result.warnings:
        yield Text(f"warning: {one_line(warning)}", "yellow")
    if not judged:
        yield Text(
            "No judge was asked whether an answer is right: the last lines of the contract say how."
        )
    yield Text("")
    yield from _next(start)


def why(report: Report) -> str:
    """Why a report has its gate: the first verdict that decides it; a pass has what was found beside the gate."""
    deciding = [row for row in report.verdicts if row.gating and codes_of(row.verdict)]
    others = [row for row in report.verdicts if codes_of(row.verdict)]
    for row in sorted(deciding, key=lambda row: row.verdict.kind != "fail") or others:
        codes = ", ".join(code.value for code in codes_of(row.verdict))
        return one_line(f"{codes}: {row.verdict.diagnostic}", _WHY_CHARS)
    return ""


def _read(start: Start) -> str:
    """What was read."""
    seen = start.seen
    files = plural(start.counts.files, "file")
    formats = ", ".join(sorted(set(start.counts.formats.values())))
    text = f"Read {plural(seen.runs, 'run')} from {files} ({formats}) as task {start.task_id}: "
    text += f"{plural(len(seen.tools), 'tool')} called, {plural(seen.answered, 'final answer')}"
    if seen.unread:
        text += f", {plural(seen.unread, 'run')} with calls that cannot be read"
    return text


def _table(reports: Sequence[Report]) -> Table:
    """One row a run, the worst first."""
    from rich.text import Text

    table = plain_table()
    add_columns(table, "run", "gate", justify="left")
    table.add_column("why", overflow="fold")
    ordered = sorted(reports, key=lambda report: _WORST_FIRST.index(report.gate))
    for report in ordered[:_MAX_ROWS]:
        gate = Text(report.gate.value, GATE_STYLES[report.gate])
        table.add_row(_cut(one_line(report.result_id)), gate, Text(why(report)))
    if len(ordered) > _MAX_ROWS:
        table.add_row(f"and {len(ordered) - _MAX_ROWS:,} more", style="dim")
    return table


def _cut(text: str) -> str:
    """An id that leaves room for the rest of the row."""
    return text if len(text) <= 24 else f"{text[:23]}…"


def _next(start: Start) -> Iterator[Text]:
    """The next commands; never wrapped, so that they can be copied."""
    from rich.text import Text

    ledger = f"--ledger {start.folder / 'ledger.db'}"
    reviews = read_text_file(start.contract, CONTRACT).count(_REVIEW) - 1
    steps = (
        ("edit   ", f"{start.contract}  ({plural(reviews, 'line')} marked {_REVIEW})"),
        (
            "grade  ",
            f"judgemesh grade {start.results} --contracts {start.contract} {ledger}",
        ),
        ("explain", f"judgemesh report RUN {ledger}"),
    )
    for name, value in steps:
        yield Text.assemble(
            (f"{name} ", "dim"), one_line(value), no_wrap=True, overflow="ignore"
        )


def first_report_json(
    start: Start, result: BatchResult, reports: Sequence[Report]
) -> dict[str, object]:
    """The first report as one JSON object."""
    summary = result.summary
    return {
        "folder": str(start.folder),
        "results": str(start.results),
        "contract": str(start.contract),
        "ledger": result.ledger,
        "task_id": start.task_id,
        "files": start.counts.files,
        "formats": sorted(set(start.counts.formats.values())),
        "runs": start.seen.runs,
        "unread": start.seen.unread,
        "tools": dict(sorted(start.seen.tools.items())),
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "reports": [
            {
                "result_id": report.result_id,
                "gate": report.gate.value,
                "failure_reason_codes": [
                    code.value for code in report.failure_reason_codes
                ],
                "why": why(report),
            }
            for report in reports
        ],
        "warnings": list(result.warnings),
    }
