"""The Agent Success Rate on a terminal: `judgemesh asr`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.correction import Correction
from judgemesh.mesh.analysis.labels.people import Overrides
from judgemesh.mesh.analysis.success import SuccessContext
from judgemesh.mesh.metrics.asr import AgentSuccess
from judgemesh.mesh.metrics.clusters import FEW_TASKS
from judgemesh.mesh.metrics.correction import Drawn
from judgemesh.mesh.metrics.repeats import PassRate
from judgemesh.mesh.metrics.shares import ShareChange
from judgemesh.mesh.reporting.numbers import interval_text
from judgemesh.mesh.reporting.tables import add_columns, grid, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

Changes = Mapping[str, ShareChange] | None

_NAME_LIMIT: Final = 24
_LARGE: Final = 3
"""A task with three times its share of the results is named."""
_FAMILY_CELLS: Final = 6
_DRAWN: Final[Mapping[Drawn, str]] = {
    Drawn.AT_RANDOM: "drawn at random from these results",
    Drawn.BY_VERDICT: "drawn at random within each class",
}
_NO_CONTEXT: Final = SuccessContext()


def asr_view(
    success: AgentSuccess,
    changes: Changes,
    currency: str,
    context: SuccessContext = _NO_CONTEXT,
) -> Iterator[RenderableType]:
    """The headline first, then what it is made of."""
    from rich.text import Text

    arm = success.ci.arm(success.asr, 2)
    headline = f"ASR {success.asr:.3f}" + ("" if arm is None else f" ± {arm:.2f}")
    ci = interval_text(success.ci)
    yield Text.assemble((headline, "bold"), f"  (95% CI {ci})")
    yield Text("")
    if changes is None:
        yield _classes_table(success, context.credit)
    else:
        yield _changes_table(success, changes)
    yield Text("")
    rows = [
        *_context_rows(context),
        *_units(success, context),
        *_basis(success),
        *_costs(success, currency),
    ]
    yield grid(rows)
    if context.families:
        yield Text("")
        yield _families_table(context.families, currency)


def _classes_table(
    success: AgentSuccess, credit: Mapping[OutcomeClass, Decimal]
) -> Table:
    table = plain_table()
    table.add_column("outcome class", no_wrap=True)
    add_columns(table, "results", "share", "credit")
    for outcome in OutcomeClass:
        table.add_row(*_class_cells(success, outcome), str(credit[outcome]))
    return table


def _changes_table(success: AgentSuccess, changes: Mapping[str, ShareChange]) -> Table:
    table = plain_table()
    table.add_column("outcome class", no_wrap=True)
    add_columns(table, "results", "share", "points")
    table.add_column("change", no_wrap=True)
    for outcome in OutcomeClass:
        change = changes[outcome.value]
        points = f"{100 * (change.after - change.before):+.1f}"
        table.add_row(*_class_cells(success, outcome), points, _reading(change))
    return table


def _class_cells(success: AgentSuccess, outcome: OutcomeClass) -> tuple[str, str, str]:
    share = f"{success.shares[outcome]:.1%}"
    return outcome.value, f"{success.counts[outcome]:,}", share


def _reading(change: ShareChange) -> str:
    """The name of a change of a class, after the correction for testing all classes."""
    if not change.large:
        return ""
    if change.real:
        return "beyond chance"
    return "above 2 points, within chance"


def _context_rows(context: SuccessContext) -> Iterator[tuple[str, str]]:
    if context.overrides is not None:
        yield from _overrides(context.overrides)
    if context.correction is not None:
        yield from _correction(context.correction)
    if context.unseen:
        yield "", f"{context.unseen}; the interval holds that of the grades as well"
    if context.passes is not None:
        at_least_one, all_runs = context.passes
        yield f"pass@{at_least_one.k}", _pass_rate(at_least_one, "at least one")
        yield f"pass^{all_runs.k}", _pass_rate(all_runs, "all")


def _overrides(overrides: Overrides) -> Iterator[tuple[str, str]]:
    """The effects of people's labels."""
    if not (overrides.labelled or overrides.split):
        return
    effects = [f"{overrides.changed:,} changed the class"]
    if overrides.decided:
        effects.append(f"{overrides.decided:,} decided an undecided result")
    if overrides.split:
        results = plural(overrides.split, "result")
        effects.append(f"{results} on which people disagree keep the grade")
    labelled = plural(overrides.labelled, "result")
    yield "labels of people", f"{labelled}: {', '.join(effects)}"


