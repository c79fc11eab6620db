"""Pure: a trace as rows of the `trace_*` tables.

What the article's columns cannot hold is in JSON beside them, so that the trace that is read is the one that was
written: `trace_run.run_fields`, `trace_step.state_fields` (fields of the state, and unknown ones) and
`trace_step.step_record` (what the trace reported, and how the cost came about). `reading` is the way back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    CostStatus,
    RunTotals,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.ledger.schema.columns import PRICES, Row
from judgemesh.mesh.ledger.traces.data import (
    call_data,
    money_data,
    more_price_data,
    price_data,
    tokens_of,
    usage_terms,
    without_empty,
)

TOOL_COUNTS: Final = (
    "request_tokens",
    "response_tokens_raw",
    "response_tokens_selected",
    "tokens_sent_to_next_llm",
)
TOOL_RECORD: Final = ("result_digest", "access")
"""Fields of a `ToolEvent` that have no column: they are in `trace_step.step_record`."""
CONTEXT_FIELDS: Final = tuple(field.name for field in fields(ContextBreakdown))
_TOOL_COSTS: Final = frozenset({"tool", "api", "db"})
_COMPUTE_COSTS: Final = frozenset({"compute", "parse", "write"})


def run_row(
    trace: Trace, totals: RunTotals, main_cost_state: str | None, created_at: datetime
) -> Row:
    """The row of `trace_run`. Costs in several currencies are not added: then the sums are empty."""
    cost = _sum(totals.cost)
    return {
        "trace_id": trace.trace_id,
        "task_id": trace.task_id,
        "agent_id": trace.agent_id,
        "skill_id": trace.skill_id,
        "start_time": trace.start_time or totals.start_time,
        "end_time": trace.end_time or totals.end_time,
        "total_latency_ms": _rounded(totals.latency_ms),
        "total_input_tokens": totals.input_tokens,
        "total_uncached_input_tokens": totals.input_tokens_uncached,
        "total_cached_input_tokens": totals.input_tokens_cached,
        "total_cache_write_input_tokens": totals.input_tokens_cache_write,
        "total_output_tokens": totals.output_tokens,
        "total_reasoning_tokens": totals.reasoning_tokens,
        "total_tokens": totals.tokens,
        "total_llm_cost": _amount(_sum(totals.llm_cost)),
        "total_tool_cost": _amount(_sum(totals.tool_cost)),
        "total_compute_cost": _amount(_sum(totals.compute_cost)),
        "total_cost": _amount(cost),
        "currency": _currency(cost),
        "main_cost_state": main_cost_state,
        "created_at": created_at,
        "cost_status": CostStatus.UNKNOWN.value if totals.cost_unknown_steps else "ok",
        "usage_status": _usage_status(totals).value,
        "status": trace.status,
        "run_fields": _run_fields(trace, totals),
    }


def _usage_status(totals: RunTotals) -> UsageStatus:
    if totals.inconsistent_steps:
        return UsageStatus.INCONSISTENT
    if totals.usage_missing_steps:
        return UsageStatus.MISSING
    return UsageStatus.OK


def _run_fields(trace: Trace, totals: RunTotals) -> Row:
    data: Row = {
        "details": dict(trace.details),
        "problems": list(trace.problems),
        "latency_ms": trace.latency_ms,
        "start_time_stated": trace.start_time is not None,
        "end_time_stated": trace.end_time is not None,
        "price_models": _renamed_models(trace.prices),
        "price_terms": _price_terms(trace.prices),
    }
    if len(totals.cost) > 1:
        data["costs"] = [money_data(money) for money in totals.cost]
    return without_empty(data)


def _renamed_models(prices: Mapping[str, PriceSnapshot]) -> dict[str, str]:
    """The models whose price names another model, with that name."""
    models: dict[str, str] = {}
    for model_name, price in prices.items():
        if model_name != price.model_name:
            models[model_name] = price.model_name
    return models


def _price_terms(prices: Mapping[str, PriceSnapshot]) -> dict[str, Row]:
    """What the columns of the prices do not hold, by the name each is kept under."""
    terms = {name: more_price_data(price) for name, price in prices.items()}
    return {name: more for name, more in terms.items() if more}


def step_row(step: Step) -> Row:
    """The row of `trace_step`."""
    usage, costs = step.usage, step.costs
    return {
        "trace_id": step.trace_id,
        "step_id": step.step_id,
        "parent_step_id": step.parent_step_id,
        "state_type": step.state_type.value,
        "agent_id": step.agent_id,
        "skill_id": step.skill_id,
        "model_name": step.model_name,
        "start_time": step.start_time,
        "end_time": step.end_time,
        "latency_ms": _rounded(step.latency_ms),
        "input_tokens_total": None if usage is None else usage.input_total,
        "total_tokens": None if usage is None else usage.total,
        **tokens_of(usage),
        "llm_cost": _amount(costs.llm),
        "tool_cost": _part_of(costs, _TOOL_COSTS),
        "compute_cost": _part_of(costs, _COMPUTE_COSTS),
        "state_cost": _amount(costs.state),
        "currency": _currency_of(costs),
        "status": step.status,
        "error_type": step.error_type,
        "cost_status": step.cost_status.value,
        "usage_status": step.usage_status.value,
        "state_fields": dict(step.details) or None,
        "reported_cost": _amount(step.reported_cost),
        "reported_currency": _currency(step.reported_cost),
        "step_record": _step_record(step) or None,
    }


def _part_of(costs: Costs, names: frozenset[str]) -> Decimal | None:
    """The sum of some parts of a step's cost; None where there are none, or several currencies."""
    parts: list[Money] = []
    for name, money in costs.parts():
        if name in names:
            parts.append(money)
    return _amount(_sum(parts))


