"""One line of an event stream (article 002, section 40) <-> `TraceEvent`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import EventType, TraceEvent
from judgemesh.mesh.tracing.steps.values import Fields, count_of, moment_of, text_of


def event_of(data: object) -> TraceEvent:
    """An event from plain JSON data.

    Raises:
        InputError: which of the five fields is missing or wrong, and what it should be.
    """
    if not isinstance(data, Mapping):
        raise InputError(
            "an event is an object with trace_id, step_id, event_type, timestamp"
            " and payload"
        )
    fields = cast("Fields", data)
    trace_id = text_of(fields.get("trace_id"))
    if trace_id is None:
        raise InputError("the event has no trace_id; expected text")
    step_id = count_of(fields.get("step_id") or 0)
    if step_id is None:
        raise InputError(
            f"step_id is {fields.get('step_id')!r}; expected a whole number,"
            " 0 for the run itself"
        )
    timestamp = moment_of(fields.get("timestamp"))
    if timestamp is None:
        raise InputError(
            f"timestamp is {fields.get('timestamp')!r}; expected a moment such as"
            " 2026-04-28T10:00:07Z"
        )
    return TraceEvent(
        trace_id=trace_id,
        step_id=step_id,
        event_type=_event_type(fields.get("event_type")),
        timestamp=timestamp,
        payload=_payload(fields.get("payload")),
        event_id=text_of(fields.get("event_id")) or "",
        process_id=text_of(fields.get("process_id")) or "",
    )


def _event_type(value: object) -> EventType:
    try:
        return EventType(str(value))
    except ValueError:
        known = ", ".join(EventType)
        raise InputError(f"event_type is {value!r}; expected one of {known}") from None


def _payload(value: object) -> Fields:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"payload is {type(value).__name__}; expected an object")
    return cast("Fields", value)


def event_fields(event: TraceEvent) -> dict[str, object]:
    """An event as the JSON data that `event_of` reads back equal."""
    fields: dict[str, object] = {
        "trace_id": event.trace_id,
        "step_id": event.step_id,
        "event_type": event.event_type.value,
        "timestamp": event.timestamp.isoformat(),
        "payload": dict(event.payload),
    }
    if event.event_id:
        fields["event_id"] = event.event_id
    if event.process_id:
        fields["process_id"] = event.process_id
    return fields
