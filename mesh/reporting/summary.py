"""A run in numbers: rates with their bounds, and the one JSON object of `--json`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from judgemesh.contracts.report import OutcomeClass, money_to_json
from judgemesh.contracts.usage import Money
from judgemesh.mesh.ledger.records import RunSummary

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.runs.panel_summary import PanelSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What is known about a run beside its summary.

    resumed: results found graded in the ledger. rejected: input lines that could not be read as results.
    exit_rule: the rule that decided the exit code; None for a run that is only looked at.
    halos: of each judge that was asked several questions in one call, whether the answers sway each other.
    next_command: what to type to look closer.
    panel: the judges of the run as a panel; None where there was one judge, or none.
    """

    run_id: str
    ledger: str
    exit_rule: str | None = None
    resumed: int = 0
    rejected: int = 0
    rejects_file: str | None = None
    outputs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    elapsed_s: float | None = None
    next_command: str | None = None
    halos: Mapping[str, Halo] = field(default_factory=dict[str, "Halo"])
    panel: PanelSummary | None = None

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """The warnings, the panel's with them, and what answers that sway each other call for, each once."""
        swayed = (
            f"{model}: {halo.sentence()}; --batch-criteria 1 asks one by one"
            for model, halo in self.halos.items()
            if halo.alarm
        )
        return tuple(
            dict.fromkeys(
                (*self.warnings, *(self.panel.warnings if self.panel else ()), *swayed)
            )
        )


def success_rate(summary: RunSummary) -> float | None:
    """Passes over all graded results; None for none."""
    return summary.passed / summary.attempted if summary.attempted else None


def success_bounds(summary: RunSummary) -> tuple[float, float] | None:
    """The success rate if all undecided results were failures, and if all were passes; None for no result."""
    if not summary.attempted:
        return None
    return summary.passed / summary.attempted, (
        summary.passed + summary.undecided
    ) / summary.attempted


def single_cost(amounts: Sequence[Money], unknown: int = 0) -> Money | None:
    """The cost as one amount: zero dollars for none, None when a part is unknown or there are several currencies."""
    if unknown or len(amounts) > 1:
        return None
    return amounts[0] if amounts else Money(Decimal(0))


def summary_json(summary: RunSummary, outline: Outline) -> dict[str, object]:
    """The summary object. Rates are null when nothing was graded, a cost is null when it is not fully known;
    `evaluator_costs` then holds the known part, one amount a currency.
    """
    bounds = success_bounds(summary)
    return {
        "run_id": outline.run_id,
        "attempted": summary.attempted,
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "task_success_rate": success_rate(summary),
        "task_success_bounds": None if bounds is None else list(bounds),
        "average_outcome_score": summary.average_outcome_score,
        "failure_codes": {
            code.value: count for code, count in summary.failure_codes.items()
        },
        "outcome_classes": {
            one.value: summary.outcome_classes[one]
            for one in OutcomeClass
            if one in summary.outcome_classes
        },
        "evaluator_cost": money_to_json(
            single_cost(summary.evaluator_cost, summary.evaluator_cost_unknown)
        ),
        "evaluator_costs": [money_to_json(cost) for cost in summary.evaluator_cost],
        "evaluator_cost_unknown_calls": summary.evaluator_cost_unknown,
        "cost_avoided": money_to_json(single_cost(summary.cost_avoided)),
        "judge_calls": summary.judge_calls,
        "cache_hits": summary.cache_hits,
        "error_results": summary.error_results,
        "vacuous_results": summary.vacuous,
        "resumed": outline.resumed,
        "rejected": outline.rejected,
        "rejects_file": outline.rejects_file,
        "ledger": outline.ledger,
        "outputs": list(outline.outputs),
        "warnings": list(outline.all_warnings),
        "halos": [
            {"model": model, **halo.to_json()} for model, halo in outline.halos.items()
        ],
        **({} if outline.panel is None else {"panel": outline.panel.to_json()}),
        "elapsed_s": None if outline.elapsed_s is None else round(outline.elapsed_s, 3),
        "exit_rule": outline.exit_rule,
    }
