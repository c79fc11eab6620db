"""`judgemesh weighted`: weighted yes/no scores summed up."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways, refuse_both
from judgemesh.mesh.cli.errors import EXIT_FAILED
from judgemesh.mesh.cli.groups import WithDefault, group
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    FailUnderOption,
    JsonOption,
    LedgerOption,
    RunOption,
    parse_decimal,
    parse_fail_under,
    parse_pairs,
    parse_threshold,
)
from judgemesh.mesh.cli.running import run_async

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.weighted import WeightedSummary

_MAX_WEIGHT: Final = 1_000_000
_WAYS: Final = Ways(
    {
        "with a run": "run ledger",
        "with a FILE of reports": "",
        "with a FILE of answers": "preset weights normalise hard_failure_if",
    },
    common="file score bands fail_under",
)


BandsOption = Annotated[
    str | None,
    typer.Option(
        "--bands",
        metavar="LABEL=FROM,...",
        help="Your own labels of the mean, each from its lower bound, such as good=0.9,poor=0. "
        "Default: those of the contract.",
    ),
]


class _ShowByDefault(WithDefault):
    """`weighted [FILE]` means `weighted show [FILE]`."""

    default = "show"
    alone = True


weighted: Final = group(
    name="weighted",
    cls=_ShowByDefault,
    subcommand_metavar="[FILE] | COMMAND [ARGS]...",
)


@weighted.callback()
def about() -> None:
    """Summarise binary weighted scores (`show`, the default), or weigh stored answers anew (`what-if`).

    \b
      judgemesh weighted --help        this page
      judgemesh weighted show --help   options of `judgemesh weighted [FILE]`
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)


_FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help="JSONL file of answers or reports. Default: a run of the ledger.",
    ),
]
_ScoreOption = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="NAME",
        help="Only the score of this name. Default: all.",
    ),
]
_PresetOption = Annotated[
    Literal["completion", "clarity", "recovery"] | None,
    typer.Option("--preset", help="Predefined weights for the answers of FILE."),
]
_WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME=W,...",
        help="Your own weights for the answers of FILE.",
    ),
]
_NormaliseOption = Annotated[
    bool,
    typer.Option(
        "--normalise",
        help="Scale weights that do not sum to 1, instead of an error.",
    ),
]
_HardFailureIfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hard-failure-if",
        metavar="NAME",
        help="A criterion that is a hard failure if it fails. Repeatable.",
    ),
]


@weighted.command("show")
def show_scores(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: _FileArgument = None,
    *,
    run: RunOption = None,
    score: _ScoreOption = None,
    preset: _PresetOption = None,
    weights: _WeightsOption = None,
    normalise: _NormaliseOption = False,
    hard_failure_if: _HardFailureIfOption = None,
    bands: BandsOption = None,
    fail_under: FailUnderOption = None,
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
    from judgemesh.mesh.analysis.weighted import summaries_of
    from judgemesh.mesh.analysis.weighted_scores import (
        FileKind,
        definition_of,
        kind_of_file,
        scores_of_file,
        scores_of_run,
    )

    refuse_both({"a FILE": file is not None, "--run": run is not None})
    if file is None:
        _WAYS.check(ctx, "with a run")
        scores = run_async(scores_of_run(ledger, run, score))
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
    lowest = parse_fail_under(fail_under)
    summaries = summaries_of(scores, None if bands is None else parse_bands(bands))
    _show_summaries(summaries, lowest, as_json=as_json)


def _show_summaries(
    summaries: Sequence[WeightedSummary], lowest: Fraction | None, *, as_json: bool
) -> None:
    """Show the scores; exit 1 where a rate may be below `lowest`."""
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.reporting.rates.weighted import weighted_json, weighted_view

    if as_json:
        show_json({"scores": [weighted_json(summary) for summary in summaries]})
    else:
        show(*weighted_view(summaries))
    for summary in summaries:
        if lowest is not None and summary.rate.low < lowest:
            low = float(summary.rate.low)
            say(f"exit 1: {summary.name} {low:.3f} is below {float(lowest):g}")
            raise typer.Exit(EXIT_FAILED)


_WhatIfFileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help="JSONL file of reports. Default: a run of the ledger.",
    ),
]
_WhatIfWeightsOption = Annotated[
    str,
    typer.Option(
        "--weights",
        metavar="NAME=W,...",
        help="The other weights, of all criteria.",
    ),
]
_WhatIfScoreOption = Annotated[
    str | None, typer.Option("--score", metavar="NAME", help="Only this score.")
]
_WhatIfNormaliseOption = Annotated[
    bool,
    typer.Option("--normalise", help="Scale weights that do not sum to 1."),
]


@weighted.command("what-if")
def what_if(  # noqa: PLR0913 (one parameter an option)
    file: _WhatIfFileArgument = None,
    *,
    weights: _WhatIfWeightsOption,
    score: _WhatIfScoreOption = None,
    run: RunOption = None,
    normalise: _WhatIfNormaliseOption = False,
    hard_failure_if: _HardFailureIfOption = None,
    bands: BandsOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Weigh the stored answers of a run or of reports with other weights, beside the scores as they were graded.

    Thresholds of the classes, hard failures and bands are those of the contract that graded them, unless given here.

    \b
    Examples:
      judgemesh weighted what-if --weights correct_time=0.7,clear_explanation=0.3
      judgemesh weighted what-if reports.jsonl --score completion --weights a=2,b=1 --normalise
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.weighted import summaries_of
    from judgemesh.mesh.analysis.weighted_scores import (
        FileKind,
        definition_of,
        kind_of_file,
        reweighed,
        scores_of_file,
        scores_of_run,
    )
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.rates.weighted import weighted_json, weighted_view

    refuse_both({"a FILE": file is not None, "--run": run is not None})
    if file is None:
        scores = run_async(scores_of_run(ledger, run, score))
    elif kind_of_file(file) is FileKind.ANSWERS:
        raise ConfigError(
            "holds answers without a score, so there is nothing to weigh anew",
            where=str(file),
            hint="`judgemesh weighted FILE --weights ...` weighs answers",
        )
    else:
        scores = scores_of_file(file, None, score)
    definition = definition_of(
        preset=None,
        weights=parse_weights(weights),
        name=score,
        normalise=normalise,
        hard_failure_if=tuple(hard_failure_if or ()),
    )
    both = {**scores, **reweighed(scores, definition)}
    summaries = summaries_of(both, None if bands is None else parse_bands(bands))
    if as_json:
        show_json({"scores": [weighted_json(summary) for summary in summaries]})
    else:
        show(*weighted_view(summaries))


def parse_bands(text: str) -> tuple[tuple[Fraction, str], ...]:
    """`good=0.9,poor=0` as bands, the highest first.

    Raises:
        ConfigError: a bound is no share, or none is 0.
    """
    bands: list[tuple[Fraction, str]] = []
    for label, number in parse_pairs(text, "--bands").items():
        bands.append((parse_threshold(number, "--bands"), label))
    bands.sort(reverse=True)
    if bands[-1][0] != 0:
        raise ConfigError(
            "no band begins at 0, so some means would have no label", where="--bands"
        )
    return tuple(bands)


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
