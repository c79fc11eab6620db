"""Result files of tau-bench and tau2-bench: one document of simulations, or one run a line.

An agent's messages carry its tokens and cost. The messages of the simulated user carry those of the simulation, which
are no part of the agent's bill: they are kept in the details of their steps, under `simulator_usage` and
`simulator_cost`. A message's time is when it was complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import JsonObject, Malformed, ReaderOutput
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.context_sources import Part, weight_of
from judgemesh.mesh.tracing.spans.conversation import Conversation
from judgemesh.mesh.tracing.spans.counts import whole_number
from judgemesh.mesh.tracing.spans.messages import digest_of, parts_of, text_of
from judgemesh.mesh.tracing.spans.span import Kind, Span, nanoseconds

_DOCUMENT: Final = StreamPlan(keys={"simulations": StreamPlan(each=WHOLE_VALUE)})
_RUNS: Final = StreamPlan(each=WHOLE_VALUE)
_MESSAGES: Final = ("messages", "traj")
_IDS: Final = ("run", "run_id", "id", "simulation_id")
_STARTS: Final = ("start", "start_time")
_ENDS: Final = ("end", "end_time")
_TIMES: Final = ("ts", "timestamp")
_ARGUMENTS: Final = ("args", "arguments")
_USAGE: Final[Mapping[str, tuple[str, ...]]] = {
    "input": ("prompt_tokens", "input_tokens"),
    "output": ("completion_tokens", "output_tokens"),
    "total": ("total_tokens",),
}
_OWN: Final = frozenset({*_MESSAGES, "task_id"})
_UNDERSTOOD: Final = frozenset(
    {"role", "content", "tool_calls", "cost", "usage", *_TIMES, "tool_call_id", "id"}
)
SIMULATOR: Final = "user_simulator"


class TauReader:
    """Reads runs of tau-bench and tau2-bench."""

    name = "tau"

    def matches(self, head: FileHead) -> bool:
        """A run with messages and a task, or a document of simulations."""
        first = head.first
        if _is_document(head) or ("traj" in first and "task_id" in first):
            return True
        return (
            "task_id" in first
            and isinstance(first.get("messages"), list)
            and (
                any(
                    key in first
                    for key in (
                        "agent_cost",
                        "termination",
                        "termination_reason",
                        "reward_info",
                        "trial",
                    )
                )
            )
        )

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace a run."""
        info: dict[str, Any] = {}
        plan = _DOCUMENT if _is_document(source.head) else _RUNS
        with source.opened() as stream:
            for found in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{found.line}"
                if isinstance(found, StreamFault):
                    yield Malformed(where, found.problem)
                elif len(found.path) == 2 and plan is _DOCUMENT:
                    info[str(found.path[1])] = found.value
                elif not isinstance(value := found.value, dict):
                    yield Malformed(where, "a run is an object")
                else:
                    yield from _run(cast("JsonObject", value), info, where)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the messages' spans."""
        return assemble_spans(trace_id, fragments)


def _is_document(head: FileHead) -> bool:
    """Simulations come behind the tasks, which may be longer than the beginning of the file that is looked at."""
    return "simulations" in head.first or (
        "info" in head.first and "tasks" in head.first
    )


def _run(
    given: JsonObject, info: Mapping[str, Any], where: str
) -> Iterator[ReaderOutput]:
    messages = next(
        (given[key] for key in _MESSAGES if isinstance(given.get(key), list)), None
    )
    if messages is None:
        yield Malformed(where, "the run has no list of messages")
        return
    task_id = text_of(given.get("task_id")) or None
    named = next(
        (text_of(given[key]) for key in _IDS if given.get(key) is not None), None
    )
    trace_id = named or f"tau:{task_id}:{text_of(given.get('trial')) or 0}"
    builder = _Builder(trace_id, task_id, _model(info), _moment(given, _STARTS))
    for index, message in enumerate(cast("list[Any]", messages)):
        if isinstance(message, dict):
            builder.add(cast("JsonObject", message), index)
        else:
            yield Malformed(
                where, f"run {trace_id}: messages[{index}]: a message is an object"
            )
    trace = assemble_spans(trace_id, builder.bodies())
    details = {key: value for key, value in given.items() if key not in _OWN}
    start, end = _moment(given, _STARTS), _moment(given, _ENDS)
    whole = (
        trace.latency_ms if start is None or end is None else max(0, end - start) / 1e6
    )
    yield replace(trace, details=details, latency_ms=whole)


def _model(info: Mapping[str, Any]) -> str | None:
    """tau2 names the agent's model in the head of the document, when that comes before the runs."""
    head = info.get("info")
    agent = (
        cast("JsonObject", head).get("agent_info") if isinstance(head, dict) else None
    )
    model = cast("JsonObject", agent).get("llm") if isinstance(agent, dict) else None
    return model if isinstance(model, str) else None


def _moment(given: JsonObject, keys: Iterable[str]) -> int | None:
    return next(
        (ns for key in keys if (ns := nanoseconds(given.get(key))) is not None), None
    )


