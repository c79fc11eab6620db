"""Pure: a trace as rows of the `trace_*` tables, and back.

What the article's columns cannot hold stands in JSON beside them, so that the trace that is read is the one that was
written: `trace_run.run_fields`, `trace_step.state_fields` (fields of the state, and unknown ones) and
`trace_step.step_record` (what the trace reported, and how the cost came about).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from judgemesh.contracts.tracing import (
    COST_PARTS,
    ContextBreakdown,
    Costs,
    CostStatus,
    ModelCall,
    RunTotals,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage
from judgemesh.mesh.ledger.columns import PRICES, TOKENS

Row: TypeAlias = dict[str, Any]

_TOOL_COUNTS: Final = (
    "request_tokens",
    "response_tokens_raw",
    "response_tokens_selected",
    "tokens_sent_to_next_llm",
)
_SOURCES: Final = tuple(one.name for one in fields(ContextBreakdown))
_BUT_TOOL: Final = ("compute", "parse", "write")


# --- to rows ---


def run_row(
    trace: Trace, totals: RunTotals, main_cost_state: str | None, created_at: datetime
) -> Row:
    """The row of `trace_run`. Costs in several currencies are not added: then the sums are empty."""
    cost = _one(totals.cost)
    doubtful = totals.inconsistent_steps > 0
    return {
        "trace_id": trace.trace_id,
        "task_id": trace.task_id,
        "agent_id": trace.agent_id,
        "skill_id": trace.skill_id,
        "start_time": trace.start_time or totals.start_time,
        "end_time": trace.end_time or totals.end_time,
        "total_latency_ms": _whole(totals.latency_ms),
        "total_input_tokens": totals.input_tokens,
        "total_uncached_input_tokens": totals.input_tokens_uncached,
        "total_cached_input_tokens": totals.input_tokens_cached,
        "total_cache_write_input_tokens": totals.input_tokens_cache_write,
        "total_output_tokens": totals.output_tokens,
        "total_reasoning_tokens": totals.reasoning_tokens,
        "total_tokens": totals.tokens,
        "total_llm_cost": _amount(_one(totals.llm_cost)),
        "total_tool_cost": _amount(_one(totals.tool_cost)),
        "total_compute_cost": _amount(_one(totals.compute_cost)),
        "total_cost": _amount(cost),
        "currency": None if cost is None else cost.currency,
        "main_cost_state": main_cost_state,
        "created_at": created_at,
        "cost_status": CostStatus.UNKNOWN.value if totals.cost_unknown_steps else "ok",
        "usage_status": _usage_status(totals, doubtful=doubtful),
        "status": trace.status,
        "run_fields": _without_empty(
            {
                "details": dict(trace.details),
                "problems": list(trace.problems),
                "latency_ms": trace.latency_ms,
                "costs": [_money_data(money) for money in totals.cost]
                if len(totals.cost) > 1
                else None,
                "start_time_stated": trace.start_time is not None,
                "end_time_stated": trace.end_time is not None,
                "price_models": {
                    key: one.model_name
                    for key, one in trace.prices.items()
                    if key != one.model_name
                },
            }
        ),
    }


def _usage_status(totals: RunTotals, *, doubtful: bool) -> str:
    if doubtful:
        return UsageStatus.INCONSISTENT.value
    return (
        UsageStatus.MISSING.value
        if totals.usage_missing_steps
        else UsageStatus.OK.value
    )


def step_row(step: Step) -> Row:
    """The row of `trace_step`."""
    usage, costs = step.usage, step.costs
    compute = _one([money for name, money in costs.parts() if name in _BUT_TOOL])
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
        "latency_ms": _whole(step.latency_ms),
        "input_tokens_total": None if usage is None else usage.input_total,
        "total_tokens": None if usage is None else usage.total,
        **{name: None if usage is None else getattr(usage, name) for name in TOKENS},
        "llm_cost": _amount(costs.llm),
        "tool_cost": _amount(
            _one(
                [
                    money
                    for name, money in costs.parts()
                    if name in {"tool", "api", "db"}
                ]
            )
        ),
        "compute_cost": _amount(compute),
        "state_cost": _amount(costs.state),
        "currency": next(
            (
                money.currency
                for money in (costs.state, *(m for _, m in costs.parts()))
                if money
            ),
            None,
        ),
        "status": step.status,
        "error_type": step.error_type,
        "cost_status": step.cost_status.value,
        "usage_status": step.usage_status.value,
        "state_fields": dict(step.details) or None,
        "reported_cost": _amount(step.reported_cost),
        "reported_currency": None
        if step.reported_cost is None
        else step.reported_cost.currency,
        "step_record": _record(step),
    }


def _record(step: Step) -> Row | None:
    return (
        _without_empty(
            {
                "provider": step.provider,
                "latency_ms": step.latency_ms
                if step.latency_ms != _whole(step.latency_ms)
                else None,
                "usage_raw": None if step.usage is None else dict(step.usage.raw),
                "usage_notes": list(step.usage_notes),
                "costs": {
                    name: _money_data(money) for name, money in step.costs.parts()
                },
                "state_cost": _money_data(step.costs.state),
                "reported_cost": _money_data(step.reported_cost),
                "reported_state_cost": _money_data(step.reported_state_cost),
                "price": _price_data(step.price),
                "calls": [_call_data(call) for call in step.calls],
            }
        )
        or None
    )


def context_row(step: Step) -> Row | None:
    """The row of `trace_context_breakdown`; None when the step's context is unknown."""
    if step.context is None:
        return None
    return {
        "trace_id": step.trace_id,
        "step_id": step.step_id,
        **{name: getattr(step.context, name) for name in _SOURCES},
    }


