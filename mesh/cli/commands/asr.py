"""`judgemesh asr`: the Agent Success Rate of a file or a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.errors import EXIT_FAILED
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    FailUnderOption,
    JsonOption,
    LedgerOption,
    parse_decimal,
    parse_pairs,
    parse_threshold,
)
from judgemesh.mesh.cli.running import run_async

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


def asr(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="JSONL file with outcome or score on each line. Default: a run of the ledger.",
        ),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option(
            "--run", metavar="RUN", help="Run of the ledger. Default: the latest."
        ),
    ] = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    contracts: Annotated[
        list[Path] | None,
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="Contracts, for cost ceilings (budget) and families.",
        ),
    ] = None,
    ceiling: Annotated[
        float | None,
        typer.Option(
            "--ceiling",
            metavar="AMOUNT",
            help="Cost ceiling of tasks that have none.",
        ),
    ] = None,
    credit: Annotated[
        str | None,
        typer.Option(
            "--credit",
            metavar="CLASS=SHARE,...",
            help="Credit of outcome classes, 0 to 1, such as partial+=0.5.",
        ),
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            "--before",
            metavar="FILE|RUN",
            help="Earlier results, to compare the classes with.",
        ),
    ] = None,
    weekly: Annotated[
        bool,
        typer.Option(
            "--weekly",
            help="One rate for each week, by the day of each run (ended_at, started_at or `date`).",
        ),
    ] = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="With --weekly: one Markdown table."),
    ] = False,
    by: Annotated[
        Literal["task", "result"] | None,
        typer.Option(
            "--by",
            help="What the interval resamples. Default: tasks, if some of them repeat.",
        ),
    ] = None,
    passes: Annotated[
        int | None,
        typer.Option(
            "--passes",
            metavar="K",
            min=1,
            help="Also compute pass@K and pass^K: at least one, or all, of K runs of a task are complete.",
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
            help="Ignore people's labels in the ledger.",
        ),
    ] = False,
    correct: Annotated[
        bool,
        typer.Option(
            "--correct",
            help="Correct the rate of unlabelled results with the labelled ones.",
        ),
    ] = False,
    drawn: Annotated[
        Literal["at_random", "by_verdict", "another_run", "chosen"] | None,
        typer.Option(
            "--drawn",
            help="How the labelled results were chosen, if the labels do not note it.",
        ),
    ] = None,
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
    from judgemesh.mesh.analysis.success import (
        SuccessQuery,
        success_report,
        weekly_report,
    )
    from judgemesh.mesh.cli.output import put, say, show, show_json, warn
    from judgemesh.mesh.metrics.asr import CREDITS
    from judgemesh.mesh.reporting.rates.success_rate import asr_view
    from judgemesh.mesh.reporting.rates.success_rate_json import asr_json, weekly_json
    from judgemesh.mesh.reporting.rates.weekly import weekly_markdown, weekly_view

    if file is not None and run is not None:
        raise ConfigError("give a FILE or --run, not both")
    if labels is not None and no_labels:
        raise ConfigError("give --labels or --no-labels, not both")
    if no_labels and (correct or drawn):
        raise ConfigError(
            "a rate is corrected by labels; it cannot be combined with --no-labels"
        )
    way = (
        f"with a {'run' if file is None else 'FILE'}{' and --weekly' if weekly else ''}"
    )
    earlier_run = before is not None and not is_file_name(before)
    _WAYS.check(ctx, way, *(("ledger", "no_labels") if earlier_run else ()))
    lowest = None
    if fail_under is not None:
        lowest = parse_threshold(fail_under, "--fail-under")
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
        ceiling=None if ceiling is None else parse_ceiling(ceiling),
        credit=CREDITS if credit is None else parse_credits(credit),
        before=before,
        by=by,
        passes=passes,
        correct=correct,
        drawn=drawn,
    )
    if weekly:
        weeks = run_async(weekly_report(query))
        if as_json:
            context = weeks.context
            rows = [weekly_json(week, weeks.currency, context) for week in weeks.weeks]
            show_json({"weeks": rows})
        elif markdown:
            put(weekly_markdown(weeks) + "\n")
        else:
            show(*weekly_view(weeks))
        return
    report = run_async(success_report(query))
    shown = (report.success, report.changes, report.currency, report.context)
    if as_json:
        show_json({"source": report.source, **asr_json(*shown)})
    else:
        show(*asr_view(*shown))
    if lowest is not None and report.success.asr < lowest:
        say(f"exit 1: ASR {report.success.asr:.3f} is below {float(lowest):g}")
        raise typer.Exit(EXIT_FAILED)


def parse_credits(text: str) -> Mapping[OutcomeClass, Decimal]:
    """The credit of every class: `partial+=0.5` changes one of them.

    Raises:
        ConfigError: no such class, or no number from 0 to 1.
    """
    from judgemesh.mesh.analysis.graded_rows import CLASS_NAMES
    from judgemesh.mesh.metrics.asr import CREDITS

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


def parse_ceiling(number: float) -> Decimal:
    """A cost ceiling.

    Raises:
        ConfigError: it is not above 0.
    """
    if not math.isfinite(number) or number <= 0:
        raise ConfigError(
            f"a cost ceiling must be above 0, got {number:g}", where="--ceiling"
        )
    return Decimal(str(number))