def _correction(correction: Correction) -> Iterator[tuple[str, str]]:
    corrected, sampling = correction.found, correction.drawn
    if corrected is None or sampling is None:
        yield "not corrected", one_line(correction.why_not)
        return
    ci = interval_text(corrected.ci)
    yield "corrected by labels", f"{corrected.rate:.3f}  (95% CI {ci})"
    labels = plural(corrected.labelled, "label")
    graded = plural(corrected.tasks, "graded result")
    source = "as you say"
    if correction.noted:
        source = "as the labels note"
    yield (
        "",
        (
            f"graded {corrected.judged:.3f}; {labels} of {graded}, {_DRAWN.get(sampling, sampling.value)} ({source}), "
            f"as good as {corrected.effective_labels:,.0f} without the grades"
        ),
    )


def _units(success: AgentSuccess, context: SuccessContext) -> Iterator[tuple[str, str]]:
    """What the interval takes as independent, what it speaks of, and where that is little."""
    units = context.units
    if not units:
        return
    text = f"{plural(success.units, units.removesuffix('s'))} as {'units' if success.units > 1 else 'unit'}"
    if success.units < FEW_TASKS:
        text += "; that is few, so it is wide"
    if units == "tasks" and success.units < FEW_TASKS:
        text += " (--by result, if results of a task are different cases)"
    yield "interval", text
    if context.one_task:
        yield "one task", one_task_text(context.one_task)
    mean = success.mean_over_tasks
    if mean is not None and success.largest_share > _LARGE / success.units:
        share = f"one task has {success.largest_share:.0%} of the results"
        yield "mean over tasks", f"{mean:.3f}, in which each task counts once ({share})"


def one_task_text(task: str) -> str:
    """What an interval from runs of a single task holds."""
    name = one_line(task, _NAME_LIMIT)
    return f"all results are runs of {name}: the interval holds for more runs of it, not for other tasks"


def _pass_rate(rate: PassRate, runs: str) -> str:
    ci = interval_text(rate.ci)
    return f"{rate.rate:.3f}  (95% CI {ci}): {runs} of {rate.k} runs complete, {rate.tasks:,} tasks"


def _basis(success: AgentSuccess) -> Iterator[tuple[str, str]]:
    """What the rate is computed from, and how else it could be computed."""
    yield "rests on", f"{plural(success.tasks, 'result')}, {success.decided:,} decided"
    if success.is_bounded:
        yield "bounds", _bounds(success)
    percentile = interval_text(success.ci_percentile)
    yield "percentile bootstrap", f"{percentile} (too narrow near 0 and 1)"
    if success.asr_unfloored != success.asr:
        yield (
            "without the floor",
            f"{success.asr_unfloored:.3f} (penalties of failed tasks subtracted too)",
        )


def _bounds(success: AgentSuccess) -> str:
    """The least and the greatest rate, and what makes the difference."""
    reasons: list[str] = []
    if success.decided < success.tasks:
        reasons.append("all undecided worth nothing, all worth full credit")
    if success.uncosted:
        count = plural(success.uncosted, "result")
        reasons.append(f"{count} of unknown cost far above the ceiling, or free")
    low, high = success.bounds
    return f"{low:.3f} to {high:.3f} ({'; '.join(reasons)})"


def _costs(success: AgentSuccess, currency: str) -> Iterator[tuple[str, str]]:
    cost = success.cost
    if cost is not None:
        spread = f"P50 {cost.p50:.4g}, P90 {cost.p90:.4g}, P99 {cost.p99:.4g}"
        yield "cost per result", f"{spread} {currency}"
        if cost.known < success.tasks:
            yield "cost unknown", plural(success.tasks - cost.known, "result")
        if cost.over_ceiling is not None:
            yield "above ceiling", f"{cost.over_ceiling:.1%}"
    if success.cost_per_success is not None:
        yield "cost per success", f"{success.cost_per_success:.4g} {currency}"


def _families_table(
    families: Mapping[str, AgentSuccess | None], currency: str
) -> Table:
    table = plain_table()
    table.add_column("family", no_wrap=True)
    median = f"P50 {currency}"
    add_columns(table, "results", "ASR", "95% CI", "complete", median, "over ceiling")
    for name, success in families.items():
        cells = ["-"] * _FAMILY_CELLS
        if success is not None:
            cells = _family(success)
        table.add_row(one_line(name, _NAME_LIMIT) or "none", *cells)
    return table


def _family(success: AgentSuccess) -> list[str]:
    median = over_ceiling = "-"
    if success.cost is not None:
        median = f"{success.cost.p50:.4g}"
        if success.cost.over_ceiling is not None:
            over_ceiling = f"{success.cost.over_ceiling:.1%}"
    return [
        f"{success.tasks:,}",
        f"{success.asr:.3f}",
        interval_text(success.ci),
        f"{success.shares[OutcomeClass.COMPLETE]:.1%}",
        median,
        over_ceiling,
    ]