def tool_rows(step: Step, created_at: datetime) -> list[Row]:
    """The rows of `trace_tool_event`, in the order of the calls."""
    return [
        {
            "trace_id": step.trace_id,
            "step_id": step.step_id,
            "position": at,
            "tool_type": tool.tool_type,
            "tool_name": tool.tool_name,
            **{name: getattr(tool, name) for name in _TOOL_COUNTS},
            "tool_latency_ms": _whole(tool.tool_latency_ms),
            "tool_cost": _amount(tool.tool_cost),
            "currency": None if tool.tool_cost is None else tool.tool_cost.currency,
            "status": tool.status,
            "created_at": created_at,
            "call_id": tool.call_id,
            "arguments_digest": tool.arguments_digest,
        }
        for at, tool in enumerate(step.tools)
    ]


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


# --- from rows ---


def trace_from(
    run: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    contexts: Iterable[Mapping[str, Any]],
    tools: Iterable[Mapping[str, Any]],
    prices: Iterable[Mapping[str, Any]],
) -> Trace:
    """The trace that these rows were written from."""
    extra = _object(run["run_fields"])
    models = _object(extra.get("price_models"))
    keyed = [(row["model_name"], row) for row in prices]
    context_of = {row["step_id"]: _context(row) for row in contexts}
    tools_of: dict[int, list[ToolEvent]] = {}
    for row in tools:
        tools_of.setdefault(row["step_id"], []).append(_tool(row))
    return Trace(
        trace_id=run["trace_id"],
        steps=tuple(
            _step(row, context_of.get(row["step_id"]), tools_of.get(row["step_id"], ()))
            for row in steps
        ),
        task_id=run["task_id"],
        agent_id=run["agent_id"],
        skill_id=run["skill_id"],
        start_time=run["start_time"] if extra.get("start_time_stated") else None,
        end_time=run["end_time"] if extra.get("end_time_stated") else None,
        latency_ms=extra.get("latency_ms"),
        status=run["status"],
        prices={
            key: _price({**row, "model_name": models.get(key, key)})
            for key, row in keyed
        },
        problems=tuple(extra.get("problems", ())),
        details=_object(extra.get("details")),
    )


def _step(
    row: Mapping[str, Any], context: ContextBreakdown | None, tools: Iterable[ToolEvent]
) -> Step:
    record = _object(row["step_record"])
    counted = row["input_tokens_total"] is not None
    raw = _object(record.get("usage_raw"))
    usage = (
        Usage(**{name: row[name] or 0 for name in TOKENS}, raw=raw) if counted else None
    )
    parts = {
        name: _money(data)
        for name, data in _object(record.get("costs")).items()
        if name in COST_PARTS
    }
    return Step(
        trace_id=row["trace_id"],
        step_id=row["step_id"],
        state_type=StateType(row["state_type"]),
        parent_step_id=row["parent_step_id"],
        agent_id=row["agent_id"],
        skill_id=row["skill_id"],
        model_name=row["model_name"],
        provider=record.get("provider", ""),
        start_time=row["start_time"],
        end_time=row["end_time"],
        latency_ms=record.get("latency_ms", row["latency_ms"]),
        status=row["status"],
        error_type=row["error_type"],
        usage=usage,
        usage_status=UsageStatus(row["usage_status"]),
        usage_notes=tuple(record.get("usage_notes", ())),
        costs=Costs(**parts, state=_money(record.get("state_cost"))),
        cost_status=CostStatus(row["cost_status"]),
        reported_cost=_money(record.get("reported_cost")),
        reported_state_cost=_money(record.get("reported_state_cost")),
        price=_price(_object(record["price"])) if record.get("price") else None,
        calls=tuple(_call(data) for data in record.get("calls", ())),
        context=context,
        tools=tuple(tools),
        details=_object(row["state_fields"]),
    )


