"""The Agent Success Rate as the JSON object of `judgemesh asr --json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.correction import Correction
from judgemesh.mesh.analysis.labels.people import Overrides
from judgemesh.mesh.analysis.success import SuccessContext
from judgemesh.mesh.metrics.asr import AgentSuccess, CostSpread
from judgemesh.mesh.metrics.comparison import PairedComparison
from judgemesh.mesh.metrics.outcome_correction import CorrectedSuccess
from judgemesh.mesh.metrics.repeats import PassRate
from judgemesh.mesh.metrics.shares import ShareChange
from judgemesh.mesh.metrics.weekly import Week
from judgemesh.mesh.reporting.numbers import interval_json

Changes = Mapping[str, ShareChange] | None

_NO_CONTEXT: Final = SuccessContext()


def asr_json(
    success: AgentSuccess,
    changes: Changes,
    currency: str,
    context: SuccessContext = _NO_CONTEXT,
) -> dict[str, Any]:
    """Everything the view shows, and the digits it rounds."""
    credit = context.credit
    data = {
        **_rate_json(success, currency),
        "interval_units": context.units or None,
        "one_task": context.one_task or None,
        "independent_units": success.units,
        "mean_over_tasks": success.mean_over_tasks,
        "largest_task_share": success.largest_share,
        "grades_unseen": context.unseen or None,
        "credits": {outcome.value: float(credit[outcome]) for outcome in OutcomeClass},
        "labels": None,
        "correction": None,
        "passes": None,
        "families": _families_json(context.families, currency),
        "changes": None,
    }
    if context.overrides is not None:
        data["labels"] = _overrides_json(context.overrides)
    if context.correction is not None:
        data["correction"] = _correction_json(context.correction)
    if context.passes is not None:
        data["passes"] = _passes_json(*context.passes)
    if changes is not None:
        data["changes"] = {
            name: _change_json(change) for name, change in changes.items()
        }
    return data


def weekly_json(
    week: Week, currency: str, context: SuccessContext = _NO_CONTEXT
) -> dict[str, Any]:
    """One week. `change` is of the rate, since the last week that was measured."""
    success, change = week.success, None
    if week.change is not None and week.since is not None:
        change = {
            "since": week.since.isoformat(),
            "delta": week.change.delta,
            "ci": interval_json(week.change.ci),
            "bounds": list(week.change.bounds),
            "verdict": week.change.change.value,
            "paired": isinstance(week.change, PairedComparison),
        }
    return {
        "monday": week.monday.isoformat(),
        "first_day": None if week.first is None else week.first.isoformat(),
        "last_day": None if week.last is None else week.last.isoformat(),
        "empty_weeks_before": week.gap,
        "undecided_share": 1 - success.decided / success.tasks,
        "rolling_mean": week.rolling,
        "rolling_weeks": week.rolled,
        "rate_change": change,
        **asr_json(success, week.changes or None, currency, context),
    }


def _rate_json(success: AgentSuccess, currency: str) -> dict[str, Any]:
    cost = success.cost
    return {
        "asr": success.asr,
        "asr_unfloored": success.asr_unfloored,
        "ci": interval_json(success.ci),
        "ci_percentile": interval_json(success.ci_percentile),
        "bounds": list(success.bounds),
        "cost_unknown_under_ceiling": success.uncosted,
        "tasks": success.tasks,
        "decided": success.decided,
        "outcome_classes": {
            outcome.value: success.counts[outcome] for outcome in OutcomeClass
        },
        "shares": {outcome.value: success.shares[outcome] for outcome in OutcomeClass},
        "cost": None if cost is None else _cost_json(cost, currency),
        "cost_per_success": success.cost_per_success,
    }


def _cost_json(cost: CostSpread, currency: str) -> dict[str, Any]:
    return {
        "p50": cost.p50,
        "p90": cost.p90,
        "p99": cost.p99,
        "known": cost.known,
        "over_ceiling": cost.over_ceiling,
        "currency": currency,
    }


def _families_json(
    families: Mapping[str, AgentSuccess | None], currency: str
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, success in families.items():
        data[name or "none"] = None
        if success is not None:
            data[name or "none"] = _rate_json(success, currency)
    return data


def _overrides_json(overrides: Overrides) -> dict[str, Any]:
    return {
        "labelled": overrides.labelled,
        "changed": overrides.changed,
        "decided": overrides.decided,
        "people_disagree": overrides.split,
        "labelers": list(overrides.labelers),
    }


def _correction_json(correction: Correction) -> dict[str, Any]:
    corrected, sampling = correction.found, correction.drawn
    if corrected is None or sampling is None:
        return {"rate": None, "why_not": correction.why_not}
    noted_by = "user"
    if correction.noted:
        noted_by = "labels"
    return {
        "rate": corrected.rate,
        "ci": interval_json(corrected.ci),
        "why_not": None,
        "graded_rate": corrected.judged,
        "drawn": sampling.value,
        "drawn_noted_by": noted_by,
        "labels": corrected.labelled,
        "graded": corrected.tasks,
        "effective_labels": corrected.effective_labels,
        "shares": {
            outcome.value: {"share": share, "ci": interval_json(ci)}
            for outcome, (share, ci) in corrected.shares.items()
        },
        "graded_then_labelled": _confusion_json(corrected),
    }


def _confusion_json(corrected: CorrectedSuccess) -> dict[str, dict[str, int]]:
    """Labelled results by the class the judge gave, then by that of people."""
    data: dict[str, dict[str, int]] = {}
    for graded, counts in corrected.table.items():
        data[graded.value] = {label.value: count for label, count in counts.items()}
    return data


def _passes_json(at_least_one: PassRate, all_runs: PassRate) -> dict[str, Any]:
    return {
        "k": at_least_one.k,
        "tasks": at_least_one.tasks,
        "pass_at_k": {
            "rate": at_least_one.rate,
            "ci": interval_json(at_least_one.ci),
        },
        "pass_hat_k": {"rate": all_runs.rate, "ci": interval_json(all_runs.ci)},
    }


def _change_json(change: ShareChange) -> dict[str, Any]:
    return {
        "before": change.before,
        "after": change.after,
        "ci": interval_json(change.ci),
        "p_value": change.p_value,
        "above_2_points": change.large,
        "real": change.real,
    }
