"""What the payloads of events say beyond the fields of a step, a model call and a tool call. Pure.

Cacheable tokens and segments of a context, the request id of a model call, the HTTP status of a tool call, and whatever
else a runtime records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from judgemesh.contracts.tracing import CONTEXT_SOURCES, EventType, TraceEvent

_COMMON: Final = frozenset({"currency", "latency_ms", "status"})
_UNDERSTOOD: Final[Mapping[EventType, frozenset[str]]] = {
    EventType.CONTEXT_COMPILED: _COMMON.union(
        ["input_token_breakdown", "breakdown_basis"],
        (f"{source}_tokens" for source in CONTEXT_SOURCES),
    ),
    EventType.MODEL_CALLED: _COMMON.union(
        ["model_name", "model", "provider", "service_tier"],
        ["usage", "usage_partial", "total_tokens", "input_tokens_total"],
        ["input_tokens_uncached", "input_tokens_cached", "input_tokens_cache_write"],
        ["input_tokens_cache_write_1h", "output_tokens", "reasoning_tokens"],
        ["searches", "cost", "llm_cost", "price", "price_snapshot"],
    ),
    EventType.TOOL_CALLED: _COMMON.union(
        ["tool_name", "tool_type", "call_id", "access"],
        ["request_tokens", "response_tokens_raw", "response_tokens_selected"],
        ["tokens_sent_to_next_llm", "tool_latency_ms", "tool_cost"],
        ["arguments_digest", "result_digest"],
    ),
}
_LISTS: Final[Mapping[EventType, str]] = {
    EventType.CONTEXT_COMPILED: "contexts_compiled",
    EventType.MODEL_CALLED: "models_called",
    EventType.TOOL_CALLED: "tools_called",
}


def payload_rest(events: Iterable[TraceEvent]) -> dict[str, Any]:
    """The details of a step that the payloads of its events give.

    Under their own names where the step has one event of the kind; else as a list with an object for each event.
    """
    by_kind: dict[EventType, list[dict[str, Any]]] = {}
    for event in events:
        understood = _UNDERSTOOD.get(event.event_type)
        if understood is not None:
            rest = {
                name: value
                for name, value in event.payload.items()
                if name not in understood and value is not None
            }
            by_kind.setdefault(event.event_type, []).append(rest)
    details: dict[str, Any] = {}
    for kind, rests in by_kind.items():
        details |= _details(_LISTS[kind], rests)
    return details


def _details(name: str, rests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if len(rests) == 1:
        return rests[0]
    return {name: list(rests)} if any(rests) else {}
