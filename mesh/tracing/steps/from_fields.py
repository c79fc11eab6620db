"""One step's fields, as the article writes them (sections 16 to 19) -> a typed `Step`. Pure.

Whatever a field holds, a step comes out: what cannot be used stays in `details`, and token counts that contradict each
other are counted as they stand and flagged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from judgemesh.contracts.trace_fields import STATE_FIELDS, StateFields
from judgemesh.contracts.tracing import (
    COST_PARTS,
    Costs,
    StateType,
    Step,
    ToolEvent,
    UsageStatus,
)
from judgemesh.contracts.usage import Money, Usage
from judgemesh.mesh.pricing.usage import canonical_usage
from judgemesh.mesh.tracing.steps.values import (
    Fields,
    breakdown_of,
    count_of,
    currency_of,
    moment_of,
    money_of,
    number_of,
    part_of,
    price_of,
    text_of,
)

ENVELOPE: Final = frozenset(
    {
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
    }
)
_TOOL_FIELDS: Final = (
    "request_tokens",
    "response_tokens_raw",
    "response_tokens_selected",
    "tokens_sent_to_next_llm",
)
DEFAULT_CURRENCY: Final = "USD"


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens and what is to be said about them."""

    usage: Usage | None
    status: UsageStatus
    notes: tuple[str, ...] = ()


def step_of(
    fields: Fields,
    *,
    trace_id: str = "",
    step_id: int = 0,
    currency: str = DEFAULT_CURRENCY,
) -> Step:
    """A step from its fields; unknown fields are kept in `details`.

    Args:
        fields: the envelope, token counts, costs and the fields of the state, all on one level.
        trace_id: of the step, where the fields do not say.
        step_id: as `trace_id`.
        currency: of amounts that name none.

    Raises:
        ValueError: `state_type` is missing or unknown.
    """
    state = StateType(str(fields.get("state_type")))
    table = STATE_FIELDS[state]
    currency = currency_of(fields.get("currency")) or currency
    counted = tokens_of(fields, table, provider=text_of(fields.get("provider")) or "")
    stated = count_of(fields.get("step_id"))
    start, end = moment_of(fields.get("start_time")), moment_of(fields.get("end_time"))
    latency = _first_number(fields, "latency_ms", table.latency)
    if latency is None and start is not None and end is not None and end >= start:
        latency = (end - start).total_seconds() * 1000
    tool = _tool(fields, table, currency)
    whole = (
        None
        if table.cost_part or not table.cost
        else money_of(fields.get(table.cost), currency)
    )
    return Step(
        trace_id=text_of(fields.get("trace_id")) or trace_id,
        step_id=step_id if stated is None else stated,
        state_type=state,
        parent_step_id=count_of(fields.get("parent_step_id")),
        agent_id=text_of(fields.get("agent_id")),
        skill_id=text_of(fields.get("skill_id")),
        model_name=text_of(fields.get("model_name")),
        provider=text_of(fields.get("provider")) or "",
        start_time=start,
        end_time=end,
        latency_ms=latency,
        status=text_of(fields.get("status")) or "success",
        error_type=text_of(fields.get("error_type")),
        usage=counted.usage,
        usage_status=counted.status,
        usage_notes=counted.notes,
        costs=_costs(fields, currency),
        reported_cost=money_of(fields.get("llm_cost"), currency),
        reported_state_cost=money_of(fields.get("state_cost"), currency) or whole,
        price=price_of(
            fields.get("price") or fields.get("price_snapshot"), currency=currency
        ),
        context=breakdown_of(
            fields.get("input_token_breakdown"), fields.get("breakdown_basis")
        ),
        tools=() if tool is None else (tool,),
        details={key: value for key, value in fields.items() if key not in ENVELOPE},
    )


# --- tokens ---


def tokens_of(fields: Fields, table: StateFields, *, provider: str = "") -> Counted:
    """The tokens of a step or of one model call: the article's fields, or a provider's own `usage`."""
    raw = part_of(fields, "usage")
    if raw:
        usage = canonical_usage(raw, provider=provider)
        if usage is not None:
            notes = raw_notes(raw)
            return Counted(
                usage, UsageStatus.INCONSISTENT if notes else UsageStatus.OK, notes
            )
        if (found := _article_tokens(raw, STATE_FIELDS[StateType.THINK])) is not None:
            return found
        return Counted(None, UsageStatus.MISSING)
    found = _article_tokens(fields, table)
    if found is not None:
        return found
    return Counted(
        None, UsageStatus.MISSING if fields.get("model_name") else UsageStatus.NONE
    )


_INPUTS: Final = (
    "input_tokens_uncached",
    "input_tokens_cached",
    "input_tokens_cache_write",
)


