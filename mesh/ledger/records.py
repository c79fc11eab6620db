"""What the ledger returns besides reports: runs, which results are graded already, and a run in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run of the grader over one input.

    run_key: digest of all that decides the grades; a run of the same key continues the one that is there.
    status, finished_at, summary: as the ledger knows them; ignored when a run begins.
    """

    run_id: str
    run_key: str
    created_at: datetime
    config: Mapping[str, object] = field(default_factory=dict[str, object])
    evaluator_version: str = ""
    name: str = ""
    status: str = "running"
    last_started_at: datetime | None = None
    finished_at: datetime | None = None
    summary: Mapping[str, object] | None = None


class LedgerGrade(NamedTuple):
    """A result that is in the ledger.

    has_error: at least one of its verdicts is an evaluator's error. unreached: a source was out of reach.
    """

    result_id: str
    result_digest: str
    gate: Gate
    has_error: bool
    unreached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run in numbers.

    average_outcome_score: over results whose gate passed and that have a score; None for none of them.
    failure_codes: how many results have the code.
    evaluator_cost, cost_avoided: one amount for each currency; currencies are never added together.
    evaluator_cost_unknown: attempts whose cost is not known, and not in `evaluator_cost`; `_why` counts them by reason.
    judge_calls: attempts that went to a model, the failed ones too; `cache_hits` those that did not have to.
    error_results: results with at least one error verdict.
    vacuous: results with a verdict that rests on an expectation which nothing could miss.
    """

    attempted: int
    passed: int
    failed: int
    undecided: int
    average_outcome_score: float | None
    failure_codes: Mapping[FailureCode, int]
    outcome_classes: Mapping[OutcomeClass, int]
    evaluator_cost: tuple[Money, ...]
    evaluator_cost_unknown: int
    cost_avoided: tuple[Money, ...]
    judge_calls: int
    cache_hits: int
    error_results: int
    vacuous: int
    evaluator_cost_unknown_why: Mapping[str, int] = field(
        default_factory=dict[str, int]
    )

    @property
    def success_rate(self) -> float | None:
        """Passes over all graded results; None where nothing was graded."""
        if not self.attempted:
            return None
        return self.passed / self.attempted

    @property
    def success_bounds(self) -> tuple[float, float] | None:
        """The success rate if all undecided results fail, and if all pass; None where nothing was graded."""
        if not self.attempted:
            return None
        high = (self.passed + self.undecided) / self.attempted
        return self.passed / self.attempted, high

    @property
    def total_cost(self) -> Money | None:
        """The evaluator's cost as one amount; None when a part is unknown or there are several currencies."""
        if self.evaluator_cost_unknown:
            return None
        return _single(self.evaluator_cost)

    @property
    def total_cost_avoided(self) -> Money | None:
        """The cost that the cache avoided as one amount; None for several currencies."""
        return _single(self.cost_avoided)


def _single(amounts: tuple[Money, ...]) -> Money | None:
    match amounts:
        case ():
            return Money(Decimal(0))
        case (amount,):
            return amount
        case _:
            return None
