"""The Agent Success Rate for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.correction import Correction
from judgemesh.mesh.analysis.people import Overrides
from judgemesh.mesh.analysis.success import SuccessContext, WeeklyReport
from judgemesh.mesh.metrics.asr import AgentSuccess
from judgemesh.mesh.metrics.comparison import ShareChange
from judgemesh.mesh.metrics.correction import Drawn
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.repeats import PassRate
from judgemesh.mesh.metrics.weekly import Week, weekly_text
from judgemesh.mesh.reporting.tables import grid, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

Changes = Mapping[str, ShareChange] | None

_NAME: Final = 24
_WAYS: Final[Mapping[Drawn, str]] = {
    Drawn.AT_RANDOM: "drawn at random from these results",
    Drawn.BY_VERDICT: "drawn at random within each class",
}


_MARKS: Final = "! beyond chance   ? above 2 points, within chance"
_ALONE: Final = SuccessContext()


def asr_view(
    success: AgentSuccess,
    changes: Changes,
    currency: str,
    context: SuccessContext = _ALONE,
) -> Iterator[RenderableType]:
    """The headline first, then what it is made of."""
    from rich.text import Text

    half = f"ASR {success.asr:.3f} ± {success.ci.half_width:.3f}"
    yield Text.assemble(
        (half, "bold"), f"  (95% CI {success.ci.low:.3f} to {success.ci.high:.3f})"
    )
    yield Text("")
    yield _classes(success, changes, context.credit)
    yield Text("")
    units = [("interval", f"resamples {context.units}")] if context.units else []
    yield grid(
        [*_labels(context), *units, *_passes(context), *_facts(success, currency)]
    )
    if context.families:
        yield Text("")
        yield _families(context.families, currency)


def _labels(context: SuccessContext) -> Iterator[tuple[str, str]]:
    """What people's labels did, and the corrected rate."""
    given, correction = context.overrides, context.correction
    if given is not None and (given.labelled or given.split):
        words = [f"{given.changed:,} changed the class"]
        if given.decided:
            words.append(f"{given.decided:,} decided an undecided result")
        if given.split:
            words.append(
                f"{plural(given.split, 'result')} on which people disagree keep the grade"
            )
        yield (
            "labels of people",
            f"{plural(given.labelled, 'result')}: {', '.join(words)}",
        )
    if correction is None:
        return
    found = correction.found
    if found is None or correction.drawn is None:
        yield "not corrected", one_line(correction.why_not)
        return
    yield (
        "corrected by labels",
        f"{found.rate:.3f}  (95% CI {found.ci.low:.3f} to {found.ci.high:.3f})",
    )
    said = _WAYS.get(correction.drawn, correction.drawn.value)
    by = "as the labels note" if correction.noted else "as you say"
    labels = f"{plural(found.labelled, 'label')} of {plural(found.tasks, 'graded result')}, {said} ({by})"
    yield (
        "",
        f"graded {found.judged:.3f}; {labels}, as good as {found.effective_labels:,.0f} without the grades",
    )


def _passes(context: SuccessContext) -> Iterator[tuple[str, str]]:
    """Whether the agent can, and whether one can rely on it."""
    for sign, words, one in zip(
        "@^", ("at least one", "all"), context.passes or (), strict=False
    ):
        interval = f"95% CI {one.ci.low:.3f} to {one.ci.high:.3f}"
        yield (
            f"pass{sign}{one.k}",
            f"{one.rate:.3f}  ({interval}): {words} of {one.k} runs complete, {one.tasks:,} tasks",
        )


