"""The attributes of a span, of any convention, -> the fields of a `Span`. Pure.

Messages are weighed and left out. Attributes that are not understood are kept in the
details under their own names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from judgemesh.contracts.tracing import StateType
from judgemesh.mesh.pricing.providers import provider_at
from judgemesh.mesh.pricing.usage import reports_cache_beside
from judgemesh.mesh.pricing.usage_shapes import (
    FIGURES,
    SPAN_ATTRIBUTES,
    TokenCounts,
    whole_number,
)
from judgemesh.mesh.pricing.usage_unread import unread_attributes
from judgemesh.mesh.tracing.spans import attribute_names as names
from judgemesh.mesh.tracing.spans.content import content_of
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    estimated_tokens,
    weight_of,
)
from judgemesh.mesh.tracing.spans.dialects import USAGE_OBJECT, translated
from judgemesh.mesh.tracing.spans.flattened import unflattened_list
from judgemesh.mesh.tracing.spans.json_values import is_object
from judgemesh.mesh.tracing.spans.messages import (
    asks_for_tool,
    decoded,
    digest_of,
    parts_of,
    text_of,
)
from judgemesh.mesh.tracing.spans.span import Span, SpanKind, sent_parts
from judgemesh.mesh.tracing.spans.usage_reports import counts_of_report

_Attributes: TypeAlias = Mapping[str, Any]
_REPLY_KEYS: Final = ("choices", "usage", "candidates")


def understand(span: Span, given: _Attributes) -> None:
    """Fill in what the attributes say."""
    attributes = translated(dict(given), span.name)
    span.kind, span.state = _kind_and_state(attributes)
    span.provider = _text(attributes, names.PROVIDER) or ""
    span.model_name = _text(attributes, names.MODEL)
    span.agent_id = _text(attributes, names.AGENT)
    span.skill_id = _text(attributes, names.SKILL)
    span.task_id = _text(attributes, names.TASK)
    span.error_type = _text(attributes, names.ERROR) or span.error_type
    if span.error_type is not None and span.status == "success":
        span.status = "error"
    span.conversation_id = _text(attributes, names.CONVERSATION)
    span.response_id = _text(attributes, names.RESPONSE_ID) or _reply_id(attributes)
    span.counts = _counts(span, attributes)
    address = _text(attributes, names.ADDRESS) or ""
    span.provider = provider_at(span.provider, address)
    span.cost = _cost(attributes)
    span.currency = _text(attributes, names.CURRENCY) or "USD"
    if span.kind in {SpanKind.MODEL, SpanKind.EMBEDDING}:
        span.sent = sent_parts(_input_parts(attributes))
        span.asks_tool = _asks_tool(attributes)
    elif span.kind in {SpanKind.TOOL, SpanKind.RETRIEVER} or span.state is not None:
        _understand_tool(span, attributes)
    for name, keys in names.IN_ONE_NAME.items():
        held = _first_value(attributes, keys)
        if held is not None:
            span.details[name] = held
    server = _mcp_server(span.tool_name)
    if server:
        span.details.setdefault("mcp_server", server)
    span.is_plumbing = _is_plumbing(span, attributes)
    span.content = {**span.content, **content_of(span, attributes)}
    for key, value in attributes.items():
        is_part = key.startswith(names.UNDERSTOOD_PREFIXES)
        if key not in names.UNDERSTOOD and not is_part:
            span.details[key] = value


def _mcp_server(tool_name: str) -> str:
    """The server in a name such as `mcp__files__read`; "" for any other name."""
    prefix, _, rest = tool_name.partition("__")
    server, mark, _ = rest.partition("__")
    return server if prefix == "mcp" and mark else ""


def _is_plumbing(span: Span, attributes: _Attributes) -> bool:
    """Whether it is a node's function or a runnable inside a graph of LangGraph."""
    if span.kind != SpanKind.CONTAINER or span.state is not None:
        return False
    kind = (_text(attributes, names.SPAN_KIND) or "").lower()
    metadata = text_of(attributes.get("metadata"))
    return kind == "chain" and '"langgraph_' in metadata


def _reply_id(attributes: _Attributes) -> str | None:
    """The id of the response, where the whole response is an attribute."""
    reply = decoded(_first_value(attributes, ("output.value",)))
    if not is_object(reply) or not any(key in reply for key in _REPLY_KEYS):
        return None
    found = reply.get("id")
    return found if isinstance(found, str) and found else None


# --- what kind of operation it is ---


def _kind_and_state(attributes: _Attributes) -> tuple[SpanKind, str | None]:
    stated = attributes.get(names.STATE)
    state = str(stated) if stated in StateType.__members__ else None
    kind = _stated_kind(attributes) or _implied_kind(attributes)
    if "mcp.method.name" in attributes and kind in {None, SpanKind.TOOL}:
        return SpanKind.TOOL, state or StateType.MCP_CALL.value
    if kind is not None:
        return kind, state
    for key, implied_state in names.OTHER_CONVENTIONS.items():
        if key in attributes:
            return SpanKind.TOOL, state or implied_state.value
    return SpanKind.CONTAINER, state


def _stated_kind(attributes: _Attributes) -> SpanKind | None:
    operation = (_text(attributes, names.OPERATION) or "").lower()
    if operation in names.KINDS_OF_OPERATIONS:
        return names.KINDS_OF_OPERATIONS[operation]
    kind = (_text(attributes, names.SPAN_KIND) or "").lower()
    return names.KINDS_OF_SPAN_KINDS.get(kind)


