"""`judgemesh agreement`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def agreement(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Labels, .jsonl or .csv; without any, a run of the ledger.",
        ),
    ] = None,
    *,
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            metavar="PATH",
            help="Canonical labels to hold everybody against: a file, or a folder of labels.jsonl.",
        ),
    ] = None,
    split: Annotated[
        Literal["test", "calibration"] | None,
        typer.Option("--split", help="Only the reference's items of this split."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="A run of the ledger as one more reviewer, with people's labels.",
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="This labeler is a machine, not a person. Repeatable.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Do reviewers agree with each other, with the judge, and with canonical labels, beyond what chance would give?

    \b
    A row of FILE:
      result_id, labeler (else the name of the file), and one of
      outcome_class  complete, partial+, partial-, hallucinated or abandoned
      label          the same, or yes and no, with question_id where there are several questions
      score          1 to 5
    The last label of one reviewer for one item counts; an empty one was left open.

    \b
    Examples:
      judgemesh agreement ann.jsonl ben.csv
      judgemesh agreement ann.jsonl --reference labels.jsonl --split test
      judgemesh agreement --run run_0a1b
      judgemesh agreement labels.jsonl --judge gpt --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.agreeing import Agreeing, agree

    agree(
        Agreeing(
            files=tuple(files or ()),
            reference=reference,
            split=split,
            run=run,
            judges=frozenset(judge or ()),
            ledger=ledger,
            as_json=as_json,
        )
    )
