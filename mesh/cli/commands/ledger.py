"""The commands `judgemesh ledger`: copy a ledger, merge ledgers, remove the texts that they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgemesh.mesh.cli.groups import group
from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption
from judgemesh.mesh.cli.running import run_async

ledger = group(no_args_is_help=True)


@ledger.callback()
def about() -> None:
    """Copy a ledger, merge ledgers, remove the texts that they hold.

    `judgemesh doctor --verify` checks a ledger against its log of reports.
    """


_BeforeOption = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="TIME",
        help="Results graded before a date, a time, or so long ago: 2026-01-31, 90d.",
    ),
]
_TaskOption = Annotated[
    str | None,
    typer.Option("--task", metavar="TASK_ID", help="Results of this task."),
]
_RunOption = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="RUN_ID",
        help="Results of this run, or its id's beginning.",
    ),
]
_DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only say how many results match.")
]


@ledger.command()
def purge(
    *,
    before: _BeforeOption = None,
    task: _TaskOption = None,
    run: _RunOption = None,
    dry_run: _DryRunOption = False,
    ledger_url: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Remove the texts of results: answers, diagnostics, evidence, judges' reasons, look-ups, traces, notes.

    Gates, scores, codes, tokens and costs stay, so every sum is as before. The log of reports gets an entry for each
    result, and `judgemesh doctor --verify` holds. Given several conditions, all must hold. With --before alone, older
    replies in the judge cache are removed too. What was removed cannot be restored.

    \b
    Examples:
      judgemesh ledger purge --before 90d --dry-run
      judgemesh ledger purge --before 2026-01-31
      judgemesh ledger purge --task support_refund --run run_4f2a --ledger ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.contracts.errors import ConfigError
    from judgemesh.mesh.analysis.run_lookup import run_id_in
    from judgemesh.mesh.cli.commands.trace_options import time_of
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.cli.progress import CountLine, shows_bar
    from judgemesh.mesh.ledger.maintenance.opened import count_matching, purge_ledger
    from judgemesh.mesh.ledger.maintenance.purge import PurgeFilter
    from judgemesh.mesh.reporting.setup.maintenance import purged_text
    from judgemesh.mesh.reporting.text import plural

    if before is None and task is None and run is None:
        raise ConfigError(
            "say which results: give --before, --task or --run",
            where="judgemesh ledger purge",
        )
    where = PurgeFilter(
        before=time_of("--before", before),
        task_id=task,
        run_id=None if run is None else run_async(run_id_in(ledger_url, run)),
    )
    if dry_run:
        count = count_matching(ledger_url, where)
        if as_json:
            show_json({"dry_run": True, "results": count})
        else:
            put(f"{plural(count, 'result')} would be purged\n")
        return
    with CountLine(shows_bar=shows_bar()) as line:
        purged = purge_ledger(
            ledger_url, where, lambda count: line(f"purged {plural(count, 'result')}")
        )
    if as_json:
        show_json(purged.to_json())
    else:
        put(purged_text(purged))


@ledger.command()
def backup(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="The copy; must not exist yet.")
    ],
    *,
    ledger_url: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Copy an SQLite ledger into a new file, also while a run is graded into it.

    The copy is what the ledger held at one moment; only its owner can read it. A ledger on PostgreSQL is copied with
    pg_dump.

    \b
    Examples:
      judgemesh ledger backup ledger-2026-04-28.db
      judgemesh ledger backup /backups/ledger.db --ledger ledger.db
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.ledger.maintenance.opened import backup_ledger

    size_bytes = backup_ledger(ledger_url, target)
    if as_json:
        show_json({"file": str(target), "bytes": size_bytes})
    else:
        put(f"wrote {target}\n")


@ledger.command()
def merge(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="LEDGER...", help="Ledgers to copy from: files or database URLs."
        ),
    ],
    *,
    ledger_url: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Copy the runs, traces, labels and cached replies of other ledgers into --ledger.

    A run is copied whole. What --ledger has already is not copied again, so the same command twice changes nothing. A
    run that both have with different reports is an error, and nothing of that ledger is copied.

    \b
    Examples:
      judgemesh ledger merge machine-1.db machine-2.db --ledger all.db
      judgemesh ledger merge ledger.db --ledger postgresql://localhost/judgemesh
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.ledger.maintenance.opened import merge_ledgers
    from judgemesh.mesh.reporting.setup.maintenance import merged_text
    from judgemesh.mesh.reporting.text import one_line

    merged = merge_ledgers(sources, ledger_url)
    if as_json:
        rows = zip(sources, merged, strict=True)
        show_json({"merged": [{"ledger": name, **one.to_json()} for name, one in rows]})
    else:
        for name, one in zip(sources, merged, strict=True):
            put(f"{one_line(name)}: {merged_text(one)}\n")
