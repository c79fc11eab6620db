"""Span attributes of OpenTelemetry's GenAI conventions, old and new, and of OpenInference -> one `Span`. Pure.

Names that mean the same stand in one row of a table, the present one first. What is understood is left out of the
details, messages too: their text is only weighed. Everything else is kept in the details under its own name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from judgemesh.contracts.tracing import StateType
from judgemesh.mesh.tracing.spans.context_sources import Part, weight_of
from judgemesh.mesh.tracing.spans.counts import whole_number
from judgemesh.mesh.tracing.spans.messages import (
    calls_of,
    digest_of,
    parts_of,
    text_of,
    unflattened,
)
from judgemesh.mesh.tracing.spans.span import Kind, Span

_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "operation": ("gen_ai.operation.name", "llm.request.type"),
    "kind": ("openinference.span.kind", "traceloop.span.kind"),
    "provider": ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"),
    "model": (
        "gen_ai.response.model",
        "gen_ai.request.model",
        "llm.response.model_name",
        "llm.model_name",
        "llm.request.model_name",
        "llm.response.model",
        "llm.request.model",
        "embedding.model_name",
        "reranker.model_name",
    ),
    "agent": ("gen_ai.agent.name", "agent.name", "graph.node.id", "gen_ai.agent.id"),
    "skill": ("gen_ai.skill.name", "skill.name", "gen_ai.workflow.name"),
    "task": ("task_id", "judgemesh.task_id", "task.id", "metadata.task_id"),
    "tool": ("gen_ai.tool.name", "tool.name", "traceloop.entity.name"),
    "tool_type": ("gen_ai.tool.type",),
    "call_id": ("gen_ai.tool.call.id", "tool.call.id", "tool_call.id", "tool.id"),
    "error": ("error.type", "exception.type"),
    "currency": ("gen_ai.usage.cost.currency", "llm.cost.currency"),
}

_COUNTS: Final[Mapping[str, tuple[str, ...]]] = {
    "input": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
    ),
    "output": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
    ),
    "cached": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.input_tokens.cached",
        "gen_ai.usage.cached_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.details.cached_tokens",
        "llm.token_count.prompt_details.cache_read",
        "llm.usage.cache_read_input_tokens",
    ),
    "cache_write": (
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.input_tokens.cache_write",
        "gen_ai.usage.details.cache_write_tokens",
        "llm.token_count.prompt_details.cache_write",
        "llm.usage.cache_creation_input_tokens",
    ),
    "reasoning": (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.output_tokens.reasoning",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
        "llm.usage.reasoning_tokens",
    ),
    "total": (
        "gen_ai.usage.total_tokens",
        "llm.token_count.total",
        "llm.usage.total_tokens",
    ),
}

_COSTS: Final = (
    "gen_ai.usage.cost",
    "gen_ai.usage.total_cost",
    "llm.cost.total",
    "operation.cost",
)
_COST_PARTS: Final = (
    ("gen_ai.usage.input_cost", "gen_ai.usage.output_cost"),
    ("llm.cost.prompt", "llm.cost.completion"),
)
_INPUT: Final = (
    "gen_ai.input.messages",
    "gen_ai.prompt",
    "input.value",
    "traceloop.entity.input",
)
_FLAT_INPUT: Final = ("llm.input_messages.", "gen_ai.prompt.")
_OUTPUT: Final = (
    "gen_ai.output.messages",
    "gen_ai.completion",
    "output.value",
    "traceloop.entity.output",
)
_FLAT_OUTPUT: Final = ("llm.output_messages.", "gen_ai.completion.")
_SYSTEM: Final = ("gen_ai.system_instructions",)
_TOOLS: Final = ("gen_ai.tool.definitions", "gen_ai.request.tools")
_FLAT_TOOLS: Final = ("llm.tools.", "llm.request.functions.")
_ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments",
    "gen_ai.retrieval.query.text",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
)
_RESULT: Final = (
    "gen_ai.tool.call.result",
    "gen_ai.retrieval.documents",
    "output.value",
    "traceloop.entity.output",
)
_FLAT_RESULT: Final = ("retrieval.documents.", "reranker.output_documents.")

_OPERATIONS: Final[Mapping[str, Kind]] = {
    "chat": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "completion": Kind.MODEL,
    "generate_content": Kind.MODEL,
    "embeddings": Kind.EMBEDDING,
    "embedding": Kind.EMBEDDING,
    "rerank": Kind.RETRIEVER,
    "retrieval": Kind.RETRIEVER,
    "execute_tool": Kind.TOOL,
    "invoke_agent": Kind.CONTAINER,
    "create_agent": Kind.CONTAINER,
    "invoke_workflow": Kind.CONTAINER,
}
_KINDS: Final[Mapping[str, Kind]] = {
    "llm": Kind.MODEL,
    "embedding": Kind.EMBEDDING,
    "retriever": Kind.RETRIEVER,
    "reranker": Kind.RETRIEVER,
    "tool": Kind.TOOL,
    "evaluator": Kind.VALIDATOR,
    "guardrail": Kind.VALIDATOR,
    "agent": Kind.CONTAINER,
    "chain": Kind.CONTAINER,
    "prompt": Kind.CONTAINER,
    "workflow": Kind.CONTAINER,
    "task": Kind.CONTAINER,
}
_SIGNS: Final[tuple[tuple[str, StateType], ...]] = (
    ("db.system", StateType.DB_QUERY),
    ("db.system.name", StateType.DB_QUERY),
    ("http.request.method", StateType.API_CALL),
    ("http.method", StateType.API_CALL),
    ("rpc.system", StateType.API_CALL),
)
"""Attributes of spans of other conventions, and the state such a span is."""

_UNDERSTOOD: Final = frozenset(
    {
        *(key for keys in _TEXTS.values() for key in keys),
        *(key for keys in _COUNTS.values() for key in keys),
        *_COSTS,
        *(key for keys in _COST_PARTS for key in keys),
        *(_INPUT + _OUTPUT + _SYSTEM + _TOOLS + _ARGUMENTS + _RESULT),
        "judgemesh.state_type",
    }
) - {
    "gen_ai.operation.name",
    "openinference.span.kind",
    "gen_ai.request.model",
    "exception.type",
}
_UNDERSTOOD_LISTS: Final = _FLAT_INPUT + _FLAT_OUTPUT + _FLAT_TOOLS + _FLAT_RESULT


def understand(span: Span, attributes: Mapping[str, Any]) -> None:
    """Fill in what the attributes say."""
    texts = {name: _text(attributes, keys) for name, keys in _TEXTS.items()}
    span.kind, span.state = _kind(attributes, texts)
    span.provider = texts["provider"] or ""
    span.model_name = texts["model"]
    span.agent_id, span.skill_id, span.task_id = (
        texts["agent"],
        texts["skill"],
        texts["task"],
    )
    span.error_type = texts["error"] or span.error_type
    if span.error_type is not None and span.status == "success":
        span.status = "error"
    _count(span, attributes)
    span.cost, span.currency = _cost(attributes), texts["currency"] or "USD"
    if span.kind in {Kind.MODEL, Kind.EMBEDDING}:
        _weigh_input(span, attributes)
        span.asks_tool = _asks_tool(attributes)
    elif span.kind in {Kind.TOOL, Kind.RETRIEVER} or span.state is not None:
        _tool(span, attributes, texts)
    span.details.update(
        (key, value)
        for key, value in attributes.items()
        if key not in _UNDERSTOOD and not key.startswith(_UNDERSTOOD_LISTS)
    )


def _kind(
    attributes: Mapping[str, Any], texts: Mapping[str, str | None]
) -> tuple[Kind, str | None]:
    stated = attributes.get("judgemesh.state_type")
    state = str(stated) if stated in StateType.__members__ else None
    kind = _OPERATIONS.get((texts["operation"] or "").lower()) or _KINDS.get(
        (texts["kind"] or "").lower()
    )
    if kind is None and any(
        key in attributes for key in ("gen_ai.tool.name", "gen_ai.tool.call.id")
    ):
        kind = Kind.TOOL
    if kind is None and any(
        key in attributes for key in (*_COUNTS["input"], *_COUNTS["output"])
    ):
        kind = Kind.MODEL if texts["model"] else Kind.CONTAINER
    if "mcp.method.name" in attributes and kind in {None, Kind.TOOL}:
        return Kind.TOOL, state or StateType.MCP_CALL.value
    if kind is None:
        sign = next((found.value for key, found in _SIGNS if key in attributes), None)
        return (Kind.CONTAINER if sign is None else Kind.TOOL), state or sign
    return kind, state


def _count(span: Span, attributes: Mapping[str, Any]) -> None:
    counts: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    notes: list[str] = []
    for name, keys in _COUNTS.items():
        for key in keys:
            if key not in attributes:
                continue
            raw[key] = attributes[key]
            value = whole_number(attributes[key])
            if value is None:
                notes.append(f"{key} is no whole number")
            elif name not in counts:
                counts[name] = value
            elif counts[name] != value:
                notes.append(f"{key} contradicts its other name")
    if raw:
        span.counts = {
            **counts,
            "raw": raw,
            "notes": tuple(notes),
            "beside": _beside(span, counts, attributes),
        }


_APART: Final = frozenset({"anthropic", "aws.bedrock", "aws_bedrock", "gcp.vertex_ai"})


def _beside(
    span: Span, counts: Mapping[str, int], attributes: Mapping[str, Any]
) -> bool | None:
    """Anthropic's own figures, passed on as they are, leave the cache out of the input."""
    del attributes
    inside = counts.get("cached", 0) + counts.get("cache_write", 0)
    known = (
        span.provider.lower() in _APART or "claude" in (span.model_name or "").lower()
    )
    return True if known and inside > counts.get("input", 0) else None


