"""`judgemesh asr`: the Agent Success Rate of a file or a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.cli.consumption import Ways, refuse_both
from judgemesh.mesh.cli.errors import EXIT_FAILED
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    CeilingOption,
    ContractsOption,
    CreditOption,
    FailUnderOption,
    JsonOption,
    LedgerOption,
    NoLabelsOption,
    RunOption,
    parse_decimal,
    parse_fail_under,
    parse_pairs,
)
from judgemesh.mesh.cli.running import run_async

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.success import SuccessQuery

_RATED: Final = "contracts ceiling credit by labels"
_ONE_RATE: Final = f"{_RATED} fail_under before passes correct drawn"
_WAYS: Final = Ways(
    {
        "with a FILE": f"file {_ONE_RATE}",
        "with a run": f"run ledger no_labels {_ONE_RATE}",
        "with a FILE and --weekly": f"file weekly markdown {_RATED}",
        "with a run and --weekly": f"run ledger no_labels weekly markdown {_RATED}",
    }
)


_FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help="JSONL or CSV file with outcome or score on each line. Default: a run of the ledger.",
    ),
]
_BeforeOption = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="FILE|RUN",
        help="Earlier results, to compare the classes with.",
    ),
]
_WeeklyOption = Annotated[
    bool,
    typer.Option(
        "--weekly",
        help="One rate for each week, by the day of each run (ended_at, started_at or `date`).",
    ),
]
_MarkdownOption = Annotated[
    bool,
    typer.Option("--markdown", help="With --weekly: one Markdown table."),
]
_ByOption = Annotated[
    Literal["task", "result"] | None,
    typer.Option(
        "--by",
        help="What the interval resamples. Default: tasks, if some of them repeat.",
    ),
]
_PassesOption = Annotated[
    int | None,
    typer.Option(
        "--passes",
        metavar="K",
        min=1,
        help="Also compute pass@K and pass^K: at least one, or all, of K runs of a task are complete.",
    ),
]
_LabelsOption = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="People's labels of these results, .jsonl or .csv.",
    ),
]
_CorrectOption = Annotated[
    bool,
    typer.Option(
        "--correct",
        help="Correct the rate of unlabelled results with the labelled ones.",
    ),
]
_DrawnOption = Annotated[
    Literal["at_random", "by_verdict", "another_run", "chosen"] | None,
    typer.Option(
        "--drawn",
        help="How the labelled results were chosen, if the labels do not note it.",
    ),
]


def asr(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: _FileArgument = None,
    *,
    run: RunOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    contracts: ContractsOption = None,
    ceiling: CeilingOption = None,
    credit: CreditOption = None,
    before: _BeforeOption = None,
    weekly: _WeeklyOption = False,
    markdown: _MarkdownOption = False,
    by: _ByOption = None,
    passes: _PassesOption = None,
    labels: _LabelsOption = None,
    no_labels: NoLabelsOption = False,
    correct: _CorrectOption = False,
    drawn: _DrawnOption = None,
    fail_under: FailUnderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Agent Success Rate: completion, partial credit and cost in one rate, with its interval.

    A person's label replaces the graded class of a result. If the labelled results were
    drawn at random, the labels also measure how often grades are wrong, and the rate of
    the other results is corrected for it.

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
    from judgemesh.mesh.analysis.outcomes import OutcomeQuery, is_file_name
    from judgemesh.mesh.analysis.success import SuccessQuery
    from judgemesh.mesh.cli.output import warn

    refuse_both({"a FILE": file is not None, "--run": run is not None})
    if no_labels:
        _refuse_labels(labels, corrects=correct or drawn is not None)
    way = (
        f"with a {'run' if file is None else 'FILE'}{' and --weekly' if weekly else ''}"
    )
    earlier_run = before is not None and not is_file_name(before)
    _WAYS.check(ctx, way, *(("ledger", "no_labels") if earlier_run else ()))
    lowest = parse_fail_under(fail_under)
    query = SuccessQuery(
        results=OutcomeQuery(
            ledger=ledger,
            contracts=tuple(contracts or ()),
            labels=labels,
            use_labels=not no_labels,
            warn=warn,
        ),
        file=file,
        run=run,
        ceiling=parse_ceiling(ceiling),
        credit=parse_credits(credit),
        before=before,
        by=by,
        passes=passes,
        correct=correct,
        drawn=drawn,
    )
    if weekly:
        _show_weeks(query, markdown=markdown, as_json=as_json)
    else:
        _show_rate(query, lowest, as_json=as_json)


def _refuse_labels(labels: Path | None, *, corrects: bool) -> None:
    """Raise ConfigError for what needs labels, beside --no-labels."""
    refuse_both({"--labels": labels is not None, "--no-labels": True})
    if corrects:
        raise ConfigError(
            "a rate is corrected by labels; it cannot be combined with --no-labels"
        )


def _show_weeks(query: SuccessQuery, *, markdown: bool, as_json: bool) -> None:
    from judgemesh.mesh.analysis.success import weekly_report
    from judgemesh.mesh.cli.output import put, show, show_json
    from judgemesh.mesh.reporting.rates.success_rate_json import weekly_json
    from judgemesh.mesh.reporting.rates.weekly import weekly_markdown, weekly_view

    weeks = run_async(weekly_report(query))
    if as_json:
        context = weeks.context
        rows = [weekly_json(week, weeks.currency, context) for week in weeks.weeks]
        show_json({"weeks": rows})
    elif markdown:
        put(weekly_markdown(weeks) + "\n")
    else:
        show(*weekly_view(weeks))


def _show_rate(query: SuccessQuery, lowest: Fraction | None, *, as_json: bool) -> None:
    """Show the rate; exit 1 where it is below `lowest`."""
    from judgemesh.mesh.analysis.success import success_report
    from judgemesh.mesh.cli.output import say, show, show_json
    from judgemesh.mesh.reporting.rates.success_rate import asr_view
    from judgemesh.mesh.reporting.rates.success_rate_json import asr_json

    report = run_async(success_report(query))
    shown = (report.success, report.changes, report.currency, report.context)
    if as_json:
        show_json({"source": report.source, **asr_json(*shown)})
    else:
        show(*asr_view(*shown))
    if lowest is not None and report.success.asr < lowest:
        say(f"exit 1: ASR {report.success.asr:.3f} is below {float(lowest):g}")
        raise typer.Exit(EXIT_FAILED)


def parse_credits(text: str | None) -> Mapping[OutcomeClass, Decimal]:
    """The credit of every class: `partial+=0.5` changes one of them; None changes none.

    Raises:
        ConfigError: no such class, or no number from 0 to 1.
    """
    from judgemesh.mesh.analysis.graded_rows import CLASS_NAMES
    from judgemesh.mesh.metrics.asr import CREDITS

    if text is None:
        return CREDITS
    credits_by_class = dict(CREDITS)
    for name, number in parse_pairs(text, "--credit").items():
        if name not in CLASS_NAMES:
            hint = ", ".join(OutcomeClass)
            raise ConfigError(
                f"{name!r} is no outcome class", where="--credit", hint=hint
            )
        value = parse_decimal(number)
        if value is None or not 0 <= value <= 1:
            problem = f"{name}: expected a number from 0 to 1, got {number!r:.60}"
            raise ConfigError(problem, where="--credit")
        credits_by_class[CLASS_NAMES[name]] = value
    return credits_by_class


def parse_ceiling(number: float | None) -> Decimal | None:
    """A cost ceiling; None without one.

    Raises:
        ConfigError: it is not above 0.
    """
    if number is None:
        return None
    if not math.isfinite(number) or number <= 0:
        raise ConfigError(
            f"a cost ceiling must be above 0, got {number:g}", where="--ceiling"
        )
    return Decimal(str(number))
