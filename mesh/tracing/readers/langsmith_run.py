"""One LangSmith run -> a `Span`. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from judgemesh.contracts.money import exact_amount
from judgemesh.mesh.pricing.usage_shapes import LANGSMITH, read_counts
from judgemesh.mesh.tracing.spans.context_sources import weight_of
from judgemesh.mesh.tracing.spans.exchanged import answered_messages, sent_messages
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.messages import (
    asks_for_tool,
    digest_of,
    parts_of,
    text_of,
    weight_of_messages,
)
from judgemesh.mesh.tracing.spans.span import (
    Span,
    SpanKind,
    counts_body,
    nanoseconds,
    sent_parts,
)

_KINDS: Final[Mapping[str, SpanKind]] = {
    "llm": SpanKind.MODEL,
    "chat_model": SpanKind.MODEL,
    "embedding": SpanKind.EMBEDDING,
    "tool": SpanKind.TOOL,
    "retriever": SpanKind.RETRIEVER,
}
_USAGE_KEYS: Final = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "prompt_token_details",
    "completion_token_details",
)
_UNDERSTOOD: Final = frozenset(
    [
        "id",
        "trace_id",
        "parent_run_id",
        "name",
        "run_type",
        "start_time",
        "end_time",
        "status",
        "error",
        "inputs",
        "outputs",
        "total_cost",
        "prompt_cost",
        "completion_cost",
        "serialized",
        "manifest",
        "inputs_preview",
        "outputs_preview",
        "messages",
        "child_runs",
    ]
).union(_USAGE_KEYS)
_MAX_ERROR_CHARS: Final = 200
_CONVERSATION: Final = ("session_id", "thread_id", "conversation_id")


def run_span(
    run: JsonObject, run_id: str, trace_id: str, parent_id: str | None
) -> Span:
    """The span of a run. `parent_id`: of the run it is inside of, where it is."""
    metadata = object_of(object_of(run.get("extra")).get("metadata"))
    kind = _KINDS.get(str(run.get("run_type")), SpanKind.CONTAINER)
    task_id = metadata.get("task_id") or run.get("reference_example_id")
    agent_id = metadata.get("lc_agent_name") or metadata.get("agent_name")
    span = Span(
        trace_id=trace_id,
        span_id=run_id,
        parent_id=text_of(run.get("parent_run_id")) or parent_id,
        kind=kind,
        name=text_of(run.get("name")),
        start_ns=nanoseconds(run.get("start_time")),
        end_ns=nanoseconds(run.get("end_time")),
        task_id=text_of(task_id) or None,
        agent_id=text_of(agent_id) or None,
        provider=text_of(metadata.get("ls_provider")),
        model_name=_model_name(run, metadata),
        counts=_counts(run, kind),
        cost=_cost(run),
    )
    for key, value in run.items():
        if key not in _UNDERSTOOD and value is not None:
            span.details[key] = value
    if run.get("error") or run.get("status") == "error":
        first_line = text_of(run.get("error")).strip().split("\n")[0]
        span.status = "error"
        span.error_type = first_line[:_MAX_ERROR_CHARS] or "error"
    span.conversation_id = _conversation_id(metadata)
    in_graph = any(key.startswith("langgraph_") for key in metadata)
    span.is_plumbing = kind is SpanKind.CONTAINER and in_graph
    # The part of a run that is sent when it ends may lack the type of the run.
    if kind is SpanKind.MODEL or "run_type" not in run:
        _fill_model_call(span, run)
    if kind in {SpanKind.TOOL, SpanKind.RETRIEVER} or "run_type" not in run:
        _fill_tool_call(span, run)
    if kind is SpanKind.CONTAINER:
        span.content = {
            **span.content,
            "asked": run.get("inputs"),
            "answer": run.get("outputs"),
        }
    span.content = {key: held for key, held in span.content.items() if held}
    return span


def _conversation_id(metadata: JsonObject) -> str | None:
    for key in _CONVERSATION:
        if metadata.get(key):
            return text_of(metadata[key])
    return None


def _model_name(run: JsonObject, metadata: JsonObject) -> str | None:
    invocation = _invocation(run)
    name = (
        _answering_model(run.get("outputs"))
        or metadata.get("ls_model_name")
        or invocation.get("model")
        or invocation.get("model_name")
    )
    return text_of(name) or None


def _answering_model(outputs: object) -> object:
    """The model that the response names: with its date, where the provider gives one."""
    if not is_object(outputs):
        return None
    if isinstance(outputs.get("model"), str):
        return outputs["model"]
    stated = object_of(outputs.get("llm_output")).get("model_name")
    if isinstance(stated, str) and stated:
        return stated
    for message in objects_of(answered_messages(outputs)):
        inner = object_of(message.get("kwargs")) or message
        response = object_of(inner.get("response_metadata"))
        name = response.get("model_name") or response.get("model")
        if name:
            return name
    return None


def _invocation(run: JsonObject) -> JsonObject:
    return object_of(object_of(run.get("extra")).get("invocation_params"))


# --- model calls ---


def _fill_model_call(span: Span, run: JsonObject) -> None:
    messages = sent_messages(run.get("inputs"))
    answers = answered_messages(run.get("outputs"))
    span.sent = sent_parts(parts_of(messages))
    tools = _invocation(run).get("tools")
    if tools:
        span.sent.append(("skill", weight_of(text_of(tools)), None, None))
    span.asks_tool = asks_for_tool(answers)
    reply = object_of(run.get("outputs"))
    span.response_id = text_of(reply.get("id")) or _reply_id(answers)
    span.content = {
        "sent": messages,
        "answered": answers,
        "asks_tool": span.asks_tool or None,
    }


def _reply_id(answers: list[Any]) -> str | None:
    """The id of the provider's response in LangChain's message."""
    for message in objects_of(answers):
        inner = object_of(message.get("kwargs")) or message
        found = object_of(inner.get("response_metadata")).get("id")
        if isinstance(found, str) and found:
            return found
    return None


def _counts(run: JsonObject, kind: SpanKind) -> JsonObject | None:
    """The counts of the run itself, or of the answer in its outputs."""
    is_call = kind is SpanKind.MODEL or "run_type" not in run
    usage = _usage_in_outputs(run.get("outputs")) if is_call else {}
    own = {key: run[key] for key in _USAGE_KEYS if run.get(key) is not None}
    counts = read_counts({**usage, **own}, LANGSMITH)
    if not (counts.input or counts.output or counts.total):
        return None
    return {**counts_body(counts), "raw": own or usage}


def _usage_in_outputs(outputs: object) -> JsonObject:
    """The usage of a model call: versions of the library have it in different keys."""
    fields = object_of(outputs)
    output = object_of(fields.get("llm_output"))
    candidates = [
        fields.get("usage_metadata"),
        output.get("token_usage"),
        output.get("usage"),
        fields.get("usage"),
    ]
    for message in objects_of(answered_messages(outputs)):
        inner = object_of(message.get("kwargs")) or message
        candidates.append(inner.get("usage_metadata"))
        response = object_of(inner.get("response_metadata"))
        candidates.append(response.get("token_usage"))
    for candidate in candidates:
        if is_object(candidate):
            return candidate
    return {}


def _cost(run: JsonObject) -> str | None:
    """The stated cost, or the sum of its stated parts, as a decimal number."""
    if run.get("total_cost") is not None:
        return str(run["total_cost"])
    total: Decimal | None = None
    for key in ("prompt_cost", "completion_cost"):
        if run.get(key) is not None:
            part = exact_amount(run[key])
            if part is None:
                return None
            total = part if total is None else total + part
    return None if total is None else str(total)


# --- tool calls ---


def _fill_tool_call(span: Span, run: JsonObject) -> None:
    inputs, outputs = run.get("inputs"), run.get("outputs")
    result = object_of(outputs).get("output", outputs)
    message = object_of(result)
    inner = object_of(message.get("kwargs"))
    call_id = message.get("tool_call_id") or inner.get("tool_call_id")
    span.tool_name = span.name
    span.call_id = text_of(call_id) or None
    told = result if run.get("error") is None or result else None
    span.content = {
        **span.content,
        "arguments": inputs if inputs is not None else {},
        "is_tool": "run_type" in run or None,
        "result": told,
        "error": span.error_type,
    }
    span.arguments_digest = digest_of(inputs)
    span.arguments_weight = weight_of(text_of(inputs))
    if result is not None:
        weight = weight_of_messages([result])
        span.result_weight = weight or weight_of(text_of(outputs))
        content = inner.get("content", message.get("content"))
        span.result_digest = digest_of([result if content is None else content])
