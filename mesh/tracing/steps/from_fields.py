"""One step's fields, as the article writes them (sections 16 to 19) -> a `Step`. Pure.

Whatever a field holds, a step comes out. What cannot be used stays in `details`. Token
counts that contradict each other are counted as they stand and noted.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.trace_fields import STATE_FIELDS, StateFields
from judgemesh.contracts.tracing import COST_PARTS, Costs, StateType, Step, ToolEvent
from judgemesh.mesh.tracing.steps.tokens import tokens_of
from judgemesh.mesh.tracing.steps.values import (
    Fields,
    access_of,
    breakdown_of,
    count_of,
    currency_of,
    first_count,
    first_number,
    moment_of,
    money_of,
    price_of,
    text_of,
)

ENVELOPE: Final = frozenset(
    [
        "trace_id",
        "step_id",
        "parent_step_id",
        "state_type",
        "agent_id",
        "skill_id",
        "model_name",
        "provider",
        "start_time",
        "end_time",
        "latency_ms",
        "status",
        "error_type",
        "usage",
        "input_token_breakdown",
        "price",
        "price_snapshot",
    ]
)
"""Fields that are not repeated in the details of a step."""

_TOOL_FIELDS: Final = (
    "request_tokens",
    "response_tokens_raw",
    "response_tokens_selected",
    "tokens_sent_to_next_llm",
)
DEFAULT_CURRENCY: Final = "USD"


def step_of(
    fields: Fields,
    *,
    trace_id: str = "",
    step_id: int = 0,
    currency: str = DEFAULT_CURRENCY,
) -> Step:
    """A step from its fields; unknown fields are kept in `details`.

    Args:
        fields: the envelope, token counts, costs and the fields of the state, all on
            one level.
        trace_id: of the step, where the fields do not say.
        step_id: of the step, where the fields do not say.
        currency: of amounts that name none.

    Raises:
        ValueError: `state_type` is missing or unknown.
    """
    state = StateType(str(fields.get("state_type")))
    table = STATE_FIELDS[state]
    currency = currency_of(fields.get("currency")) or currency
    provider = text_of(fields.get("provider")) or ""
    counted = tokens_of(fields, table, provider=provider)
    stated_id = count_of(fields.get("step_id"))
    start = moment_of(fields.get("start_time"))
    end = moment_of(fields.get("end_time"))
    price = fields.get("price") or fields.get("price_snapshot")
    details = {key: value for key, value in fields.items() if key not in ENVELOPE}
    return Step(
        trace_id=text_of(fields.get("trace_id")) or trace_id,
        step_id=step_id if stated_id is None else stated_id,
        state_type=state,
        parent_step_id=count_of(fields.get("parent_step_id")),
        agent_id=text_of(fields.get("agent_id")),
        skill_id=text_of(fields.get("skill_id")),
        model_name=text_of(fields.get("model_name")),
        provider=provider,
        start_time=start,
        end_time=end,
        latency_ms=_latency_ms(fields, table, start, end),
        status=text_of(fields.get("status")) or "success",
        error_type=text_of(fields.get("error_type")),
        usage=counted.usage,
        usage_status=counted.status,
        usage_notes=counted.notes,
        costs=_costs(fields, currency),
        reported_cost=money_of(fields.get("llm_cost"), currency),
        reported_state_cost=_state_cost(fields, table, currency),
        price=price_of(price, currency=currency),
        context=breakdown_of(
            fields.get("input_token_breakdown"), fields.get("breakdown_basis")
        ),
        tools=_tools(fields, table, currency),
        details=details,
    )


def _latency_ms(
    fields: Fields,
    table: StateFields,
    start: datetime | None,
    end: datetime | None,
) -> float | None:
    """The stated latency, or else the time between start and end."""
    stated = first_number(fields, "latency_ms", table.latency)
    if stated is not None or start is None or end is None or end < start:
        return stated
    return (end - start).total_seconds() * 1000


def _state_cost(fields: Fields, table: StateFields, currency: str) -> Money | None:
    """What the trace says the whole step cost."""
    stated = money_of(fields.get("state_cost"), currency)
    if stated is not None or table.cost_part or not table.cost:
        return stated
    return money_of(fields.get(table.cost), currency)


def _costs(fields: Fields, currency: str) -> Costs:
    """The parts that the trace states. The model's part is computed in `bill/cost.py`."""
    parts: dict[str, Money | None] = {}
    for part in COST_PARTS:
        if part != "llm":
            parts[part] = money_of(fields.get(f"{part}_cost"), currency)
    return Costs(**parts)


# --- tools ---


def _tools(fields: Fields, table: StateFields, currency: str) -> tuple[ToolEvent, ...]:
    """The tool call that a step of a calling state is."""
    names = (*table.fields, *_TOOL_FIELDS)
    if not table.tool_type or not any(name in fields for name in names):
        return ()
    general = tool_event(fields, currency=currency)
    own_name = text_of(fields.get(table.tool_name)) or table.tool_type
    raw = [count_of(fields.get(name)) for name in table.raw]
    known_raw = [count for count in raw if count is not None]
    tool = replace(
        general,
        tool_type=general.tool_type or table.tool_type,
        tool_name=general.tool_name or own_name,
        request_tokens=first_count(fields, table.request, "request_tokens"),
        response_tokens_selected=first_count(
            fields, table.selected, "response_tokens_selected"
        ),
        tool_latency_ms=first_number(fields, table.latency, "tool_latency_ms"),
        tool_cost=money_of(fields.get(table.cost), currency),
    )
    if known_raw:
        tool = replace(tool, response_tokens_raw=sum(known_raw))
    return (tool,)


def tool_event(fields: Fields, *, currency: str = DEFAULT_CURRENCY) -> ToolEvent:
    """A tool event from fields of the general names (section 28)."""
    return ToolEvent(
        tool_name=text_of(fields.get("tool_name")) or "",
        tool_type=text_of(fields.get("tool_type")) or "",
        request_tokens=count_of(fields.get("request_tokens")),
        response_tokens_raw=count_of(fields.get("response_tokens_raw")),
        response_tokens_selected=count_of(fields.get("response_tokens_selected")),
        tokens_sent_to_next_llm=count_of(fields.get("tokens_sent_to_next_llm")),
        tool_latency_ms=first_number(fields, "tool_latency_ms", "latency_ms"),
        tool_cost=money_of(fields.get("tool_cost"), currency),
        status=text_of(fields.get("status")) or "success",
        call_id=text_of(fields.get("call_id")),
        arguments_digest=text_of(fields.get("arguments_digest")),
        result_digest=text_of(fields.get("result_digest")),
        access=access_of(fields.get("access")),
    )
