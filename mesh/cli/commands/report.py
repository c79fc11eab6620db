"""`judgemesh report`: what is in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    OutputOption,
)

_WAYS: Final = Ways(
    {
        "with --runs": "runs",
        "with RESULT_ID": "result_id run",
        "with a run": "run output",
    },
    common="ledger",
)


def report(
    ctx: typer.Context,
    result_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[RESULT_ID]", help="Show the full report of this result."
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="RUN", help="Run of the ledger. Default: the latest."
        ),
    ] = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="List the runs of the ledger.")
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is in the ledger: a run in numbers, one result in full, or the list of runs.

    \b
    Examples:
      judgemesh report
      judgemesh report RESULT_ID
      judgemesh report --runs
      judgemesh report --run RUN -o reports.jsonl -o junit.xml
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    import asyncio

    from judgemesh.mesh.reporting.files.write import check_outputs

    outputs = tuple(output or ())
    if outputs and (runs or result_id is not None):
        raise ConfigError(
            "-o writes a whole run; it cannot be combined with RESULT_ID or --runs"
        )
    if runs and result_id is not None:
        raise ConfigError("--runs lists all runs; it cannot be combined with RESULT_ID")
    one = "with a run" if result_id is None else "with RESULT_ID"
    _WAYS.check(ctx, "with --runs" if runs else one)
    check_outputs(outputs)
    if runs:
        asyncio.run(_show_runs(ledger, as_json=as_json))
    elif result_id is not None:
        asyncio.run(_show_result(ledger, result_id, run, as_json=as_json))
    else:
        asyncio.run(_show_run(ledger, run, outputs, as_json=as_json))


async def _show_runs(url: str, *, as_json: bool) -> None:
    from judgemesh.mesh.analysis.run_report import run_summaries
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.results.runs import run_json, runs_table

    async with await Ledger.open(url, read_only=True) as ledger:
        rows = await run_summaries(ledger)
    if as_json:
        show_json({"runs": [run_json(run, summary) for run, summary in rows]})
    else:
        show(runs_table(rows))


async def _show_result(
    url: str, result_id: str, run: str | None, *, as_json: bool
) -> None:
    from judgemesh.contracts.report import report_to_json
    from judgemesh.mesh.analysis.run_report import find_report
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.results.report import report_view

    async with await Ledger.open(url, read_only=True) as ledger:
        run_id, report = await find_report(ledger, result_id, run)
    if as_json:
        show_json({"run_id": run_id, **report_to_json(report)})
    else:
        show(*report_view(report, run_id=run_id))


async def _show_run(
    url: str, name: str | None, outputs: Sequence[Path], *, as_json: bool
) -> None:
    from judgemesh.mesh.analysis.run_lookup import opened_run
    from judgemesh.mesh.analysis.trace_outcomes import trace_outcomes_of
    from judgemesh.mesh.cli.options import report_command
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.files.write import Graded, write_output
    from judgemesh.mesh.reporting.results.summary import (
        RunDetails,
        summary_json,
        summary_view,
    )
    from judgemesh.mesh.reporting.traces.outcomes import join_json, join_view
    from judgemesh.mesh.runs.panel_run import panel_of_run
    from judgemesh.mesh.runs.run import halos_of

    async with opened_run(url, name) as (ledger, run):
        run_id = run.run_id
        summary = await ledger.summary(run_id)
        traces = await trace_outcomes_of(ledger, run_id)
        rejected = (run.summary or {}).get("rejected", 0)
        extras = RunDetails(
            run_id=run_id,
            ledger=ledger.url,
            rejected=rejected if isinstance(rejected, int) else 0,
            outputs=tuple(str(path) for path in outputs),
            halos=await halos_of(ledger, run_id),
            panel=await panel_of_run(ledger, run_id, run.config.get("judge")),
            next_command=report_command(ledger.url),
        )
        data = summary_json(summary, extras)
        if traces.joined.with_trace:
            data["traces"] = join_json(traces)
        graded = Graded(
            run_id=run_id, summary=data, reports=lambda: ledger.reports(run_id)
        )
        for path in outputs:
            await write_output(path, graded)
    if as_json:
        show_json(data)
        return
    show(*summary_view(summary, extras))
    if traces.joined.with_trace:
        show(*join_view(traces))
