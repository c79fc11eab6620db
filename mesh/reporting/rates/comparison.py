"""Two versions compared: `judgemesh compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.versions.comparison import Version, VersionComparison
from judgemesh.mesh.analysis.versions.flips import Flip, FlipKind
from judgemesh.mesh.metrics.clusters import FEW_TASKS
from judgemesh.mesh.metrics.comparison import ComparisonVerdict, PairedComparison
from judgemesh.mesh.reporting.numbers import interval_json, interval_text, or_dash
from judgemesh.mesh.reporting.tables import add_columns, grid, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_STYLES: Final = {
    ComparisonVerdict.IMPROVED: "bold green",
    ComparisonVerdict.REGRESSED: "bold red",
    ComparisonVerdict.NO_EVIDENCE: "bold yellow",
}
_NAMES: Final = {
    ComparisonVerdict.IMPROVED: "IMPROVED",
    ComparisonVerdict.REGRESSED: "REGRESSED",
    ComparisonVerdict.NO_EVIDENCE: "NO EVIDENCE of a change",
}
_SAME: Final = 5e-4
_CODES_SHOWN: Final = 4


def compare_view(
    comparison: VersionComparison, *, flips: bool = False
) -> Iterator[RenderableType]:
    """The verdict, both levels, the change, and on request every result that flipped."""
    from rich.text import Text

    change = comparison.success.change
    names = f"{one_line(comparison.a.name)} -> {one_line(comparison.b.name)}"
    yield Text.assemble((_NAMES[change], _STYLES[change]), f"  {names}")
    yield Text("")
    yield _levels(comparison)
    yield Text("")
    yield grid([*_change_rows(comparison), *_pair_rows(comparison)])
    if flips and comparison.flips:
        yield Text("")
        yield _flips_table(comparison.flips)


def _levels(comparison: VersionComparison) -> Table:
    table = plain_table()
    table.add_column("", no_wrap=True)
    add_columns(table, "A", "B", "B - A")
    a, b = comparison.a, comparison.b
    rows = [("success rate (ASR)", a.success.asr, b.success.asr, ".3f")]
    rows.append(("complete", _complete(a), _complete(b), ".1%"))
    if a.passed is not None and b.passed is not None:
        rows.append(("gate passed", a.passed, b.passed, ".1%"))
    for name, older, newer, spec in rows:
        change = f"{newer - older:+{spec}}"
        table.add_row(name, f"{older:{spec}}", f"{newer:{spec}}", change)
    table.add_row(
        "95% CI", interval_text(a.success.ci), interval_text(b.success.ci), ""
    )
    table.add_row("undecided", _undecided(a), _undecided(b), "")
    if a.success.uncosted or b.success.uncosted:
        unknown = (f"{one.success.uncosted:,}" for one in (a, b))
        table.add_row("cost unknown under a ceiling", *unknown, "")
    currency = comparison.currency
    for name, older_cost, newer_cost in (
        (f"cost P50 {currency}", _median_cost(a), _median_cost(b)),
        (
            f"cost per success {currency}",
            a.success.cost_per_success,
            b.success.cost_per_success,
        ),
    ):
        if older_cost is not None or newer_cost is not None:
            table.add_row(name, *_costs(older_cost, newer_cost))
    return table


def _complete(version: Version) -> float:
    return version.success.shares[OutcomeClass.COMPLETE]


def _undecided(version: Version) -> str:
    success = version.success
    return f"{success.tasks - success.decided:,} of {success.tasks:,}"


def _median_cost(version: Version) -> float | None:
    return None if version.success.cost is None else version.success.cost.p50


def _costs(a: float | None, b: float | None) -> tuple[str, str, str]:
    change = ""
    if a is not None and b is not None:
        change = f"{b - a:+.4g}"
    return or_dash(a, ".4g"), or_dash(b, ".4g"), change


def _change_rows(comparison: VersionComparison) -> Iterator[tuple[str, str]]:
    success = comparison.success
    ci = interval_text(success.ci, "+.3f")
    yield "change of the rate", f"{success.delta:+.3f}  (95% CI {ci})"
    if _other_levels(comparison):
        levels = f"{success.a:.3f} and {success.b:.3f}"
        yield "", f"between {levels}, where every compared task counts once"
    if success.undecided:
        low, high = success.bounds
        bounds = f"{low:+.3f} to {high:+.3f}"
        yield (
            "bounds",
            f"{bounds}, whatever {_open(comparison)} may be worth; the interval and the verdict hold for all",
        )
    if success.change is ComparisonVerdict.NO_EVIDENCE:
        yield "could be seen", _detectable(comparison)


def _open(comparison: VersionComparison) -> str:
    """The results that could be worth something else."""
    count = comparison.success.undecided
    if comparison.a.success.uncosted or comparison.b.success.uncosted:
        return f"{plural(count, 'result')} that are undecided or of unknown cost"
    return plural(count, "undecided result")


def _other_levels(comparison: VersionComparison) -> bool:
    """Whether the compared levels are other numbers than the rates of all results."""
    success = comparison.success
    a = abs(success.a - comparison.a.success.asr)
    b = abs(success.b - comparison.b.success.asr)
    return max(a, b) > _SAME


def _detectable(comparison: VersionComparison) -> str:
    found = comparison.success.detectable
    parts: list[str] = []
    for name, size in (("drop", found.drop), ("rise", found.rise)):
        if size is not None:
            parts.append(f"a {name} of {size:.3f}")
    if not parts:
        return "no change that is possible at this level, with 80% power: too few tasks"
    return f"{' or '.join(parts)} or more, with 80% power"


def _pair_rows(comparison: VersionComparison) -> Iterator[tuple[str, str]]:
    success, pairing = comparison.success, comparison.pairing
    if isinstance(success, PairedComparison):
        yield "paired", _paired_how(comparison, success)
        if success.only_a or success.only_b:
            alone = plural(success.only_a, "task" if pairing.clustered else "result")
            yield "not compared", f"{alone} of A alone, {success.only_b:,} of B alone"
        units = success.tasks
    else:
        yield (
            "not paired",
            f"{plural(success.tasks_a, 'task')} of A, {success.tasks_b:,} of B; runs of a task are one unit",
        )
        units = min(success.tasks_a, success.tasks_b)
    if units < FEW_TASKS:
        yield (
            "few",
            f"only {units}: nothing is known of other tasks, and only large changes can be seen",
        )
    split = comparison.gates
    if split is not None and (split.only_a_passed or split.only_b_passed):
        what = "passed"
        if pairing.clustered:
            what = "tasks with no failed run"
        passed = f"{split.only_a_passed:,} {what} in A only, {split.only_b_passed:,} in B only"
        yield "gates", f"{passed} (McNemar mid-p {split.p_value:.3f})"
    if comparison.flips:
        kinds = [flip.kind for flip in comparison.flips]
        counts = [
            f"{kinds.count(kind):,} {kind.value}" for kind in FlipKind if kind in kinds
        ]
        yield "flipped", f"{', '.join(counts)} (--flips names them)"


def _paired_how(comparison: VersionComparison, success: PairedComparison) -> str:
    pairing = comparison.pairing
    if not pairing.clustered:
        text = f"by result: {plural(success.tasks, 'result')}, each a unit of its own"
        if pairing.chosen and pairing.repeated:
            text += (
                "; repeats of a task are not, so this is right for different cases only"
            )
        elif pairing.repeated:
            text += "; one task, so nothing is known of others"
        return text
    tasks = plural(success.tasks, "task")
    if pairing.by == "result":
        return f"by result, since tasks repeat; {tasks} as units"
    repeats = "; repeats are averaged" if pairing.repeated else ""
    return f"by task: {tasks}{repeats}"


def _flips_table(flips: Sequence[Flip]) -> Table:
    table = plain_table()
    table.add_column("flip", no_wrap=True)
    table.add_column("result", overflow="fold")
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    table.add_column("codes (- lost, + new)", overflow="fold")
    for flip in flips:
        codes = [f"+{code}" for code in flip.gained] + [
            f"-{code}" for code in flip.lost
        ]
        more = len(codes) - _CODES_SHOWN
        shown = " ".join(codes[:_CODES_SHOWN]) + (
            f" and {more} more" if more > 0 else ""
        )
        name = one_line(flip.result_id or flip.task_id)
        table.add_row(flip.kind.value, name, flip.before, flip.after, one_line(shown))
    return table


def compare_json(comparison: VersionComparison) -> dict[str, Any]:
    """The comparison as data."""
    success, pairing, split = comparison.success, comparison.pairing, comparison.gates
    gates = None
    if split is not None:
        gates = {
            "only_a_passed": split.only_a_passed,
            "only_b_passed": split.only_b_passed,
            "p_value": split.p_value,
        }
    counted: dict[str, int | None]
    if isinstance(success, PairedComparison):
        counted = {
            "tasks": success.tasks,
            "only_a": success.only_a,
            "only_b": success.only_b,
        }
    else:
        counted = {
            "tasks": None,
            "tasks_a": success.tasks_a,
            "tasks_b": success.tasks_b,
        }
    return {
        "a": comparison.a.name,
        "b": comparison.b.name,
        "change": success.change.value,
        "delta": success.delta,
        "ci": interval_json(success.ci),
        "bounds": list(success.bounds),
        "undecided": success.undecided,
        "minimum_detectable": success.minimum_detectable,
        "detectable": {
            "drop": success.detectable.drop,
            "rise": success.detectable.rise,
        },
        "compared": {"a": success.a, "b": success.b},
        "levels": {"a": _level_json(comparison.a), "b": _level_json(comparison.b)},
        "currency": comparison.currency,
        "paired_by": pairing.by,
        "pairing_chosen": pairing.chosen,
        "units": "tasks" if pairing.clustered else "results",
        **counted,
        "gates": gates,
        "flips": list(map(_flip_json, comparison.flips)),
    }


def _level_json(version: Version) -> dict[str, Any]:
    success = version.success
    return {
        "asr": success.asr,
        "ci": interval_json(success.ci),
        "bounds": list(success.bounds),
        "results": success.tasks,
        "decided": success.decided,
        "cost_unknown_under_ceiling": success.uncosted,
        "shares": {outcome.value: success.shares[outcome] for outcome in OutcomeClass},
        "gate_passed": version.passed,
        "gates_failed": version.failed_gates,
        "gates_undecided": version.open_gates,
        "cost_p50": _median_cost(version),
        "cost_per_success": success.cost_per_success,
    }


def _flip_json(flip: Flip) -> dict[str, Any]:
    return {
        "task_id": flip.task_id,
        "result_id": flip.result_id,
        "kind": flip.kind.value,
        "before": flip.before,
        "after": flip.after,
        "codes_lost": list(flip.lost),
        "codes_gained": list(flip.gained),
    }
