"""What `judgemesh grade` does around the batch runner.

It checks outputs before, shows progress meanwhile, writes files and the summary after, and decides the exit code.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.exit_rule import Decision, Facts, decide
from judgemesh.mesh.reporting.summary import Outline
from judgemesh.mesh.reporting.write import check_outputs

if TYPE_CHECKING:
    from judgemesh.mesh.runs.batch import BatchOptions, BatchResult

Name = TypeVar("Name", bound=str)

_LEVELS: Final = (
    (logging.WARNING, logging.WARNING),
    (logging.WARNING, logging.INFO),
    (logging.DEBUG, logging.DEBUG),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How the user wants to see the run, and when it counts as a failure."""

    outputs: tuple[Path, ...] = ()
    fail_under: Fraction | None = None
    fail_on_error: int = 0
    as_json: bool = False
    quiet: bool = False
    verbose: int = 0
    no_progress: bool = False


def rate(text: str) -> Fraction:
    """`0.9`, `90%` or `9/10` as an exact share.

    Raises:
        ConfigError: anything else, or not within 0..1.
    """
    try:
        share = Fraction(text.strip().removesuffix("%").strip())
        share = share / 100 if text.strip().endswith("%") else share
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise ConfigError(
            f"expected a share from 0 to 1, or a percentage, got {text!r}",
            where="--fail-under",
            hint="such as 0.9 or 90%",
        )
    return share


def backend_of(text: str) -> Literal["votes", "probability"]:
    """The way of asking that was named; raises ConfigError when there is no such way."""
    return _named(text, ("votes", "probability"), "--judge-backend")


def panel_of(text: str) -> Literal["auto", "majority", "log_odds", "stacking"]:
    """The way of adding a panel up that was named; raises ConfigError when there is no such way."""
    return _named(text, ("auto", "majority", "log_odds", "stacking"), "--panel")


def mode_of(text: str) -> Literal["full", "economy"]:
    """The mode that was named; raises ConfigError when there is no such mode."""
    return _named(text, ("full", "economy"), "--mode")


def _named(text: str, names: tuple[Name, ...], where: str) -> Name:
    """The name that `text` is.

    Raises:
        ConfigError: it is none of them.
    """
    for name in names:
        if name == text:
            return name
    told = f"{', '.join(names[:-1])} or {names[-1]}"
    raise ConfigError(f"expected {told}, got {text!r}", where=where)


def result_paths(names: Sequence[str]) -> tuple[Path | None, ...]:
    """The files of results; `-` is standard input.

    Raises:
        ConfigError: a file is not there, is a folder, or is named twice.
    """
    paths = [None if name == "-" else Path(name) for name in names]
    seen: set[Path | None] = set()
    for path in paths:
        if path is not None and not path.exists():
            raise ConfigError(
                "no such file",
                where=str(path),
                hint="expected a JSONL file of agent results, or - for standard input",
            )
        if path is not None and path.is_dir():
            raise ConfigError(
                "is a folder", where=str(path), hint="name the JSONL files in it"
            )
        resolved = path and path.resolve()
        if resolved in seen:
            raise ConfigError(
                "is named twice", where="-" if path is None else str(path)
            )
        seen.add(resolved)
    return tuple(paths)


def grade_and_show(options: BatchOptions, wishes: Wishes) -> int:
    """Grade, show, write; returns the exit code.

    Raises:
        InputError: something to mend before anything was graded.
        LedgerError: the ledger failed.
    """
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.ledger.engines import parse_address

    _log(wishes)
    inputs = [path for path in options.results if path is not None]
    if wishes.outputs and parse_address(options.ledger).is_memory:
        raise ConfigError(
            "a ledger in memory is gone before files are written from it",
            where="--ledger",
            hint="name a file",
        )
    check_outputs(
        wishes.outputs,
        inputs=[*inputs, *([options.rejects] if options.rejects else [])],
    )
    decision = asyncio.run(_grade(options, wishes))
    if decision.code or not wishes.quiet:
        say(str(decision))
    return decision.code


