"""`judgemesh trace list | show`: the runs of traces, and one of them in time."""

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
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import JsonOption, PricesOption
from judgemesh.mesh.cli.running import run_async

_WAYS: Final = Ways(
    {"with files": "files trace_format", "with --ledger": "ledger"},
    common="trace trace_id prices since until agent skill contracts group_by sort limit",
)


def list_(  # noqa: PLR0913 (one argument an option)
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
    contracts: ContractsOption = None,
    group_by: Annotated[
        str | None,
        typer.Option(
            "--group-by",
            metavar="NAME",
            help="One row for each agent, skill, model, task, status or day.",
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="NAME",
            help="cost, tokens, steps, start, latency or findings; the largest or latest first.",
        ),
    ] = "cost",
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="How many rows; 0 for all.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the runs: agent, skill, model, start, steps, tokens, cost, and what was found.

    \b
    Examples:
      judgemesh trace list traces/
      judgemesh trace list --ledger .judgemesh/ledger.db --since 7d --agent planner
      judgemesh trace list traces/ --group-by skill --sort tokens
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.trace_list import list_traces
    from judgemesh.mesh.cli.output import show, show_json, terminal_width
    from judgemesh.mesh.reporting.traces.listing import list_json, list_view

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
    listed = run_async(list_traces(query, group_by=group_by, sort=sort, limit=limit))
    if as_json:
        show_json(list_json(listed, group_by=group_by))
    else:
        show(*list_view(listed, group_by=group_by, width=terminal_width()))
        warn_of(listed.malformed)


def show_(  # noqa: PLR0913 (one argument an option)
    ctx: typer.Context,
    trace: Annotated[
        str, typer.Argument(help="Id of the trace, or its beginning; or a trace file.")
    ],
    files: FilesArgument = None,
    *,
    ledger: FromLedgerOption = None,
    trace_format: FormatOption = "auto",
    prices: PricesOption = None,
    contracts: ContractsOption = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="How many steps; 0 for all.")
    ] = 100,
    as_json: JsonOption = False,
) -> None:
    """Show one run in time: each step with its state, tool, tokens, cost and duration.

    `‖` marks steps that ran at the same time; `→` tokens of a result that were sent to the
    next model call. A trace file alone shows its first trace. Without files and --ledger,
    the id is looked up in the default ledger.

    \b
    Examples:
      judgemesh trace show trace.jsonl
      judgemesh trace show 2779f629 traces/
      judgemesh trace show 2779f629 --ledger .judgemesh/ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.trace_list import one_trace
    from judgemesh.mesh.cli.options import DEFAULT_LEDGER
    from judgemesh.mesh.cli.output import show, show_json, terminal_width
    from judgemesh.mesh.reporting.traces.show import show_view
    from judgemesh.mesh.reporting.traces.show_json import trace_json

    trace_id: str | None = trace
    if not files and ledger is None:
        if Path(trace).exists():
            files, trace_id = [Path(trace)], None
        else:
            ledger = DEFAULT_LEDGER
    query = query_of(
        files,
        ledger,
        trace_id=trace_id,
        trace_format=trace_format,
        prices=prices,
        contracts=contracts,
    )
    _WAYS.check(ctx, "with files" if ledger is None else "with --ledger")
    shown = run_async(one_trace(query))
    parts = (shown.trace, shown.bill, shown.findings)
    if as_json:
        show_json(trace_json(*parts))
        return
    width = terminal_width()
    show(*show_view(*parts, width=width, limit=limit))
    warn_of(shown.malformed)
