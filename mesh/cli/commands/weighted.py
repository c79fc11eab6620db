"""`judgemesh weighted`: weighted yes/no scores summed up."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    JsonOption,
    LedgerOption,
    parse_decimal,
    parse_pairs,
)

_MAX_WEIGHT: Final = 1_000_000
_WAYS: Final = Ways(
    {
        "with a run": "run ledger",
        "with a FILE of reports": "",
        "with a FILE of answers": "preset weights normalise hard_failure_if",
    },
    common="file score",
)


def weighted(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSONL file of answers or reports. Default: a run of the ledger.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="RUN", help="Run of the ledger. Default: the latest."
        ),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            metavar="NAME",
            help="Only the score of this name. Default: all.",
        ),
    ] = None,
    preset: Annotated[
        Literal["completion", "clarity", "recovery"] | None,
        typer.Option("--preset", help="Predefined weights for the answers of FILE."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="NAME=W,...",
            help="Your own weights for the answers of FILE.",
        ),
    ] = None,
    normalise: Annotated[
        bool,
        typer.Option(
            "--normalise",
            help="Scale weights that do not sum to 1, instead of an error.",
        ),
    ] = False,
    hard_failure_if: Annotated[
        list[str] | None,
        typer.Option(
            "--hard-failure-if",
            metavar="NAME",
            help="A criterion that is a hard failure if it fails. Repeatable.",
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Summarise binary weighted scores: mean (TCR), classes, and the criteria that fail most.

    Contracts define such scores under `scoring.weighted`, and grading computes them.
    Answers from elsewhere come in a file, with --preset or --weights.

    \b
    A row of FILE:
      {"result_id": "r-1", "answers": {"correct_time": true, "clear_explanation": null},
       "goal_confirmed": true, "failed_state": false}
      null is an answer that nobody could give: the score becomes an interval.
      goal_confirmed and failed_state are optional; without them a result has a class
      only if the class does not depend on them.

    \b
    Examples:
      judgemesh weighted
      judgemesh weighted --run run_0a1b --score completion --json
      judgemesh weighted answers.jsonl --preset completion --hard-failure-if correct_participants
      judgemesh weighted answers.jsonl --weights polite=0.3,right=0.7
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    import asyncio

    from judgemesh.mesh.analysis.weighted import summaries_of
    from judgemesh.mesh.analysis.weighted_scores import (
        FileKind,
        definition_of,
        kind_of_file,
        scores_of_file,
        scores_of_run,
    )
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.weighted import weighted_json, weighted_view

    if file is not None and run is not None:
        raise ConfigError("give a FILE or --run, not both")
    if file is None:
        _WAYS.check(ctx, "with a run")
        scores = asyncio.run(scores_of_run(ledger, run, score))
    elif kind_of_file(file) is FileKind.REPORTS:
        _WAYS.check(ctx, "with a FILE of reports")
        scores = scores_of_file(file, None, score)
    else:
        _WAYS.check(ctx, "with a FILE of answers")
        definition = definition_of(
            preset=preset,
            weights=None if weights is None else parse_weights(weights),
            name=score,
            normalise=normalise,
            hard_failure_if=tuple(hard_failure_if or ()),
        )
        scores = scores_of_file(file, definition, score)
    summaries = summaries_of(scores)
    if as_json:
        show_json({"scores": [weighted_json(summary) for summary in summaries]})
    else:
        show(*weighted_view(summaries))


def parse_weights(text: str) -> dict[str, Decimal]:
    """`polite=0.3,right=0.7` as weights.

    Raises:
        ConfigError: a weight is not above 0.
    """
    weights: dict[str, Decimal] = {}
    for name, number in parse_pairs(text, "--weights").items():
        weight = parse_decimal(number)
        if weight is None or not 0 < weight <= _MAX_WEIGHT:
            problem = f"{name}: expected a number above 0, got {number!r:.60}"
            raise ConfigError(problem, where="--weights")
        weights[name] = weight
    return weights