def estimate_and_show(options: BatchOptions, wishes: Wishes) -> int:
    """Make no call, and print what grading would cost; returns the exit code.

    Raises:
        InputError: something to mend before anything could be graded.
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.estimate import estimate_view
    from judgemesh.mesh.runs.estimate import estimate

    _log(wishes)
    found = asyncio.run(estimate(options))
    if wishes.as_json:
        show_json(found.to_json())
    else:
        show(*estimate_view(found))
    return 0


async def _grade(options: BatchOptions, wishes: Wishes) -> Decision:
    from judgemesh.mesh.cli.progress import Watcher, bar_wanted
    from judgemesh.mesh.runs.batch import run_batch

    watcher = Watcher(bar_wanted(no_progress=wishes.no_progress, quiet=wishes.quiet))
    try:
        result = await run_batch(options, watcher)
    finally:
        watcher.close()
    decision = _decide(result, wishes, resumable=options.resume)
    await _deliver(result, wishes, decision)
    return decision


def _decide(result: BatchResult, wishes: Wishes, *, resumable: bool) -> Decision:
    summary = result.summary
    return decide(
        Facts(
            passed=summary.passed,
            failed=summary.failed,
            undecided=summary.undecided,
            rejected=result.rejected,
            error_results=summary.error_results,
            interrupted=result.interrupted,
            budget_spent=result.budget_spent,
            resumable=resumable,
            fail_under=wishes.fail_under,
            fail_on_error=wishes.fail_on_error,
        )
    )


async def _deliver(result: BatchResult, wishes: Wishes, decision: Decision) -> None:
    """Write the output files from the ledger, then print the summary."""
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.ledger.engines import parse_address
    from judgemesh.mesh.reporting.summary import summary_json

    outline = Outline(
        run_id=result.run_id,
        ledger=parse_address(result.ledger).name,
        exit_rule=str(decision),
        resumed=result.resumed,
        rejected=result.rejected,
        rejects_file=None if result.rejects_path is None else str(result.rejects_path),
        outputs=tuple(str(path) for path in wishes.outputs),
        warnings=result.warnings,
        halos=result.halos,
        panel=result.panel,
        elapsed_s=result.elapsed_s,
        next_command=next_command(parse_address(result.ledger).name),
    )
    data = summary_json(result.summary, outline)
    await write_outputs(wishes.outputs, result.ledger, result.run_id, data)
    if wishes.as_json:
        show_json(data)
    elif not wishes.quiet:
        from judgemesh.mesh.reporting.summary_view import summary_view

        show(*summary_view(result.summary, outline))


async def write_outputs(
    outputs: Sequence[Path], ledger_url: str, run_id: str, summary: dict[str, object]
) -> None:
    """Write output files of a run from its ledger."""
    if not outputs:
        return
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.write import Graded, write_output

    async with await Ledger.open(ledger_url, read_only=True) as ledger:
        graded = Graded(
            run_id=run_id, summary=summary, reports=lambda: ledger.reports(run_id)
        )
        for path in outputs:
            await write_output(path, graded)


def next_command(ledger_name: str) -> str:
    """What to type to see one result in full."""
    from judgemesh.mesh.cli.options import DEFAULT_LEDGER

    where = "" if ledger_name == DEFAULT_LEDGER else f" --ledger {ledger_name}"
    return f"judgemesh report RESULT_ID{where}"


def _log(wishes: Wishes) -> None:
    """Log messages go to stderr: warnings, none of them with -q, our own messages with -v, everybody's with -vv."""
    everybody, ours = (
        (logging.ERROR, logging.ERROR)
        if wishes.quiet
        else _LEVELS[min(wishes.verbose, 2)]
    )
    logging.basicConfig(
        level=everybody, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("judgemesh").setLevel(ours)
