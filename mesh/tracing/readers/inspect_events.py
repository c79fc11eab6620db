"""The events of an Inspect sample -> spans. Pure."""

from __future__ import annotations

import re
from typing import Any, Final

from judgemesh.mesh.pricing.usage import cache_exceeds_input
from judgemesh.mesh.pricing.usage_shapes import INSPECT, read_counts, whole_number
from judgemesh.mesh.tracing.spans.context_sources import ContextPart, weight_of
from judgemesh.mesh.tracing.spans.conversation import Conversation
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
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
from judgemesh.mesh.tracing.spans.set_aside import Aside
from judgemesh.mesh.tracing.spans.span import (
    Span,
    SpanKind,
    counts_body,
    nanoseconds,
    sent_parts,
)

_SCORER_SCOPES: Final = frozenset({"scorer", "scorers"})
_SCORER: Final = "scorer"
_ATTACHMENT: Final = "attachment://"
_MAX_NAME_CHARS: Final = 200
_UNPARSED_FROM: Final = re.compile("tool call arguments:", re.IGNORECASE)
_UNPARSED_TO: Final = re.compile("Error details:", re.IGNORECASE)
"""The arguments inside the text of a `parse_error` stand between these."""
_UNDERSTOOD: Final = frozenset(
    [
        "event",
        "timestamp",
        "completed",
        "span_id",
        "uuid",
        "input",
        "input_refs",
        "output",
        "call",
        "tools",
        "model",
        "function",
        "arguments",
        "result",
        "id",
        "error",
        "view",
        "events",
        "message_id",
        "role",
    ]
)


