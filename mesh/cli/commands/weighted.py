"""`judgemesh weighted`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def weighted(  # noqa: PLR0913 (one parameter an option)
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSONL of answers or of reports; without it a run of the ledger.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Which run; without it the latest."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            metavar="NAME",
            help="Only the score of this name; without it all.",
        ),
    ] = None,
    preset: Annotated[
        Literal["completion", "clarity", "recovery"] | None,
        typer.Option("--preset", help="Weights for answers of a file."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME=W,...",
            help="Weights of your own for answers of a file.",
        ),
    ] = None,
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise",
            help="Scale weights that do not sum to 1 instead of refusing them.",
        ),
    ] = False,
    hard_failure_if: Annotated[
        list[str] | None,
        typer.Option(
            "--hard-failure-if",
            metavar="NAME",
            help="A criterion whose failing alone is a hard failure. Repeatable.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Binary weighted scores: yes/no criteria with weights, their mean (TCR), classes, and what fails most.

    Contracts name such scores under `scoring.weighted`; grading works them out, and this command sums them up. Answers
    from elsewhere come in a file, with --preset or --weights.

    \b
    A row of FILE:
      {"result_id": "r-1", "answers": {"correct_time": true, "clear_explanation": null},
       "goal_confirmed": true, "failed_state": false}
      null is an answer nobody could give: the score becomes an interval. goal_confirmed and failed_state may be
      absent; then a class is given only where it does not depend on them.

    \b
    Examples:
      judgemesh weighted
      judgemesh weighted --run run_0a1b --score completion --json
      judgemesh weighted answers.jsonl --preset completion --hard-failure-if correct_participants
      judgemesh weighted answers.jsonl --weights polite=0.3,right=0.7
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.weighing import Weighing, show_weighted

    show_weighted(
        Weighing(
            file=file,
            run=run,
            score=score,
            preset=preset,
            weights=weights,
            normalise=normalise,
            hard_failure_if=tuple(hard_failure_if or ()),
            ledger=ledger,
            as_json=as_json,
        )
    )
