"""One line of an event stream (article 002, section 40) <-> `TraceEvent`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import EventType, TraceEvent
from judgemesh.mesh.tracing.steps.values import count_of, moment_of, text_of


def event_of(data: object) -> TraceEvent:
    """An event from plain JSON data.

    Raises:
        InputError: which of the five fields is missing or wrong, and what it should be.
    """
    if not isinstance(data, Mapping):
        raise InputError(
            "an event is an object with trace_id, step_id, event_type, timestamp and payload"
        )
    given = cast("Mapping[str, Any]", data)
    trace_id, moment = text_of(given.get("trace_id")), moment_of(given.get("timestamp"))
    step_id = count_of(given.get("step_id", 0) or 0)
    if trace_id is None:
        raise InputError("the event has no trace_id; expected text")
    if step_id is None:
        raise InputError(
            f"step_id is {given.get('step_id')!r}; expected a whole number, 0 for the run itself"
        )
    if moment is None:
        raise InputError(
            f"timestamp is {given.get('timestamp')!r}; expected a moment such as 2026-04-28T10:00:07Z"
        )
    try:
        kind = EventType(str(given.get("event_type")))
    except ValueError:
        known = ", ".join(EventType)
        raise InputError(
            f"event_type is {given.get('event_type')!r}; expected one of {known}"
        ) from None
    payload = given.get("payload")
    if payload is not None and not isinstance(payload, Mapping):
        raise InputError(f"payload is {type(payload).__name__}; expected an object")
    return TraceEvent(
        trace_id=trace_id,
        step_id=step_id,
        event_type=kind,
        timestamp=moment,
        payload=cast("Mapping[str, Any]", payload or {}),
    )


def event_fields(event: TraceEvent) -> dict[str, object]:
    """An event as the JSON data that `event_of` reads back equal."""
    return {
        "trace_id": event.trace_id,
        "step_id": event.step_id,
        "event_type": event.event_type.value,
        "timestamp": event.timestamp.isoformat(),
        "payload": dict(event.payload),
    }