class SampleSpans:
    """The operations of one sample, in `bodies`.

    problems: what could not be read, one line each.
    """

    def __init__(
        self,
        trace_id: str,
        sample: JsonObject,
        *,
        model: str | None,
        keeps_content: bool = False,
    ) -> None:
        self._keeps_content = keeps_content
        self.problems: list[str] = []
        self.bodies: list[JsonObject] = []
        self._trace_id = trace_id
        self._model = model
        self._attachments = object_of(sample.get("attachments"))
        self._pool = list_of(object_of(sample.get("events_data")).get("messages"))
        self._scopes: dict[str, tuple[str, str | None]] = {}
        for index, event in enumerate(list_of(sample.get("events"))):
            if is_object(event):
                self._add_event(event)
            else:
                self.problems.append(f"events[{index}]: an event is an object")
        if not any(body["kind"] == SpanKind.MODEL for body in self.bodies):
            self._add_messages(sample)
        messages = list_of(sample.get("messages"))
        if keeps_content and self.bodies and messages:
            stated = [as_said(self._resolved(message)) for message in messages]
            content = self.bodies[0].get("content", {})
            whole = {"messages": stated, "is_whole": True}
            self.bodies[0]["content"] = {**content, **whole}

    def _add_body(self, span: Span) -> JsonObject:
        body = span.body(content=self._keeps_content)
        self.bodies.append(body)
        return body

    def _new_span(self, kind: SpanKind) -> Span:
        order = len(self.bodies) + 1
        return Span(
            trace_id=self._trace_id, span_id=f"{order:06}", order=order, kind=kind
        )

    def _event_span(self, event: JsonObject, kind: SpanKind) -> Span:
        span = self._new_span(kind)
        span.start_ns = nanoseconds(event.get("timestamp"))
        span.end_ns = nanoseconds(event.get("completed")) or span.start_ns
        for key, value in event.items():
            if key not in _UNDERSTOOD and value is not None:
                span.details[key] = value
        return span

    # --- events ---

    def _add_event(self, event: JsonObject) -> None:
        kind = text_of(event.get("event"))
        if kind == "span_begin":
            parent = text_of(event.get("parent_id")) or None
            scope = (text_of(event.get("type")), parent)
            self._scopes[text_of(event.get("id"))] = scope
        elif kind == "model":
            self._add_model_call(event)
        elif kind == "tool":
            self._add_tool_call(event)
        elif kind == "subtask":
            self._add_container(event)
        elif kind == "sandbox" and event.get("action") == "exec":
            self._add_container(event, state="SCRIPT_EXEC")
        if kind in {"tool", "subtask"}:
            # Older logs have the events of a tool or subtask inside it, newer beside.
            for inner in objects_of(event.get("events")):
                self._add_event(inner)

    def _add_container(self, event: JsonObject, state: str | None = None) -> None:
        span = self._event_span(event, SpanKind.CONTAINER)
        name = text_of(event.get("name") or event.get("cmd"))
        span.name = name[:_MAX_NAME_CHARS]
        span.state = state
        self._add_body(span)

    def _add_model_call(self, event: JsonObject) -> None:
        output = object_of(event.get("output"))
        usage = object_of(output.get("usage"))
        span = self._event_span(event, SpanKind.MODEL)
        span.model_name = text_of(event.get("model")) or self._model
        provider, slash, _ = (span.model_name or "").partition("/")
        span.provider = provider if slash else ""
        messages = [self._resolved(message) for message in self._input(event)]
        parts = parts_of(messages)
        if event.get("tools"):
            parts.append(ContextPart("skill", weight_of(text_of(event["tools"]))))
        span.sent = sent_parts(parts)
        choices = objects_of(output.get("choices"))
        span.asks_tool = asks_for_tool(
            [object_of(choice.get("message")) for choice in choices]
        )
        answers = [self._resolved(choice.get("message")) for choice in choices]
        span.content = {
            "sent": [as_said(message) for message in messages],
            "answered": [as_said(answer) for answer in answers],
            "asks_tool": span.asks_tool,
        }
        span.counts = _counts(usage)
        if usage.get("total_cost") is not None:
            span.cost = str(usage["total_cost"])
        error = event.get("error") or output.get("error")
        if error:
            span.status = "error"
            span.error_type = text_of(error)[:_MAX_NAME_CHARS]
        if event.get("cache") == "read":
            # An answer from Inspect's own cache was not paid for again.
            span.details["usage_of_cached_answer"] = usage
            _make_free(span, SpanKind.CONTAINER, "THINK", Aside.CACHED)
        if self._is_of_scorer(event):
            span.details["scorer_usage"] = usage
            _make_free(span, SpanKind.VALIDATOR, "VALIDATE", Aside.NOT_THE_AGENT)
            span.agent_id = _SCORER
            span.content = {}
        self._add_body(span)

    def _input(self, event: JsonObject) -> list[Any]:
        """The messages sent.

        Logs that hold each message once refer to ranges of a pool.
        """
        if not isinstance(event.get("input_refs"), list):
            return list_of(event.get("input"))
        messages: list[Any] = []
        for reference in list_of(event["input_refs"]):
            bounds = [whole_number(bound) for bound in list_of(reference)]
            if len(bounds) == 2 and None not in bounds:
                messages += self._pool[bounds[0] : bounds[1]]
        return messages

    def _resolved(self, value: object) -> object:
        """A message with its long texts, which a sample holds once, in their places."""
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            return self._attachments.get(value.removeprefix(_ATTACHMENT), value)
        if is_object(value):
            return {key: self._resolved(inner) for key, inner in value.items()}
        if is_list(value):
            return [self._resolved(inner) for inner in value]
        return value

    def _add_tool_call(self, event: JsonObject) -> None:
        span = self._event_span(event, SpanKind.TOOL)
        span.tool_name = text_of(event.get("function"))
        span.call_id = text_of(event.get("id")) or None
        span.arguments_digest = digest_of(event.get("arguments"))
        span.arguments_weight = weight_of(text_of(event.get("arguments")))
        result = self._resolved(event.get("result"))
        span.result_weight = weight_of(text_of(result))
        span.result_digest = digest_of([result])
        span.content = {
            "is_tool": True,
            "arguments": event.get("arguments"),
            "result": self._resolved(event.get("result")),
        }
        if event.get("error") or event.get("failed"):
            error = object_of(event.get("error"))
            error_type = error.get("type")
            span.status = "timeout" if error_type == "timeout" else "error"
            span.error_type = text_of(error_type) or "tool_error"
            span.content["error"] = text_of(error.get("message"))
        if self._is_of_scorer(event):
            span.agent_id = _SCORER
            span.content = {}
        self._add_body(span)

    def _is_of_scorer(self, event: JsonObject) -> bool:
        """Whether the event is in the scope of a scorer, at any depth."""
        scope_id = text_of(event.get("span_id")) or None
        seen: set[str] = set()
        while scope_id is not None and scope_id not in seen:
            seen.add(scope_id)
            kind, scope_id = self._scopes.get(scope_id, ("", None))
            if kind in _SCORER_SCOPES:
                return True
        return False

    # --- logs without events of models ---

    def _add_messages(self, sample: JsonObject) -> None:
        """Make the messages the steps; the last answer has the usage of the sample."""
        conversation = Conversation()
        last_answer: JsonObject | None = None
        for message in objects_of(sample.get("messages")):
            role = message.get("role")
            span = self._new_span(SpanKind.CONTAINER)
            span.details["role"] = role
            resolved = [self._resolved(message)]
            if role == "assistant":
                span.kind = SpanKind.MODEL
                span.sent = conversation.sent()
                span.asks_tool = bool(message.get("tool_calls"))
                span.model_name = text_of(message.get("model")) or self._model
            elif role == "tool":
                span.kind = SpanKind.TOOL
                span.tool_name = text_of(message.get("function"))
                span.call_id = text_of(message.get("tool_call_id")) or None
                span.result_weight = weight_of_messages(resolved)
            conversation.add(parts_of(resolved))
            body = self._add_body(span)
            if role == "assistant":
                last_answer = body
        self._add_sample_usage(sample, last_answer)

    def _add_sample_usage(
        self, sample: JsonObject, last_answer: JsonObject | None
    ) -> None:
        for model, usage in object_of(sample.get("model_usage")).items():
            if not is_object(usage):
                continue
            body = last_answer
            if body is None or body.get("counts") is not None:
                body = self._new_span(SpanKind.MODEL).body()
                self.bodies.append(body)
            cost = usage.get("total_cost")
            body["counts"] = _counts(usage)
            body["model_name"] = model
            body["cost"] = None if cost is None else str(cost)
            details = body.get("details", {})
            body["details"] = {**details, "usage_of": "the whole sample"}


