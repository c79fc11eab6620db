"""The events of one run, in any order -> its trace. Pure.

The order of lines in a file has no meaning: events are sorted by their time, then by
their type, then by their text. `step_events.py` makes one step of its events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, cast

from judgemesh.contracts.tracing import (
    CAME_AGAIN,
    EventType,
    SetAside,
    Step,
    Trace,
    TraceEvent,
)
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.tracing.steps.from_fields import DEFAULT_CURRENCY
from judgemesh.mesh.tracing.steps.processes import distinct, with_own_steps
from judgemesh.mesh.tracing.steps.step_events import (
    EVENT_ORDER,
    UNFINISHED,
    merged_payloads,
    step_of_events,
)
from judgemesh.mesh.tracing.steps.tokens import CALL_FIELDS, tokens_of
from judgemesh.mesh.tracing.steps.values import (
    Fields,
    currency_of,
    number_of,
    price_of,
    text_of,
)

_RUN_EVENTS: Final = frozenset({EventType.RUN_STARTED, EventType.RUN_COMPLETED})
_UNDERSTOOD: Final = frozenset(
    {"task_id", "agent_id", "skill_id", "latency_ms", "status"}
)
_MAX_IDS_SHOWN: Final = 3


def trace_of(events: Iterable[TraceEvent]) -> Trace:
    """The run that the events describe.

    Raises:
        ValueError: there are none, or they are of several runs.
    """
    everything = sorted(events, key=_order)
    trace_id = _only_trace_id(everything)
    kept, copies = distinct(everything)
    ordered = with_own_steps(kept)
    run_events = [event for event in ordered if event.event_type in _RUN_EVENTS]
    run = merged_payloads(run_events)
    currency = currency_of(run.get("currency")) or DEFAULT_CURRENCY
    problems: list[str] = []
    steps: list[Step] = []
    for step_id, step_events in sorted(_by_step(ordered).items()):
        step = step_of_events(trace_id, step_id, step_events, currency, problems)
        steps.append(step)
    starts = _times(run_events, EventType.RUN_STARTED)
    ends = _times(run_events, EventType.RUN_COMPLETED)
    start = starts[0] if starts else None
    end = ends[-1] if ends else None
    status = text_of(run.get("status")) or "success"
    details = {key: value for key, value in run.items() if key not in _UNDERSTOOD}
    return Trace(
        trace_id=trace_id,
        steps=tuple(_with_inherited_names(steps, run)),
        task_id=text_of(run.get("task_id")),
        agent_id=text_of(run.get("agent_id")),
        skill_id=text_of(run.get("skill_id")),
        start_time=start,
        end_time=end,
        latency_ms=_latency_ms(run, start, end),
        status=UNFINISHED if end is None else status,
        prices=_prices(run, currency),
        problems=tuple(problems),
        set_aside=_set_aside(copies),
        read_as=len(ordered),
        details=details,
    )


def _set_aside(copies: Sequence[TraceEvent]) -> tuple[SetAside, ...]:
    if not copies:
        return ()
    tokens = 0
    for event in copies:
        if event.event_type is EventType.MODEL_CALLED:
            usage = tokens_of(event.payload, CALL_FIELDS).usage
            tokens += usage.total if usage is not None else 0
    return (SetAside(reason=CAME_AGAIN, spans=len(copies), tokens=tokens),)


def _order(event: TraceEvent) -> tuple[object, ...]:
    # Not orjson: payloads may hold integers of any size.
    text = json.dumps(event.payload, sort_keys=True, default=str)
    kind = EVENT_ORDER[event.event_type]
    return (
        event.timestamp,
        kind,
        event.step_id,
        text,
        event.process_id,
        event.event_id,
    )


def _only_trace_id(events: Sequence[TraceEvent]) -> str:
    ids = sorted({event.trace_id for event in events})
    if len(ids) != 1:
        shown = ", ".join(ids[:_MAX_IDS_SHOWN])
        raise ValueError(f"expected the events of one run, got {len(ids)}: {shown}")
    return ids[0]


def _by_step(events: Iterable[TraceEvent]) -> dict[int, list[TraceEvent]]:
    by_step: dict[int, list[TraceEvent]] = {}
    for event in events:
        if event.event_type not in _RUN_EVENTS:
            by_step.setdefault(event.step_id, []).append(event)
    return by_step


def _times(events: Iterable[TraceEvent], kind: EventType) -> list[datetime]:
    return [event.timestamp for event in events if event.event_type is kind]


def _latency_ms(
    run: Fields, start: datetime | None, end: datetime | None
) -> float | None:
    """The stated latency, or else the time between start and end."""
    stated = number_of(run.get("latency_ms"))
    if stated is not None or start is None or end is None:
        return stated
    return max((end - start).total_seconds() * 1000, 0)


def _prices(run: Fields, currency: str) -> dict[str, PriceSnapshot]:
    """The price snapshots that came with the run: a list, or one."""
    stated: object = run.get("price_snapshots") or run.get("price_snapshot") or []
    listed = cast("list[object]", stated) if isinstance(stated, list) else [stated]
    prices: dict[str, PriceSnapshot] = {}
    for value in listed:
        price = price_of(value, currency=currency)
        if price is not None:
            prices[price.model_name] = price
    return prices


# --- names of agent and skill ---


def _with_inherited_names(steps: Sequence[Step], run: Fields) -> Iterable[Step]:
    """The steps, each with an agent and a skill.

    A step that names none has those of its parent step, or at last those of the run.
    """
    by_id = {step.step_id: step for step in steps}
    for step in steps:
        agent_id = _name_from_above(step, "agent_id", by_id)
        skill_id = _name_from_above(step, "skill_id", by_id)
        yield replace(
            step,
            agent_id=agent_id or text_of(run.get("agent_id")),
            skill_id=skill_id or text_of(run.get("skill_id")),
        )


def _name_from_above(step: Step, field: str, by_id: Mapping[int, Step]) -> str | None:
    seen: set[int] = set()
    above: Step | None = step
    while above is not None and above.step_id not in seen:
        seen.add(above.step_id)
        name: Any = getattr(above, field)
        if name is not None:
            return str(name)
        parent_id = above.parent_step_id
        above = None if parent_id is None else by_id.get(parent_id)
    return None
