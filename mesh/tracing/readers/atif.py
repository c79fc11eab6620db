"""ATIF `trajectory.json`: one agent session a document, with its subagents' sessions.

An agent's step is a model call and the tool calls it made. Prompt tokens include the
cached ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.pricing.usage_shapes import ATIF, read_counts
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import Malformed, ReaderOutput
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    estimated_tokens,
    weight_of,
)
from judgemesh.mesh.tracing.spans.conversation import Conversation
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.messages import (
    digest_of,
    parts_of,
    text_of,
    weight_of_messages,
)
from judgemesh.mesh.tracing.spans.span import Span, SpanKind, counts_body, nanoseconds

_PLAN: Final = StreamPlan(each=WHOLE_VALUE)
_ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "system": "system",
    "agent": "assistant",
}
_UNDERSTOOD: Final = frozenset(
    [
        "step_id",
        "timestamp",
        "source",
        "model_name",
        "message",
        "reasoning_content",
        "tool_calls",
        "observation",
    ]
)
_METRICS: Final = frozenset(
    {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"}
)
_PARTS_OF_TRAJECTORY: Final = frozenset({"steps", "subagent_trajectories"})


class AtifReader:
    """Reads ATIF trajectories."""

    name = "atif"

    def matches(self, head: FileHead) -> bool:
        """A document that says it is ATIF, or has the keys of one."""
        version = head.first.get("schema_version")
        if isinstance(version, str) and version.upper().startswith("ATIF"):
            return True
        is_session = head.has("session_id") or head.has("final_metrics")
        return head.has("agent", "steps") and is_session

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace for each trajectory."""
        with source.opened() as stream:
            for value in walk(stream, _PLAN, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                elif not is_object(value.value):
                    yield Malformed(where, "a trajectory is an object")
                else:
                    yield from _trajectory(value.value, where)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the steps' spans."""
        return assemble_spans(trace_id, fragments)


def _trajectory(
    trajectory: JsonObject, where: str, parent_id: str = ""
) -> Iterator[ReaderOutput]:
    """The trace of a trajectory, and those of its subagents."""
    if not isinstance(trajectory.get("steps"), list):
        yield Malformed(where, "the trajectory has no list of steps")
        return
    trace_id = _own_id(trajectory)
    if parent_id:
        trace_id = f"{parent_id}/{trace_id}"
    builder = _Builder(trace_id, object_of(trajectory.get("agent")))
    for index, step in enumerate(list_of(trajectory["steps"])):
        if is_object(step):
            builder.add(step)
        else:
            problem = f"trajectory {trace_id}: steps[{index}]: a step is an object"
            yield Malformed(where, problem)
    details = {
        key: value
        for key, value in trajectory.items()
        if key not in _PARTS_OF_TRAJECTORY
    }
    yield replace(assemble_spans(trace_id, builder.bodies()), details=details)
    for inner in objects_of(trajectory.get("subagent_trajectories")):
        yield from _trajectory(inner, where, trace_id)


def _own_id(trajectory: JsonObject) -> str:
    for key in ("trajectory_id", "session_id"):
        if isinstance(trajectory.get(key), str):
            return str(trajectory[key]) or "trajectory"
    return "trajectory"


class _Builder:
    """Makes a span of each step, and one of each tool call in it."""

    def __init__(self, trace_id: str, agent: JsonObject) -> None:
        self._trace_id = trace_id
        self._agent = text_of(agent.get("name")) or None
        self._model = text_of(agent.get("model_name")) or None
        self._spans: list[Span] = []
        self._last_ns: int | None = None
        self._conversation = Conversation()
        definitions = agent.get("tool_definitions")
        if definitions:
            self._conversation.add(
                [ContextPart("skill", weight_of(text_of(definitions)))]
            )

    def bodies(self) -> list[JsonObject]:
        """The spans."""
        return [span.body() for span in self._spans]

    def add(self, step: JsonObject) -> None:
        """Make the spans of one step."""
        role = _ROLES.get(str(step.get("source")), "user")
        end_ns = nanoseconds(step.get("timestamp"))
        span = self._new_span(end_ns)
        if role == "assistant" and self._last_ns is not None:
            span.start_ns = self._last_ns
        if end_ns is not None:
            self._last_ns = end_ns
        for key, value in step.items():
            if key not in _UNDERSTOOD:
                span.details[key] = value
        span.details["atif_step_id"] = step.get("step_id")
        parts = parts_of([{"role": role, "content": step.get("message")}])
        if role == "assistant" and not step.get("is_copied_context"):
            self._fill_agent_step(span, step)
        else:
            tokens = [estimated_tokens(part.weight) for part in parts]
            span.details["observed_tokens"] = sum(tokens)
        self._conversation.add(part for part in parts if part.weight)
        self._add_tool_calls(span, step)

    def _new_span(self, time_ns: int | None) -> Span:
        order = len(self._spans) + 1
        span = Span(
            trace_id=self._trace_id,
            span_id=f"{order:06}",
            order=order,
            agent_id=self._agent,
            start_ns=time_ns,
            end_ns=time_ns,
        )
        self._spans.append(span)
        return span

    def _fill_agent_step(self, span: Span, step: JsonObject) -> None:
        metrics = object_of(step.get("metrics"))
        if not metrics and step.get("llm_call_count", 1) == 0:
            span.state = "THINK"
            return
        span.kind = SpanKind.MODEL
        span.sent = self._conversation.sent()
        span.model_name = text_of(step.get("model_name")) or self._model
        span.asks_tool = bool(step.get("tool_calls"))
        span.details.pop("metrics", None)
        other_metrics = {
            key: value for key, value in metrics.items() if key not in _METRICS
        }
        if other_metrics:
            span.details["metrics"] = other_metrics
        if metrics.get("cost_usd") is not None:
            span.cost = str(metrics["cost_usd"])
        raw = {key: value for key, value in metrics.items() if key in _METRICS}
        span.counts = {**counts_body(read_counts(metrics, ATIF)), "raw": raw}

    # --- tool calls ---

    def _add_tool_calls(self, agent_step: Span, step: JsonObject) -> None:
        results = objects_of(object_of(step.get("observation")).get("results"))
        for call in list_of(step.get("tool_calls")):
            results = self._add_tool_call(agent_step, object_of(call), results)
        if results:
            weight = self._observe(results, None, "")
            agent_step.details["observation_tokens"] = estimated_tokens(weight)

    def _add_tool_call(
        self, agent_step: Span, call: JsonObject, results: list[JsonObject]
    ) -> list[JsonObject]:
        """Make the span of a call; returns the results that are not the call's."""
        call_id = text_of(call.get("tool_call_id")) or None
        span = self._new_span(agent_step.end_ns)
        span.kind = SpanKind.TOOL
        span.tool_name = text_of(call.get("function_name"))
        span.parent_id = agent_step.span_id
        span.call_id = f"{agent_step.span_id}:{call_id}" if call_id else span.span_id
        span.arguments_digest = digest_of(call.get("arguments"))
        span.arguments_weight = weight_of(text_of(call.get("arguments")))
        own: list[JsonObject] = []
        others: list[JsonObject] = []
        for result in results:
            is_own = call_id is not None and result.get("source_call_id") == call_id
            (own if is_own else others).append(result)
        if own:
            span.result_weight = self._observe(own, span.call_id, span.tool_name)
            span.result_digest = digest_of([result.get("content") for result in own])
        if any(object_of(result.get("extra")).get("is_error") for result in own):
            span.status = "error"
            span.error_type = "tool_error"
        return others

    def _observe(
        self, results: Iterable[JsonObject], call_id: str | None, tool_name: str
    ) -> int:
        """Put results into the conversation; returns their length in UTF-8 bytes."""
        weight = 0
        for result in results:
            message = {"role": "tool", "content": result.get("content")}
            weight += weight_of_messages([message])
        self._conversation.add(
            [ContextPart("tool", weight, call_id, tool_name or None)]
        )
        return weight
