"""Options of `grade`, apart from settings and from those that it shares."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ResultsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULTS",
        help="Agent results, one JSON object a line (.gz too; - is standard input).",
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Make no call. Print what grading would cost, computed from the "
        "questions that would be asked.",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="Grade only the first N results."),
]
FiltersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="EXPR",
        help="Grade only results whose result_id or task_id matches a pattern "
        "(with *), or whose field matches: key=value. Repeatable.",
    ),
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume",
        help="Grade only results that the ledger does not hold yet, or all of "
        "them in a new run.",
    ),
]
RetryErrorsOption = Annotated[
    bool | None,
    typer.Option(
        "--retry-errors/--no-retry-errors",
        help="Grade again also those results that a source was out of reach for, "
        "or none. [default: those with an evaluator error]",
    ),
]
PreflightOption = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight",
        help="Before the first result, open every source and ask each judge once.",
    ),
]
FailUnderOption = Annotated[
    str | None,
    typer.Option(
        "--fail-under",
        metavar="RATE",
        help="Exit 1 only if the task success rate is below RATE (0.9 or 90%).",
    ),
]
FailOnErrorOption = Annotated[
    int,
    typer.Option(
        "--fail-on-error",
        metavar="N",
        min=0,
        help="Exit 3 if there are more than N rejected lines and results with an "
        "evaluator error.",
    ),
]
RejectsOption = Annotated[
    Path | None,
    typer.Option(
        "--rejects",
        metavar="FILE",
        help="Write input lines that cannot be read to this file.",
    ),
]
MaxLineBytesOption = Annotated[
    int,
    typer.Option(
        "--max-line-bytes",
        metavar="N",
        min=1024,
        help="Reject input lines longer than this.",
    ),
]
WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that grade, at most one a core. This one owns the ledger "
        "and makes all judge calls.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Dask cluster that grades: local, local:N or tcp://HOST:PORT (extra "
        "cluster).",
    ),
]
NoProgressOption = Annotated[
    bool, typer.Option("--no-progress", help="Show no progress bar.")
]
