"""Graded results as rows for statistics: outcome class, gate and cost, from a file or a
ledger.

A row of a file has `outcome` (one of the five classes, or null) or `score` (1..5), and may have `task_id`,
`result_id`, `gate`, `cost`, `ceiling` (a number or `{amount, currency}`), `date`, `family`. Lines of
`-o reports.jsonl` and of `-o results.csv` are such rows too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.contracts.results import to_money
from judgemesh.mesh.analysis.graded_cells import row_of_cells
from judgemesh.mesh.analysis.row_checks import RowIds, RowKeys, Warn, ignore
from judgemesh.mesh.inputs.rows import rows, shown

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.ledger.store import Ledger

_MAX_AMOUNT: Final = 10**12
CLASS_NAMES = {outcome.value: outcome for outcome in OutcomeClass} | {
    "partial_plus": OutcomeClass.PARTIAL_PLUS,
    "partial_minus": OutcomeClass.PARTIAL_MINUS,
}
"""The outcome classes by every name that a file may call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedRow:
    """One graded result, as far as rates need it. `outcome` None is undecided.

    day: of the run, by its end, else by its start, else the `date` of the row.
    unnamed: `result_id` and `task_id` where the row has none; its line then stands for it.
    codes: failure codes.
    """

    result_id: str
    task_id: str
    outcome: OutcomeClass | None
    gate: Gate | None = None
    cost: Money | None = None
    ceiling: Money | None = None
    day: date | None = None
    family: str | None = None
    unnamed: frozenset[str] = frozenset()
    codes: tuple[str, ...] = ()

    @property
    def seed_line(self) -> str:
        """What the row adds to the seed of intervals over many."""
        return f"{self.outcome} {self.gate} {self.cost}"


def read_graded(path: Path, warn: Warn = ignore) -> Iterator[GradedRow]:
    """The rows of a JSONL or CSV file; `warn` is told which of their keys are not read.

    Raises:
        ResultError: the file cannot be read, or a line is none; it names the line.
    """
    keys, ids = RowKeys(), RowIds()
    is_table = path.suffix.lower() == ".csv"
    for number, line in rows(path):
        try:
            data = row_of_cells(line) if is_table else line
            row = _row(data, number)
            keys.check(data)
            ids.add(row.result_id, row.day, number)
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None
        yield row
    keys.report(path, warn)


def outcome_of_score(score: float) -> OutcomeClass:
    """The class of a person's 1..5 score: 5 complete, from 4 on partial, anything less no credit."""
    from judgemesh.mesh.metrics.asr import SCORES

    return SCORES[int(score)]


async def graded_of_run(ledger: Ledger, run_id: str) -> AsyncIterator[GradedRow]:
    """The results of a run; it holds no ceilings, which come `with_contracts`."""
    async for report in ledger.reports(run_id):
        yield graded_row_of(report)


def with_contracts(
    rows: Sequence[GradedRow], contracts: ContractSet
) -> list[GradedRow]:
    """The rows with the cost ceiling and the family of their contracts.

    Raises:
        ConfigError: a row has another ceiling than its contract.
    """
    return [_with_contract(row, contracts) for row in rows]


def _with_contract(row: GradedRow, contracts: ContractSet) -> GradedRow:
    loaded = contracts.find(row.task_id)
    if loaded is None:
        return row
    budget = loaded.contract.budget
    ceiling = budget.ceiling if budget else None
    if None not in (ceiling, row.ceiling) and ceiling != row.ceiling:
        raise ConfigError(
            f"{row.result_id} has a ceiling of {amount(row.ceiling)}, and its contract one of {amount(ceiling)}",
            where=loaded.where,
        )
    family = row.family or loaded.contract.family
    return replace(row, ceiling=row.ceiling or ceiling, family=family)


def one_currency(rows: Sequence[GradedRow], ceiling: Money | None = None) -> str:
    """The currency of all amounts; USD if there are none.

    Raises:
        ConfigError: there are several, which are never added together.
    """
    amounts = [ceiling]
    for row in rows:
        amounts += [row.cost, row.ceiling]
    currencies = sorted({money.currency for money in amounts if money is not None})
    if len(currencies) > 1:
        raise ConfigError(
            f"costs and ceilings are in several currencies: {', '.join(currencies)}",
            hint="compute the rate of each currency by itself",
        )
    return currencies[0] if currencies else "USD"


def cost_is_missing(row: GradedRow, credit: Mapping[OutcomeClass, Decimal]) -> bool:
    """Whether a ceiling cannot be applied: the row earns credit, and its cost is unknown."""
    from judgemesh.mesh.metrics import asr

    amounts = amount(row.cost), amount(row.ceiling)
    return asr.cost_is_missing(row.outcome, *amounts, credit)


def _is_capped(row: GradedRow, credit: Mapping[OutcomeClass, Decimal]) -> bool:
    earns = row.outcome is not None and credit[row.outcome] > 0
    return earns and row.ceiling is not None


def capped_rows(
    rows: Sequence[GradedRow], credit: Mapping[OutcomeClass, Decimal]
) -> tuple[int, int]:
    """How many rows that earn credit have a ceiling but no cost, and how many have a ceiling."""
    capped = [row for row in rows if _is_capped(row, credit)]
    return sum(row.cost is None for row in capped), len(capped)


