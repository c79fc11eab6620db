"""ATIF `trajectory.json`: one agent session a document, with subagents' sessions inside or beside.

An agent's step is a model call and the tool calls it made; prompt tokens hold the cached ones.
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

_PLAN: Final = StreamPlan(each=WHOLE_VALUE)
_ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "system": "system",
    "agent": "assistant",
}
_STEP: Final = frozenset(
    {
        "step_id",
        "timestamp",
        "source",
        "model_name",
        "message",
        "reasoning_content",
        "tool_calls",
        "observation",
    }
)
_METRICS: Final = frozenset(
    {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"}
)
_PART_LISTS: Final = frozenset({"steps", "subagent_trajectories"})


class AtifReader:
    """Reads ATIF trajectories."""

    name = "atif"

    def matches(self, head: FileHead) -> bool:
        """A document that says it is ATIF, or looks like one."""
        first = head.first
        version = first.get("schema_version")
        return (isinstance(version, str) and version.upper().startswith("ATIF")) or (
            "agent" in first
            and "steps" in first
            and ("session_id" in first or "final_metrics" in first)
        )

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace a trajectory."""
        with source.opened() as stream:
            for found in walk(stream, _PLAN, lines=source.head.is_lines):
                where = f"{source.name}:{found.line}"
                if isinstance(found, StreamFault):
                    yield Malformed(where, found.problem)
                elif not isinstance(value := found.value, dict):
                    yield Malformed(where, "a trajectory is an object")
                else:
                    yield from _trajectory(cast("JsonObject", value), where, above="")

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the steps' spans."""
        return assemble_spans(trace_id, fragments)


def _trajectory(given: JsonObject, where: str, *, above: str) -> Iterator[ReaderOutput]:
    steps = given.get("steps")
    if not isinstance(steps, list):
        yield Malformed(where, "the trajectory has no list of steps")
        return
    identity = next(
        (
            given[key]
            for key in ("trajectory_id", "session_id")
            if isinstance(given.get(key), str)
        ),
        None,
    )
    trace_id = (f"{above}/" if above else "") + (identity or "trajectory")
    agent = (
        cast("JsonObject", given["agent"])
        if isinstance(given.get("agent"), dict)
        else {}
    )
    builder = _Builder(trace_id, agent)
    for index, step in enumerate(cast("list[Any]", steps)):
        if isinstance(step, dict):
            builder.add(cast("JsonObject", step))
        else:
            yield Malformed(
                where, f"trajectory {trace_id}: steps[{index}]: a step is an object"
            )
    trace = assemble_spans(trace_id, builder.bodies())
    yield replace(
        trace,
        details={key: value for key, value in given.items() if key not in _PART_LISTS},
    )
    inner = given.get("subagent_trajectories")
    for sub in cast("list[Any]", inner) if isinstance(inner, list) else []:
        if isinstance(sub, dict):
            yield from _trajectory(cast("JsonObject", sub), where, above=trace_id)