def _implied_kind(attributes: _Attributes) -> SpanKind | None:
    if "gen_ai.tool.name" in attributes or "gen_ai.tool.call.id" in attributes:
        return SpanKind.TOOL
    counts = (*SPAN_ATTRIBUTES.input, *SPAN_ATTRIBUTES.output)
    if any(key in attributes for key in counts):
        has_model = _text(attributes, names.MODEL) is not None
        return SpanKind.MODEL if has_model else SpanKind.CONTAINER
    return None


# --- tokens and cost ---


def _counts(span: Span, attributes: _Attributes) -> dict[str, Any] | None:
    """The keyword arguments of `TokenCounts`; None where nothing is counted."""
    counts: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    notes: list[str] = []
    for figure in FIGURES:
        for key in SPAN_ATTRIBUTES.paths(figure):
            if key not in attributes:
                continue
            raw[key] = attributes[key]
            count = whole_number(attributes[key])
            if count is None:
                notes.append(f"{key} is no whole number")
            elif counts.setdefault(figure, count) != count:
                notes.append(f"{key} contradicts its other name")
    if not raw:
        return counts_of_report(
            attributes.get(USAGE_OBJECT),
            provider=span.provider,
            model=span.model_name or "",
        )
    is_beside = reports_cache_beside(
        TokenCounts(**counts), provider=span.provider, model=span.model_name or ""
    )
    return {
        **counts,
        "raw": raw,
        "service_tier": _text(attributes, names.TIER) or "",
        "notes": tuple(notes),
        "unread": unread_attributes(attributes),
        "cache_is_beside": True if is_beside else None,
    }


def _cost(attributes: _Attributes) -> str | None:
    """The stated cost, or the sum of its stated parts, as a decimal number."""
    for key in names.COST:
        if attributes.get(key) is not None:
            return str(attributes[key])
    for keys in names.COST_PARTS:
        parts = [attributes[key] for key in keys if _is_number(attributes.get(key))]
        if parts:
            return str(sum((Decimal(str(part)) for part in parts), Decimal(0)))
    return None


# --- a model call ---


def _input_parts(attributes: _Attributes) -> list[ContextPart]:
    parts: list[ContextPart] = []
    for part in parts_of(attributes.get(names.SYSTEM)):
        parts.append(ContextPart("system", part.weight))
    for key in names.TOOLS:
        if attributes.get(key):
            parts.append(ContextPart("skill", weight_of(text_of(attributes[key]))))
    for prefix in names.TOOLS_PREFIXES:
        weight = 0
        for key, value in attributes.items():
            if key.startswith(prefix):
                weight += weight_of(text_of(value))
        if weight:
            parts.append(ContextPart("skill", weight))
    return parts + _message_parts(attributes)


def _message_parts(attributes: _Attributes) -> list[ContextPart]:
    """The messages of the first attribute that has any: others repeat them."""
    if attributes.get(names.INPUT_MESSAGES):
        return parts_of(attributes[names.INPUT_MESSAGES])
    for prefix in names.INPUT_PREFIXES:
        messages = unflattened_list(attributes, prefix)
        if messages:
            return parts_of(messages)
    for key in names.INPUT:
        parts = parts_of(attributes.get(key))
        if parts:
            return parts
    return []


def _asks_tool(attributes: _Attributes) -> bool:
    reasons = text_of(
        attributes.get("gen_ai.response.finish_reasons")
        or attributes.get("llm.finish_reason")
    )
    if "tool" in reasons or "function_call" in reasons:
        return True
    for key in attributes:
        if key.startswith(names.OUTPUT_PREFIXES) and ".tool_calls." in key:
            return True
    return any(asks_for_tool(attributes.get(key)) for key in names.OUTPUT)


# --- a tool call ---


def _understand_tool(span: Span, attributes: _Attributes) -> None:
    span.tool_name = _text(attributes, names.TOOL) or ""
    span.tool_type = _text(attributes, names.TOOL_TYPE) or ""
    span.call_id = _text(attributes, names.CALL_ID)
    arguments = _first_value(attributes, names.ARGUMENTS)
    span.arguments_digest = digest_of(arguments)
    if arguments is not None:
        span.arguments_weight = weight_of(text_of(arguments))
    result = _first_value(attributes, names.RESULT)
    if result is not None:
        span.result_weight = weight_of(text_of(result))
        span.result_digest = digest_of([result])
    if span.kind == SpanKind.RETRIEVER:
        _weigh_documents(span, attributes)


def _weigh_documents(span: Span, attributes: _Attributes) -> None:
    weights: list[int] = []
    for key, value in attributes.items():
        if key.startswith(names.RESULT_PREFIXES) and key.endswith("document.content"):
            weights.append(weight_of(text_of(value)))
    if weights:
        span.result_weight = sum(weights)
        span.details["returned_chunks"] = len(weights)
        span.details["raw_result_tokens"] = estimated_tokens(span.result_weight)


# --- attributes ---


def _text(attributes: _Attributes, keys: Iterable[str]) -> str | None:
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def _first_value(attributes: _Attributes, keys: Iterable[str]) -> Any:
    for key in keys:
        if attributes.get(key) is not None:
            return attributes[key]
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