def _cost(attributes: Mapping[str, Any]) -> str | None:
    for key in _COSTS:
        if (amount := attributes.get(key)) is not None:
            return str(amount)
    for keys in _COST_PARTS:
        parts = [attributes[key] for key in keys if _is_number(attributes.get(key))]
        if parts:
            from decimal import Decimal

            return str(sum((Decimal(str(part)) for part in parts), Decimal(0)))
    return None


def _weigh_input(span: Span, attributes: Mapping[str, Any]) -> None:
    parts: list[Part] = []
    for key in _SYSTEM:
        if attributes.get(key):
            parts += [Part("system", part.weight) for part in parts_of(attributes[key])]
    for key in _TOOLS:
        if attributes.get(key):
            parts.append(Part("skill", weight_of(text_of(attributes[key]))))
    for prefix in _FLAT_TOOLS:
        weight = sum(
            weight_of(text_of(value))
            for key, value in attributes.items()
            if key.startswith(prefix)
        )
        parts += [Part("skill", weight)] if weight else []
    parts += _messages(attributes, _INPUT, _FLAT_INPUT)
    span.sent = [
        (part.role, part.weight, part.call_id, part.tool_name) for part in parts
    ]


def _messages(
    attributes: Mapping[str, Any], keys: Iterable[str], prefixes: Iterable[str]
) -> list[Part]:
    """Messages stand under one name or another; `input.value` repeats them, so the first that has any is taken."""
    if attributes.get("gen_ai.input.messages"):
        return parts_of(attributes["gen_ai.input.messages"])
    for prefix in prefixes:
        if listed := unflattened(attributes, prefix):
            return parts_of(listed)
    for key in keys:
        if attributes.get(key) and (parts := parts_of(attributes[key])):
            return parts
    return []


