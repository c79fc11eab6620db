"""Session logs of coding agents, for the bill: Claude Code and Codex, one line an event.

Claude Code writes a line for each block of a message and repeats the usage of the message
in each: it counts once for each message id. Codex states cumulative totals beside the
usage of the last call: a total that was stated before is not another call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import WHOLE_VALUE, StreamFault, walk
from judgemesh.mesh.tracing.readers.protocol import (
    SPANS,
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.context_sources import weight_of
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.messages import digest_of, text_of
from judgemesh.mesh.tracing.spans.span import Span, SpanKind, nanoseconds
from judgemesh.mesh.tracing.spans.usage_reports import counts_of_report

_CLAUDE_TYPES: Final = frozenset(
    {"assistant", "user", "system", "result", "file-history-snapshot", "summary"}
)
_CODEX_TYPES: Final = frozenset({"session_meta", "response_item", "event_msg"})
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_SYNTHETIC: Final = "<synthetic>"


class _Session:
    """What the lines so far have said, and the spans of the next one."""

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.model: str | None = None
        self.total: JsonObject = {}
        self.asked_ns: int | None = None
        self.faults: list[str] = []
        self._lines = 0

    def spans(self, line: JsonObject) -> Iterator[Span]:
        """The spans, or parts of spans, of a line."""
        raise NotImplementedError

    def span(self, span_id: str, kind: SpanKind, line: JsonObject) -> Span:
        """A span at the time of a line, or at its place where lines have no times."""
        time_ns = nanoseconds(line.get("timestamp"))
        self._lines += 1
        return Span(
            trace_id=self.trace_id,
            span_id=span_id,
            kind=kind,
            order=0 if time_ns else self._lines,
            start_ns=time_ns if kind is SpanKind.MODEL else None,
            end_ns=time_ns,
        )

    def tool(self, call_id: str, line: JsonObject, name: str, given: object) -> Span:
        """The call of a tool."""
        span = self.span(call_id, SpanKind.TOOL, line)
        span.start_ns = span.end_ns
        span.tool_name = span.name = name
        span.call_id = call_id
        span.arguments_digest = digest_of(given)
        span.arguments_weight = weight_of(text_of(given))
        _, _, rest = name.partition("mcp__")
        if rest:
            span.details["mcp_server"] = rest.partition("__")[0]
        return span

    def outcome(self, call_id: str, line: JsonObject, result: object) -> Span:
        """The result of a tool: the second part of its span."""
        span = self.span(call_id, SpanKind.TOOL, line)
        span.call_id = call_id
        span.result_weight = weight_of(text_of(result))
        return span


class _Claude(_Session):
    def spans(self, line: JsonObject) -> Iterator[Span]:
        message = object_of(line.get("message"))
        usage = message.get("usage")
        message_id = text_of(message.get("id"))
        if line.get("type") == "assistant" and is_object(usage) and message_id:
            yield from self._model(message, message_id, usage, line)
        line_id = text_of(line.get("uuid")) or message_id
        for number, block in enumerate(objects_of(message.get("content"))):
            stated = text_of(block.get("id") or block.get("tool_use_id"))
            call_id = stated or f"{line_id} {number}"
            if block.get("type") == "tool_use":
                name = text_of(block.get("name"))
                yield self.tool(call_id, line, name, block.get("input"))
            elif block.get("type") == "tool_result":
                span = self.outcome(call_id, line, block.get("content"))
                if block.get("is_error"):
                    span.status, span.error_type = "error", "tool_error"
                yield span

    def _model(
        self, message: JsonObject, message_id: str, usage: JsonObject, line: JsonObject
    ) -> Iterator[Span]:
        model = text_of(message.get("model"))
        if model == _SYNTHETIC:
            return  # a line that the program wrote itself
        span = self.span(message_id, SpanKind.MODEL, line)
        span.response_id = message_id
        span.model_name = model or None
        span.provider = "anthropic"
        span.counts = counts_of_report(usage, provider="anthropic", model=model)
        blocks = objects_of(message.get("content"))
        span.asks_tool = any(block.get("type") == "tool_use" for block in blocks)
        for name, key in (("request_id", "requestId"), ("is_sidechain", "isSidechain")):
            if line.get(key):
                span.details[name] = line[key]
        yield span


class _Codex(_Session):
    def spans(self, line: JsonObject) -> Iterator[Span]:
        payload = object_of(line.get("payload"))
        kind = text_of(payload.get("type"))
        if kind == "user_message" or kind in _RESULTS:
            self.asked_ns = nanoseconds(line.get("timestamp"))
        call_id = text_of(payload.get("call_id"))
        if line.get("type") == "session_meta":
            self.trace_id = text_of(payload.get("id")) or self.trace_id
        elif line.get("type") == "turn_context":
            self.model = text_of(payload.get("model")) or self.model
        elif kind == "token_count":
            yield from self._model(object_of(payload.get("info")), line)
        elif kind in _CALLS and call_id:
            given = payload.get("arguments") or payload.get("input")
            name = text_of(payload.get("name")) or text_of(kind)
            yield self.tool(call_id, line, name, given or payload.get("action"))
        elif kind in _RESULTS and call_id:
            yield self.outcome(call_id, line, payload.get("output"))
        elif kind == "mcp_tool_call_end" and call_id:
            yield self._mcp_outcome(call_id, payload, line)

    def _model(self, info: JsonObject, line: JsonObject) -> Iterator[Span]:
        total = object_of(info.get("total_token_usage"))
        if not total or total == self.total:
            return  # limits changed, and nothing was asked of the model
        last = object_of(info.get("last_token_usage")) or _minus(total, self.total)
        yield from self._lost(total, last, line)
        self.total = total
        # The total names the call: another copy of the log states the same one.
        span = self.span(_call_id(total), SpanKind.MODEL, line)
        # The figures are written behind the calls that the model asks for.
        span.start_ns = self.asked_ns or span.start_ns
        self.asked_ns = None if span.end_ns is None else span.end_ns + 1
        span.model_name = self.model
        span.provider = "openai"
        span.counts = counts_of_report(last, provider="openai", model=self.model or "")
        yield span

    def _lost(
        self, total: JsonObject, last: JsonObject, line: JsonObject
    ) -> Iterator[Span]:
        """One call for what the totals hold beyond the calls that the log states: lines of it are lost.

        Its id is that of the last lost call and it has no time: a whole copy of the log replaces it.
        """
        before = _minus(total, last)
        lost = _minus(before, self.total)
        counts = list(lost.values())
        if not self.total or not any(counts) or min(counts) < 0:
            return
        span = self.span(_call_id(before), SpanKind.MODEL, line)
        span.start_ns = span.end_ns = None
        span.model_name = self.model
        span.provider = "openai"
        span.counts = counts_of_report(lost, provider="openai", model=self.model or "")
        # Nor is it known when the call of this line was asked.
        self.asked_ns = None
        self.faults.append(
            "calls before this line are lost: their tokens are counted as one call, from the totals"
        )
        yield span

    def _mcp_outcome(self, call_id: str, payload: JsonObject, line: JsonObject) -> Span:
        result = object_of(payload.get("result"))
        answer = object_of(result.get("Ok"))
        span = self.outcome(call_id, line, answer.get("content"))
        if "Err" in result or answer.get("isError"):
            span.status, span.error_type = "error", "tool_error"
        server = object_of(payload.get("invocation")).get("server")
        if server:
            span.details["mcp_server"] = server
        return span


def _call_id(total: JsonObject) -> str:
    return "call " + "-".join(text_of(count) for count in total.values())


def _minus(total: JsonObject, before: JsonObject) -> JsonObject:
    difference: dict[str, Any] = {}
    for key, value in total.items():
        if isinstance(value, int):
            earlier = before.get(key)
            difference[key] = value - (earlier if isinstance(earlier, int) else 0)
    return difference


class _SessionReader:
    """Reads the lines of session logs."""

    name = ""
    family = SPANS
    session: type[_Session] = _Session

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each model call, call of a tool and result."""
        sessions: dict[str, _Session] = {}
        with source.opened() as stream:
            for value in walk(stream, WHOLE_VALUE, lines=True):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                elif not is_object(value.value):
                    yield Malformed(where, "expected an object")
                else:
                    line = value.value
                    trace_id = text_of(line.get("sessionId") or line.get("session_id"))
                    key = trace_id or source.path.stem
                    session = sessions.setdefault(key, self.session(key))
                    for span in session.spans(line):
                        yield Fragment(span.trace_id, span.body())
                    while session.faults:
                        yield Malformed(where, session.faults.pop())

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of a session."""
        return assemble_spans(trace_id, fragments)


class ClaudeCodeReader(_SessionReader):
    """Reads sessions of Claude Code, and its headless output (`stream-json`)."""

    name = "claude_code"
    session = _Claude

    def matches(self, head: FileHead) -> bool:
        """A line of a session."""
        first = head.first
        is_session = "sessionId" in first or "session_id" in first
        is_snapshot = first.get("type") == "file-history-snapshot"
        is_summary = first.get("type") == "summary" and "leafUuid" in first
        return (
            is_snapshot
            or is_summary
            or (is_session and text_of(first.get("type")) in _CLAUDE_TYPES)
        )


class CodexReader(_SessionReader):
    """Reads rollouts of Codex."""

    name = "codex"
    session = _Codex

    def matches(self, head: FileHead) -> bool:
        """A line with its type and payload."""
        return (
            "payload" in head.first and text_of(head.first.get("type")) in _CODEX_TYPES
        )