def _make_free(span: Span, kind: SpanKind, state: str, reason: str) -> None:
    """Make a model call an operation that the agent does not pay for."""
    span.kind = kind
    span.state = state
    span.unpaid = span.counts
    span.unpaid_reason = reason if span.counts is not None else ""
    span.counts = None
    span.cost = None


def as_said(message: object) -> Any:
    """A message whose calls have the arguments that the model wrote.

    Inspect writes `{}` for arguments that it could not parse, and the text in the error.
    """
    if not is_object(message) or not message.get("tool_calls"):
        return message
    calls: list[Any] = []
    for call in objects_of(message["tool_calls"]):
        error = call.get("parse_error")
        if isinstance(error, str) and error and not call.get("arguments"):
            calls.append({**call, "arguments": _unparsed(error)})
        else:
            calls.append(call)
    return {**message, "tool_calls": calls}


def _unparsed(error: str) -> str:
    """The arguments that a `parse_error` quotes; the whole message where it quotes none."""
    start = _UNPARSED_FROM.search(error)
    end = _UNPARSED_TO.search(error, start.end()) if start else None
    return error[start.end() : end.start()].strip() if start and end else error


def _counts(usage: JsonObject) -> JsonObject | None:
    if not usage:
        return None
    counts = read_counts(usage, INSPECT)
    # Inspect passes on what each provider counts. More cached than sent means that the
    # cache is not part of the input.
    is_beside = True if cache_exceeds_input(counts) else None
    return {**counts_body(counts), "raw": dict(usage), "cache_is_beside": is_beside}
