"""`judgemesh compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def compare(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The older version: a JSONL file, or a run of the ledger."
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The newer version.")],
    *,
    by: Annotated[
        Literal["task", "result"],
        typer.Option(
            "--by", help="What pairs the two: task_id (repeats averaged), result_id."
        ),
    ] = "task",
    contracts: Annotated[
        list[Path] | None,
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="Contracts whose budgets are the cost ceilings.",
        ),
    ] = None,
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels",
            help="Leave people's labels in the ledger out: the graded classes alone.",
        ),
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    fail_if_regressed: Annotated[
        bool,
        typer.Option(
            "--fail-if-regressed", help="Exit 1 when B is worse beyond chance."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions on the tasks they share: improved, regressed, or no evidence and what could have been seen.

    \b
    Examples:
      judgemesh compare run_0a1b run_2c3d
      judgemesh compare old.jsonl new.jsonl --fail-if-regressed
      judgemesh compare old.jsonl new.jsonl --by result --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.comparing import Comparing, compare_and_show

    regressed = compare_and_show(
        Comparing(
            a=a,
            b=b,
            by=by,
            ledger=ledger,
            contracts=tuple(contracts or ()),
            use_labels=not no_labels,
            as_json=as_json,
        )
    )
    raise typer.Exit(1 if regressed and fail_if_regressed else 0)
