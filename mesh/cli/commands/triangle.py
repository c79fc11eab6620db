"""`judgemesh triangle`: tool selection, planning and rollback in one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.consumption import Ways, is_given, refuse_both
from judgemesh.mesh.cli.errors import EXIT_FAILED
from judgemesh.mesh.cli.options import (
    DEFAULT_LEDGER,
    ContractsOption,
    JsonOption,
    LedgerOption,
    RunOption,
    parse_decimal,
    parse_pairs,
)
from judgemesh.mesh.cli.running import run_async

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.triangle.composite import Triangle
    from judgemesh.mesh.analysis.triangle.records import AxisRecord
    from judgemesh.mesh.analysis.triangle.triangle import TriangleQuery
    from judgemesh.mesh.metrics.triangle import Axis

_AXES: Final = {"tsa": "tool_selection", "pq": "plan_quality", "ra": "rollback"}
_MAX_WEIGHT: Final = 1000
_WAYS: Final = Ways(
    {"with a FILE": "file", "with a run": "run ledger"},
    common="ra preset weights contracts before fail_under",
)


_FileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        help="JSONL file of axis records. Default: a run of the ledger.",
    ),
]
_RaOption = Annotated[
    str | None,
    typer.Option(
        "--ra",
        metavar="FILE|NUMBER",
        help="Rollback: a JSONL file whose rows have `ra`, or a score from 0 to 10.",
    ),
]
_PresetOption = Annotated[
    Literal[
        "default",
        "read_only_research",
        "database_migration",
        "api_orchestration",
        "code_generation",
        "infrastructure",
    ],
    typer.Option("--preset", help="Weights for a kind of workload."),
]
_WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="tsa=W,pq=W,ra=W",
        help="Your own weights, each above 0.",
    ),
]
_BeforeOption = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="FILE|RUN",
        help="Earlier records, to compare T with, task by task.",
    ),
]
_FailUnderOption = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        metavar="T",
        min=0,
        max=10,
        help="Exit 1 if T is below this, or if there is none.",
    ),
]


def triangle(  # noqa: PLR0913 (one parameter an option)
    ctx: typer.Context,
    file: _FileArgument = None,
    *,
    run: RunOption = None,
    ra: _RaOption = None,
    preset: _PresetOption = "default",
    weights: _WeightsOption = None,
    contracts: ContractsOption = None,
    before: _BeforeOption = None,
    fail_under: _FailUnderOption = None,
    ledger: LedgerOption = DEFAULT_LEDGER,
    as_json: JsonOption = False,
) -> None:
    """Combine tool selection, planning quality and rollback in one score from 0 to 10.

    T is the weighted harmonic mean of the three axes, so one weak axis lowers it. If an
    axis was not measured there is no T. The output names the axis to improve first.

    \b
    A row of FILE (each of the three parts may have its own row):
      {"task_id": "t-1", "task_type": "refund", "tsa": {"decisions": 12, "correct": 9}, "pq": 3.75,
       "ra": {"early": 10, "mid": 7, "late": 5}}
      pq  0 to 10, or {ordering, branches, scope, reversibility}, each 0 to 2.5, null if not answered
      ra  0 to 10 each, or reversed, clear_intermediate_state, ambiguous_leftovers, silent_failure (10, 7, 3, 0)

    \b
    Examples:
      judgemesh triangle --ra rollback.jsonl
      judgemesh triangle --run run_0a1b -c contracts/ --ra 7 --preset database_migration
      judgemesh triangle axes.jsonl --weights tsa=1,pq=1,ra=2 --json
    """  # noqa: D301 (a real backspace, which keeps these lines as they are)
    from judgemesh.mesh.analysis.outcomes import is_file_name
    from judgemesh.mesh.analysis.triangle.triangle import TriangleQuery
    from judgemesh.mesh.cli.output import say, warn
    from judgemesh.mesh.metrics.triangle import WORKLOADS

    refuse_both({"a FILE": file is not None, "--run": run is not None})
    refuse_both({"--preset": is_given(ctx, "preset"), "--weights": weights is not None})
    earlier_run = before is not None and not is_file_name(before)
    way = "with a run" if file is None else "with a FILE"
    _WAYS.check(ctx, way, *(("ledger",) if earlier_run else ()))
    score, records = (None, ()) if ra is None else parse_rollback(ra)
    query = TriangleQuery(
        ledger=ledger,
        weights=WORKLOADS[preset] if weights is None else parse_weights(weights),
        preset="" if weights else preset,
        file=file,
        run=run,
        rollback=score,
        rollback_records=records,
        contracts=tuple(contracts or ()),
        warn=warn,
    )
    t = _show(query, before, as_json=as_json).t()
    if fail_under is not None and (t is None or t.value < fail_under):
        say(
            f"exit 1: T is {'missing' if t is None else f'{t.value:.2f}'}, below {fail_under:g}"
        )
        raise typer.Exit(EXIT_FAILED)


def _show(query: TriangleQuery, before: str | None, *, as_json: bool) -> Triangle:
    """Show the triangle, and its change since earlier records."""
    from judgemesh.mesh.analysis.triangle.triangle import triangle_change, triangle_of
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.rates.triangle import (
        change_json,
        change_view,
        triangle_json,
        triangle_view,
    )

    triangle = run_async(triangle_of(query))
    data, lines = triangle_json(triangle), [*triangle_view(triangle)]
    if before is not None:
        change = run_async(triangle_change(query, before, triangle))
        data["change"] = change_json(change)
        lines += change_view(change)
    if as_json:
        show_json(data)
    else:
        show(*lines)
    return triangle


def parse_rollback(text: str) -> tuple[Fraction | None, Sequence[AxisRecord]]:
    """A score from 0 to 10, or the rollback records of a file.

    Raises:
        InputError: it is neither.
    """
    from judgemesh.mesh.analysis.triangle.records import rollback_records
    from judgemesh.mesh.inputs.rows import number_of

    try:
        number = float(text)
    except ValueError:
        return None, rollback_records(Path(text))
    try:
        score = number_of(number, "a rollback score", least=0, most=10)
    except ValueError as error:
        raise ConfigError(str(error), where="--ra") from None
    return Fraction(str(score)), ()


def parse_weights(text: str) -> Mapping[Axis, Decimal]:
    """`tsa=1,pq=1,ra=2` as the weights of the axes.

    Raises:
        ConfigError: an axis is missing or unknown, or a weight is not above 0.
    """
    from judgemesh.mesh.metrics.triangle import Axis

    pairs = parse_pairs(text, "--weights")
    unmatched = ", ".join(sorted(pairs.keys() ^ _AXES.keys()))
    if unmatched:
        raise ConfigError(
            f"expected one weight for each of tsa, pq and ra; look at {unmatched}",
            where="--weights",
        )
    weights: dict[Axis, Decimal] = {}
    for name, number in pairs.items():
        weight = parse_decimal(number)
        if weight is None or not 0 < weight <= _MAX_WEIGHT:
            raise ConfigError(
                f"{name}: expected a number above 0, got {number!r:.60}",
                where="--weights",
                hint="each axis matters in every workload",
            )
        weights[Axis(_AXES[name])] = weight
    return weights
