"""`judgemesh triangle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def triangle(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSONL of axis records; without it a run of the ledger.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Which run; without it the latest."),
    ] = None,
    ra: Annotated[
        str | None,
        typer.Option(
            "--ra",
            metavar="FILE|NUMBER",
            help="Rollback: JSONL whose rows have `ra`, or a score 0 to 10.",
        ),
    ] = None,
    preset: Annotated[
        Literal[
            "default",
            "read_only_research",
            "database_migration",
            "api_orchestration",
            "code_generation",
            "infrastructure",
        ],
        typer.Option("--preset", help="Weights of a workload."),
    ] = "default",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="tsa=W,pq=W,ra=W",
            help="Weights of your own, each above 0.",
        ),
    ] = None,
    contracts: Annotated[
        list[Path] | None,
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="Contracts whose families are the task types of a run.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Tool selection, planning quality and rollback in one score from 0 to 10, and which of them to mend first.

    T is the weighted harmonic mean of the three: one weak axis pulls it down. Without all three there is no T.

    \b
    A row of FILE (all three parts may stand in rows of their own):
      {"task_id": "t-1", "task_type": "refund", "tsa": {"decisions": 12, "correct": 9}, "pq": 3.75,
       "ra": {"early": 10, "mid": 7, "late": 5}}
      pq  0 to 10, or {ordering, branches, scope, reversibility}, each 0 to 2.5, null where nobody answered
      ra  0 to 10 each, or reversed, clear_intermediate_state, ambiguous_leftovers, silent_failure (10, 7, 3, 0)

    \b
    Examples:
      judgemesh triangle --ra rollback.jsonl
      judgemesh triangle --run run_0a1b -c contracts/ --ra 7 --preset database_migration
      judgemesh triangle axes.jsonl --weights tsa=1,pq=1,ra=2 --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.triangling import Triangling, show_triangle

    show_triangle(
        Triangling(
            file=file,
            run=run,
            ra=ra,
            preset=preset,
            weights=weights,
            contracts=tuple(contracts or ()),
            ledger=ledger,
            as_json=as_json,
        )
    )