def check_ceiling_used(rows: Sequence[GradedRow], warn: Warn) -> None:
    """Say that a ceiling for rows without one is not used where every row has its own."""
    if all(row.ceiling is not None for row in rows):
        warn("--ceiling is not used: every result has a ceiling of its own")


def no_costs(where: str) -> ConfigError:
    """The refusal of a ceiling that no cost can be held against."""
    return ConfigError(
        "a cost ceiling cannot be applied: no result that it is for has a cost",
        where=where,
        hint="give `cost` on the rows, or leave the ceiling out",
    )


def tasks_are_units(tasks: Sequence[str], by: str | None = None) -> bool:
    """Whether an interval should resample tasks instead of results.

    Repeats of one task are not independent, however few tasks there are. The results of
    a single task are the units: nothing is known of other tasks, and the interval speaks
    of runs of this one. Where a task is a workflow and its results are different cases,
    the user says so with `by`.

    Args:
        tasks: the task of each result.
        by: `task` or `result`, where the user decides.
    """
    if by is not None:
        return by == "task"
    return 1 < len(set(tasks)) < len(tasks)


def amount(money: Money | None) -> Decimal | None:
    """The bare amount."""
    return None if money is None else money.amount


def graded_row_of(report: Report) -> GradedRow:
    """A report as far as rates need it."""
    return GradedRow(
        result_id=report.result_id,
        task_id=report.task_id,
        outcome=report.outcome_class,
        gate=report.gate,
        cost=report.agent_cost,
        codes=tuple(code.value for code in report.failure_reason_codes),
        day=_run_day({"started_at": report.started_at, "ended_at": report.ended_at}),
    )


def _row(data: Mapping[str, Any], number: int) -> GradedRow:
    result_id = str(data.get("result_id", f"line {number}"))
    return GradedRow(
        result_id=result_id,
        task_id=str(data.get("task_id", result_id)),
        outcome=_outcome(data),
        gate=_gate(data),
        cost=_money(data, "agent_cost" if "agent_cost" in data else "cost"),
        ceiling=_money(data, "ceiling"),
        day=_run_day(data),
        family=_family(data),
        unnamed=_unnamed(data),
        codes=_codes(data),
    )


def _codes(data: Mapping[str, Any]) -> tuple[str, ...]:
    value = data.get("failure_reason_codes")
    if value is None:
        return ()
    if not isinstance(value, list):
        problem = f"failure_reason_codes: expected a list, got {shown(value)}"
        raise ValueError(problem)  # noqa: TRY004 (every fault of a line is one kind)
    return tuple(map(str, cast("list[Any]", value)))


def _run_day(data: Mapping[str, Any]) -> date | None:
    """The day on which the run ended, or started; `date` where neither is known."""
    for key in ("ended_at", "started_at", "date"):
        day = _day(data.get(key), key)
        if day is not None:
            return day
    return None


def _unnamed(data: Mapping[str, Any]) -> frozenset[str]:
    """The ids that neither the row nor its other id gives."""
    if "result_id" in data:
        return frozenset()
    missing = {"result_id"}
    if "task_id" not in data:
        missing.add("task_id")
    return frozenset(missing)


def _money(data: Mapping[str, Any], key: str) -> Money | None:
    try:
        money = to_money(data.get(key))
    except ValueError as fault:
        raise ValueError(f"{key}: {fault}") from None
    if money is None:
        return None
    if money.amount > _MAX_AMOUNT:
        raise ValueError(f"{key}: expected an amount of at most {_MAX_AMOUNT:,}")
    if key == "ceiling" and not money.amount:
        raise ValueError("ceiling: must be above 0; leave it out for none")
    return money


def _outcome(data: Mapping[str, Any]) -> OutcomeClass | None:
    from judgemesh.mesh.metrics.asr import SCORES

    if "score" in data and "outcome" not in data and "outcome_class" not in data:
        score = data["score"]
        is_number = isinstance(score, int | float) and not isinstance(score, bool)
        if not is_number or score not in SCORES:
            raise ValueError(f"score: expected 1, 2, 3, 4 or 5, got {shown(score)}")
        return SCORES[int(score)]
    keys = [key for key in ("outcome", "outcome_class", "label") if key in data]
    if not keys:
        raise ValueError(
            "expected `outcome` (one of the five classes) or `score` (1 to 5)"
        )
    value = data[keys[0]]
    if value is not None and (not isinstance(value, str) or value not in CLASS_NAMES):
        raise ValueError(
            f"{keys[0]}: expected {', '.join(OutcomeClass)} or null, got {shown(value)}"
        )
    return None if value is None else CLASS_NAMES[value]


def _gate(data: Mapping[str, Any]) -> Gate | None:
    value = data.get("gate")
    if value is not None and (not isinstance(value, str) or value not in set(Gate)):
        raise ValueError(f"gate: expected pass, fail or undecided, got {shown(value)}")
    return None if value is None else Gate(value)


def _family(data: Mapping[str, Any]) -> str | None:
    value = data.get("family")
    if value is not None and (not isinstance(value, str) or not value):
        raise ValueError(f"family: expected text, got {shown(value)}")
    return value


def _day(value: Any, key: str) -> date | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value).date()
    except (TypeError, ValueError):
        raise ValueError(
            f"{key}: expected a day such as 2026-01-31, got {shown(value)}"
        ) from None
