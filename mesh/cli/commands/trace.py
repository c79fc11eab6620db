"""`judgemesh trace bill | findings`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.mesh.cli.options import JsonOption, PricesOption
from judgemesh.mesh.cli.trace_import import import_traces

trace: Final = typer.Typer(
    no_args_is_help=True,
    help="Read traces of agent runs: what they used, cost and wasted.",
)
trace.command("import")(import_traces)

FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...", help="Trace files, or folders of them; see also --ledger."
    ),
]
FromLedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger", metavar="URL", help="Traces of a ledger, in place of files."
    ),
]
TraceIdOption = Annotated[
    str | None, typer.Option("--trace", metavar="ID", help="Only the trace of this id.")
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format", metavar="NAME", help="Format of the files; auto: by content."
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Graded run to join with; without it the latest."
    ),
]


@trace.command("bill")
def bill(
    files: FilesArgument = None,
    *,
    ledger: FromLedgerOption = None,
    trace_id: TraceIdOption = None,
    trace_format: FormatOption = "auto",
    prices: PricesOption = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write .html or .json. Repeatable."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the bill: tokens and cost by state, model, tool and context source, and what dominated it.

    A step keeps the price its trace carries; only steps without one are priced with the price book. Several files or
    traces make one bill.

    \b
    Examples:
      judgemesh trace bill trace.jsonl
      judgemesh trace bill traces/ --json
      judgemesh trace bill trace.jsonl -o bill.html
      judgemesh trace bill --ledger .judgemesh/ledger.db --trace ID
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.tracing import Source, run_bill

    source = Source(
        files=tuple(files or ()),
        ledger=ledger,
        trace_id=trace_id,
        format=trace_format,
        prices=prices,
    )
    run_bill(source, outputs=tuple(output or ()), as_json=as_json)


@trace.command("findings")
def findings(
    files: FilesArgument = None,
    *,
    ledger: FromLedgerOption = None,
    run: RunOption = None,
    trace_id: TraceIdOption = None,
    trace_format: FormatOption = "auto",
    prices: PricesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print cost patterns with the numbers that show them, the steps concerned and what they may save.

    For one trace in full; for many, which patterns cost most over all of them. With --ledger also what a hard success
    cost in each state and which states precede failures. --json adds the suggestions as structured patches.

    \b
    Examples:
      judgemesh trace findings trace.jsonl
      judgemesh trace findings traces/ --json
      judgemesh trace findings --ledger .judgemesh/ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.tracing import Source, run_findings

    source = Source(
        files=tuple(files or ()),
        ledger=ledger,
        trace_id=trace_id,
        format=trace_format,
        prices=prices,
    )
    run_findings(source, run=run, as_json=as_json)
