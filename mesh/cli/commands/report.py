"""`judgemesh report`."""

from __future__ import annotations

from typing import Annotated

import typer

from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    OutputOption,
)


def report(
    result_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[RESULT_ID]", help="Show the report of this result in full."
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Which run; without it the latest."),
    ] = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="List the runs of the ledger.")
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look at what is in the ledger: a run in numbers, one result in full, or the list of runs.

    \b
    Examples:
      judgemesh report
      judgemesh report RESULT_ID
      judgemesh report --runs
      judgemesh report --run RUN -o reports.jsonl -o junit.xml
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.looking import Looking, look

    looking = Looking(
        result_id=result_id,
        run=run,
        runs=runs,
        ledger=ledger,
        outputs=tuple(output or ()),
        as_json=as_json,
    )
    look(looking)
