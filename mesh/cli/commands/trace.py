"""`judgemesh trace import | list | show | bill | findings`: what agent runs used, cost and wasted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.mesh.cli.commands.trace_options import (
    AgentOption,
    ContractsOption,
    FilesArgument,
    FormatOption,
    FromLedgerOption,
    SinceOption,
    SkillOption,
    TraceIdOption,
    UntilOption,
    query_of,
    warn_of,
)
from judgemesh.mesh.cli.commands.trace_views import list_, show_
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.groups import group
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    NoProgressOption,
    PricesOption,
    QuietOption,
)
from judgemesh.mesh.cli.running import run_async

trace: Final = group(
    no_args_is_help=True,
    help="Read traces of agent runs: what they used, cost and wasted.",
)

trace.command("list")(list_)
trace.command("show")(show_)

_WAYS: Final = Ways(
    {"with files": "files trace_format", "with --ledger": "ledger run"},
    common="trace_id prices output since until agent skill contracts",
)
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Graded run to join with. Default: the latest."
    ),
]


_FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...", help="Trace files (.gz too), or folders of them."
    ),
]
_FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the files (see docs/how-to/trace-readers.md); auto: by content.",
    ),
]
_RepriceOption = Annotated[
    bool,
    typer.Option(
        "--reprice",
        help="Price traces that are in the ledger again, by the book of today.",
    ),
]


@trace.command("import")
def import_(
    files: _FilesArgument,
    *,
    format: _FormatOption = "auto",  # noqa: A002 (the option's name)
    prices: PricesOption = None,
    reprice: _RepriceOption = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    no_progress: NoProgressOption = False,
) -> None:
    """Read traces of agent runs into the ledger.

    Spans of one trace may be in several files, also of several imports: parts are put together, and
    what came before changes nothing. A trace keeps the prices that it was billed with, unless
    --reprice is given. Parts that cannot be read are reported and counted; the rest is imported.

    \b
    Examples:
      judgemesh trace import spans.json
      judgemesh trace import exports/ --format langsmith --json
      judgemesh trace import logs/*.eval --ledger sqlite:///traces.db

    \b
    Exit codes:
      0  something was imported
      2  wrong usage, an unreadable file, or nothing to import
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.trace_import import check_imported, import_traces
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.cli.progress import ProblemLines, ReadingDisplay, shows_bar
    from judgemesh.mesh.reporting.traces.importing import reading_json, reading_line
    from judgemesh.mesh.tracing.readers.ingest import ImportCounts

    reading = ImportCounts()
    bar = shows_bar(no_progress=no_progress, quiet=quiet)
    with (
        ProblemLines("malformed", "malformed part") as problems,
        ReadingDisplay(shows_bar=bar) as display,
    ):
        run_async(
            import_traces(
                files,
                format=format,
                prices=prices,
                reprice=reprice,
                ledger_url=ledger,
                reading=reading,
                on_malformed=problems,
                on_progress=display.show,
            )
        )
    if as_json:
        show_json(reading_json(reading))
    elif not quiet:
        put(reading_line(reading) + "\n")
    check_imported(reading, files)


@trace.command("bill")
def bill(  # noqa: PLR0913 (one argument an option)
    ctx: typer.Context,
    files: FilesArgument = None,
    *,
    ledger: FromLedgerOption = None,
    trace_id: TraceIdOption = None,
    trace_format: FormatOption = "auto",
    prices: PricesOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    agent: AgentOption = None,
    skill: SkillOption = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write .html or .json. Repeatable."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the bill: tokens and cost by state, model, tool and context source.

    Steps without a price in the trace are priced with the price book. Several files or
    traces make one bill.

    \b
    Examples:
      judgemesh trace bill trace.jsonl
      judgemesh trace bill traces/ --json
      judgemesh trace bill trace.jsonl -o bill.html
      judgemesh trace bill --ledger .judgemesh/ledger.db --trace ID
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.traces import trace_bill
    from judgemesh.mesh.cli.output import show, show_json, terminal_width
    from judgemesh.mesh.reporting.bill.data import bill_json
    from judgemesh.mesh.reporting.bill.files import check_bill_files, write_bill
    from judgemesh.mesh.reporting.bill.tables import bill_view

    query = query_of(
        files,
        ledger,
        trace_id=trace_id,
        trace_format=trace_format,
        prices=prices,
        since=since,
        until=until,
        agent=agent,
        skill=skill,
    )
    _WAYS.check(ctx, "with files" if ledger is None else "with --ledger")
    outputs = tuple(output or ())
    pages = check_bill_files(outputs)
    total = run_async(trace_bill(query, with_findings=pages))
    for path in outputs:
        write_bill(path, total.bill, total.findings)
    if as_json:
        show_json({**bill_json(total.bill), "malformed": total.malformed.count})
    else:
        show(*bill_view(total.bill, width=terminal_width()))
        warn_of(total.malformed)


@trace.command("findings")
def findings(  # noqa: PLR0913 (one argument an option)
    ctx: typer.Context,
    files: FilesArgument = None,
    *,
    ledger: FromLedgerOption = None,
    run: RunOption = None,
    trace_id: TraceIdOption = None,
    trace_format: FormatOption = "auto",
    prices: PricesOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    agent: AgentOption = None,
    skill: SkillOption = None,
    contracts: ContractsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print cost patterns: the evidence, the steps concerned, and the possible saving.

    One trace is shown in full. For several traces the patterns are ranked by their cost.
    With --ledger the output also shows what a hard success cost in each state, and which
    states precede failures. --json adds suggestions as structured patches.

    \b
    Examples:
      judgemesh trace findings trace.jsonl
      judgemesh trace findings traces/ --json
      judgemesh trace findings --ledger .judgemesh/ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.traces import trace_findings
    from judgemesh.mesh.cli.output import show, show_json, terminal_width
    from judgemesh.mesh.reporting.bill.data import finding_json, pattern_json
    from judgemesh.mesh.reporting.bill.tables import findings_view, patterns_view
    from judgemesh.mesh.reporting.traces.outcomes import join_json, join_view

    query = query_of(
        files,
        ledger,
        trace_id=trace_id,
        trace_format=trace_format,
        prices=prices,
        since=since,
        until=until,
        agent=agent,
        skill=skill,
        contracts=contracts,
    )
    _WAYS.check(ctx, "with files" if ledger is None else "with --ledger")
    patterns = run_async(trace_findings(query, run=run, with_suggestions=as_json))
    totals = patterns.totals.totals()
    if as_json:
        data: dict[str, object] = {
            "runs": patterns.totals.runs,
            "patterns": [pattern_json(total) for total in totals],
            "findings": list(map(finding_json, patterns.findings)),
            "suggestions": patterns.suggestions,
        }
        if patterns.outcomes is not None:
            data["join"] = join_json(patterns.outcomes)
        show_json(data)
        return
    if patterns.totals.runs == 1:
        show(*findings_view(patterns.first))
    else:
        show(*patterns_view(totals, width=terminal_width()))
    if patterns.outcomes is not None:
        show(*join_view(patterns.outcomes))
    warn_of(patterns.malformed)
