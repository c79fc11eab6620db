"""What the run cost and how long it took, against the contract's budget."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.money import Money
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Fail,
    Pass,
    Verdict,
    inaccessible,
    not_configured,
)

if TYPE_CHECKING:
    from judgemesh.contracts.sections.budget import Budget

_MS: Final = 1_000


def _applies(contract: EvalContract) -> bool:
    budget = contract.budget
    return budget is not None and (budget.gate or budget.max_latency_ms is not None)


def _covers(contract: EvalContract) -> Collection[FailureCode]:
    budget = contract.budget
    codes: set[FailureCode] = set()
    if budget is None:
        return codes
    if budget.gate:
        codes.add(FailureCode.SOP_NOT_FOLLOWED)
    if budget.max_latency_ms is not None:
        codes.add(FailureCode.EXECUTION_TIMEOUT)
    return codes


@validator(
    name="spending",
    version="1",
    takes_args=False,
    codes=(FailureCode.SOP_NOT_FOLLOWED, FailureCode.EXECUTION_TIMEOUT),
    applies=_applies,
    covers=_covers,
    pure=True,
)
def spending(case: Case) -> list[Verdict]:
    """The run stays within the cost ceiling and the time that the contract makes a gate.

    What the result does not say is unknown, not within the limit: the check abstains. Amounts in different currencies
    are not compared.
    """
    verdicts = list(_verdicts(case.result, case.contract.budget))
    return verdicts or [
        not_configured("budget", "the contract has no limit to gate on")
    ]


def _verdicts(result: AgentResult, budget: Budget | None) -> Iterator[Verdict]:
    if budget is None:
        return
    if budget.gate and budget.ceiling is not None:
        yield _cost(result.cost, budget.ceiling)
    if budget.max_latency_ms is not None:
        yield _latency(result, budget.max_latency_ms)


def _cost(cost: Money | None, ceiling: Money) -> Verdict:
    if cost is None:
        return inaccessible(
            "cost", "the result does not say what the run cost (`cost`)"
        )
    if cost.currency != ceiling.currency:
        why = f"the cost is in {cost.currency} and the ceiling in {ceiling.currency}; give both in one currency"
        return inaccessible("cost", why)
    if cost.amount <= ceiling.amount:
        return Pass(check="cost", confidence=DETERMINISTIC, evidence_refs=("cost",))
    return Fail(
        check="cost",
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"the run cost {cost.amount} {cost.currency}, more than the ceiling of {ceiling.amount}",
        confidence=DETERMINISTIC,
        evidence_refs=("cost",),
    )


def _latency(result: AgentResult, limit_ms: float) -> Verdict:
    latency_ms, ref = _duration(result)
    if latency_ms is None:
        why = "the result says neither `latency_ms` nor when the run started and ended"
        return inaccessible("latency", why)
    if latency_ms <= limit_ms:
        return Pass(check="latency", confidence=DETERMINISTIC, evidence_refs=(ref,))
    return Fail(
        check="latency",
        codes=(FailureCode.EXECUTION_TIMEOUT,),
        diagnostic=f"the run took {latency_ms:g} ms, more than {limit_ms:g} ms",
        confidence=DETERMINISTIC,
        evidence_refs=(ref,),
    )


def _duration(result: AgentResult) -> tuple[float | None, str]:
    """How long the run took, and which keys say so."""
    if result.latency_ms is not None:
        return result.latency_ms, "latency_ms"
    started, ended = result.started_at, result.ended_at
    if (
        started is None
        or ended is None
        or (started.tzinfo is None) != (ended.tzinfo is None)
    ):
        return None, ""
    if ended < started:
        return None, ""
    return (ended - started).total_seconds() * _MS, "ended_at"
