"""Where the numbers come from: classes and costs of graded results, out of a ledger or a JSONL file.

A row of a file has `outcome` (one of the five classes, or null) or `score` (1..5), and may have `task_id`,
`result_id`, `gate`, `cost`, `ceiling` (a number or `{amount, currency}`), `date`, `family`. Lines of
`-o reports.jsonl` are such rows too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.errors import ConfigError, ResultError
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.contracts.results import to_money
from judgemesh.contracts.usage import Money
from judgemesh.mesh.inputs.rows import shown

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.ledger.store import Ledger

_MOST: Final = 10**12
FEWEST_TASKS: Final = 10
"""With fewer tasks their spread cannot be told."""
CLASS_NAMES = {one.value: one for one in OutcomeClass} | {
    "partial_plus": OutcomeClass.PARTIAL_PLUS,
    "partial_minus": OutcomeClass.PARTIAL_MINUS,
}
"""The outcome classes by every name that a file may call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One graded result, as far as rates need it. `outcome` None is undecided."""

    result_id: str
    task_id: str
    outcome: OutcomeClass | None
    gate: Gate | None = None
    cost: Money | None = None
    ceiling: Money | None = None
    day: date | None = None
    family: str | None = None


def read_scored(path: Path) -> Iterator[Scored]:
    """The rows of a JSONL file.

    Raises:
        ResultError: the file cannot be read, or a line is none; it names the line.
    """
    import jiter

    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ResultError(
            f"cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _row(
                jiter.from_json(line, allow_inf_nan=False, catch_duplicate_keys=True),
                number,
            )
        except ValueError as error:
            raise ResultError(str(error), where=f"{path}:{number}") from None


def outcome_of_score(score: float) -> OutcomeClass:
    """The class of a person's 1..5 score: 5 complete, from 4 on partial, anything less no credit."""
    from judgemesh.mesh.metrics.asr import SCORES

    return SCORES[int(score)]


async def scored_of_run(
    ledger: Ledger, run_id: str, contracts: ContractSet | None
) -> AsyncIterator[Scored]:
    """The results of a run; ceilings come from the contracts, which a ledger does not hold."""
    async for report in ledger.reports(run_id):
        yield _of_report(report, contracts)


def one_currency(rows: list[Scored], ceiling: Money | None) -> str:
    """The currency all amounts are in; USD for none.

    Raises:
        ConfigError: there are several, which are never added together.
    """
    amounts = [money for row in rows for money in (row.cost, row.ceiling)] + [ceiling]
    found = sorted({money.currency for money in amounts if money is not None})
    if len(found) > 1:
        raise ConfigError(
            f"costs and ceilings are in several currencies: {', '.join(found)}",
            hint="rate each apart",
        )
    return found[0] if found else "USD"


def tasks_are_units(tasks: Sequence[str], by: str | None = None) -> bool:
    """Whether an interval should resample tasks instead of results.

    Repeats of one task are not independent. But where hundreds of results share a handful of task ids, a task is a
    workflow and its results are different cases; so without a word of the user tasks are the units from ten tasks on.

    Args:
        tasks: the task of each result.
        by: `task` or `result`, where the user says it.
    """
    if by is not None:
        return by == "task"
    return FEWEST_TASKS <= len(set(tasks)) < len(tasks)


def amount(money: Money | None) -> Decimal | None:
    """The bare amount."""
    return None if money is None else money.amount


def _of_report(report: Report, contracts: ContractSet | None) -> Scored:
    loaded = contracts.find(report.task_id) if contracts else None
    budget = loaded.contract.budget if loaded else None
    return Scored(
        result_id=report.result_id,
        task_id=report.task_id,
        outcome=report.outcome_class,
        gate=report.gate,
        cost=report.agent_cost,
        ceiling=budget.ceiling if budget else None,
        family=loaded.contract.family if loaded else None,
    )


def _row(given: object, number: int) -> Scored:
    if not isinstance(given, dict):
        raise ValueError("expected an object")  # noqa: TRY004 (every fault of a line is one kind)
    data = cast("dict[str, Any]", given)
    return Scored(
        result_id=str(data.get("result_id", f"line {number}")),
        task_id=str(data.get("task_id", data.get("result_id", f"line {number}"))),
        outcome=_outcome(data),
        gate=_gate(data),
        cost=_money(data, "agent_cost" if "agent_cost" in data else "cost"),
        ceiling=_money(data, "ceiling"),
        day=_day(data.get("date")),
        family=_family(data),
    )


def _money(data: Mapping[str, Any], key: str) -> Money | None:
    found = to_money(data.get(key))
    if found is not None and found.amount > _MOST:
        raise ValueError(f"{key}: expected an amount of at most {_MOST:,}")
    if found is not None and key == "ceiling" and not found.amount:
        raise ValueError("ceiling: must be above 0; leave it out for none")
    return found


def _outcome(data: Mapping[str, Any]) -> OutcomeClass | None:
    from judgemesh.mesh.metrics.asr import SCORES

    if "score" in data and "outcome" not in data and "outcome_class" not in data:
        score = data["score"]
        if (
            isinstance(score, bool)
            or not isinstance(score, int | float)
            or score not in SCORES
        ):
            raise ValueError(f"score: expected 1, 2, 3, 4 or 5, got {shown(score)}")
        return SCORES[int(score)]
    keys = [key for key in ("outcome", "outcome_class", "label") if key in data]
    if not keys:
        raise ValueError(
            "expected `outcome` (one of the five classes) or `score` (1 to 5)"
        )
    given = data[keys[0]]
    if given is not None and (not isinstance(given, str) or given not in CLASS_NAMES):
        raise ValueError(
            f"{keys[0]}: expected {', '.join(one.value for one in OutcomeClass)} or null, got {shown(given)}"
        )
    return None if given is None else CLASS_NAMES[given]


def _gate(data: Mapping[str, Any]) -> Gate | None:
    given = data.get("gate")
    if given is not None and (not isinstance(given, str) or given not in set(Gate)):
        raise ValueError(f"gate: expected pass, fail or undecided, got {shown(given)}")
    return None if given is None else Gate(given)


def _family(data: Mapping[str, Any]) -> str | None:
    given = data.get("family")
    if given is not None and (not isinstance(given, str) or not given):
        raise ValueError(f"family: expected text, got {shown(given)}")
    return given


def _day(given: Any) -> date | None:
    if given is None:
        return None
    try:
        return datetime.fromisoformat(given).date()
    except (TypeError, ValueError):
        raise ValueError(
            f"date: expected a day such as 2026-01-31, got {shown(given)}"
        ) from None