def _context(row: Mapping[str, Any]) -> ContextBreakdown:
    counts = {name: row[name] or 0 for name in _SOURCES if name != "basis"}
    return ContextBreakdown(
        **counts, basis="estimated" if row["basis"] == "estimated" else "measured"
    )


def _tool(row: Mapping[str, Any]) -> ToolEvent:
    cost = row["tool_cost"]
    return ToolEvent(
        tool_name=row["tool_name"] or "",
        tool_type=row["tool_type"] or "",
        **{name: row[name] for name in _TOOL_COUNTS},
        tool_latency_ms=row["tool_latency_ms"],
        tool_cost=None if cost is None else Money(cost, row["currency"] or "USD"),
        status=row["status"],
        call_id=row["call_id"],
        arguments_digest=row["arguments_digest"],
    )


def _call_data(call: ModelCall) -> Row:
    usage = call.usage
    return _without_empty(
        {
            "model_name": call.model_name,
            "provider": call.provider,
            "usage": None
            if usage is None
            else {name: getattr(usage, name) for name in TOKENS},
            "usage_raw": None if usage is None else dict(usage.raw),
            "usage_status": call.usage_status.value,
            "latency_ms": call.latency_ms,
            "cost": _money_data(call.cost),
            "reported_cost": _money_data(call.reported_cost),
            "price": _price_data(call.price),
        }
    )


def _call(data: object) -> ModelCall:
    given = _object(data)
    counts = given.get("usage")
    return ModelCall(
        model_name=given.get("model_name"),
        provider=given.get("provider", ""),
        usage=None
        if counts is None
        else Usage(**_object(counts), raw=_object(given.get("usage_raw"))),
        usage_status=UsageStatus(given["usage_status"]),
        latency_ms=given.get("latency_ms"),
        cost=_money(given.get("cost")),
        reported_cost=_money(given.get("reported_cost")),
        price=_price(_object(given["price"])) if given.get("price") else None,
    )


def _money_data(money: Money | None) -> list[str] | None:
    return None if money is None else [str(money.amount), money.currency]


def _money(data: object) -> Money | None:
    if not isinstance(data, list):
        return None
    amount, currency = cast("list[str]", data)
    return Money(Decimal(amount), currency)


def _price_data(price: PriceSnapshot | None) -> Row | None:
    if price is None:
        return None
    amounts = {
        name: None if (one := getattr(price, name)) is None else str(one)
        for name in PRICES
    }
    names = {
        "model_name": price.model_name,
        "currency": price.currency,
        "price_version": price.price_version,
    }
    return {**names, **amounts}


def _price(row: Mapping[str, Any]) -> PriceSnapshot:
    amounts = {
        name: None if row.get(name) is None else Decimal(str(row[name]))
        for name in PRICES
    }
    per_input, per_output = (
        amounts.pop("price_input_per_million"),
        amounts.pop("price_output_per_million"),
    )
    return PriceSnapshot(
        model_name=row["model_name"],
        price_input_per_million=per_input or Decimal(0),
        price_output_per_million=per_output or Decimal(0),
        currency=row["currency"],
        price_version=row["price_version"],
        **amounts,
    )


def _one(amounts: Sequence[Money]) -> Money | None:
    """The sum of amounts of one currency; None for none, and for several currencies."""
    if len({money.currency for money in amounts}) != 1:
        return None
    return Money(
        sum((money.amount for money in amounts), Decimal(0)), amounts[0].currency
    )


def _amount(money: Money | None) -> Decimal | None:
    return None if money is None else money.amount


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _without_empty(data: Row) -> Row:
    return {
        key: value
        for key, value in data.items()
        if value not in (None, "", [], {}, False)
    }


def _object(value: object) -> Row:
    return cast("Row", value) if isinstance(value, dict) else {}