def _article_tokens(fields: Fields, table: StateFields) -> Counted | None:
    """`input_tokens_total = uncached + cached + cache_write`; what one of them leaves open, the others give."""
    names = (
        *_INPUTS,
        "output_tokens",
        "reasoning_tokens",
        "input_tokens_total",
        "total_tokens",
    )
    own = {"output_tokens": table.output, "input_tokens_total": table.input_total}
    keys = {
        name: name if name in fields or not own.get(name) else own[name]
        for name in names
    }
    given = {
        name: fields[key] for name, key in keys.items() if fields.get(key) is not None
    }
    if not given.keys() - {"total_tokens"}:
        return None
    counts = {name: count_of(value) for name, value in given.items()}
    notes = [
        f"{keys[name]} is {given[name]!r}, not a token count"
        for name, found in counts.items()
        if found is None
    ]
    total, cached = (
        counts.get("input_tokens_total"),
        counts.get("input_tokens_cached") or 0,
    )
    write = counts.get("input_tokens_cache_write") or 0
    fresh = counts.get("input_tokens_uncached")
    if fresh is None:
        fresh = max((total or 0) - cached - write, 0)
    usage = Usage(
        fresh,
        cached,
        write,
        counts.get("output_tokens") or 0,
        counts.get("reasoning_tokens") or 0,
    )
    if total is not None and total != usage.input_total:
        notes.append(
            f"{keys['input_tokens_total']} is {total}, its parts are {usage.input_total}"
        )
    stated = counts.get("total_tokens")
    if stated is not None and stated != usage.total:
        notes.append(f"total_tokens is {stated}, its parts are {usage.total}")
    return Counted(
        usage, UsageStatus.INCONSISTENT if notes else UsageStatus.OK, tuple(notes)
    )


_WHOLES: Final = (
    ("prompt_tokens", "prompt_tokens_details", "cached_tokens"),
    ("input_tokens", "input_tokens_details", "cached_tokens"),
    ("completion_tokens", "completion_tokens_details", "reasoning_tokens"),
    ("output_tokens", "output_tokens_details", "reasoning_tokens"),
)


def raw_notes(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """What a provider's own figures contradict among themselves: a part larger than its whole, a negative count."""
    notes = [
        f"{key} is {value}"
        for key, value in raw.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value < 0
    ]
    for whole, details, part in _WHOLES:
        outer, inner = (
            count_of(raw.get(whole)),
            count_of(part_of(raw, details).get(part)),
        )
        if outer is not None and inner is not None and inner > outer:
            notes.append(f"{details}.{part} is {inner}, more than {whole} {outer}")
    return tuple(notes)


def added(parts: Iterable[Usage]) -> Usage | None:
    """Usages together; None for none."""
    found = list(parts)
    if not found:
        return None
    return Usage(
        sum(usage.input_tokens_uncached for usage in found),
        sum(usage.input_tokens_cached for usage in found),
        sum(usage.input_tokens_cache_write for usage in found),
        sum(usage.output_tokens for usage in found),
        sum(usage.reasoning_tokens for usage in found),
        found[0].raw if len(found) == 1 else {},
    )


# --- tools and costs ---


def _tool(fields: Fields, table: StateFields, currency: str) -> ToolEvent | None:
    """The tool call that a step of a calling state is."""
    if not table.tool_type or not any(
        name in fields for name in (*table.fields, *_TOOL_FIELDS)
    ):
        return None
    raw = [
        number
        for name in table.raw
        if (number := count_of(fields.get(name))) is not None
    ]
    general = tool_event(fields, currency=currency)
    return replace(
        general,
        tool_type=general.tool_type or table.tool_type,
        tool_name=general.tool_name
        or text_of(fields.get(table.tool_name))
        or table.tool_type,
        request_tokens=_first_count(fields, table.request, "request_tokens"),
        response_tokens_raw=sum(raw) if raw else general.response_tokens_raw,
        response_tokens_selected=_first_count(
            fields, table.selected, "response_tokens_selected"
        ),
        tool_latency_ms=_first_number(fields, table.latency, "tool_latency_ms"),
        tool_cost=money_of(fields.get(table.cost), currency),
    )


def tool_event(fields: Fields, *, currency: str = DEFAULT_CURRENCY) -> ToolEvent:
    """A tool event from fields of the general names (section 28)."""
    return ToolEvent(
        tool_name=text_of(fields.get("tool_name")) or "",
        tool_type=text_of(fields.get("tool_type")) or "",
        request_tokens=count_of(fields.get("request_tokens")),
        response_tokens_raw=count_of(fields.get("response_tokens_raw")),
        response_tokens_selected=count_of(fields.get("response_tokens_selected")),
        tokens_sent_to_next_llm=count_of(fields.get("tokens_sent_to_next_llm")),
        tool_latency_ms=_first_number(fields, "tool_latency_ms", "latency_ms"),
        tool_cost=money_of(fields.get("tool_cost"), currency),
        status=text_of(fields.get("status")) or "success",
        call_id=text_of(fields.get("call_id")),
        arguments_digest=text_of(fields.get("arguments_digest")),
    )


def _costs(fields: Fields, currency: str) -> Costs:
    """The parts that the trace states. The model's part is left to the cost model."""
    parts: dict[str, Money | None] = {
        part: money_of(fields.get(f"{part}_cost"), currency)
        for part in COST_PARTS
        if part != "llm"
    }
    return Costs(**parts)


def _first_number(fields: Fields, *names: str) -> float | None:
    return next(
        (
            found
            for name in names
            if name and (found := number_of(fields.get(name))) is not None
        ),
        None,
    )


def _first_count(fields: Fields, *names: str) -> int | None:
    return next(
        (
            found
            for name in names
            if name and (found := count_of(fields.get(name))) is not None
        ),
        None,
    )