def _currency_of(costs: Costs) -> str | None:
    """That of the whole cost, else of its first part."""
    if costs.state is not None:
        return costs.state.currency
    return next((money.currency for _, money in costs.parts()), None)


def _step_record(step: Step) -> Row:
    latency_ms, usage = step.latency_ms, step.usage
    costs = {name: money_data(money) for name, money in step.costs.parts()}
    return without_empty(
        {
            "provider": step.provider,
            "latency_ms": None if latency_ms == _rounded(latency_ms) else latency_ms,
            "usage_raw": None if usage is None else dict(usage.raw),
            "usage_notes": list(step.usage_notes),
            "usage_terms": usage_terms(usage),
            "costs": costs,
            "state_cost": money_data(step.costs.state),
            "reported_cost": money_data(step.reported_cost),
            "reported_state_cost": money_data(step.reported_state_cost),
            "price": price_data(step.price),
            "calls": [call_data(call) for call in step.calls],
            "tools": _tool_records(step),
            "cache_unreported": usage is not None and not usage.cache_reported,
            "output_is_at_most": usage is not None and usage.output_is_at_most,
        }
    )


def _tool_records(step: Step) -> list[Row]:
    """What the columns of `trace_tool_event` cannot hold, by position; nothing where no call has any."""
    records: list[Row] = []
    for tool in step.tools:
        fields = {name: getattr(tool, name) for name in TOOL_RECORD}
        records.append(without_empty(fields))
    return records if any(records) else []


def context_row(step: Step) -> Row | None:
    """The row of `trace_context_breakdown`; None when the step's context is unknown."""
    if step.context is None:
        return None
    return {
        "trace_id": step.trace_id,
        "step_id": step.step_id,
        **{name: getattr(step.context, name) for name in CONTEXT_FIELDS},
    }


def tool_rows(step: Step, created_at: datetime) -> list[Row]:
    """The rows of `trace_tool_event`, in the order of the calls."""
    key: Row = {
        "trace_id": step.trace_id,
        "step_id": step.step_id,
        "created_at": created_at,
    }
    return [
        {**key, "position": position, **_tool_columns(tool)}
        for position, tool in enumerate(step.tools)
    ]


def _tool_columns(tool: ToolEvent) -> Row:
    return {
        "tool_type": tool.tool_type,
        "tool_name": tool.tool_name,
        **{name: getattr(tool, name) for name in TOOL_COUNTS},
        "tool_latency_ms": _rounded(tool.tool_latency_ms),
        "tool_cost": _amount(tool.tool_cost),
        "currency": _currency(tool.tool_cost),
        "status": tool.status,
        "call_id": tool.call_id,
        "arguments_digest": tool.arguments_digest,
    }


def price_rows(trace: Trace, created_at: datetime) -> list[Row]:
    """The rows of `trace_price_snapshot`. `model_name` is the name the trace keeps the price under."""
    return [
        {
            "trace_id": trace.trace_id,
            "model_name": name,
            **{column: getattr(price, column) for column in PRICES},
            "currency": price.currency,
            "price_version": price.price_version,
            "created_at": created_at,
        }
        for name, price in trace.prices.items()
    ]


def _sum(amounts: Sequence[Money]) -> Money | None:
    """The sum of amounts of one currency; None for none, and for several currencies."""
    if len({money.currency for money in amounts}) != 1:
        return None
    total = sum((money.amount for money in amounts), Decimal(0))
    return Money(total, amounts[0].currency)


def _amount(money: Money | None) -> Decimal | None:
    return None if money is None else money.amount


def _currency(money: Money | None) -> str | None:
    return None if money is None else money.currency


def _rounded(number: float | None) -> int | None:
    return None if number is None else round(number)