class _Builder:
    """Makes a span of each message."""

    def __init__(
        self,
        trace_id: str,
        task_id: str | None,
        model: str | None,
        start_ns: int | None,
    ) -> None:
        self._trace_id, self._task_id, self._model = trace_id, task_id, model
        self._before = start_ns
        self._spans: list[Span] = []
        self._talk = Conversation()
        self._asked: dict[str, JsonObject] = {}
        self._waiting: list[JsonObject] = []

    def bodies(self) -> list[JsonObject]:
        """The spans."""
        return [span.body() for span in self._spans]

    def add(self, message: JsonObject, index: int) -> None:
        """One message."""
        role = str(message.get("role"))
        end = _moment(message, _TIMES)
        span = Span(
            trace_id=self._trace_id,
            span_id=f"{index:06}",
            order=index + 1,
            task_id=self._task_id,
            start_ns=end if self._before is None else self._before,
            end_ns=end,
            details={
                key: value for key, value in message.items() if key not in _UNDERSTOOD
            },
        )
        span.details["role"] = role
        if end is not None:
            self._before = end
        if role == "assistant":
            self._assistant(span, message)
        elif role == "tool":
            self._tool(span, message)
        else:
            self._other(span, message, role)
        self._spans.append(span)

    def _assistant(self, span: Span, message: JsonObject) -> None:
        cost, counts = message.get("cost"), _counts(message)
        # A greeting that nobody generated has no usage and costs exactly nothing.
        scripted = counts is None and cost is not None and not cost
        span.state = "THINK" if scripted else None
        if not scripted:
            span.kind, span.counts, span.sent = Kind.MODEL, counts, self._talk.sent()
            span.model_name = text_of(message.get("model")) or self._model
        span.agent_id = "agent"
        span.cost = None if cost is None or scripted else str(cost)
        self._ask(span, message)
        self._talk.add(parts_of([message]))

    def _ask(self, span: Span, message: JsonObject) -> None:
        calls = message.get("tool_calls")
        self._waiting = []
        for call in cast("list[Any]", calls) if isinstance(calls, list) else []:
            if not isinstance(call, dict):
                continue
            given = cast("JsonObject", call)
            inner = given.get("function")
            flat = (
                {**given, **cast("JsonObject", inner)}
                if isinstance(inner, dict)
                else given
            )
            span.asks_tool = True
            self._waiting.append(flat)
            if isinstance(flat.get("id"), str):
                self._asked[flat["id"]] = flat

    def _tool(self, span: Span, message: JsonObject) -> None:
        call_id = next(
            (
                v
                for key in ("tool_call_id", "id")
                if isinstance(v := message.get(key), str)
            ),
            None,
        )
        call = self._asked.get(call_id or "") or (
            self._waiting[0] if self._waiting else {}
        )
        self._waiting = [one for one in self._waiting if one is not call]
        arguments = next(
            (call[key] for key in _ARGUMENTS if call.get(key) is not None), None
        )
        result = text_of(message.get("content"))
        span.kind = Kind.TOOL
        span.tool_name = text_of(call.get("name") or message.get("name"))
        span.call_id = call_id or text_of(call.get("id")) or span.span_id
        span.arguments_digest = digest_of(arguments)
        span.arguments_weight = (
            None if arguments is None else weight_of(text_of(arguments))
        )
        span.result_weight = weight_of(result)
        by_user = (call.get("requestor") or message.get("requestor")) == "user"
        span.agent_id = SIMULATOR if by_user else "agent"
        if message.get("error"):
            span.status, span.error_type = "error", "tool_error"
        if not by_user:
            self._talk.add(
                [Part("tool", weight_of(result), span.call_id, span.tool_name or None)]
            )

    def _other(self, span: Span, message: JsonObject, role: str) -> None:
        """The user's messages, and the policy of older files."""
        span.agent_id = SIMULATOR if role == "user" else None
        if message.get("usage") is not None:
            span.details["simulator_usage"] = message["usage"]
        if message.get("cost") is not None:
            span.details["simulator_cost"] = message["cost"]
        self._ask(span, message)
        span.details["observed_tokens"] = sum(
            -(-part.weight // 4) for part in parts_of([message])
        )
        self._talk.add(
            part
            for part in parts_of([{"role": role, "content": message.get("content")}])
            if part.weight
        )


def _counts(message: JsonObject) -> JsonObject | None:
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return None
    raw = cast("JsonObject", usage)
    found = {
        name: next(
            (
                count
                for key in keys
                if (count := whole_number(raw.get(key))) is not None
            ),
            None,
        )
        for name, keys in _USAGE.items()
    }
    details, output = (
        _part(raw, "prompt_tokens_details"),
        _part(raw, "completion_tokens_details"),
    )
    cached = whole_number(
        details.get("cached_tokens", raw.get("cache_read_input_tokens"))
    )
    write = whole_number(
        details.get("cache_creation_tokens", raw.get("cache_creation_input_tokens"))
    )
    return {
        **found,
        "cached": cached,
        "cache_write": write,
        "reasoning": whole_number(output.get("reasoning_tokens")),
        "raw": raw,
    }


def _part(raw: JsonObject, key: str) -> JsonObject:
    part = raw.get(key)
    return cast("JsonObject", part) if isinstance(part, dict) else {}
