"""The messages of a run of tau-bench or tau2-bench -> spans. Pure."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.pricing.usage_shapes import TAU, read_counts
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    estimated_tokens,
    weight_of,
)
from judgemesh.mesh.tracing.spans.conversation import Conversation
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.messages import digest_of, parts_of, text_of
from judgemesh.mesh.tracing.spans.span import (
    Span,
    SpanKind,
    counts_body,
    first_time_ns,
)

_TIMES: Final = ("ts", "timestamp")
_ARGUMENTS: Final = ("args", "arguments")
_CALL_IDS: Final = ("tool_call_id", "id")
_UNDERSTOOD: Final = frozenset(
    {"role", "content", "tool_calls", "cost", "usage", *_TIMES, *_CALL_IDS}
)
_AGENT: Final = "agent"
SIMULATOR: Final = "user_simulator"


class MessageSpans:
    """Makes a span of each message, in the order of the run."""

    def __init__(
        self,
        trace_id: str,
        task_id: str | None,
        model: str | None,
        start_ns: int | None,
    ) -> None:
        self._trace_id = trace_id
        self._task_id = task_id
        self._model = model
        self._last_ns = start_ns
        self._spans: list[Span] = []
        self._conversation = Conversation()
        self._calls: dict[str, JsonObject] = {}
        self._unanswered: list[JsonObject] = []

    def bodies(self) -> list[JsonObject]:
        """The spans."""
        return [span.body() for span in self._spans]

    def add(self, message: JsonObject, index: int) -> None:
        """Make the span of one message."""
        role = str(message.get("role"))
        end_ns = first_time_ns(message, _TIMES)
        span = Span(
            trace_id=self._trace_id,
            span_id=f"{index:06}",
            order=index + 1,
            task_id=self._task_id,
            start_ns=end_ns if self._last_ns is None else self._last_ns,
            end_ns=end_ns,
        )
        for key, value in message.items():
            if key not in _UNDERSTOOD:
                span.details[key] = value
        span.details["role"] = role
        if end_ns is not None:
            self._last_ns = end_ns
        if role == "assistant":
            self._fill_answer(span, message)
        elif role == "tool":
            self._fill_tool_call(span, message)
        else:
            self._fill_other(span, message, role)
        self._spans.append(span)

    def _fill_answer(self, span: Span, message: JsonObject) -> None:
        cost, counts = message.get("cost"), _counts(message)
        span.agent_id = _AGENT
        # A greeting that no model wrote has no usage and costs exactly nothing.
        is_scripted = counts is None and cost is not None and not cost
        if is_scripted:
            span.state = "THINK"
        else:
            span.kind = SpanKind.MODEL
            span.counts = counts
            span.sent = self._conversation.sent()
            span.model_name = text_of(message.get("model")) or self._model
            span.cost = None if cost is None else str(cost)
        self._note_calls(span, message)
        self._conversation.add(parts_of([message]))

    def _note_calls(self, span: Span, message: JsonObject) -> None:
        """Remember the tool calls that a message asks for."""
        self._unanswered = []
        for call in objects_of(message.get("tool_calls")):
            flat = {**call, **object_of(call.get("function"))}
            span.asks_tool = True
            self._unanswered.append(flat)
            if isinstance(flat.get("id"), str):
                self._calls[flat["id"]] = flat

    def _fill_tool_call(self, span: Span, message: JsonObject) -> None:
        call_id = _call_id(message)
        call = self._take_call(call_id)
        result_weight = weight_of(text_of(message.get("content")))
        span.kind = SpanKind.TOOL
        span.tool_name = text_of(call.get("name") or message.get("name"))
        span.call_id = call_id or text_of(call.get("id")) or span.span_id
        for key in _ARGUMENTS:
            if call.get(key) is not None:
                span.arguments_digest = digest_of(call[key])
                span.arguments_weight = weight_of(text_of(call[key]))
                break
        span.result_weight = result_weight
        span.result_digest = digest_of([message.get("content")])
        if message.get("error"):
            span.status = "error"
            span.error_type = "tool_error"
        requestor = call.get("requestor") or message.get("requestor")
        if requestor == "user":
            span.agent_id = SIMULATOR
            return
        span.agent_id = _AGENT
        self._conversation.add(
            [ContextPart("tool", result_weight, span.call_id, span.tool_name or None)]
        )

    def _take_call(self, call_id: str | None) -> JsonObject:
        """The call that a result answers: by id, or else the first unanswered one."""
        call = self._calls.get(call_id or "")
        if not call:
            call = self._unanswered[0] if self._unanswered else {}
        self._unanswered = [other for other in self._unanswered if other is not call]
        return call

    def _fill_other(self, span: Span, message: JsonObject, role: str) -> None:
        """The user's messages, and the policy, which older files have as a message."""
        span.agent_id = SIMULATOR if role == "user" else None
        if message.get("usage") is not None:
            span.details["simulator_usage"] = message["usage"]
        if message.get("cost") is not None:
            span.details["simulator_cost"] = message["cost"]
        self._note_calls(span, message)
        tokens = [estimated_tokens(part.weight) for part in parts_of([message])]
        span.details["observed_tokens"] = sum(tokens)
        parts = parts_of([{"role": role, "content": message.get("content")}])
        self._conversation.add(part for part in parts if part.weight)


def _call_id(message: JsonObject) -> str | None:
    for key in _CALL_IDS:
        value = message.get(key)
        if isinstance(value, str):
            return value
    return None


def _counts(message: JsonObject) -> JsonObject | None:
    usage = message.get("usage")
    if not is_object(usage):
        return None
    return counts_body(read_counts(usage, TAU))
