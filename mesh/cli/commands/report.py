"""`judgemesh report`: what is in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    AllOption,
    CodeOption,
    FailedOption,
    JsonOption,
    LedgerOption,
    OutputOption,
    PlainOption,
    RunOption,
)
from judgemesh.mesh.cli.running import run_async
from judgemesh.mesh.cli.shown import Shown, show_run

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.versions.comparison import VersionComparison
    from judgemesh.mesh.cli.listing import Selection

_WAYS: Final = Ways(
    {
        "with --runs": "runs",
        "with RESULT_ID": "result_id run plain",
        "with a run": "run output baseline plain every failed code",
    },
    common="ledger",
)


def report(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    result_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[RESULT_ID]", help="Show the full report of this result."
        ),
    ] = None,
    *,
    run: RunOption = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="List the runs of the ledger.")
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    every: AllOption = False,
    failed: FailedOption = False,
    code: CodeOption = None,
    output: OutputOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RUN",
            help="With -o report.html: another run of the ledger, to say what changed since.",
        ),
    ] = None,
    plain: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is in the ledger: a run and its results, one result in full, or the list of runs.

    \b
    Examples:
      judgemesh report
      judgemesh report --failed
      judgemesh report --code WRONG_FACT --plain | cut -f2
      judgemesh report RESULT_ID
      judgemesh report --runs
      judgemesh report --run RUN -o reports.jsonl -o junit.xml
      judgemesh report --baseline RUN -o report.html
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.listing import selection_of
    from judgemesh.mesh.reporting.files.write import check_outputs, is_page

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
    if baseline is not None and not any(is_page(path) for path in outputs):
        raise ConfigError("--baseline needs -o report.html, which shows the change")
    selection = selection_of(every=every, failed=failed, code=code)
    shown = Shown(as_json=as_json, plain=plain)
    if runs:
        run_async(_show_runs(ledger, as_json=as_json))
    elif result_id is not None:
        run_async(_show_result(ledger, result_id, run, shown))
    else:
        run_async(_show_run(ledger, run, outputs, baseline, selection, shown))


async def _change_since(
    baseline: str | None, run_id: str, url: str
) -> VersionComparison | None:
    """The change from a run of the ledger to another."""
    from judgemesh.mesh.analysis.outcomes import OutcomeQuery
    from judgemesh.mesh.analysis.versions.comparison import (
        CompareQuery,
        compare_versions,
    )
    from judgemesh.mesh.cli.output import warn

    if baseline is None:
        return None
    results = OutcomeQuery(ledger=url, warn=warn)
    return await compare_versions(CompareQuery(a=baseline, b=run_id, results=results))


async def _show_runs(url: str, *, as_json: bool) -> None:
    from judgemesh.mesh.analysis.run_report import run_rows
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.results.runs import (
        run_json,
        runs_table,
        unfinished_notes,
    )

    async with await Ledger.open(url, read_only=True) as ledger:
        rows = await run_rows(ledger)
    if as_json:
        show_json({"runs": [run_json(row) for row in rows]})
    else:
        show(runs_table(rows), *unfinished_notes(rows))


async def _show_result(url: str, result_id: str, run: str | None, shown: Shown) -> None:
    from judgemesh.mesh.analysis.run_report import find_result
    from judgemesh.mesh.cli.output import show, show_json, terminal_width
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.results.page import page_view
    from judgemesh.mesh.reporting.results.page_json import page_json
    from judgemesh.mesh.reporting.tables import UNWRAPPED

    async with await Ledger.open(url, read_only=True) as ledger:
        page = await find_result(ledger, result_id, run)
    if shown.as_json:
        show_json(page_json(page))
        return
    whole = terminal_width(plain=shown.plain) >= UNWRAPPED
    show(*page_view(page, whole=whole), plain=shown.plain)


async def _show_run(
    url: str,
    name: str | None,
    outputs: Sequence[Path],
    baseline: str | None,
    selection: Selection,
    shown: Shown,
) -> None:
    from judgemesh.mesh.analysis.results.loading import result_pages_of
    from judgemesh.mesh.analysis.run_lookup import opened_run
    from judgemesh.mesh.analysis.run_report import states_of
    from judgemesh.mesh.analysis.trace_outcomes import trace_outcomes_of
    from judgemesh.mesh.cli.listing import listed
    from judgemesh.mesh.cli.options import report_command
    from judgemesh.mesh.cli.output import show
    from judgemesh.mesh.cli.writing import write_outputs
    from judgemesh.mesh.reporting.files.write import Graded
    from judgemesh.mesh.reporting.results.runs import partial_warnings
    from judgemesh.mesh.reporting.results.summary import (
        RunDetails,
        summary_json,
        summary_view,
    )
    from judgemesh.mesh.reporting.traces.outcomes import join_json, join_view
    from judgemesh.mesh.runs.escalation_summary import escalation_of_run
    from judgemesh.mesh.runs.panel_run import panel_of_run
    from judgemesh.mesh.runs.run import halos_of

    async with opened_run(url, name) as (ledger, run):
        run_id = run.run_id
        state = (await states_of(ledger, [run_id]))[run_id]
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
            escalation=await escalation_of_run(ledger, run_id, run.config.get("judge")),
            status=state.status,
            warnings=partial_warnings(state),
            next_command=report_command(ledger.url),
        )
        data = summary_json(summary, extras)
        rows = await listed(ledger, run_id, selection, summary)
        if traces.joined.with_trace:
            data["traces"] = join_json(traces)
        graded = Graded(
            run_id=run_id,
            summary=data,
            reports=lambda: ledger.reports(run_id),
            pages=lambda: result_pages_of(ledger, run_id),
            baseline=await _change_since(baseline, run_id, url),
        )
        await write_outputs(outputs, graded, quiet=shown.quiet)
    show_run(summary_view(summary, extras), data, rows, shown)
    if traces.joined.with_trace and not shown.as_json and not shown.plain:
        show(*join_view(traces))
