"""Pure: a trace out of its rows; the way back from `rows`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    COST_PARTS,
    Basis,
    ContextBreakdown,
    Costs,
    CostStatus,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.ledger.schema.columns import TOKENS, Row
from judgemesh.mesh.ledger.traces.data import (
    as_object,
    call_from_data,
    money_from_data,
    price_from_data,
)
from judgemesh.mesh.ledger.traces.rows import (
    CONTEXT_FIELDS,
    TOOL_COUNTS,
    TOOL_RECORD,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRows:
    """All rows of one trace, those of each table in order."""

    run: Row
    steps: Sequence[Row]
    contexts: Sequence[Row]
    tools: Sequence[Row]
    prices: Sequence[Row]


def trace_from_rows(rows: TraceRows) -> Trace:
    """The trace that these rows were written from."""
    run = rows.run
    extra = as_object(run["run_fields"])
    return Trace(
        trace_id=run["trace_id"],
        steps=tuple(_steps(rows)),
        task_id=run["task_id"],
        agent_id=run["agent_id"],
        skill_id=run["skill_id"],
        start_time=run["start_time"] if extra.get("start_time_stated") else None,
        end_time=run["end_time"] if extra.get("end_time_stated") else None,
        latency_ms=extra.get("latency_ms"),
        status=run["status"],
        prices=_prices(rows.prices, extra),
        problems=tuple(extra.get("problems", ())),
        details=as_object(extra.get("details")),
    )


def _prices(rows: Iterable[Row], extra: Row) -> dict[str, PriceSnapshot]:
    """By the name under which the trace keeps each; `extra` holds what the columns do not."""
    models = as_object(extra.get("price_models"))
    terms = as_object(extra.get("price_terms"))
    prices: dict[str, PriceSnapshot] = {}
    for row in rows:
        key = row["model_name"]
        name = {"model_name": models.get(key, key)}
        price = price_from_data({**row, **name, **as_object(terms.get(key))})
        if price is not None:
            prices[key] = price
    return prices


def _steps(rows: TraceRows) -> Iterable[Step]:
    contexts = {row["step_id"]: _context(row) for row in rows.contexts}
    tools: dict[int, list[ToolEvent]] = {}
    records = {row["step_id"]: as_object(row["step_record"]) for row in rows.steps}
    for row in rows.tools:
        of_step = tools.setdefault(row["step_id"], [])
        stored = records.get(row["step_id"], {}).get("tools", ())
        record = as_object(stored[len(of_step)]) if len(of_step) < len(stored) else {}
        of_step.append(_tool(row, record))
    for row in rows.steps:
        step_id = row["step_id"]
        yield _step(row, contexts.get(step_id), tools.get(step_id, ()))


def _step(
    row: Row, context: ContextBreakdown | None, tools: Iterable[ToolEvent]
) -> Step:
    record = as_object(row["step_record"])
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
        usage=_usage(row, record),
        usage_status=UsageStatus(row["usage_status"]),
        usage_notes=tuple(record.get("usage_notes", ())),
        costs=_costs(record),
        cost_status=CostStatus(row["cost_status"]),
        reported_cost=money_from_data(record.get("reported_cost")),
        reported_state_cost=money_from_data(record.get("reported_state_cost")),
        price=price_from_data(as_object(record.get("price"))),
        calls=tuple(map(call_from_data, record.get("calls", ()))),
        context=context,
        tools=tuple(tools),
        details=as_object(row["state_fields"]),
    )


def _usage(row: Row, record: Row) -> Usage | None:
    if row["input_tokens_total"] is None:
        return None
    tokens: Row = {name: row[name] or 0 for name in TOKENS}
    tokens.update(as_object(record.get("usage_terms")))
    return Usage(
        **tokens,
        raw=as_object(record.get("usage_raw")),
        cache_reported=not record.get("cache_unreported"),
        output_is_at_most=bool(record.get("output_is_at_most")),
    )


def _costs(record: Row) -> Costs:
    stored = as_object(record.get("costs"))
    parts = {name: money_from_data(stored.get(name)) for name in COST_PARTS}
    return Costs(**parts, state=money_from_data(record.get("state_cost")))


def _context(row: Row) -> ContextBreakdown:
    counts = {name: row[name] or 0 for name in CONTEXT_FIELDS if name != "basis"}
    basis: Basis = "measured"
    if row["basis"] == "estimated":
        basis = "estimated"
    return ContextBreakdown(**counts, basis=basis)


def _tool(row: Row, record: Row) -> ToolEvent:
    cost = row["tool_cost"]
    return ToolEvent(
        tool_name=row["tool_name"] or "",
        tool_type=row["tool_type"] or "",
        **{name: row[name] for name in TOOL_COUNTS},
        tool_latency_ms=row["tool_latency_ms"],
        tool_cost=None if cost is None else Money(cost, row["currency"] or "USD"),
        status=row["status"],
        call_id=row["call_id"],
        arguments_digest=row["arguments_digest"],
        **{name: record.get(name) for name in TOOL_RECORD},
    )