class _Builder:
    """Makes a span of each step, and one of each tool call in it."""

    def __init__(self, trace_id: str, agent: Mapping[str, Any]) -> None:
        self._trace_id = trace_id
        self._agent = text_of(agent.get("name")) or None
        self._model = text_of(agent.get("model_name")) or None
        self._spans: list[Span] = []
        self._talk = Conversation()
        if agent.get("tool_definitions"):
            self._talk.add(
                [Part("skill", weight_of(text_of(agent["tool_definitions"])))]
            )
        self._before: int | None = None

    def bodies(self) -> list[JsonObject]:
        """The spans."""
        return [span.body() for span in self._spans]

    def _span(self, name: str, time: int | None) -> Span:
        order = len(self._spans) + 1
        span = Span(
            trace_id=self._trace_id,
            span_id=f"{order:06}",
            order=order,
            name=name,
            agent_id=self._agent,
            start_ns=time,
            end_ns=time,
        )
        self._spans.append(span)
        return span

    def add(self, step: JsonObject) -> None:
        """One step."""
        role = _ROLES.get(str(step.get("source")), "user")
        time = nanoseconds(step.get("timestamp"))
        span = self._span("", time)
        span.start_ns = (
            time if self._before is None or role != "assistant" else self._before
        )
        self._before = time if time is not None else self._before
        span.details = {key: value for key, value in step.items() if key not in _STEP}
        span.details["atif_step_id"] = step.get("step_id")
        message = {"role": role, "content": step.get("message")}
        if role == "assistant" and not step.get("is_copied_context"):
            self._call(span, step)
        else:
            span.details["observed_tokens"] = sum(
                -(-part.weight // 4) for part in parts_of([message])
            )
        self._talk.add(part for part in parts_of([message]) if part.weight)
        self._tools(span, step)

    def _call(self, span: Span, step: JsonObject) -> None:
        metrics = (
            cast("JsonObject", step["metrics"])
            if isinstance(step.get("metrics"), dict)
            else {}
        )
        calls_model = bool(metrics) or step.get("llm_call_count", 1) != 0
        if not calls_model:
            span.state = "THINK"
            return
        extra = (
            cast("JsonObject", metrics["extra"])
            if isinstance(metrics.get("extra"), dict)
            else {}
        )
        span.kind, span.sent = Kind.MODEL, self._talk.sent()
        span.model_name = text_of(step.get("model_name")) or self._model
        span.asks_tool = bool(step.get("tool_calls"))
        span.details.pop("metrics", None)
        if unknown := {
            key: value for key, value in metrics.items() if key not in _METRICS
        }:
            span.details["metrics"] = unknown
        if metrics.get("cost_usd") is not None:
            span.cost = str(metrics["cost_usd"])
        span.counts = {
            "input": whole_number(metrics.get("prompt_tokens")),
            "output": whole_number(metrics.get("completion_tokens")),
            "cached": whole_number(metrics.get("cached_tokens")),
            "cache_write": _first(
                extra, "cache_creation_input_tokens", "cache_write_tokens"
            ),
            "reasoning": _first(extra, "reasoning_tokens", "reasoning_output_tokens"),
            "raw": {key: value for key, value in metrics.items() if key in _METRICS},
        }

    def _tools(self, above: Span, step: JsonObject) -> None:
        results = _results(step.get("observation"))
        calls = step.get("tool_calls")
        for call in cast("list[Any]", calls) if isinstance(calls, list) else []:
            given = cast("JsonObject", call) if isinstance(call, dict) else {}
            call_id = text_of(given.get("tool_call_id")) or None
            name = text_of(given.get("function_name"))
            span = self._span("", above.end_ns)
            span.kind, span.tool_name, span.parent_id = Kind.TOOL, name, above.span_id
            span.call_id = f"{above.span_id}:{call_id}" if call_id else span.span_id
            span.arguments_digest = digest_of(given.get("arguments"))
            span.arguments_weight = weight_of(text_of(given.get("arguments")))
            found = [
                result
                for result in results
                if result.get("source_call_id") == call_id and call_id
            ]
            results = [result for result in results if result not in found]
            span.result_weight = (
                self._observe(found, span.call_id, name) if found else None
            )
            if any(_failed(result) for result in found):
                span.status, span.error_type = "error", "tool_error"
        if results:
            above.details["observation_tokens"] = -(
                -self._observe(results, None, "") // 4
            )

    def _observe(
        self, results: Iterable[JsonObject], call_id: str | None, name: str
    ) -> int:
        weights = [
            sum(
                part.weight
                for part in parts_of([{"role": "tool", "content": one.get("content")}])
            )
            for one in results
        ]
        self._talk.add([Part("tool", sum(weights), call_id, name or None)])
        return sum(weights)


def _results(observation: object) -> list[JsonObject]:
    listed = (
        cast("JsonObject", observation).get("results")
        if isinstance(observation, dict)
        else None
    )
    given = cast("list[Any]", listed) if isinstance(listed, list) else []
    return [cast("JsonObject", one) for one in given if isinstance(one, dict)]


def _failed(result: JsonObject) -> bool:
    extra = result.get("extra")
    return isinstance(extra, dict) and bool(cast("JsonObject", extra).get("is_error"))


def _first(given: Mapping[str, Any], *keys: str) -> int | None:
    return next(
        (count for key in keys if (count := whole_number(given.get(key))) is not None),
        None,
    )