def _families(families: Mapping[str, AgentSuccess | None], currency: str) -> Table:
    table = plain_table()
    table.add_column("family", no_wrap=True)
    for name in (
        "tasks",
        "ASR",
        "95% CI",
        "complete",
        f"P50 {currency}",
        "over ceiling",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in families.items():
        if one is None:
            table.add_row(one_line(name, _NAME) or "none", *["-"] * 6)
            continue
        cost = one.cost
        table.add_row(
            one_line(name, _NAME) or "none",
            f"{one.tasks:,}",
            f"{one.asr:.3f}",
            f"{one.ci.low:.3f} to {one.ci.high:.3f}",
            f"{one.shares[OutcomeClass.COMPLETE]:.1%}",
            "-" if cost is None else f"{cost.p50:.4g}",
            "-"
            if cost is None or cost.over_ceiling is None
            else f"{cost.over_ceiling:.1%}",
        )
    return table


def _classes(
    success: AgentSuccess, changes: Changes, credit: Mapping[OutcomeClass, Decimal]
) -> Table:
    table = plain_table()
    table.add_column("outcome class", no_wrap=True)
    for name in (
        ("results", "share", "credit")
        if changes is None
        else ("results", "share", "points")
    ):
        table.add_column(name, justify="right", no_wrap=True)
    if changes is not None:
        table.add_column("change", no_wrap=True)
    for one in OutcomeClass:
        cells = [one.value, f"{success.counts[one]:,}", f"{success.shares[one]:.1%}"]
        if changes is None:
            cells.append(f"{credit[one]}")
        else:
            change = changes[one.value]
            cells += [f"{100 * (change.after - change.before):+.1f}", _verdict(change)]
        table.add_row(*cells)
    return table


def _verdict(change: ShareChange) -> str:
    """What a change of a class may be called, after correcting for looking at all classes."""
    if not change.large:
        return ""
    return "beyond chance" if change.real else "above 2 points, within chance"


def _facts(success: AgentSuccess, currency: str) -> Iterator[tuple[str, str]]:
    yield "rests on", f"{plural(success.tasks, 'result')}, {success.decided:,} decided"
    if success.decided < success.tasks:
        low, high = success.bounds
        yield (
            "bounds",
            f"{low:.3f} to {high:.3f} (all undecided worth nothing, all worth full credit)",
        )
    percentile = success.ci_percentile
    yield (
        "percentile bootstrap",
        f"{percentile.low:.3f} to {percentile.high:.3f} (too narrow near 0 and 1)",
    )
    if success.asr_unfloored != success.asr:
        yield (
            "without the floor",
            f"{success.asr_unfloored:.3f} (penalties of failed tasks subtracted too)",
        )
    if success.cost is not None:
        cost = success.cost
        yield (
            "cost per task",
            f"P50 {cost.p50:.4g}, P90 {cost.p90:.4g}, P99 {cost.p99:.4g} {currency}",
        )
        if cost.known < success.tasks:
            yield "cost unknown", plural(success.tasks - cost.known, "task")
        if cost.over_ceiling is not None:
            yield "above ceiling", f"{cost.over_ceiling:.1%}"
    if success.cost_per_success is not None:
        yield "cost per success", f"{success.cost_per_success:.4g} {currency}"


def asr_json(
    success: AgentSuccess,
    changes: Changes,
    currency: str,
    context: SuccessContext = _ALONE,
) -> dict[str, Any]:
    """Everything the view shows, and the digits it rounds."""
    return {
        **_rate_json(success, currency),
        "interval_units": context.units or None,
        "credits": {one.value: float(context.credit[one]) for one in OutcomeClass},
        "labels": _overrides_json(context.overrides),
        "correction": _correction_json(context.correction),
        "passes": None if context.passes is None else _passes_json(*context.passes),
        "families": {
            name or "none": None if one is None else _rate_json(one, currency)
            for name, one in context.families.items()
        },
        "changes": None
        if changes is None
        else {name: _change(change) for name, change in changes.items()},
    }


def _passes_json(at: PassRate, hat: PassRate) -> dict[str, Any]:
    return {
        "k": at.k,
        "tasks": at.tasks,
        "pass_at_k": {"rate": at.rate, "ci": _interval(at.ci)},
        "pass_hat_k": {"rate": hat.rate, "ci": _interval(hat.ci)},
    }


def _overrides_json(given: Overrides | None) -> dict[str, Any] | None:
    if given is None:
        return None
    return {
        "labelled": given.labelled,
        "changed": given.changed,
        "decided": given.decided,
        "people_disagree": given.split,
        "labelers": list(given.labelers),
    }


def _correction_json(correction: Correction | None) -> dict[str, Any] | None:
    if correction is None:
        return None
    found = correction.found
    if found is None or correction.drawn is None:
        return {"rate": None, "why_not": correction.why_not}
    return {
        "rate": found.rate,
        "ci": _interval(found.ci),
        "why_not": None,
        "graded_rate": found.judged,
        "drawn": correction.drawn.value,
        "drawn_noted_by": "labels" if correction.noted else "user",
        "labels": found.labelled,
        "graded": found.tasks,
        "effective_labels": found.effective_labels,
        "shares": {
            one.value: {"share": share, "ci": _interval(ci)}
            for one, (share, ci) in found.shares.items()
        },
        "graded_then_labelled": {
            one.value: {other.value: count for other, count in row.items()}
            for one, row in found.table.items()
        },
    }


def _rate_json(success: AgentSuccess, currency: str) -> dict[str, Any]:
    cost = success.cost
    return {
        "asr": success.asr,
        "asr_unfloored": success.asr_unfloored,
        "ci": _interval(success.ci),
        "ci_percentile": _interval(success.ci_percentile),
        "bounds": list(success.bounds),
        "tasks": success.tasks,
        "decided": success.decided,
        "outcome_classes": {one.value: success.counts[one] for one in OutcomeClass},
        "shares": {one.value: success.shares[one] for one in OutcomeClass},
        "cost": None
        if cost is None
        else {
            "p50": cost.p50,
            "p90": cost.p90,
            "p99": cost.p99,
            "known": cost.known,
            "over_ceiling": cost.over_ceiling,
            "currency": currency,
        },
        "cost_per_success": success.cost_per_success,
    }


def weekly_json(
    week: Week, currency: str, context: SuccessContext = _ALONE
) -> dict[str, Any]:
    """One week."""
    return {
        "monday": week.monday.isoformat(),
        "rolling_mean": week.rolling,
        **asr_json(week.success, week.changes or None, currency, context),
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }


def _change(change: ShareChange) -> dict[str, Any]:
    return {
        "before": change.before,
        "after": change.after,
        "ci": _interval(change.ci),
        "p_value": change.p_value,
        "above_2_points": change.large,
        "real": change.real,
    }


def weekly_view(report: WeeklyReport) -> list[str]:
    """One line a week, and what its marks mean."""
    if not report.weeks:
        return ["no week has a decided task"]
    lines = [weekly_text(week, currency=report.currency) for week in report.weeks]
    changes = [change for week in report.weeks for change in week.changes.values()]
    if any(change.large for change in changes):
        lines.append(_MARKS)
    return lines
