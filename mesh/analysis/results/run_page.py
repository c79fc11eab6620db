"""A run in figures: gate rate with bounds, ASR with interval, classes, codes, costs. Pure, from one pass of reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass, Report
from judgemesh.mesh.analysis.graded_rows import (
    GradedRow,
    graded_row_of,
    tasks_are_units,
)
from judgemesh.mesh.analysis.results.rows import (
    CheckCell,
    CodeLabel,
    ResultRow,
    label_of,
    row_of,
)
from judgemesh.mesh.analysis.success import row_seed, task_of

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.versions.comparison import VersionComparison
    from judgemesh.mesh.metrics.asr import AgentSuccess


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCounts:
    """Results by gate, as it is believed. Rates are 0..1, None where nothing was graded."""

    passed: int
    failed: int
    undecided: int

    @property
    def results(self) -> int:
        """All graded results."""
        return self.passed + self.failed + self.undecided

    @property
    def low(self) -> float | None:
        """The pass rate if every undecided result fails."""
        return self.passed / self.results if self.results else None

    @property
    def high(self) -> float | None:
        """The pass rate if every undecided result passes."""
        if not self.results:
            return None
        return (self.passed + self.undecided) / self.results


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCount:
    """How many results have a failure code, and of how many it is the primary one."""

    label: CodeLabel
    results: int
    as_primary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """How often the verdicts of a validator are of a kind, by result: the worst one counts."""

    name: str
    gating: bool
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Sums of one kind of cost, one amount for each currency; they are never added together.

    known: how many results have a known cost; unknown: how many have none.
    """

    amounts: tuple[Money, ...]
    known: int
    unknown: int

    def per(self, count: int) -> Money | None:
        """The whole cost for each of `count` things; None where a part is unknown, or currencies are mixed."""
        if self.unknown or count <= 0 or len(self.amounts) != 1:
            return None
        (money,) = self.amounts
        return Money(money.amount / count, money.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """The first screen of a run.

    success: Agent Success Rate with its interval, class shares and bounds; None where no result is decided.
    classes: results by outcome class, in the order of the scale; undecided results have none.
    codes: the most frequent first. checks: in the order in which they first occur.
    agent_cost: what the agent's runs cost; `cost_per_success` is the whole of it for each passed gate.
    evaluator_cost: what the grading cost.
    baseline: the change since an earlier run, where one was given.
    """

    run_id: str
    gates: GateCounts
    success: AgentSuccess | None
    classes: Mapping[OutcomeClass, int]
    codes: tuple[CodeCount, ...]
    checks: tuple[CheckCount, ...]
    agent_cost: Costs
    cost_per_success: Money | None
    evaluator_cost: Costs
    judge_calls: int
    mean_score: float | None
    first_started_at: datetime | None
    last_started_at: datetime | None
    baseline: VersionComparison | None = None


@dataclass(slots=True)
class _Sums:
    amounts: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    known: int = 0
    unknown: int = 0

    def add(self, money: Money | None) -> None:
        if money is None:
            self.unknown += 1
            return
        self.known += 1
        total = self.amounts.get(money.currency, Decimal(0))
        self.amounts[money.currency] = total + money.amount

    def costs(self) -> Costs:
        amounts = tuple(
            Money(amount, name) for name, amount in sorted(self.amounts.items())
        )
        return Costs(amounts=amounts, known=self.known, unknown=self.unknown)


@dataclass(slots=True)
class RunPageBuilder:
    """Adds up reports one by one. Of each report a few fields are kept, for the interval: about 300 bytes."""

    run_id: str
    _rows: list[GradedRow] = field(default_factory=list[GradedRow])
    _gates: Counter[Gate] = field(default_factory=Counter[Gate])
    _codes: Counter[FailureCode] = field(default_factory=Counter[FailureCode])
    _primary: Counter[FailureCode] = field(default_factory=Counter[FailureCode])
    _checks: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    _gating: set[str] = field(default_factory=set[str])
    _agent: _Sums = field(default_factory=_Sums)
    _evaluator: _Sums = field(default_factory=_Sums)
    _calls: int = 0
    _scores: list[float] = field(default_factory=list[float])
    _first: datetime | None = None
    _last: datetime | None = None

    def add(self, report: Report) -> ResultRow:
        """Count a report; its row, for whoever lists the results as well."""
        row = row_of(report)
        outcome = row.outcome_class
        graded = graded_row_of(report)
        self._rows.append(replace(graded, gate=row.gate, outcome=outcome, codes=()))
        self._gates[row.gate] += 1
        self._codes.update(set(report.failure_reason_codes))
        if report.primary_failure_reason_code is not None:
            self._primary[report.primary_failure_reason_code] += 1
        for cell in row.checks:
            self._add_check(cell)
        self._agent.add(row.agent_cost)
        self._evaluator.add(row.judge_cost)
        self._calls += row.judge_calls
        if row.score is not None and row.gate is Gate.PASS:
            self._scores.append(row.score)
        instant = _instant(row.started_at or "")
        if instant is not None:
            self._first = min(self._first or instant, instant)
            self._last = max(self._last or instant, instant)
        return row

    def _add_check(self, cell: CheckCell) -> None:
        self._checks.setdefault(cell.name, Counter())[cell.kind] += 1
        if cell.gating:
            self._gating.add(cell.name)

    def page(self, baseline: VersionComparison | None = None) -> RunPage:
        """The page of all reports that were added."""
        gates = GateCounts(
            passed=self._gates[Gate.PASS],
            failed=self._gates[Gate.FAIL],
            undecided=self._gates[Gate.UNDECIDED],
        )
        counts = Counter(row.outcome for row in self._rows if row.outcome is not None)
        agent_cost = self._agent.costs()
        mean = sum(self._scores) / len(self._scores) if self._scores else None
        return RunPage(
            run_id=self.run_id,
            gates=gates,
            success=self._success(),
            classes={name: counts[name] for name in OutcomeClass if counts[name]},
            codes=self._code_counts(),
            checks=self._check_counts(),
            agent_cost=agent_cost,
            cost_per_success=agent_cost.per(gates.passed),
            evaluator_cost=self._evaluator.costs(),
            judge_calls=self._calls,
            mean_score=mean,
            first_started_at=self._first,
            last_started_at=self._last,
            baseline=baseline,
        )

    def _success(self) -> AgentSuccess | None:
        from judgemesh.mesh.metrics.asr import agent_success

        if all(row.outcome is None for row in self._rows):
            return None
        named = tasks_are_units([row.task_id for row in self._rows])
        rows = [replace(row, cost=None) for row in self._rows]
        tasks = [task_of(row, named=named) for row in rows]
        return agent_success(tasks, seed=row_seed(self._rows))

    def _code_counts(self) -> tuple[CodeCount, ...]:
        ordered = sorted(
            self._codes.items(), key=lambda item: (-item[1], CODES[item[0]].precedence)
        )
        return tuple(
            CodeCount(
                label=label_of(code), results=count, as_primary=self._primary[code]
            )
            for code, count in ordered
        )

    def _check_counts(self) -> tuple[CheckCount, ...]:
        return tuple(
            CheckCount(name=name, gating=name in self._gating, kinds=dict(kinds))
            for name, kinds in self._checks.items()
        )


def _instant(text: str) -> datetime | None:
    """A moment in ISO 8601, in UTC where it names no time zone; None for another text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
