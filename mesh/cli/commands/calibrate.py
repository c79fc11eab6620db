"""`judgemesh calibrate`: judges compared with people's labels."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption
from judgemesh.mesh.cli.running import run_async

_WAYS: Final = Ways(
    {"with --canary": "canary", "without --canary": "run alpha delta"},
    common="dry_run ledger",
)


_RunOption = Annotated[
    list[str] | None,
    typer.Option(
        "--run",
        metavar="RUN",
        help="Only verdicts of this run. Default: all runs. Repeatable.",
    ),
]
_AlphaOption = Annotated[
    float,
    typer.Option(
        "--alpha",
        metavar="A",
        min=0.001,
        max=0.5,
        help="Share of wrong verdicts that a threshold may let pass.",
    ),
]
_DeltaOption = Annotated[
    float,
    typer.Option(
        "--delta",
        metavar="D",
        min=0.001,
        max=0.5,
        help="Probability that the certificate does not hold.",
    ),
]
_CanaryOption = Annotated[
    str | None,
    typer.Option(
        "--canary",
        metavar="BEFORE..AFTER",
        help="Compare the verdicts of two runs on the same frozen items.",
    ),
]
_DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the result, and store nothing.")
]


def calibrate(
    ctx: typer.Context,
    *,
    run: _RunOption = None,
    alpha: _AlphaOption = 0.05,
    delta: _DeltaOption = 0.05,
    canary: _CanaryOption = None,
    dry_run: _DryRunOption = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Compare judges with people's labels, and store the result for later runs.

    With 30 labels or more, verdicts of a judge carry their probability of being right.
    With enough labels a threshold is certified: above it at most a share ALPHA of the
    verdicts is wrong. Both hold for this model, these prompts and these criteria, until
    the drift canary alarms.

    For a panel the labels decide how its judges are combined, and show how many
    independent judges it is worth. For a judge with an escalation both thresholds are
    certified together, from questions that `grade --escalate-audit` asked of both.

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
    from judgemesh.mesh.analysis.calibration import CalibrationQuery, calibrate_judges
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.reporting.judges.calibration import calibration_lines

    _WAYS.check(ctx, "without --canary" if canary is None else "with --canary")
    if canary is not None:
        raise typer.Exit(_watch(canary, ledger, store=not dry_run, as_json=as_json))
    query = CalibrationQuery(
        ledger=ledger,
        runs=tuple(run or ()),
        alpha=alpha,
        delta=delta,
        store=not dry_run,
    )
    result = run_async(calibrate_judges(query))
    if as_json:
        show_json({"stored": query.store, **result.to_json()})
    else:
        paragraphs = ["\n".join(lines) for lines in calibration_lines(result)]
        put("\n\n".join(paragraphs) + "\n")


def _watch(runs: str, ledger: str, *, store: bool, as_json: bool) -> int:
    """Compare two runs and print the drifts; the exit code is 1 if one alarms."""
    from judgemesh.mesh.analysis.canary import judge_drifts
    from judgemesh.mesh.cli.output import put, show_json
    from judgemesh.mesh.reporting.judges.calibration import drift_json, drift_line

    before, _, after = runs.partition("..")
    if not before or not after:
        raise ConfigError(
            f"expected two runs, got {runs!r}", where="--canary", hint="BEFORE..AFTER"
        )
    drifts = run_async(judge_drifts(ledger, before, after, store=store))
    if as_json:
        rows = [drift_json(model, drift) for model, drift in drifts.items()]
        show_json({"stored": store, "judges": rows})
    else:
        for model, drift in drifts.items():
            put(drift_line(model, drift) + "\n")
    return int(any(drift.alarm for drift in drifts.values()))
