"""Options that several commands share."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final

import typer

from judgemesh.contracts.errors import ConfigError

DEFAULT_LEDGER: Final = "sqlite:///.judgemesh/ledger.db"


def _ledger_of_file(ctx: typer.Context, url: str) -> str:
    """The ledger of the file that JUDGEMESH_CONFIG names, where nothing else names one."""
    path = os.environ.get("JUDGEMESH_CONFIG")
    source = ctx.get_parameter_source("ledger")
    if not path or source is None or source.name != "DEFAULT":
        return url
    from judgemesh.mesh.inputs.settings import settings_of_file

    ledger = settings_of_file(Path(path)).get("ledger")
    return url if ledger is None else str(ledger.value)


LedgerOption = Annotated[
    str,
    typer.Option(
        "--ledger",
        metavar="URL",
        envvar="JUDGEMESH_LEDGER",
        callback=_ledger_of_file,
        help="Ledger that holds the reports: a file or an SQLAlchemy URL.",
    ),
]
FailUnderOption = Annotated[
    str | None,
    typer.Option(
        "--fail-under",
        metavar="RATE",
        help="Exit 1 if the rate is below RATE (0.9 or 90%).",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object on stdout, and nothing else there."
    ),
]
OutputOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write a file, by its suffix: .html (a page), .jsonl (reports), .xml (JUnit), .json or .md (summary), "
        ".csv or .parquet (a row a result), .otlp.jsonl (OpenTelemetry events). Repeatable.",
    ),
]
PlainOption = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="No colours, nothing wrapped or cut to the width of the terminal; rows with tabs between their columns.",
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="List every result, also those that passed.")
]
FailedOption = Annotated[
    bool, typer.Option("--failed", help="List every result whose gate failed.")
]
CodeOption = Annotated[
    str | None,
    typer.Option(
        "--code", metavar="CODE", help="List every result with this failure code."
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="No progress, no table; errors and the exit rule only."
    ),
]
VerboseOption = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Log more; -vv logs everything.",
    ),
]
PricesOption = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help="Prices that go before the bundled ones: TOML, or the YAML or JSON of Inspect's --model-cost-config.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Run of the ledger. Default: the latest."
    ),
]
ContractsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--contracts",
        "-c",
        metavar="PATH",
        help="Contracts, for cost ceilings (budget) and families (task types).",
    ),
]
CeilingOption = Annotated[
    float | None,
    typer.Option(
        "--ceiling",
        metavar="AMOUNT",
        help="Cost ceiling of tasks that have none.",
    ),
]
CreditOption = Annotated[
    str | None,
    typer.Option(
        "--credit",
        metavar="CLASS=SHARE,...",
        help="Credit of outcome classes, 0 to 1, such as partial+=0.5.",
    ),
]
NoLabelsOption = Annotated[
    bool,
    typer.Option(
        "--no-labels",
        help="Ignore people's labels in the ledger.",
    ),
]
NoProgressOption = Annotated[
    bool, typer.Option("--no-progress", help="No progress bar.")
]
JudgeApiBaseOption = Annotated[
    str | None,
    typer.Option("--judge-api-base", metavar="URL", help="Address of the model's API."),
]
LabelerOption = Annotated[
    str | None,
    typer.Option(
        "--labeler",
        metavar="NAME",
        help="Name of the labeler [default: the user's name].",
    ),
]


def report_command(ledger_name: str) -> str:
    """The command that shows one result of this ledger in full."""
    flag = "" if ledger_name == DEFAULT_LEDGER else f" --ledger {ledger_name}"
    return f"judgemesh report RESULT_ID{flag}"


def parse_pairs(text: str, flag: str) -> dict[str, str]:
    """`a=1,b=2` as names and values.

    Raises:
        ConfigError: it has another form, or a name twice.
    """
    pairs: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name or not value:
            problem = f"expected name=number, got {part!r:.60}"
            raise ConfigError(problem, where=flag, hint="as in a=0.6,b=0.4")
        if name in pairs:
            raise ConfigError(f"{name!r} is given twice", where=flag)
        pairs[name] = value
    return pairs


def parse_threshold(text: str, flag: str) -> Fraction:
    """`0.9`, `90%` or `9/10` as an exact share.

    Raises:
        ConfigError: anything else, or not within 0..1.
    """
    number = text.strip()
    percent = number.endswith("%")
    try:
        share = Fraction(number.removesuffix("%").strip())
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if percent:
        share /= 100
    if not 0 <= share <= 1:
        raise ConfigError(
            f"expected a share from 0 to 1, or a percentage, got {text!r}",
            where=flag,
            hint="such as 0.9 or 90%",
        )
    return share


def parse_fail_under(text: str | None) -> Fraction | None:
    """The share of `--fail-under`; None without one. Raises ConfigError as `parse_threshold` does."""
    return None if text is None else parse_threshold(text, "--fail-under")


def parse_decimal(text: str) -> Decimal | None:
    """A finite number; None if the text is none."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
