"""Result files of tau-bench and tau2-bench: one document of simulations, or a run a line.

An agent's messages have its tokens and cost. The messages of the simulated user have
those of the simulation, which the agent does not pay for: they are kept in the details
of their steps, as `simulator_usage` and `simulator_cost`. A message's time is when it
was complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import Malformed, ReaderOutput
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.readers.tau_messages import MessageSpans
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.messages import text_of
from judgemesh.mesh.tracing.spans.span import first_time_ns

_DOCUMENT: Final = StreamPlan(keys={"simulations": StreamPlan(each=WHOLE_VALUE)})
_RUNS: Final = StreamPlan(each=WHOLE_VALUE)
_MESSAGES: Final = ("messages", "traj")
_IDS: Final = ("run", "run_id", "id", "simulation_id")
_STARTS: Final = ("start", "start_time")
_ENDS: Final = ("end", "end_time")
_RUN_KEYS: Final = (
    "agent_cost",
    "termination",
    "termination_reason",
    "reward_info",
    "trial",
)
_UNDERSTOOD: Final = frozenset({*_MESSAGES, "task_id"})
_NS_A_MS: Final = 1e6


class TauReader:
    """Reads runs of tau-bench and tau2-bench."""

    name = "tau"

    def matches(self, head: FileHead) -> bool:
        """A run with messages and a task, or a document of simulations."""
        if _is_document(head) or head.has("traj", "task_id"):
            return True
        has_messages = isinstance(head.first.get("messages"), list)
        if not has_messages or not head.has("task_id"):
            return False
        return any(key in head.first for key in _RUN_KEYS)

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace for each run."""
        info: JsonObject = {}
        is_document = _is_document(source.head)
        plan = _DOCUMENT if is_document else _RUNS
        with source.opened() as stream:
            for value in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                elif len(value.path) == 2 and is_document:
                    info[str(value.path[1])] = value.value
                elif not is_object(value.value):
                    yield Malformed(where, "a run is an object")
                else:
                    yield from _run(value.value, _model(info), where)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the messages' spans."""
        return assemble_spans(trace_id, fragments)


def _is_document(head: FileHead) -> bool:
    """Whether it is a document of simulations.

    They come behind the tasks, which may be longer than the head.
    """
    return "simulations" in head.first or head.has("info", "tasks")


def _model(info: JsonObject) -> str | None:
    """The agent's model, which a document of tau2 names before the runs."""
    agent = object_of(object_of(info.get("info")).get("agent_info"))
    model = agent.get("llm")
    return model if isinstance(model, str) else None


def _run(run: JsonObject, model: str | None, where: str) -> Iterator[ReaderOutput]:
    lists = [run[key] for key in _MESSAGES if isinstance(run.get(key), list)]
    if not lists:
        yield Malformed(where, "the run has no list of messages")
        return
    task_id = text_of(run.get("task_id")) or None
    trace_id = _run_id(run) or f"tau:{task_id}:{text_of(run.get('trial')) or 0}"
    start, end = first_time_ns(run, _STARTS), first_time_ns(run, _ENDS)
    spans = MessageSpans(trace_id, task_id, model, start)
    for index, message in enumerate(list_of(lists[0])):
        if is_object(message):
            spans.add(message, index)
        else:
            problem = f"run {trace_id}: messages[{index}]: a message is an object"
            yield Malformed(where, problem)
    trace = assemble_spans(trace_id, spans.bodies())
    latency_ms = trace.latency_ms
    if start is not None and end is not None:
        latency_ms = max(0, end - start) / _NS_A_MS
    details = {key: value for key, value in run.items() if key not in _UNDERSTOOD}
    yield replace(trace, details=details, latency_ms=latency_ms)


def _run_id(run: JsonObject) -> str:
    for key in _IDS:
        if run.get(key) is not None:
            return text_of(run[key])
    return ""
