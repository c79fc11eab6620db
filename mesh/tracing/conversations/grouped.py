"""Which traces are of one conversation: many SDKs make a trace for each turn. Pure.

Traces of one session, thread or group belong together, and so do traces of which the later
one repeats the whole of the earlier one as its history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.conversations.merged import Key, key_of, parts_of_messages
from judgemesh.mesh.tracing.spans.json_values import list_of

_Ends: TypeAlias = tuple[Key, Key]
"""The first thing that was asked, and the last thing that the agent said or did."""


def conversations_in(traces: Iterable[Trace]) -> list[list[Trace]]:
    """The traces by conversation, in the order of their first times."""
    groups: list[list[Trace]] = []
    by_id: dict[str, list[Trace]] = {}
    by_ends: dict[_Ends, list[Trace]] = {}
    for trace in sorted(traces, key=_start):
        stated = trace.details.get("conversation_id")
        before, after = _ends(trace)
        group = by_id.get(str(stated)) if stated else None
        if group is None and before is not None:
            group = by_ends.get(before)
        if group is None:
            group = list[Trace]()
            groups.append(group)
        group.append(trace)
        if stated:
            by_id[str(stated)] = group
        if after is not None:
            by_ends[after] = group
    return groups


def _start(trace: Trace) -> tuple[float, str]:
    start = trace.start_time
    return (start.timestamp() if start is not None else 0.0, trace.trace_id)


def _ends(trace: Trace) -> tuple[_Ends | None, _Ends | None]:
    """The ends of what the trace began with, and of what it ended with."""
    models = [step for step in trace.steps if step.content.get("answered")]
    if not models:
        return None, None
    sent = [_keys(list_of(step.content.get("sent"))) for step in models]
    answered = _keys(list_of(models[-1].content.get("answered")))
    return _ends_of(sent[0]), _ends_of([*sent[0][:1], *sent[-1], *answered])


def _keys(messages: Sequence[object]) -> list[Key]:
    return [key_of(part) for part in parts_of_messages(messages)]


def _ends_of(keys: Sequence[Key]) -> _Ends | None:
    asked = next((key for key in keys if key[0] == "asked"), None)
    own = [key for key in keys if key[0] in {"call", "said"} and key[1] != "thought"]
    return (asked, own[-1]) if asked is not None and own else None
