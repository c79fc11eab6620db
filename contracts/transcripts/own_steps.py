"""Steps in our own form, and the fields of a message that its steps keep."""

from __future__ import annotations

from typing import Final, cast

from judgemesh.contracts.transcripts.arguments import as_text, read_arguments
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    CALL_LISTS,
    CALL_WRAPPERS,
    CONTENTS,
    RESULT_WRAPPERS,
    RESULTS,
    ROLES,
    Fields,
    JsonObject,
    fold,
)
from judgemesh.contracts.transcripts.kinds import Kind, is_tool_role, kind_of, kind_word

_STEP_FIELDS: Final = frozenset(
    {"step_id", "state_type", "role", "content", "tool_name", "arguments", "arguments_text", "result", "status",
     "error", "call_id", "together"}
)  # fmt: skip


_CONSUMED: Final = frozenset(
    {*CONTENTS, *RESULTS, *ARGUMENTS, *CALL_LISTS, *CALL_WRAPPERS, *RESULT_WRAPPERS, "toolname", "replay", "tools"}
)  # fmt: skip


def is_plain(element: object) -> bool:
    """Whether it is a step of our own with nothing else in it."""
    if not isinstance(element, dict):
        return False
    step = cast("JsonObject", element)
    if not step or step.keys() - _STEP_FIELDS:
        return False
    content, name = step.get("content"), step.get("tool_name")
    if not isinstance(content, str | None) or not isinstance(name, str | None):
        return False
    return name is not None or not is_tool_role(_text(step.get("role")))


def is_own(item: JsonObject) -> bool:
    """Whether it is a call in our own form."""
    if not isinstance(item.get("tool_name"), str) or not item["tool_name"]:
        return False
    if "arguments" in item:
        return True
    if is_tool_role(_text(item.get("role"))):
        return False
    fields = Fields(item)
    return (
        kind_of(fields) is not Kind.RESULT
        and not fields.has(ARGUMENTS)
        and "part_kind" not in item
    )


def is_known(item: JsonObject) -> bool:
    """Whether an item without parts is one that may have none: it says who speaks, or what it is."""
    fields = Fields(item)
    return fields.has((*ROLES, "statetype", "stepid", *CONTENTS)) or bool(
        kind_word(fields)
    )


def inert_fields(item: JsonObject) -> JsonObject:
    """Who speaks and what the item is, for an item that holds neither text nor call."""
    fields = Fields(item)
    found = {
        "state_type": item.get("state_type") or kind_word(fields),
        "role": fields.text("role"),
    }
    return {key: value for key, value in found.items() if value}


def kept_fields(item: JsonObject) -> JsonObject:
    """The fields of a message that its steps keep."""
    extras: JsonObject = {}
    for key, value in item.items():
        folded = fold(key)
        if value is None or folded in _CONSUMED or key in ("error", "role"):
            continue
        if key in ("state_type", "step_id", "status") or not isinstance(
            value, dict | list
        ):
            extras[key] = value
    return extras


def tidy(step: JsonObject) -> JsonObject:
    """A step with values of the types that a step has."""
    tidy = dict(step)
    if not isinstance(tidy.get("tool_name"), str | None):
        del tidy["tool_name"]
    arguments = tidy.get("arguments")
    if "arguments" in tidy and not isinstance(arguments, dict):
        tidy["arguments"], text = read_arguments(arguments)
        if text is not None:
            tidy["arguments_text"] = text
    for key in ("content", "role", "status", "state_type"):
        value = tidy.get(key)
        if value is not None and not isinstance(value, str):
            tidy[key] = as_text(value)
    error = tidy.get("error")
    if error is not None and not isinstance(error, str | bool):
        tidy["error"] = as_text(error)
    return tidy


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
