"""Elements of a transcript's lists that are not what such a list holds: each may have been a call. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    CALL_LISTS,
    DEFINITIONS,
    RESULTS,
    fold,
)
from judgemesh.mesh.tracing.conversations.document import BadLine, Document
from judgemesh.mesh.tracing.spans.json_values import is_list, is_object

_LISTS_OF_OBJECTS: Final = CALL_LISTS | {
    "agentthoughts",
    "conversationaltestcases",
    "conversations",
    "inputmessages",
    "messages",
    "newitems",
    "samples",
    "simulations",
    "steps",
    "tasksoutput",
    "testcases",
    "toolresponses",
    "trajectory",
    "turns",
}
_ALWAYS_LISTS: Final = frozenset(
    {"messages", "newitems", "tasksoutput", "testcases", "toolcalls", "toolscalled"}
)
_OF_TOOLS: Final = frozenset({*ARGUMENTS, *RESULTS, *DEFINITIONS})
"""What stands under these keys is the tools' own: it may hold anything."""


def broken_part(document: Document) -> str | None:
    """The first element that is no object where all are objects; None where there is none."""
    whole = document.whole
    if is_list(whole) and any(map(is_object, whole)):
        for number, element in enumerate(whole, start=1):
            if not is_object(element) and not isinstance(element, BadLine):
                return f"element {number} is {type(element).__name__}, not an object"
    return next(_broken(document.values), None)


def _broken(values: list[Any]) -> Iterator[str]:
    waiting: list[Any] = list(values)
    while waiting:
        value = waiting.pop()
        if is_list(value):
            waiting += value
        elif is_object(value):
            for key, item in value.items():
                folded = fold(key)
                if folded in _OF_TOOLS:
                    continue
                yield from _faults(key, folded, item)
                waiting.append(item)


def _faults(key: str, folded: str, item: Any) -> Iterator[str]:
    is_count = folded == "toolcalls" and isinstance(item, int)
    is_list_or_text = item is None or is_list(item) or isinstance(item, str)
    if folded in _ALWAYS_LISTS and not is_list_or_text and not is_count:
        yield f"{key} is {type(item).__name__}, not a list"
    if folded in _LISTS_OF_OBJECTS and is_list(item):
        for number, element in enumerate(item, start=1):
            if not is_object(element):
                kind = type(element).__name__
                yield f"element {number} of {key} is {kind}, not an object"
