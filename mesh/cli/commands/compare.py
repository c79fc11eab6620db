"""`judgemesh compare`: two versions on the tasks they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from judgemesh.mesh.cli.consumption import Ways
from judgemesh.mesh.cli.options import DEFAULT_LEDGER, JsonOption, LedgerOption

_WAYS: Final = Ways(
    {"with two files": "", "with a run": "ledger no_labels"},
    common="a b by contracts fail_if_regressed",
)


def compare(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="The older version: a JSONL file, or a run of the ledger."
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The newer version.")],
    *,
    by: Annotated[
        Literal["task", "result"],
        typer.Option(
            "--by",
            help="What pairs results: their task (repeats are averaged), or their result_id.",
        ),
    ] = "task",
    contracts: Annotated[
        list[Path] | None,
        typer.Option(
            "--contracts",
            "-c",
            metavar="PATH",
            help="Contracts, for cost ceilings (budget).",
        ),
    ] = None,
    no_labels: Annotated[
        bool,
        typer.Option(
            "--no-labels",
            help="Ignore people's labels in the ledger.",
        ),
    ] = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    fail_if_regressed: Annotated[
        bool,
        typer.Option("--fail-if-regressed", help="Exit 1 if B is worse beyond chance."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions on the tasks they share.

    The result is improved, regressed, or no evidence of a change; then also the smallest
    change that could have been detected.

    \b
    Examples:
      judgemesh compare run_0a1b run_2c3d
      judgemesh compare old.jsonl new.jsonl --fail-if-regressed
      judgemesh compare old.jsonl new.jsonl --by result --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    import asyncio

    from judgemesh.mesh.analysis.comparison import compare_versions
    from judgemesh.mesh.analysis.outcomes import OutcomeQuery, is_file_name
    from judgemesh.mesh.cli.output import show, show_json, warn
    from judgemesh.mesh.reporting.comparison import compare_json, compare_view

    files = is_file_name(a) and is_file_name(b)
    _WAYS.check(ctx, "with two files" if files else "with a run")
    query = OutcomeQuery(
        ledger=ledger,
        contracts=tuple(contracts or ()),
        use_labels=not no_labels,
        warn=warn,
    )
    comparison = asyncio.run(compare_versions(a, b, by, query))
    if as_json:
        show_json(compare_json(a, b, comparison.success, comparison.gates))
    else:
        show(*compare_view(a, b, comparison.success, comparison.gates))
    raise typer.Exit(int(fail_if_regressed and comparison.regressed))