def _asks_tool(attributes: Mapping[str, Any]) -> bool:
    reasons = text_of(
        attributes.get("gen_ai.response.finish_reasons")
        or attributes.get("llm.finish_reason")
    )
    if "tool" in reasons or "function_call" in reasons:
        return True
    if any(".tool_calls." in key for key in attributes if key.startswith(_FLAT_OUTPUT)):
        return True
    return any(calls_of(attributes[key]) for key in _OUTPUT if attributes.get(key))


def _tool(
    span: Span, attributes: Mapping[str, Any], texts: Mapping[str, str | None]
) -> None:
    span.tool_name = texts["tool"] or ""
    span.tool_type = texts["tool_type"] or ""
    span.call_id = texts["call_id"]
    arguments = next(
        (attributes[key] for key in _ARGUMENTS if attributes.get(key) is not None), None
    )
    result = next(
        (attributes[key] for key in _RESULT if attributes.get(key) is not None), None
    )
    span.arguments_digest = digest_of(arguments)
    span.arguments_weight = None if arguments is None else weight_of(text_of(arguments))
    span.result_weight = None if result is None else weight_of(text_of(result))
    if span.kind == Kind.RETRIEVER:
        documents = [
            key
            for key in attributes
            if key.startswith(_FLAT_RESULT) and key.endswith("document.content")
        ]
        if documents:
            span.result_weight = sum(
                weight_of(text_of(attributes[key])) for key in documents
            )
            span.details["returned_chunks"] = len(documents)
            span.details["raw_result_tokens"] = -(-span.result_weight // 4)


def _text(attributes: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    return next(
        (
            value
            for key in keys
            if isinstance(value := attributes.get(key), str) and value
        ),
        None,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
