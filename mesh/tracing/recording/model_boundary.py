"""What the gateway to the model reads from a call: usage, model, provider, sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from judgemesh.mesh.tracing.recording.boundary import BoundaryCall, Fields
from judgemesh.mesh.tracing.recording.encoding import plain

_USAGE: Final = ("usage", "usage_metadata", "usageMetadata", "meta")
_MODELS: Final = ("model", "model_name", "model_version", "modelVersion", "model_id")
_MESSAGES: Final = ("messages", "input", "contents", "prompt")
_SYSTEM: Final = ("system", "instructions", "system_instruction")
_COUNTS_OF_OLLAMA: Final = ("prompt_eval_count", "eval_count")


def attribute(value: object, name: str) -> object:
    """A key of a mapping, or an attribute of an object; None where there is none."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    try:
        held: object = getattr(value, name, None)
    except Exception:  # noqa: BLE001 (a property of a foreign object; recording must not fail the agent)
        return None
    return held


def usage_of(result: object) -> object:
    """The usage object of a response; None where it has none."""
    for name in _USAGE:
        usage = attribute(result, name)
        if usage is not None and not callable(usage):
            return usage
    counts = {name: attribute(result, name) for name in _COUNTS_OF_OLLAMA}
    return counts if any(isinstance(count, int) for count in counts.values()) else None


def model_fields(call: BoundaryCall) -> Fields:
    """Usage, served model, service tier and ids of a client library's response."""
    result = _parsed(call.result)
    fields: dict[str, object] = {}
    usage = usage_of(result)
    if usage is not None:
        fields["usage"] = plain(usage)
    model = model_of(result) or call.kwargs.get("model") or call.kwargs.get("modelId")
    if isinstance(model, str):
        fields["model_name"] = model
    return {**fields, **response_fields(result)}


def response_fields(result: object) -> dict[str, object]:
    """What identifies a response, and the tier it is billed in."""
    fields: dict[str, object] = {}
    for field, name in (
        ("response_id", "id"),
        ("request_id", "_request_id"),
        ("service_tier", "service_tier"),
    ):
        value = attribute(result, name)
        if isinstance(value, str) and value:
            fields[field] = value
    return fields


def model_of(result: object) -> str | None:
    """The model that answered, as the response names it."""
    holders = (result, attribute(result, "response_metadata"))
    for holder in holders:
        for name in _MODELS:
            model = attribute(holder, name)
            if isinstance(model, str) and model:
                return model
    return None


def _parsed(result: object) -> object:
    """The body of a raw response; the client library keeps it, so nothing is read twice."""
    parse = attribute(result, "parse")
    if attribute(result, "http_response") is None or not callable(parse):
        return result
    import inspect

    if inspect.iscoroutinefunction(parse):
        return result
    return parse()


def provider_of(function: object) -> str:
    """Who serves the calls of a bound method of a client library; "" where unknown.

    The library says which protocol is spoken; the address of its client says who answers.
    """
    from judgemesh.mesh.pricing.providers import provider_at

    owner = getattr(function, "__self__", None)
    library = type(owner).__module__.partition(".")[0] if owner is not None else ""
    if library not in {"openai", "anthropic", "mistralai", "cohere", "groq"}:
        return ""
    client = attribute(owner, "_client") or owner
    address = attribute(client, "base_url")
    return provider_at(library, str(address or ""))


def sources_of(
    kwargs: Mapping[str, object], input_tokens: int | None
) -> dict[str, int] | None:
    """The input of a call by its sources (section 18), estimated from its messages."""
    from judgemesh.mesh.tracing.spans.context_sources import (
        ContextPart,
        estimate,
        weigh,
        weight_of,
    )
    from judgemesh.mesh.tracing.spans.messages import parts_of, text_of
    from judgemesh.mesh.tracing.spans.tool_states import state_of_tool

    parts: list[ContextPart] = []
    for key in _SYSTEM:
        for part in parts_of(plain(kwargs.get(key))):
            parts.append(ContextPart("system", part.weight))
    if kwargs.get("tools"):
        tools = text_of(plain(kwargs["tools"]))
        parts.append(ContextPart("skill", weight_of(tools)))
    names: dict[str, str] = {}
    for key in _MESSAGES:
        messages = plain(kwargs.get(key))
        if messages:
            names = _tool_names(messages)
            parts += parts_of(messages)
            break
    weighed: list[tuple[ContextPart, Any]] = []
    for part in parts:
        name = part.tool_name or names.get(part.call_id or "")
        weighed.append((part, None if name is None else state_of_tool(name)))
    breakdown = estimate(weigh(weighed), input_tokens)
    if breakdown is None:
        return None
    return {f"{source}_tokens": tokens for source, tokens in breakdown.items()}


def _tool_names(messages: object) -> dict[str, str]:
    """The tool of each call id that the messages ask for."""
    names: dict[str, str] = {}
    pending: list[object] = [messages]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += cast("list[object]", value)
        elif isinstance(value, Mapping):
            fields = cast("Mapping[str, object]", value)
            name = fields.get("name") or attribute(fields.get("function"), "name")
            for key in ("id", "call_id"):
                call_id = fields.get(key)
                if isinstance(call_id, str) and isinstance(name, str):
                    names[call_id] = name
            pending += fields.values()
    return names
