"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

DEFAULT_LEDGER: Final = "sqlite:///.judgemesh/ledger.db"

LedgerOption = Annotated[
    str,
    typer.Option(
        "--ledger",
        metavar="URL",
        envvar="JUDGEMESH_LEDGER",
        help="Where reports are kept: an SQLAlchemy URL.",
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
        help="Write a file: .jsonl (reports), .xml (JUnit) or .json (summary), by its suffix. Repeatable.",
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
