"""What `judgemesh report` finds in a ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.reporting.summary import Outline, summary_json
from judgemesh.mesh.reporting.write import check_outputs

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.ledger.records import RunRecord
    from judgemesh.mesh.ledger.store import Ledger

_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """What the user wants to see."""

    ledger: str
    result_id: str | None = None
    run: str | None = None
    runs: bool = False
    outputs: tuple[Path, ...] = ()
    as_json: bool = False


def look(looking: Looking) -> None:
    """Print what was asked for.

    Raises:
        ConfigError: there is no such run or result; flags that exclude each other.
        LedgerError: there is no ledger, or it cannot be read.
    """
    if looking.outputs and (looking.runs or looking.result_id is not None):
        raise ConfigError(
            "-o writes a whole run; it does not go together with RESULT_ID or --runs"
        )
    if looking.runs and looking.result_id is not None:
        raise ConfigError(
            "--runs lists all runs; it does not go together with RESULT_ID"
        )
    check_outputs(looking.outputs)
    asyncio.run(_look(looking))


async def _look(looking: Looking) -> None:
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(looking.ledger, read_only=True) as ledger:
        runs = await ledger.runs()
        if looking.runs:
            await _show_runs(ledger, runs, as_json=looking.as_json)
            return
        if not runs:
            raise ConfigError(
                "holds no run yet", where=ledger.url, hint="`judgemesh grade` makes one"
            )
        chosen = None if looking.run is None else find_run(runs, looking.run)
        if looking.result_id is not None:
            await _show_result(
                ledger, [chosen] if chosen else _newest_first(runs), looking
            )
        else:
            latest = await ledger.latest_run()
            await _show_run(ledger, chosen or latest or runs[-1], looking)


def find_run(runs: Sequence[RunRecord], name: str) -> RunRecord:
    """The run whose id is `name` or the only one that begins so.

    Raises:
        ConfigError: there is none, or several.
    """
    found = [run for run in runs if run.run_id == name] or [
        run for run in runs if run.run_id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    ids = [run.run_id for run in found or _newest_first(runs)]
    if found:
        raise ConfigError(
            f"several runs begin with {name!r}",
            where="--run",
            hint=", ".join(ids[:_NAMED]),
        )
    near = get_close_matches(name, ids, n=1)
    raise ConfigError(
        f"no run is called {name!r}",
        where="--run",
        hint=f"did you mean {near[0]}?"
        if near
        else f"the latest: {', '.join(ids[:_NAMED])}",
    )


def _newest_first(runs: Sequence[RunRecord]) -> list[RunRecord]:
    return sorted(
        runs, key=lambda run: run.last_started_at or run.created_at, reverse=True
    )


async def _show_runs(
    ledger: Ledger, runs: Sequence[RunRecord], *, as_json: bool
) -> None:
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.runs import run_json, runs_table

    rows = [(run, await ledger.summary(run.run_id)) for run in _newest_first(runs)]
    if as_json:
        show_json({"runs": [run_json(run, summary) for run, summary in rows]})
    else:
        show(runs_table(rows))


async def _show_result(
    ledger: Ledger, runs: Sequence[RunRecord], looking: Looking
) -> None:
    """Show one report, out of the newest of the runs that has it."""
    from judgemesh.contracts.report import report_to_json
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.report import report_view

    result_id = looking.result_id or ""
    for run in runs:
        report = await _report(ledger, run.run_id, result_id)
        if report is None:
            continue
        if looking.as_json:
            show_json({"run_id": run.run_id, **report_to_json(report)})
        else:
            show(*report_view(report, run_id=run.run_id))
        return
    where = runs[0].run_id if len(runs) == 1 else ledger.url
    hint = "`judgemesh report -o reports.jsonl` writes all of a run"
    raise ConfigError(f"holds no result {result_id!r}", where=where, hint=hint)


async def _report(ledger: Ledger, run_id: str, result_id: str) -> Report | None:
    from judgemesh.mesh.ledger.queries import ReportFilter

    async for report in ledger.reports(
        run_id, where=ReportFilter(result_ids=(result_id,))
    ):
        return report
    return None


async def _show_run(ledger: Ledger, run: RunRecord, looking: Looking) -> None:
    from judgemesh.mesh.cli.joining import join_of
    from judgemesh.mesh.cli.options import report_command
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.summary_view import summary_view
    from judgemesh.mesh.reporting.trace_outcomes import join_json, join_view
    from judgemesh.mesh.reporting.write import Graded, write_output
    from judgemesh.mesh.runs.panel_run import panel_of_run
    from judgemesh.mesh.runs.run import halos_of

    summary = await ledger.summary(run.run_id)
    rejected = (run.summary or {}).get("rejected", 0)
    outline = Outline(
        run_id=run.run_id,
        ledger=ledger.url,
        rejected=rejected if isinstance(rejected, int) else 0,
        outputs=tuple(str(path) for path in looking.outputs),
        halos=await halos_of(ledger, run.run_id),
        panel=await panel_of_run(ledger, run.run_id, run.config.get("judge")),
        next_command=report_command(ledger.url),
    )
    data = summary_json(summary, outline)
    join = await join_of(ledger, run.run_id)
    if join.joined.with_trace:
        data = {**data, "traces": join_json(join)}
    graded = Graded(
        run_id=run.run_id, summary=data, reports=lambda: ledger.reports(run.run_id)
    )
    for path in looking.outputs:
        await write_output(path, graded)
    if looking.as_json:
        show_json(data)
    else:
        show(
            *summary_view(summary, outline),
            *(join_view(join) if join.joined.with_trace else ()),
        )
