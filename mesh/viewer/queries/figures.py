"""Counts and sums of runs, read from the summary rows: the time they take does not grow with the results.

Each function takes an open connection and the id of a run, or None for all runs together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Select, Table, func, select

from judgemesh.contracts.money import Money
from judgemesh.mesh.ledger.schema.summary_tables import (
    check_summary,
    code_day_summary,
    day_summary,
    evaluator_cost_summary,
    state_cost_summary,
)

_Query: TypeAlias = Select[*tuple[Any, ...]]
_DAY: Final = day_summary.c
_COUNTS: Final = ("results", "passed", "failed", "undecided", "contradicted", "errors")
_CENT_PARTS: Final = Decimal("1e-9")
"""Sums of SQLite are sums of floats: what lies behind the ninth place is not money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFigures:
    """Results by believed gate.

    contradicted: undecided because the verdicts do not support the gate that was stated. errors: results with an
    evaluator's error. score_sum: of `scored` passed results.
    """

    results: int = 0
    passed: int = 0
    failed: int = 0
    undecided: int = 0
    contradicted: int = 0
    errors: int = 0
    score_sum: float = 0.0
    scored: int = 0

    @property
    def rate(self) -> float | None:
        """Passes over results; None for no results."""
        return self.passed / self.results if self.results else None

    @property
    def rate_if_passed(self) -> float | None:
        """The rate if all undecided results passed."""
        if not self.results:
            return None
        return (self.passed + self.undecided) / self.results

    @property
    def mean_score(self) -> float | None:
        """Over passed results, 0..10."""
        return self.score_sum / self.scored if self.scored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFigures:
    """How many failed results have a code, and for how many it is the primary one."""

    code: str
    results: int
    as_primary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFigures:
    """The verdicts of a check by kind."""

    validator: str
    check: str
    verdicts: int
    passed: int
    failed: int
    abstained: int
    errors: int
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostFigures:
    """A known sum and how many amounts are missing from it. name: of what, one of the keys of the table."""

    name: str
    cost: Money | None
    unknown: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCostFigures:
    """What the agents of a run cost in one currency. per_success: None where a cost is unknown or nothing passed."""

    run_id: str
    cost: Money | None
    known: int
    unknown: int
    passed: int
    per_success: Money | None


def gates_by_run(
    connection: Connection, run_ids: Sequence[str]
) -> dict[str, GateFigures]:
    """The gates of each of these runs."""
    query = _gates(_DAY.run_id).where(_DAY.run_id.in_(run_ids)).group_by(_DAY.run_id)
    return {
        row["run_id"]: _gate_figures(row)
        for row in connection.execute(query).mappings()
    }


def gates_of(connection: Connection, run_id: str | None) -> GateFigures:
    """The gates of a run."""
    row = connection.execute(_of(_gates(), day_summary, run_id)).mappings().one()
    return _gate_figures(row)


def gates_by_day(
    connection: Connection, run_id: str | None
) -> list[tuple[str, GateFigures]]:
    """Day by day, oldest first."""
    query = (
        _of(_gates(_DAY.day), day_summary, run_id).group_by(_DAY.day).order_by(_DAY.day)
    )
    found: list[tuple[str, GateFigures]] = []
    for row in connection.execute(query).mappings():
        figures = _gate_figures(row)
        if figures.results:
            found.append((row["day"], figures))
    return found


def codes_of(connection: Connection, run_id: str | None) -> list[CodeFigures]:
    """The failure codes, the most frequent primary code first."""
    columns = code_day_summary.c
    primary, results = func.sum(columns.as_primary), func.sum(columns.results)
    query = select(columns.code, results.label("results"), primary.label("as_primary"))
    ordered = (
        _of(query, code_day_summary, run_id).group_by(columns.code).having(results > 0)
    )
    rows = connection.execute(
        ordered.order_by(primary.desc(), results.desc(), columns.code)
    )
    return [
        CodeFigures(
            code=row["code"],
            results=int(row["results"]),
            as_primary=int(row["as_primary"]),
        )
        for row in rows.mappings()
    ]


def codes_by_day(
    connection: Connection, run_id: str | None, codes: Sequence[str]
) -> list[tuple[str, str, int]]:
    """Day, code and number of failed results with it as the primary code."""
    columns = code_day_summary.c
    query = select(columns.day, columns.code, func.sum(columns.as_primary))
    query = _of(query, code_day_summary, run_id).where(columns.code.in_(codes))
    rows = connection.execute(
        query.group_by(columns.day, columns.code).order_by(columns.day)
    )
    return [(row[0], row[1], int(row[2])) for row in rows]


