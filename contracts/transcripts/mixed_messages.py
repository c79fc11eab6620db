"""The steps of a list in which something is no step of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from judgemesh.contracts.transcripts.carriers import carries_calls
from judgemesh.contracts.transcripts.items import read_item
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    CALL_LISTS,
    RESULTS,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.looks import call_looks
from judgemesh.contracts.transcripts.own_steps import (
    inert_fields,
    is_known,
    is_own,
    kept_fields,
)
from judgemesh.contracts.transcripts.parts import Part, Said
from judgemesh.contracts.transcripts.steps import StepList

_MAX_SHOWN: Final = 3

_SPAN_KEYS: Final = (
    "runtype",
    "dottedorder",
    "spanid",
    "spandata",
    "resourcespans",
    "parentspanid",
)


def read_mixed(elements: Sequence[Any]) -> tuple[list[JsonObject], list[str]]:
    """The steps, not tidy yet, and what could not be read."""
    collected = StepList()
    looks: list[tuple[int, str]] = []
    for number, element in enumerate(elements, start=1):
        known = as_object(element)
        if known is None:
            _add_text(collected, element, number)
            continue
        _add(collected, known, number)
        looks += ((number, name) for name in _leftovers(known))
    names = {
        fold(str(step["tool_name"]))
        for step in collected.steps
        if step.get("tool_name")
    }
    names |= collected.carriers
    unread = list(collected.unread)
    for number, name in looks:
        if not name or not any(called.endswith(fold(name)) for called in names):
            what = f"a call of {name}" if name else "a list of calls"
            unread.append(f"step {number}: {what} stands where no call is read")
    return collected.steps, unread


def _add_text(collected: StepList, element: object, number: int) -> None:
    if isinstance(element, str) and element.strip():
        collected.add([Said(None, element)], number, {})
        collected.unread.append(f"step {number}: a line of text instead of a step")
    elif element is not None and element != "":
        collected.unread.append(
            f"step {number}: expected a step or message, got {type(element).__name__}"
        )


def _add(collected: StepList, item: JsonObject, number: int) -> None:
    if is_own(item) and not carries_calls(item):
        step_id = item.get("step_id")
        collected.add_own({**item, "step_id": number if step_id is None else step_id})
        collected.add(_lists_in_own(item), number, {})
        return
    foreign = _foreign(item)
    if foreign:
        collected.unread.append(f"step {number}: {foreign}")
        return
    parts = read_item(item)
    if not parts and not is_known(item):
        collected.unread.append(
            f"step {number}: of no known form ({', '.join(sorted(item)[:_MAX_SHOWN])})"
        )
    if _only_says(item, parts):
        collected.add_own({"step_id": number, **inert_fields(item), **item})
        return
    collected.add(parts, number, kept_fields(item))


def _foreign(item: JsonObject) -> str:
    """Why an item is neither step nor message; empty where it may be one."""
    fields = Fields(item)
    if all(as_object(fields.get(key)) is not None for key in ("request", "response")):
        return "a request with its response, which repeats the history"
    if fields.has(_SPAN_KEYS):
        return "a span; `judgemesh trace import` reads spans"
    return ""


def _lists_in_own(item: JsonObject) -> Iterator[Part]:
    """Calls that stand in a list beside a call in our own form."""
    rest = {key: part for key, part in item.items() if fold(key) in CALL_LISTS}
    if rest:
        yield from read_item(rest)


def _leftovers(item: Mapping[str, Any]) -> Iterator[str]:
    """The names of what looks like a call in the fields of an item, read or not."""
    for key, value in item.items():
        folded = fold(key)
        if folded in ("tools", "functions", "replay", *ARGUMENTS, *RESULTS):
            continue
        if folded in CALL_LISTS and value and as_list(value) is None:
            yield ""
        if key == "tool_name" and value and not isinstance(value, str):
            yield ""
        yield from call_looks(value)


def _only_says(item: JsonObject, parts: Sequence[Part]) -> bool:
    """Whether the item holds no call, and no text beside its own `content`."""
    if not parts:
        return True
    said = parts[0]
    if len(parts) > 1 or not isinstance(said, Said) or said.thought:
        return False
    return said.text == item.get("content") and (
        said.role == item.get("role") or said.role is None
    )
