"""`judgemesh compare`: two versions, paired where they can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NoReturn

import typer

from judgemesh.mesh.cli.consumption import Ways, refuse_both
from judgemesh.mesh.cli.errors import EXIT_FAILED
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    CeilingOption,
    ContractsOption,
    CreditOption,
    JsonOption,
    LedgerOption,
    NoLabelsOption,
)
from judgemesh.mesh.cli.running import run_async

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.versions.comparison import VersionComparison

_WAYS: Final = Ways(
    {"with two files": "", "with a run": "ledger no_labels"},
    common="a b by unpaired contracts ceiling credit labels flips fail_if_regressed",
)


_AArgument = Annotated[
    str,
    typer.Argument(
        metavar="A",
        help="The older version: a JSONL or CSV file, or a run of the ledger.",
    ),
]
_BArgument = Annotated[str, typer.Argument(metavar="B", help="The newer version.")]
_ByOption = Annotated[
    Literal["task", "result"] | None,
    typer.Option(
        "--by",
        help="What pairs results: their task (repeats are averaged), or their result_id (each a unit). "
        "Default: chosen by the data, and said.",
    ),
]
_UnpairedOption = Annotated[
    bool,
    typer.Option(
        "--unpaired",
        help="Pair nothing: two sets of tasks, such as weeks, teams or providers. Default without common tasks.",
    ),
]
_LabelsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="People's labels, .jsonl or .csv. Twice where A and B share ids: A's, then B's.",
    ),
]
_FailIfRegressedOption = Annotated[
    bool,
    typer.Option("--fail-if-regressed", help="Exit 1 if B is worse beyond chance."),
]
_FlipsOption = Annotated[
    bool,
    typer.Option(
        "--flips",
        help="List every result that is graded otherwise, with its codes.",
    ),
]


def compare(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    a: _AArgument,
    b: _BArgument,
    *,
    by: _ByOption = None,
    unpaired: _UnpairedOption = False,
    contracts: ContractsOption = None,
    ceiling: CeilingOption = None,
    credit: CreditOption = None,
    labels: _LabelsOption = None,
    no_labels: NoLabelsOption = False,
    ledger: LedgerOption = DEFAULT_LEDGER,
    fail_if_regressed: _FailIfRegressedOption = False,
    flips: _FlipsOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two versions: both rates, the change, and which results flipped.

    The verdict is improved, regressed, or no evidence of a change, with the smallest
    change that would have been found. It holds whatever undecided results may be.

    \b
    Examples:
      judgemesh compare run_0a1b run_2c3d
      judgemesh compare old.jsonl new.jsonl --fail-if-regressed
      judgemesh compare old.jsonl new.jsonl --ceiling 0.10 --flips
      judgemesh compare last_week.jsonl this_week.jsonl --unpaired --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.outcomes import OutcomeQuery, is_file_name
    from judgemesh.mesh.analysis.versions.comparison import (
        CompareQuery,
        compare_versions,
    )
    from judgemesh.mesh.cli.commands.asr import parse_ceiling, parse_credits
    from judgemesh.mesh.cli.output import show, show_json, warn
    from judgemesh.mesh.reporting.rates.comparison import compare_json, compare_view

    files = is_file_name(a) and is_file_name(b)
    _WAYS.check(ctx, "with two files" if files else "with a run")
    refuse_both({"--by": by is not None, "--unpaired": unpaired})
    refuse_both({"--labels": bool(labels), "--no-labels": no_labels})
    results = OutcomeQuery(
        ledger=ledger,
        contracts=tuple(contracts or ()),
        use_labels=not no_labels,
        warn=warn,
    )
    query = CompareQuery(
        a=a,
        b=b,
        results=results,
        by=by,
        unpaired=unpaired,
        ceiling=parse_ceiling(ceiling),
        credit=parse_credits(credit),
        labels=tuple(labels or ()),
    )
    comparison = run_async(compare_versions(query))
    if as_json:
        show_json(compare_json(comparison))
    else:
        show(*compare_view(comparison, flips=flips))
    if fail_if_regressed and comparison.regressed:
        _exit_regressed(comparison)


def _exit_regressed(comparison: VersionComparison) -> NoReturn:
    """Exit 1, and say by how much the rate changed."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.reporting.numbers import interval_text

    success = comparison.success
    ci = interval_text(success.ci, "+.3f")
    say(
        f"exit 1: the rate changed by {success.delta:+.3f} (95% CI {ci}), and --fail-if-regressed is given"
    )
    raise typer.Exit(EXIT_FAILED)
