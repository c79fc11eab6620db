"""Outcome and cost joined by trace id: what a hard success cost, state by state, and which states precede failures.

A graded result and its trace find each other by `eval_task_result.trace_id = trace_run.trace_id`. The agent's cost
only: what the evaluation cost is in `judge_call` and is never added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, func, select

from judgemesh.contracts.report import Gate
from judgemesh.contracts.tracing import CostStatus
from judgemesh.contracts.usage import Money
from judgemesh.mesh.ledger.schema import eval_task_result
from judgemesh.mesh.ledger.trace_schema import trace_run, trace_step

_TASK: Final = eval_task_result.c
_STEP: Final = trace_step.c
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
    counts = [
        connection.execute(
            select(func.count()).select_from(eval_task_result).where(*where)
        ).scalar_one()
        for where in (
            (of_run,),
            (of_run, traced),
            (of_run, traced, _TASK.gate == Gate.PASS.value),
        )
    ]
    return Joined(results=counts[0], with_trace=counts[1], hard_successes=counts[2])


def cost_per_hard_success(connection: Connection, run_id: str) -> tuple[StateCost, ...]:
    """Each state's cost over the run's results, divided by its hard successes; the dearest first."""
    successes = joined(connection, run_id).hard_successes
    query = (
        select(
            _STEP.state_type,
            _STEP.state_cost,
            _STEP.currency,
            _STEP.cost_status,
            _STEP.total_tokens,
            func.count(),
        )
        .join(eval_task_result, _TASK.trace_id == _STEP.trace_id)
        .where(_TASK.run_id == run_id)
        .group_by(
            _STEP.state_type,
            _STEP.state_cost,
            _STEP.currency,
            _STEP.cost_status,
            _STEP.total_tokens,
        )
    )
    states: dict[str, _Cost] = {}
    for row in connection.execute(query):
        states.setdefault(row[0], _Cost()).add(tuple(row))
    lines = [_cost_line(name, cost, successes) for name, cost in states.items()]
    return tuple(
        sorted(
            lines, key=lambda line: (-_size(line.cost), -line.tokens, line.state_type)
        )
    )


@dataclass(slots=True)
class _Cost:
    steps: int = 0
    tokens: int = 0
    unknown: int = 0
    totals: dict[str, Decimal] = field(default_factory=dict[str, Decimal])

    def add(self, row: Sequence[Any]) -> None:
        _, cost, currency, status, tokens, number = row
        self.steps += number
        self.tokens += (tokens or 0) * number
        if cost is not None and currency is not None:
            self.totals[currency] = (
                self.totals.get(currency, Decimal(0)) + cost * number
            )
        elif status != CostStatus.NONE.value:
            self.unknown += number


def _cost_line(name: str, cost: _Cost, successes: int) -> StateCost:
    amounts = tuple(
        Money(amount, currency) for currency, amount in sorted(cost.totals.items())
    )
    each = (
        tuple(Money(money.amount / successes, money.currency) for money in amounts)
        if successes
        else ()
    )
    return StateCost(
        state_type=name,
        steps=cost.steps,
        tokens=cost.tokens,
        cost=amounts,
        cost_per_hard_success=each,
        cost_unknown=cost.unknown,
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
    states: dict[str, _Outcome] = {}
    eval_id, gate = "", ""
    path: list[tuple[str, str]] = []
    for row in connection.execute(query):
        if row[0] != eval_id:
            _count_path(states, path, gate)
            eval_id, gate, path = row[0], row[1], []
        path.append((row[2], row[3] or ""))
    _count_path(states, path, gate)
    lines = [_outcome_line(name, outcome) for name, outcome in states.items()]
    return tuple(
        sorted(
            lines,
            key=lambda line: (-line.last_in_failed, -line.failed, line.state_type),
        )
    )


@dataclass(slots=True)
class _Outcome:
    failed: int = 0
    passed: int = 0
    last_in_failed: int = 0
    last_in_passed: int = 0
    failed_steps: int = 0
    before_failed_step: int = 0


def _count_path(
    states: dict[str, _Outcome], path: list[tuple[str, str]], gate: str
) -> None:
    """Count one run's way through the states."""
    if not path:
        return
    passed = gate == Gate.PASS.value
    for name in {state for state, _ in path}:
        outcome = states.setdefault(name, _Outcome())
        outcome.passed += passed
        outcome.failed += not passed
    last = states[path[-1][0]]
    last.last_in_passed += passed
    last.last_in_failed += not passed
    before: str | None = None
    for name, status in path:
        if status in _FAILED:
            states[name].failed_steps += 1
            if before is not None:
                states[before].before_failed_step += 1
        before = name


def _outcome_line(name: str, outcome: _Outcome) -> StateOutcome:
    seen = outcome.failed + outcome.passed
    return StateOutcome(
        state_type=name,
        failed=outcome.failed,
        passed=outcome.passed,
        last_in_failed=outcome.last_in_failed,
        last_in_passed=outcome.last_in_passed,
        failed_steps=outcome.failed_steps,
        before_failed_step=outcome.before_failed_step,
        failure_rate=outcome.failed / seen if seen else None,
    )


def _size(amounts: Iterable[Money]) -> Decimal:
    found = list(amounts)
    return found[0].amount if len(found) == 1 else Decimal(0)
