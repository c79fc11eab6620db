"""Events of one run that came twice, or that several processes wrote. Pure.

Each process numbers its own steps from 1. A step belongs to the process that started it:
a process that is forked inside a step may end it a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from judgemesh.contracts.tracing import EventType, TraceEvent
from judgemesh.mesh.tracing.steps.values import count_of

_Home: TypeAlias = tuple[str, int]
_PARENT: Final = "parent_step_id"


def distinct(
    events: Sequence[TraceEvent],
) -> tuple[list[TraceEvent], list[TraceEvent]]:
    """Each event once, and those that came again, both in their order.

    An event without an id is known by all its fields.
    """
    seen: set[object] = set()
    kept: list[TraceEvent] = []
    copies: list[TraceEvent] = []
    for event in events:
        identity = event.event_id or repr(event)
        (copies if identity in seen else kept).append(event)
        seen.add(identity)
    return kept, copies


def with_own_steps(events: Sequence[TraceEvent]) -> list[TraceEvent]:
    """The events, sorted by time, with numbers that the processes do not share.

    The process that began first keeps its numbers.
    """
    processes = list(dict.fromkeys(event.process_id for event in events))
    if len(processes) < 2:
        return list(events)
    started = _started(events)
    numbers: dict[_Home, int] = {}
    taken: set[int] = set()
    for process in processes:
        own = sorted({home[1] for home in started if home[0] == process})
        last = max(taken, default=0)
        for step_id in own:
            number = last + step_id if taken & set(own) else step_id
            numbers[process, step_id] = number
        taken.update(numbers[process, step_id] for step_id in own)
    return [_renumbered(event, processes, numbers) for event in events]


def _started(events: Iterable[TraceEvent]) -> dict[_Home, None]:
    homes: dict[_Home, None] = {}
    for event in events:
        if event.event_type is EventType.STEP_STARTED:
            homes[event.process_id, event.step_id] = None
    return homes


def _renumbered(
    event: TraceEvent, processes: Sequence[str], numbers: dict[_Home, int]
) -> TraceEvent:
    def number_of(step_id: int) -> int:
        for process in (event.process_id, *processes):
            if (process, step_id) in numbers:
                return numbers[process, step_id]
        return step_id

    parent = count_of(event.payload.get(_PARENT))
    payload = event.payload
    if parent is not None:
        payload = {**payload, _PARENT: number_of(parent)}
    if not event.step_id:
        return replace(event, payload=payload)
    return replace(event, step_id=number_of(event.step_id), payload=payload)
