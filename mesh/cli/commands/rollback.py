"""`judgemesh rollback`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import JsonOption


def rollback(
    spec: Annotated[
        Path,
        typer.Argument(
            metavar="SPEC", help="YAML: the agent, how it is followed, its world."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="JSONL of scores for `judgemesh triangle --ra`.",
        ),
    ] = None,
    point: Annotated[
        Literal["early", "mid", "late"] | None,
        typer.Option(
            "--point", help="Kill at this point only; without all three there is no RA."
        ),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            metavar="N",
            min=1,
            max=1000,
            help="Kill that often at each point.",
        ),
    ] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            metavar="DIR",
            help="Keep events, outputs and the left world of each kill there.",
        ),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            metavar="RA",
            min=0,
            max=10,
            help="Leave with 1 when RA is below this.",
        ),
    ] = None,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore", help="Only put the world back that a killed measurement left."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Kill the agent early, midway and late, and score what it leaves behind: 10, 7, 3 or 0.

    The agent is started three times and killed with SIGKILL: after its first tool result, after its first write (or
    half its planned steps), and after its last write before its final message. Each time the world is compared with the
    start, scored, and put back. Whatever could not be measured gets no score. Use a world that may be lost.

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
    from judgemesh.mesh.cli.rolling import Rolling, roll

    code = roll(
        Rolling(
            spec=spec,
            output=output,
            point=point,
            repeat=repeat,
            keep=keep,
            fail_under=fail_under,
            restore=restore,
            as_json=as_json,
        )
    )
    if code:
        raise typer.Exit(code)
