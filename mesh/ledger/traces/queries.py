"""Outcome and cost joined by trace id: what a hard success cost, state by state, and which states precede failures.

A graded result belongs to the trace with `trace_run.trace_id = eval_task_result.trace_id`. The agent's cost
only: what the evaluation cost is in `judge_call` and is never added here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate
from judgemesh.contracts.tracing import CostStatus
from judgemesh.mesh.ledger.schema.tables import eval_task_result
from judgemesh.mesh.ledger.schema.trace_tables import trace_run, trace_step

_TASK: Final = eval_task_result.c
_STEP: Final = trace_step.c
_COST_COLUMNS: Final = (
    _STEP.state_type,
    _STEP.state_cost,
    _STEP.currency,
    _STEP.cost_status,
    _STEP.total_tokens,
)
_FAILED: Final = frozenset({"error", "timeout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """How many results of a run have a trace. `hard_successes` of them passed the gate."""

    results: int
    with_trace: int
    hard_successes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateCost:
    """What one state cost over all runs of the joined results, successful or not, and that per hard success.

    cost, cost_per_hard_success: one amount a currency; the second is empty where nothing succeeded.
    cost_unknown: steps whose cost is unknown and in none of the figures.
    """

    state_type: str
    steps: int
    tokens: int
    cost: tuple[Money, ...]
    cost_per_hard_success: tuple[Money, ...]
    cost_unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateOutcome:
    """How runs that pass through a state end. Undecided results are in none of the counts.

    failed, passed: results whose run has the state. last_in_failed, last_in_passed: whose run ends with it.
    failed_steps: steps of the state that ended in error or time-out. before_failed_step: how often it came directly
        before such a step. failure_rate: failed / (failed + passed); None where there are none.
    """

    state_type: str
    failed: int
    passed: int
    last_in_failed: int
    last_in_passed: int
    failed_steps: int
    before_failed_step: int
    failure_rate: float | None


def joined(connection: Connection, run_id: str) -> Joined:
    """How much of a run can be joined with traces."""
    of_run = _TASK.run_id == run_id
    traced = _TASK.trace_id.in_(select(trace_run.c.trace_id))
    passed = _TASK.gate == Gate.PASS.value
    return Joined(
        results=_count(connection, of_run),
        with_trace=_count(connection, of_run, traced),
        hard_successes=_count(connection, of_run, traced, passed),
    )


def _count(connection: Connection, *where: ColumnElement[bool]) -> int:
    query = select(func.count()).select_from(eval_task_result).where(*where)
    return connection.execute(query).scalar_one()


def cost_per_hard_success(connection: Connection, run_id: str) -> tuple[StateCost, ...]:
    """Each state's cost over the run's results, divided by its hard successes; the dearest first."""
    successes = joined(connection, run_id).hard_successes
    query = (
        select(*_COST_COLUMNS, func.count())
        .join(eval_task_result, _TASK.trace_id == _STEP.trace_id)
        .where(_TASK.run_id == run_id)
        .group_by(*_COST_COLUMNS)
    )
    sums: dict[str, _CostSum] = {}
    for row in connection.execute(query):
        sums.setdefault(row[0], _CostSum()).add(tuple(row))
    costs = [own.result(state, successes) for state, own in sums.items()]
    return tuple(sorted(costs, key=_dearest_first))


def _dearest_first(state: StateCost) -> tuple[Decimal, int, str]:
    """Amounts in several currencies cannot be compared and count as nothing."""
    cost = Decimal(0)
    if len(state.cost) == 1:
        cost = state.cost[0].amount
    return -cost, -state.tokens, state.state_type


@dataclass(slots=True)
class _CostSum:
    steps: int = 0
    tokens: int = 0
    unknown: int = 0
    totals: dict[str, Decimal] = field(default_factory=dict[str, Decimal])

    def add(self, row: Sequence[Any]) -> None:
        """Add steps that are alike: the cost columns, then how many steps there are."""
        _, cost, currency, status, tokens, count = row
        self.steps += count
        self.tokens += (tokens or 0) * count
        if cost is not None and currency is not None:
            total = self.totals.get(currency, Decimal(0))
            self.totals[currency] = total + cost * count
        elif status != CostStatus.NONE.value:
            self.unknown += count

    def result(self, state: str, successes: int) -> StateCost:
        """The state's cost, as a whole and per hard success."""
        cost: list[Money] = []
        per_success: list[Money] = []
        for currency, amount in sorted(self.totals.items()):
            cost.append(Money(amount, currency))
            if successes:
                per_success.append(Money(amount / successes, currency))
        return StateCost(
            state_type=state,
            steps=self.steps,
            tokens=self.tokens,
            cost=tuple(cost),
            cost_per_hard_success=tuple(per_success),
            cost_unknown=self.unknown,
        )


def states_before_failure(
    connection: Connection, run_id: str
) -> tuple[StateOutcome, ...]:
    """How the run's results end by the states their runs pass through; the state that failures have most first."""
    query = (
        select(_TASK.eval_id, _TASK.gate, _STEP.state_type, _STEP.status)
        .join(trace_step, _STEP.trace_id == _TASK.trace_id)
        .where(_TASK.run_id == run_id, _TASK.gate != Gate.UNDECIDED.value)
        .order_by(_TASK.eval_id, _STEP.step_id)
    )
    counts: dict[str, _OutcomeCounts] = {}
    for _, steps in groupby(connection.execute(query), key=itemgetter(0)):
        path = list(steps)
        states = [(row[2], row[3] or "") for row in path]
        _count_run(counts, states, passed=path[0][1] == Gate.PASS.value)
    outcomes = [own.result(state) for state, own in counts.items()]
    return tuple(sorted(outcomes, key=_last_before_failure_first))


def _last_before_failure_first(state: StateOutcome) -> tuple[int, int, str]:
    return -state.last_in_failed, -state.failed, state.state_type


@dataclass(slots=True)
class _OutcomeCounts:
    failed: int = 0
    passed: int = 0
    last_in_failed: int = 0
    last_in_passed: int = 0
    failed_steps: int = 0
    before_failed_step: int = 0

    def result(self, state: str) -> StateOutcome:
        """The counts with the rate that follows from them."""
        runs = self.failed + self.passed
        return StateOutcome(
            state_type=state,
            failed=self.failed,
            passed=self.passed,
            last_in_failed=self.last_in_failed,
            last_in_passed=self.last_in_passed,
            failed_steps=self.failed_steps,
            before_failed_step=self.before_failed_step,
            failure_rate=self.failed / runs if runs else None,
        )


def _count_run(
    counts: dict[str, _OutcomeCounts], steps: Sequence[tuple[str, str]], *, passed: bool
) -> None:
    """Count one run: the state and status of its steps, in order."""
    for state in {state for state, _ in steps}:
        outcome = counts.setdefault(state, _OutcomeCounts())
        outcome.passed += passed
        outcome.failed += not passed
    last = counts[steps[-1][0]]
    last.last_in_passed += passed
    last.last_in_failed += not passed
    before: str | None = None
    for state, status in steps:
        if status in _FAILED:
            counts[state].failed_steps += 1
            if before is not None:
                counts[before].before_failed_step += 1
        before = state
