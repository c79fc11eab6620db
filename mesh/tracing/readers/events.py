"""Our own event stream: one event a line (article 002, section 40), as the recorder writes it; or one step a line, with
the fields of sections 16 to 19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    Fragment,
    JsonObject,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.steps.events import event_fields, event_of
from judgemesh.mesh.tracing.steps.from_events import trace_of
from judgemesh.mesh.tracing.steps.from_fields import step_of

_PLAN: Final = StreamPlan(each=WHOLE_VALUE)


class EventsReader:
    """Reads event streams and lines of steps."""

    name = "events"

    def matches(self, head: FileHead) -> bool:
        """An object with a trace id and the type of an event or a state."""
        return "trace_id" in head.first and (
            "event_type" in head.first or "state_type" in head.first
        )

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment an event or step."""
        with source.opened() as stream:
            for found in walk(stream, _PLAN, lines=source.head.is_lines):
                where = f"{source.name}:{found.line}"
                if isinstance(found, StreamFault):
                    yield Malformed(where, found.problem)
                    continue
                try:
                    yield _fragment(found.value)
                except (InputError, ValueError) as fault:
                    yield Malformed(where, str(fault))

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the events, with the steps that were written as such."""
        events: list[JsonObject] = []
        rows: list[JsonObject] = []
        for body in fragments:
            (events if "event_type" in body else rows).append(body)
        trace = (
            trace_of(event_of(body) for body in events)
            if events
            else Trace(trace_id=trace_id)
        )
        if not rows:
            return trace
        last = max((step.step_id for step in trace.steps), default=0)
        unnumbered = sorted((row for row in rows if not row.get("step_id")), key=repr)
        steps = [step_of(row, trace_id=trace_id) for row in rows if row.get("step_id")]
        last = max((last, *(step.step_id for step in steps)))
        steps += [
            step_of(row, trace_id=trace_id, step_id=last + at)
            for at, row in enumerate(unnumbered, start=1)
        ]
        return replace(
            trace,
            steps=tuple(sorted((*trace.steps, *steps), key=lambda step: step.step_id)),
        )


def _fragment(value: object) -> Fragment:
    if not isinstance(value, dict):
        raise InputError("expected an object with trace_id and event_type")
    given = cast("Mapping[str, Any]", value)
    if "event_type" in given or "state_type" not in given:
        event = event_of(given)
        return Fragment(event.trace_id, event_fields(event))
    step = step_of(given)
    if not step.trace_id:
        raise InputError("the step has no trace_id; expected text")
    return Fragment(step.trace_id, dict(given))
