"""Options and arguments of the commands of `label`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ResultsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULTS", help="Agent results, one JSON object a line (.gz too)."
    ),
]
ContractsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--contracts",
        "-c",
        metavar="PATH",
        help="Contract file or folder: shows the sub-goals. Repeatable.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Append labels to this file [default: labels-NAME.jsonl].",
    ),
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option(
        "--reference",
        metavar="PATH",
        help="Canonical labels, a file or a folder of labels.jsonl files; shown after each of yours.",
    ),
]
BlindOption = Annotated[
    bool,
    typer.Option(
        "--blind",
        help="Show nothing of --reference before all is labelled.",
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option("--split", metavar="NAME", help="Only results of this split."),
]
ShuffleOption = Annotated[
    bool,
    typer.Option("--shuffle", help="Random order, the same for the same seed."),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="Seed of --shuffle.")
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=1,
        help="Only the first N results, labelled ones included.",
    ),
]
AgainOption = Annotated[
    bool,
    typer.Option(
        "--again",
        help="Also ask for results that you have labelled, the oldest first; the last label counts.",
    ),
]
AlsoToLedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger", metavar="URL", help="Write the labels to this ledger as well."
    ),
]
AsJsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object on stdout at the end; screens are shown on stderr.",
    ),
]
FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="File to write, .jsonl or .csv."),
]
ExportLimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=1, help="Only the N most useful questions."
    ),
]
ExportShuffleOption = Annotated[
    bool,
    typer.Option(
        "--random",
        help="A random sample instead of a ranking; rates and calibration need one.",
    ),
]
AuditedOption = Annotated[
    bool,
    typer.Option(
        "--audited",
        help="Only questions that `grade --escalate-audit` asked of both judges, in random order.",
    ),
]
ExportSeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="Seed of the random sample.")
]
WithVerdictOption = Annotated[
    bool,
    typer.Option(
        "--with-verdict",
        help="Export the judge's verdict and reason too; they influence people.",
    ),
]
ResultsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--results",
        metavar="FILE",
        help="The graded results: each line gets the answer, the outputs and the trace. Repeatable.",
    ),
]
