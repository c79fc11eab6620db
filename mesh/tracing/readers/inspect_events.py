"""The events of an Inspect sample -> spans. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from judgemesh.mesh.tracing.readers.protocol import JsonObject
from judgemesh.mesh.tracing.spans.context_sources import Part, weight_of
from judgemesh.mesh.tracing.spans.conversation import Conversation
from judgemesh.mesh.tracing.spans.counts import whole_number
from judgemesh.mesh.tracing.spans.messages import (
    calls_of,
    digest_of,
    parts_of,
    text_of,
)
from judgemesh.mesh.tracing.spans.span import Kind, Span, nanoseconds

_SCORERS: Final = frozenset({"scorer", "scorers"})
_ATTACHMENT: Final = "attachment://"
_UNDERSTOOD: Final = frozenset(
    {
        *(
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
        ),
        *(
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
        ),
    }
)


class SampleSpans:
    """The operations of one sample. `problems`: what could not be read, one line each."""

    def __init__(self, trace_id: str, sample: JsonObject, *, model: str | None) -> None:
        self._trace_id, self._model = trace_id, model
        self._attachments = _part(sample, "attachments")
        self._pool = _list(_part(sample, "events_data").get("messages"))
        self._scopes: dict[str, tuple[str, str | None]] = {}
        self.problems: list[str] = []
        self.bodies: list[JsonObject] = []
        events = _list(sample.get("events"))
        for index, event in enumerate(events):
            if isinstance(event, dict):
                self._event(cast("JsonObject", event))
            else:
                self.problems.append(f"events[{index}]: an event is an object")
        if not any(body["kind"] == Kind.MODEL for body in self.bodies):
            self._from_messages(sample)

    def _span(self, **fields: Any) -> Span:
        order = len(self.bodies) + 1
        return Span(
            trace_id=self._trace_id, span_id=f"{order:06}", order=order, **fields
        )

    def _event(self, event: JsonObject) -> None:
        kind = event.get("event")
        if kind == "span_begin":
            self._scopes[text_of(event.get("id"))] = (
                text_of(event.get("type")),
                text_of(event.get("parent_id")) or None,
            )
        elif kind == "model":
            self._model_event(event)
        elif kind == "tool":
            self._tool_event(event)
        elif kind == "subtask" or (kind == "sandbox" and event.get("action") == "exec"):
            span = self._timed(
                event,
                kind=Kind.CONTAINER,
                name=text_of(event.get("name") or event.get("cmd"))[:200],
            )
            span.state = "SCRIPT_EXEC" if kind == "sandbox" else None
            self.bodies.append(span.body())
        # A tool event may hold the events of what it did: newer logs have them beside it, older ones inside.
        for inner in _list(event.get("events")) if kind in {"tool", "subtask"} else []:
            if isinstance(inner, dict):
                self._event(cast("JsonObject", inner))

    def _timed(self, event: JsonObject, **fields: Any) -> Span:
        span = self._span(**fields)
        span.start_ns = nanoseconds(event.get("timestamp"))
        span.end_ns = nanoseconds(event.get("completed")) or span.start_ns
        span.details = {
            key: item
            for key, item in event.items()
            if key not in _UNDERSTOOD and item is not None
        }
        return span

    def _model_event(self, event: JsonObject) -> None:
        output = _part(event, "output")
        span = self._timed(
            event,
            kind=Kind.MODEL,
            model_name=text_of(event.get("model")) or self._model,
        )
        span.provider = (
            span.model_name.partition("/")[0]
            if span.model_name and "/" in span.model_name
            else ""
        )
        parts = [self._resolved(message) for message in self._input(event)]
        sent = parts_of(parts)
        if event.get("tools"):
            sent.append(Part("skill", weight_of(text_of(event["tools"]))))
        span.sent = [
            (part.role, part.weight, part.call_id, part.tool_name) for part in sent
        ]
        choices = [
            _part(cast("JsonObject", one), "message")
            for one in _list(output.get("choices"))
            if isinstance(one, dict)
        ]
        span.asks_tool = calls_of(choices)
        usage = _part(output, "usage")
        span.counts = _counts(usage)
        if usage.get("total_cost") is not None:
            span.cost = str(usage["total_cost"])
        if event.get("error") or output.get("error"):
            span.status, span.error_type = (
                "error",
                text_of(event.get("error") or output.get("error"))[:200],
            )
        if event.get("cache") == "read":
            # An answer out of Inspect's own cache was not paid for again.
            span.details["usage_of_cached_answer"] = usage
            span.kind, span.counts, span.cost, span.state = (
                Kind.CONTAINER,
                None,
                None,
                "THINK",
            )
        if self._of_scorer(event):
            span.details["scorer_usage"] = usage
            span.kind, span.counts, span.cost, span.state, span.agent_id = (
                Kind.VALIDATOR,
                None,
                None,
                "VALIDATE",
                "scorer",
            )
        self.bodies.append(span.body())

    def _input(self, event: JsonObject) -> list[Any]:
        """The messages sent; logs that keep each message once refer to ranges of a pool."""
        refs = event.get("input_refs")
        if not isinstance(refs, list):
            return _list(event.get("input"))
        found: list[Any] = []
        for ref in cast("list[Any]", refs):
            ends = [whole_number(end) for end in _list(ref)]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                found += self._pool[ends[0] : ends[1]]
        return found

    def _resolved(self, message: object) -> object:
        """Long texts are kept once per sample and referred to."""
        if isinstance(message, str) and message.startswith(_ATTACHMENT):
            return self._attachments.get(message.removeprefix(_ATTACHMENT), message)
        if isinstance(message, dict):
            return {
                key: self._resolved(item)
                for key, item in cast("JsonObject", message).items()
            }
        if isinstance(message, list):
            return [self._resolved(item) for item in cast("list[Any]", message)]
        return message

    def _tool_event(self, event: JsonObject) -> None:
        span = self._timed(
            event, kind=Kind.TOOL, tool_name=text_of(event.get("function"))
        )
        span.call_id = text_of(event.get("id")) or None
        span.arguments_digest = digest_of(event.get("arguments"))
        span.arguments_weight = weight_of(text_of(event.get("arguments")))
        span.result_weight = weight_of(text_of(self._resolved(event.get("result"))))
        error = event.get("error")
        if error or event.get("failed"):
            kind = _part(event, "error").get("type")
            span.status, span.error_type = (
                "timeout" if kind == "timeout" else "error",
                text_of(kind) or "tool_error",
            )
        if self._of_scorer(event):
            span.agent_id = "scorer"
        self.bodies.append(span.body())

    def _of_scorer(self, event: JsonObject) -> bool:
        here = text_of(event.get("span_id")) or None
        seen: set[str] = set()
        while here is not None and here not in seen:
            seen.add(here)
            kind, here = self._scopes.get(here, ("", None))
            if kind in _SCORERS:
                return True
        return False

    def _from_messages(self, sample: JsonObject) -> None:
        """A log without events of the models: its messages are the steps, and the last answer has all the usage."""
        talk = Conversation()
        last: dict[str, Any] | None = None
        for message in _list(sample.get("messages")):
            if not isinstance(message, dict):
                continue
            given = cast("JsonObject", message)
            role = given.get("role")
            span = self._span(kind=Kind.CONTAINER, details={"role": role})
            parts = parts_of([self._resolved(given)])
            if role == "assistant":
                span.kind, span.sent, span.asks_tool = (
                    Kind.MODEL,
                    talk.sent(),
                    bool(given.get("tool_calls")),
                )
                span.model_name = text_of(given.get("model")) or self._model
            elif role == "tool":
                span.kind, span.tool_name = Kind.TOOL, text_of(given.get("function"))
                span.call_id = text_of(given.get("tool_call_id")) or None
                span.result_weight = sum(part.weight for part in parts)
            talk.add(parts)
            body = span.body()
            self.bodies.append(body)
            last = body if role == "assistant" else last
        self._whole_usage(sample, last)

    def _whole_usage(self, sample: JsonObject, last: dict[str, Any] | None) -> None:
        for name, usage in _part(sample, "model_usage").items():
            if not isinstance(usage, dict):
                continue
            body = last
            if body is None or body.get("counts") is not None:
                body = self._span(kind=Kind.MODEL).body()
                self.bodies.append(body)
            raw = cast("JsonObject", usage)
            body["counts"], body["model_name"] = _counts(raw), name
            body["cost"] = (
                None if raw.get("total_cost") is None else str(raw["total_cost"])
            )
            body["details"] = {
                **body.get("details", {}),
                "usage_of": "the whole sample",
            }


def _counts(usage: Mapping[str, Any]) -> JsonObject | None:
    if not usage:
        return None
    given, total = (
        whole_number(usage.get("input_tokens")),
        whole_number(usage.get("total_tokens")),
    )
    cached, write = (
        whole_number(usage.get("input_tokens_cache_read")),
        whole_number(usage.get("input_tokens_cache_write")),
    )
    inside = (cached or 0) + (write or 0)
    return {
        "input": given,
        "output": whole_number(usage.get("output_tokens")),
        "cached": cached,
        "cache_write": write,
        "reasoning": whole_number(usage.get("reasoning_tokens")),
        "total": total,
        # Inspect passes on what each provider counts; more cached than sent means that the cache stands beside.
        "beside": True if inside > (given or 0) else None,
        "raw": dict(usage),
    }


def _part(given: Mapping[str, Any], key: str) -> JsonObject:
    part = given.get(key)
    return cast("JsonObject", part) if isinstance(part, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
