"""`judgemesh agreement`: how far reviewers, judges and a reference agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption
from judgemesh.mesh.cli.running import run_async

_WAYS: Final = Ways(
    {"without --run, on files": "", "with a run": "run ledger"},
    common="files reference split judge",
)


_FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Labels, .jsonl or .csv. Default: a run of the ledger.",
    ),
]
_ReferenceOption = Annotated[
    Path | None,
    typer.Option(
        "--reference",
        metavar="PATH",
        help="Canonical labels to compare everybody with: a file, or a folder of labels.jsonl files.",
    ),
]
_SplitOption = Annotated[
    Literal["test", "calibration"] | None,
    typer.Option("--split", help="Only items of this split of the reference."),
]
_RunOption = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="RUN",
        help="Add a run of the ledger as a reviewer, and people's labels of it.",
    ),
]
_JudgeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="NAME",
        help="Treat this labeler as a judge, not as a person. Repeatable.",
    ),
]


def agreement(
    ctx: typer.Context,
    files: _FilesArgument = None,
    *,
    reference: _ReferenceOption = None,
    split: _SplitOption = None,
    run: _RunOption = None,
    judge: _JudgeOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Measure agreement of reviewers with each other, a judge and a reference, beyond chance.

    \b
    A row of FILE:
      result_id, labeler (else the name of the file), and one of
      outcome_class  complete, partial+, partial-, hallucinated or abandoned
      label          the same, or yes and no, with question_id where there are several questions
      score          1 to 5
    The last label of a reviewer for an item counts; an empty label is left open.

    \b
    Examples:
      judgemesh agreement ann.jsonl ben.csv
      judgemesh agreement ann.jsonl --reference labels.jsonl --split test
      judgemesh agreement --run run_0a1b
      judgemesh agreement labels.jsonl --judge gpt --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.labels.agreement import AgreementQuery, agreement_of
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.judges.agreement import agreement_json, agreement_view

    if split is not None and reference is None:
        raise ConfigError(
            "--split picks items of a reference", hint="give --reference FILE"
        )
    is_of_run = run is not None or not files
    _WAYS.check(ctx, "with a run" if is_of_run else "without --run, on files")
    query = AgreementQuery(
        files=tuple(files or ()),
        reference=reference,
        split=split,
        run=run,
        judges=frozenset(judge or ()),
        ledger=ledger,
    )
    comparison = run_async(agreement_of(query))
    if as_json:
        show_json(agreement_json(comparison))
    else:
        show(*agreement_view(comparison))
