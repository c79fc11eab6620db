"""`judgemesh rollback`: kill an agent at three points, and score what it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.errors import EXIT_EVALUATOR, EXIT_FAILED, EXIT_OK, EXIT_USAGE
from judgemesh.mesh.cli.options import JsonOption

if TYPE_CHECKING:
    from judgemesh.mesh.rollback.outcome import Injection
    from judgemesh.mesh.rollback.run import RollbackRun

_WAYS: Final = Ways(
    {
        "with --restore": "restore",
        "without --restore": "output point repeat keep fail_under",
    },
    common="spec",
)


_SpecArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SPEC",
        help="YAML file: the agent, how its events are read, its world.",
    ),
]
_OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the scores as JSONL for `judgemesh triangle --ra`.",
    ),
]
_PointOption = Annotated[
    Literal["early", "mid", "late"] | None,
    typer.Option("--point", help="Kill only at this point. An RA needs all three."),
]
_RepeatOption = Annotated[
    int,
    typer.Option(
        "--repeat",
        metavar="N",
        min=1,
        max=1000,
        help="Number of kills at each point.",
    ),
]
_KeepOption = Annotated[
    Path | None,
    typer.Option(
        "--keep",
        metavar="DIR",
        help="Keep the events, outputs and world of each kill in this folder.",
    ),
]
_FailUnderOption = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        metavar="RA",
        min=0,
        max=10,
        help="Exit 1 if the RA is below this.",
    ),
]
_RestoreOption = Annotated[
    bool,
    typer.Option(
        "--restore",
        help="Only put back the world that an interrupted measurement left.",
    ),
]


def rollback(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    spec: _SpecArgument,
    *,
    output: _OutputOption = None,
    point: _PointOption = None,
    repeat: _RepeatOption = 1,
    keep: _KeepOption = None,
    fail_under: _FailUnderOption = None,
    restore: _RestoreOption = False,
    as_json: JsonOption = False,
) -> None:
    """Kill the agent early, midway and late, and score what it leaves: 10, 7, 3 or 0.

    The agent is started three times and killed with SIGKILL: after its first tool
    result, after its first write (or half its planned steps), and after its last write
    before its final message. Each time the world is compared with the start, scored, and
    put back. A point that could not be measured has no score. Use a world that you can
    afford to lose.

    \b
    Exit codes:
      0 measured  1 RA below --fail-under  2 bad spec  3 a point was not measured  130 interrupted (world put back)

    \b
    Examples:
      judgemesh rollback agent.yaml
      judgemesh rollback agent.yaml --repeat 3 -o ra.jsonl
      judgemesh rollback agent.yaml --point late --keep evidence --json
      judgemesh rollback agent.yaml --restore
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.metrics.triangle import InjectionPoint
    from judgemesh.mesh.reporting.rollback.measurement import (
        rollback_json,
        rollback_view,
    )
    from judgemesh.mesh.rollback.run import RollbackQuery, run_rollback

    if fail_under is not None and point is not None:
        raise ConfigError(
            "an RA needs all three points",
            where="--fail-under",
            hint="leave --point out",
        )
    _WAYS.check(ctx, "with --restore" if restore else "without --restore")
    if _put_back(spec) == 0 and restore:
        say("nothing to put back")
    if restore:
        return
    query = RollbackQuery(
        spec=spec,
        points=tuple(InjectionPoint) if point is None else (InjectionPoint(point),),
        repeats=repeat,
        output=output,
        keep=keep,
    )
    run = run_rollback(query, _print_kill, say)
    _write(run, output=output, keep=keep)
    if as_json:
        show_json(rollback_json(run.injections, run.points))
    else:
        show(*rollback_view(run.injections, run.points))
    raise typer.Exit(_exit_code(run, fail_under))


def _put_back(spec: Path) -> int:
    """Restore what a measurement that did not end has left; how many places that were."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.rollback.run import restore_world

    restored = restore_world(spec)
    for path in restored:
        say(f"put back {path}, which a measurement that did not end had left")
    return len(restored)


def _write(run: RollbackRun, *, output: Path | None, keep: Path | None) -> None:
    """Write the evidence of the kills and the scores, where they are asked for."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.reporting.rollback.files import write_axis_rows, write_evidence

    if keep is not None:
        write_evidence(keep, run.injections, run.points)
    if output is None:
        return
    left_out = write_axis_rows(output, run.injections, run.points)
    if left_out:
        tasks = ", ".join(left_out)
        say(f"left out of {output}, as a point was not measured: {tasks}")


def _exit_code(run: RollbackRun, fail_under: float | None) -> int:
    from judgemesh.mesh.rollback.outcome import ra

    if run.unfinished:
        return EXIT_USAGE
    if run.missing:
        return EXIT_EVALUATOR
    score = ra(run.injections)
    if score is None or fail_under is None or score >= fail_under:
        return EXIT_OK
    return EXIT_FAILED


def _print_kill(injection: Injection, number: int, total: int) -> None:
    """Print a line on stderr for people at a terminal."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.cli.progress import shows_bar
    from judgemesh.mesh.reporting.text import one_line

    if not shows_bar():
        return
    score = "not measured" if injection.score is None else f"{injection.score:g}"
    task = one_line(injection.task_id, 60)
    say(f"[{number}/{total}] {task}, {injection.point}: {score}")
