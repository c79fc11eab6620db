"""A list of steps, messages, items or events, as steps, and what in it could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from judgemesh.contracts.transcripts.batches import carries_calls
from judgemesh.contracts.transcripts.items import read_item
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    ASSISTANT,
    CALL_LISTS,
    RESULTS,
    ROLE_OF_WORD,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.looks import call_looks, writes_call
from judgemesh.contracts.transcripts.own_steps import (
    inert_fields,
    is_known,
    is_own,
    is_plain,
    kept_fields,
    only_says,
    tidy,
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


def read_messages(elements: Sequence[Any], *, complete: bool = False) -> JsonObject:
    """The steps of a list of steps, messages, items or events.

    With `complete` the harness says that every call is recorded: a call that a text writes out is only text.
    """
    if all(is_plain(element) and not carries_calls(element) for element in elements):
        steps = [tidy(element) for element in elements]
        return _finished(steps, [] if complete else list(_text_faults(steps)))
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
    unread += () if complete else _text_faults(collected.steps)
    return _finished([tidy(step) for step in collected.steps], unread)


def _finished(steps: list[JsonObject], unread: Sequence[str]) -> JsonObject:
    if not unread:
        return {"steps": steps}
    more = f" (and {len(unread) - _MAX_SHOWN} more)" if len(unread) > _MAX_SHOWN else ""
    return {"steps": steps, "unread": "; ".join(unread[:_MAX_SHOWN]) + more}


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
    if only_says(item, parts):
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


def _text_faults(steps: Sequence[JsonObject]) -> Iterator[str]:
    """Where no call was recorded and the agent's text writes one out: the harness recorded none."""
    if any(step.get("tool_name") for step in steps):
        return
    for position, step in enumerate(steps, start=1):
        text = step.get("content")
        if isinstance(text, str) and _is_agents(step) and writes_call(text):
            yield f"step {step.get('step_id', position)}: the text writes a call, and the trace records none"
            return


def _is_agents(step: JsonObject) -> bool:
    """Whether the agent said the text of the step."""
    role = ROLE_OF_WORD.get(fold(str(step.get("role") or ASSISTANT)))
    return role == ASSISTANT and step.get("state_type") != "reasoning"
