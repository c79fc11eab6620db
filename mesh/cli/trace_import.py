"""`judgemesh trace import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    PricesOption,
    QuietOption,
)


def import_traces(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Trace files (.gz too), or folders of them."
        ),
    ],
    *,
    format: Annotated[  # noqa: A002 (the option's name)
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format: atif, events, inspect, langsmith, openinference, otlp, tau; auto goes by the content.",
        ),
    ] = "auto",
    prices: PricesOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    no_progress: Annotated[
        bool, typer.Option("--no-progress", help="No progress bar.")
    ] = False,
) -> None:
    """Read traces of agent runs into the ledger.

    Spans of one trace may be spread over the files given together. A trace that is in the ledger already is replaced.
    What cannot be read is reported and counted; the rest is imported.

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
    from judgemesh.mesh.cli.trace_importing import Importing, import_and_show

    importing = Importing(
        files=tuple(files),
        format=format,
        prices=prices,
        ledger=ledger,
        as_json=as_json,
        quiet=quiet,
        no_progress=no_progress,
    )
    raise typer.Exit(import_and_show(importing))
