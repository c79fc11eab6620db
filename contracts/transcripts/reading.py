"""A trace as a result carries it, in whatever form: steps of our own, or messages, items and events of a framework.

Each call becomes a step with the tool's name, its arguments and its result. What may hold a call and could not be read
is named in `unread`, and then nothing is said about the run's calls.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from judgemesh.contracts.transcripts.exports import is_export
from judgemesh.contracts.transcripts.keys import (
    REPLIES,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
    is_object,
)
from judgemesh.contracts.transcripts.messages import read_messages

_LISTS: Final = (
    "steps", "messages", "events", "items", "turns", "conversation", "transcript", "history", "chathistory", "contents",
    "trajectory", "log", "newitems", "input", "output", "toolcalls", "calls", "actions", "toolscalled", "data",
    "allmessages", "inputitems", "chat", "dialogue", "dialog", "spans",
)  # fmt: skip
"""Keys that hold the list of a trace that is an object."""
_OF_REPLY: Final = ("role", "choices", "candidates", "output", "content", "message")
_STEPS: Final = frozenset({"steps"})
_MAX_SHOWN: Final = 3
_DISAGREES: Final = "lists disagree"
_EXPORT: Final = "it is an export of spans that no reader knows"
"""What an export is until `mesh.grading` has had it read; see `export` of `Trace`."""


def read_trace(value: Any) -> Any:
    """The fields of a `Trace`; a value that is no trace is returned as it is, to be refused by its type.

    What cannot be read here is kept as `export`: a reader of exports, sessions and run objects may know it.
    """
    if isinstance(value, str):
        value = _from_text(value)
        if isinstance(value, str):
            return {"ref": value}
    if _holds_steps_alone(value):
        read = read_messages(value["steps"])
        return {**read, "export": value} if read.get("unread") else read
    if is_export(value):
        return {"steps": [], "unread": _EXPORT, "export": value}
    known = as_object(value)
    if known is not None and known.get("unread"):
        return value
    read = _read(value)
    if not is_object(read) or not read.get("unread") or read.get(_DISAGREES):
        return _without(read, _DISAGREES)
    return {**read, "export": value}


def _holds_steps_alone(value: Any) -> bool:
    """Whether it is the usual trace: an object with a list of steps and nothing else that could hold the run."""
    if type(value) is not dict:
        return False
    trace = cast("JsonObject", value)
    return trace.keys() == _STEPS and isinstance(trace["steps"], list)


def _without(read: Any, name: str) -> Any:
    known = as_object(read)
    if known is None:
        return read
    return {key: item for key, item in known.items() if key != name}


def _read(value: Any) -> Any:
    elements = as_list(value)
    if elements is not None:
        return read_messages(elements)
    known = as_object(value)
    if known is None:
        return value
    return _read_object(known)


def _from_text(text: str) -> Any:
    """JSON that was written into a text; any other text is the name of a file."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"unread": "the trace is text that is no JSON"}


def _read_object(trace: JsonObject) -> JsonObject:
    found = _lists_of(trace)
    others = {key: item for key, item in trace.items() if fold(key) not in _LISTS}
    if not found:
        return _without_list(trace)
    complete = trace.get("complete") is True
    read = [read_messages(elements, complete=complete) for elements in found]
    first = max(read, key=lambda each: len(_calls(each)))
    kept = {**others, "steps": first["steps"]}
    disagreement = _disagreement(first, read)
    if disagreement:
        # Another reader would see one of the lists, and not that the other has more.
        return {**kept, "unread": disagreement, _DISAGREES: True}
    unread = next(
        (each["unread"] for each in (first, *read) if each.get("unread")), None
    )
    if any(_is_reply(Fields(trace).get(key)) for key in REPLIES):
        unread = unread or "a response stands beside its request"
    events = as_list(trace.get("events"))
    if events is not None:
        kept["events"] = list(filter(is_object, events))
    return {**kept, "unread": unread} if unread else kept


def _is_reply(value: Any) -> bool:
    """Whether it is a message, or what an API answers."""
    known = as_object(value)
    return known is not None and Fields(known).has(_OF_REPLY)


def _lists_of(trace: JsonObject, depth: int = 0) -> list[list[Any]]:
    """Every list that may hold the run, those under the most telling keys first; nested ones if there is no other."""
    fields = Fields(trace)
    found: list[list[Any]] = []
    for key in _LISTS:
        elements = as_list(fields.get(key))
        if elements is not None and (elements or key in ("steps", "messages")):
            found.append(elements)
    if any(found):
        return [elements for elements in found if elements]
    if found or depth > 2:
        return found[:1]
    for item in trace.values():
        inner = as_object(item)
        if inner is not None:
            found += _lists_of(inner, depth + 1)
    return found


def _without_list(trace: JsonObject) -> JsonObject:
    """A trace without any list: a reference, nothing at all, or one message."""
    if trace.get("ref") is not None or not trace:
        return trace
    if Fields(trace).has(("role", "toolname", "toolcalls", "type")):
        return read_messages([trace])
    if all(item in (None, [], {}, "") for item in trace.values()):
        return trace
    return {
        **trace,
        "unread": f"no list of steps or messages among {', '.join(sorted(trace)[:_MAX_SHOWN])}",
    }


def _disagreement(first: JsonObject, read: Sequence[JsonObject]) -> str | None:
    """Why two lists of one trace cannot both be right: one has calls that the other lacks."""
    known = [fold(name) for name in _calls(first)]
    for other in read:
        for name in _calls(other):
            if fold(name) not in known:
                return f"two lists of the trace disagree: only one of them calls {name}"
    return None


def _calls(trace: JsonObject) -> list[str]:
    return [step["tool_name"] for step in trace["steps"] if step.get("tool_name")]