def checks_of(
    connection: Connection, run_id: str | None, limit: int
) -> list[CheckFigures]:
    """Checks, those that fail most first."""
    columns = check_summary.c
    sums = [
        func.sum(columns[name]).label(name)
        for name in ("verdicts", "passed", "failed", "abstained", "errors", "skipped")
    ]
    query = _of(
        select(columns.validator_name, columns.check_name, *sums), check_summary, run_id
    )
    grouped = query.group_by(columns.validator_name, columns.check_name).having(
        func.sum(columns.verdicts) > 0
    )
    ordered = grouped.order_by(
        func.sum(columns.failed).desc(),
        func.sum(columns.abstained + columns.errors).desc(),
        columns.validator_name,
        columns.check_name,
    )
    return [
        CheckFigures(
            validator=row["validator_name"],
            check=row["check_name"],
            **{name.name: int(row[name.name]) for name in sums},
        )
        for row in connection.execute(ordered.limit(limit)).mappings()
    ]


def agent_costs(
    connection: Connection, run_ids: Sequence[str]
) -> list[AgentCostFigures]:
    """What the agents of these runs cost, a row for each run and currency."""
    query = (
        select(
            _DAY.run_id,
            _DAY.agent_currency,
            func.sum(_DAY.results).label("results"),
            func.sum(_DAY.passed).label("passed"),
            func.sum(_DAY.agent_cost).label("cost"),
            func.sum(_DAY.agent_cost_unknown).label("unknown"),
        )
        .where(_DAY.run_id.in_(run_ids))
        .group_by(_DAY.run_id, _DAY.agent_currency)
    )
    by_run: dict[str, list[Mapping[str, Any]]] = {}
    for row in connection.execute(query).mappings():
        if row["results"]:
            by_run.setdefault(row["run_id"], []).append(dict(row))
    return [
        _agent_cost(run_id, rows) for run_id in run_ids if (rows := by_run.get(run_id))
    ]


def evaluator_costs(
    connection: Connection, run_id: str | None, by: str
) -> list[CostFigures]:
    """What judge calls cost, a row for each `by` (`model`, `day` or `validator_name`) and currency."""
    return _costs(
        connection,
        evaluator_cost_summary,
        run_id,
        by,
        ("attempts", "cache_hits", "errors"),
    )


def state_costs(connection: Connection) -> list[CostFigures]:
    """What the states of all agents' traces cost, a row for each state and currency, the dearest first."""
    counts = ("steps", "traces", "tokens", "latency_ms")
    found = _costs(connection, state_cost_summary, None, "state_type", counts)
    shown = [row for row in found if row.counts["steps"]]
    return sorted(shown, key=lambda row: -(row.cost.amount if row.cost else Decimal(0)))


def _costs(
    connection: Connection,
    table: Table,
    run_id: str | None,
    by: str,
    counts: Sequence[str],
) -> list[CostFigures]:
    columns = table.c
    sums = [func.sum(columns[name]).label(name) for name in counts]
    query = select(
        columns[by].label("name"),
        columns.currency,
        func.sum(columns.cost).label("cost"),
        func.sum(columns.cost_unknown).label("unknown"),
        *sums,
    )
    query = _of(query, table, run_id).group_by(columns[by], columns.currency)
    return [
        CostFigures(
            name=row["name"],
            cost=_money(row["cost"], row["currency"]),
            unknown=int(row["unknown"]),
            counts={name: int(row[name]) for name in counts},
        )
        for row in connection.execute(
            query.order_by(columns[by], columns.currency)
        ).mappings()
    ]


def _gates(*keys: Any) -> _Query:
    sums = [
        func.coalesce(func.sum(_DAY[name]), 0).label(name)
        for name in (*_COUNTS, "score_sum", "scored")
    ]
    return select(*keys, *sums)


def _of(query: _Query, table: Table, run_id: str | None) -> _Query:
    return query if run_id is None else query.where(table.c.run_id == run_id)


def _gate_figures(row: Mapping[Any, Any]) -> GateFigures:
    counts = {name: int(row[name]) for name in _COUNTS}
    return GateFigures(
        **counts, score_sum=float(row["score_sum"]), scored=int(row["scored"])
    )


def _agent_cost(run_id: str, rows: Sequence[Mapping[str, Any]]) -> AgentCostFigures:
    """One row a run: two currencies are never added together."""
    results = sum(int(row["results"]) for row in rows)
    unknown = sum(int(row["unknown"]) for row in rows)
    passed = sum(int(row["passed"]) for row in rows)
    paid = [row for row in rows if row["agent_currency"]]
    cost = per_success = None
    if len(paid) == 1:
        cost = _money(paid[0]["cost"], paid[0]["agent_currency"])
    if cost is not None and passed and not unknown:
        per_success = Money(cost.amount / passed, cost.currency)
    return AgentCostFigures(
        run_id=run_id,
        cost=cost,
        known=results - unknown,
        unknown=unknown,
        passed=passed,
        per_success=per_success,
    )


def _money(amount: Any, currency: str) -> Money | None:
    if not currency:
        return None
    exact = Decimal(str(amount or 0)).quantize(_CENT_PARTS).normalize() + Decimal(0)
    return Money(max(exact, Decimal(0)), currency)
