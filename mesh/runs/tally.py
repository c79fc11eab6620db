"""The summary of a mesh without a ledger, counted as results are graded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass, Report
from judgemesh.contracts.verdicts import GRADES, Error, Reason
from judgemesh.mesh.grading.meter import Meter

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.records import RunSummary


@dataclass(slots=True, eq=False, repr=False)
class Tally:
    """Running counts of graded results, as the ledger would compute them. Bounded: no report is kept."""

    gates: Counter[Gate] = field(default_factory=Counter[Gate])
    classes: Counter[OutcomeClass] = field(default_factory=Counter[OutcomeClass])
    codes: Counter[FailureCode] = field(default_factory=Counter[FailureCode])
    costs: dict[str, Money] = field(default_factory=dict[str, Money])
    avoided: dict[str, Money] = field(default_factory=dict[str, Money])
    unknown: Counter[str] = field(default_factory=Counter[str])
    calls: int = 0
    hits: int = 0
    errors: int = 0
    vacuous: int = 0
    scores: int = 0
    score_sum: float = 0.0

    @property
    def graded(self) -> int:
        """How many results were graded."""
        return self.gates.total()

    def add(self, report: Report, meter: Meter) -> None:
        """Count a result and what its judge calls cost."""
        self.gates[report.gate] += 1
        if report.outcome_class is not None:
            self.classes[report.outcome_class] += 1
        for code in set(report.failure_reason_codes):
            self.codes[code] += 1
        if report.gate is Gate.PASS and report.outcome_score is not None:
            self.scores += 1
            self.score_sum += report.outcome_score
        verdicts = [row.verdict for row in report.verdicts]
        self.errors += any(isinstance(verdict, Error) for verdict in verdicts)
        self.vacuous += any(
            not isinstance(verdict, GRADES)
            and verdict.reason == Reason.VACUOUS_EXPECTATION
            for verdict in verdicts
        )
        if meter.attempts:
            self._add_calls(meter)

    def _add_calls(self, meter: Meter) -> None:
        from judgemesh.contracts.attempts import why_unknown

        self.calls += meter.calls()
        self.hits += len(meter.attempts) - meter.calls()
        for attempt in meter.attempts:
            if attempt.cost is None:
                has_usage = attempt.usage is not None
                why = why_unknown(
                    attempt.model_requested,
                    has_usage=has_usage,
                    error_type=attempt.error_type,
                )
                self.unknown[why] += 1
        _add_all(self.costs, (attempt.cost for attempt in meter.attempts))
        _add_all(self.avoided, (attempt.cost_avoided for attempt in meter.attempts))

    def summary(self) -> RunSummary:
        """The counts as a summary."""
        from judgemesh.mesh.ledger.records import RunSummary

        average = self.score_sum / self.scores if self.scores else None
        return RunSummary(
            attempted=self.graded,
            passed=self.gates[Gate.PASS],
            failed=self.gates[Gate.FAIL],
            undecided=self.gates[Gate.UNDECIDED],
            average_outcome_score=average,
            failure_codes=dict(self.codes.most_common()),
            outcome_classes=dict(self.classes),
            evaluator_cost=tuple(self.costs.values()),
            evaluator_cost_unknown=self.unknown.total(),
            evaluator_cost_unknown_why=dict(sorted(self.unknown.items())),
            cost_avoided=tuple(self.avoided.values()),
            judge_calls=self.calls,
            cache_hits=self.hits,
            error_results=self.errors,
            vacuous=self.vacuous,
        )


def _add_all(totals: dict[str, Money], amounts: Iterable[Money | None]) -> None:
    """Add known amounts to the total of their currency."""
    for amount in amounts:
        if amount is None:
            continue
        known = totals.get(amount.currency)
        totals[amount.currency] = amount if known is None else known + amount
