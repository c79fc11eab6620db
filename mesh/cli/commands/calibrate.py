"""`judgemesh calibrate`."""

from __future__ import annotations

from typing import Annotated

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def calibrate(
    *,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Only verdicts of this run; without it all runs. Repeatable.",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha",
            metavar="A",
            min=0.001,
            max=0.5,
            help="Wrong verdicts a threshold may let by.",
        ),
    ] = 0.05,
    delta: Annotated[
        float,
        typer.Option(
            "--delta",
            metavar="D",
            min=0.001,
            max=0.5,
            help="Chance that the promise does not hold.",
        ),
    ] = 0.05,
    canary: Annotated[
        str | None,
        typer.Option(
            "--canary",
            metavar="BEFORE..AFTER",
            help="Compare the verdicts of two runs on the same frozen items.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what labels say, and store nothing.")
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Compare judges with people's labels, and store what follows for later runs.

    From 30 labels on a judge's verdicts carry their probability of being right; with enough labels a threshold is
    certified above which its verdicts are wrong at most ALPHA of the time. Both hold for this model, these prompts and
    these criteria, until the drift canary alarms. Of a panel the labels say how to add its judges up, and how many
    judges it is worth; of two judges, one after the other, both thresholds are certified as one, from questions that
    `grade --escalate-audit` has asked of both.

    \b
    Examples:
      judgemesh label import queue.csv
      judgemesh calibrate
      judgemesh calibrate --alpha 0.1 --delta 0.1
      judgemesh grade canary.jsonl -c contracts.yaml --judge MODEL --no-cache --no-resume
      judgemesh calibrate --canary RUN_OF_LAST_WEEK..RUN_OF_TODAY

    \b
    Exit codes:
      0    done
      1    the canary alarms
      2    wrong usage, or no labels
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.calibrating import (
        Calibrating,
        calibrate_and_show,
        watch_canary,
    )

    wanted = Calibrating(
        ledger=ledger,
        runs=tuple(run or ()),
        alpha=alpha,
        delta=delta,
        store=not dry_run,
    )
    code = (
        calibrate_and_show(wanted, as_json=as_json)
        if canary is None
        else watch_canary(wanted, canary, as_json)
    )
    raise typer.Exit(code)
