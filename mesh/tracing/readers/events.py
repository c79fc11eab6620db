"""judgemesh's own event stream, as the recorder writes it, and steps one a line.

An event has the fields of article 002, section 40; a step those of sections 16 to 19.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import CAME_AGAIN, SetAside, Step, Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object
from judgemesh.mesh.tracing.steps.events import event_fields, event_of
from judgemesh.mesh.tracing.steps.from_events import trace_of
from judgemesh.mesh.tracing.steps.from_fields import step_of

_PLAN: Final = StreamPlan(each=WHOLE_VALUE)


class EventsReader:
    """Reads event streams and lines of steps."""

    name = "events"

    def matches(self, head: FileHead) -> bool:
        """An object with a trace id and the type of an event or a state."""
        has_type = head.has("event_type") or head.has("state_type")
        return head.has("trace_id") and has_type

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each event or step."""
        with source.opened() as stream:
            for value in walk(stream, _PLAN, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                    continue
                try:
                    yield _fragment(value.value)
                except (InputError, ValueError) as error:
                    yield Malformed(where, str(error))

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the events, with the steps that were written as such."""
        events: list[JsonObject] = []
        rows: dict[str, JsonObject] = {}
        copies: list[JsonObject] = []
        for body in fragments:
            if "event_type" in body:
                events.append(body)
                continue
            text = json.dumps(body, sort_keys=True, default=str)
            if text in rows:
                copies.append(body)
            rows[text] = body
        trace = Trace(trace_id=trace_id)
        if events:
            trace = trace_of(event_of(body) for body in events)
        if not rows:
            return trace
        steps = [*trace.steps, *_numbered_steps(rows.values(), trace)]
        steps.sort(key=lambda step: step.step_id)
        aside = trace.set_aside
        if copies:
            tokens = sum(_tokens_of_row(row) for row in copies)
            again = SetAside(reason=CAME_AGAIN, spans=len(copies), tokens=tokens)
            aside = (*aside, again)
        made_of = (trace.read_as or 0) + len(rows)
        return replace(trace, steps=tuple(steps), set_aside=aside, read_as=made_of)


def _fragment(value: object) -> Fragment:
    if not is_object(value):
        raise InputError("expected an object with trace_id and event_type")
    if "event_type" in value or "state_type" not in value:
        event = event_of(value)
        return Fragment(event.trace_id, event_fields(event))
    step = step_of(value)
    if not step.trace_id:
        raise InputError("the step has no trace_id; expected text")
    return Fragment(step.trace_id, value)


def _tokens_of_row(row: JsonObject) -> int:
    usage = step_of(row).usage
    return 0 if usage is None else usage.total


def _numbered_steps(rows: Iterable[JsonObject], trace: Trace) -> list[Step]:
    """The steps of rows; those without a number follow the last one."""
    steps: list[Step] = []
    unnumbered: list[JsonObject] = []
    for row in rows:
        if row.get("step_id"):
            steps.append(step_of(row, trace_id=trace.trace_id))
        else:
            unnumbered.append(row)
    last = max((step.step_id for step in (*trace.steps, *steps)), default=0)
    # Sorted by their text, so that the order of the lines has no effect.
    for step_id, row in enumerate(sorted(unnumbered, key=repr), start=last + 1):
        steps.append(step_of(row, trace_id=trace.trace_id, step_id=step_id))
    return steps
