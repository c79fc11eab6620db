"""`judgemesh asr`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption


def asr(  # noqa: PLR0913 (one parameter an option)
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSONL with outcome or score a line; without it a run of the ledger.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Which run; without it the latest."),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    contracts: Annotated[
        list[Path] | None,
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="Contracts: cost ceilings (budget) and families.",
        ),
    ] = None,
    ceiling: Annotated[
        float | None,
        typer.Option(
            "--ceiling",
            metavar="AMOUNT",
            help="Cost ceiling of every task without one.",
        ),
    ] = None,
    credit: Annotated[
        str | None,
        typer.Option(
            "--credit",
            metavar="CLASS=SHARE,...",
            help="Credit of classes, 0 to 1, as in partial+=0.5.",
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            "--before",
            metavar="FILE|RUN",
            help="Earlier outcomes, to compare the classes with.",
        ),
    ] = None,
    weekly: Annotated[
        bool,
        typer.Option(
            "--weekly",
            help="Week by week: by the rows' `date`, or by the dates of the ledger's runs.",
        ),
    ] = False,
    by: Annotated[
        Literal["task", "result"] | None,
        typer.Option(
            "--by",
            help="What the interval resamples; without it tasks, from ten on, if they repeat.",
        ),
    ] = None,
    passes: Annotated[
        int | None,
        typer.Option(
            "--passes",
            metavar="K",
            min=1,
            help="Also pass@K and pass^K: one, or all, of K runs of a task complete.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="People's labels of these results, .jsonl or .csv.",
        ),
    ] = None,
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels",
            help="Leave people's labels in the ledger out: the graded classes alone.",
        ),
    ] = False,
    correct: Annotated[
        bool,
        typer.Option(
            "--correct",
            help="Correct the rate of the unlabelled results by the labelled ones.",
        ),
    ] = False,
    drawn: Annotated[
        Literal["at_random", "by_verdict", "another_run", "chosen"] | None,
        typer.Option(
            "--drawn",
            help="How the labelled results were chosen, where the labels do not say it.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Agent Success Rate: completion, partial credit and cost in one rate, with its interval.

    People's labels override the class that a result was graded into. Where the labelled results were drawn at random,
    they also say how far the grades of all the others can be believed: that is the corrected rate.

    \b
    Examples:
      judgemesh asr
      judgemesh asr --contracts contracts/ --json
      judgemesh asr --correct --drawn at_random
      judgemesh asr reports.jsonl --labels ann.jsonl --ceiling 0.10
      judgemesh asr this_week.jsonl --before last_week.jsonl
      judgemesh asr outcomes.jsonl --weekly
      judgemesh asr trials.jsonl --passes 4
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.cli.rating import Rating, rate

    rate(
        Rating(
            file=file,
            run=run,
            ledger=ledger,
            contracts=tuple(contracts or ()),
            ceiling=ceiling,
            credit=credit,
            before=before,
            weekly=weekly,
            by=by,
            passes=passes,
            labels=labels,
            use_labels=not no_labels,
            correct=correct,
            drawn=drawn,
            as_json=as_json,
        )
    )
