"""A call that only carries others: which step is one, and the list of what it carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from judgemesh.contracts.transcripts.arguments import read_arguments
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
)

RECIPIENT: Final = "recipientname"
_CARRIER: Final = "multitooluseparallel"
_INNER_LISTS: Final = ("tooluses", "invocations")


def carries_calls(item: Mapping[str, Any]) -> bool:
    """Whether a step in our own form is a call that only carries others."""
    name: object = item.get("tool_name")
    arguments: object = item.get("arguments")
    if not isinstance(name, str):
        return False
    if type(arguments) is dict and len(cast("JsonObject", arguments)) != 1:
        return fold(name).endswith(_CARRIER)
    return is_carrier(name, read_arguments(cast("object", arguments))[0])


def is_carrier(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether it is the carrier by name, or its arguments are one list whose elements all name a tool."""
    if fold(name).endswith(_CARRIER):
        return True
    elements = inner_calls(arguments) if len(arguments) == 1 else []
    return bool(elements) and all(map(_names_tool, elements))


def inner_calls(arguments: Mapping[str, Any]) -> list[Any]:
    """The list that a carrier holds; empty where there is none."""
    return as_list(Fields(arguments).get(_INNER_LISTS)) or []


def _names_tool(element: object) -> bool:
    fields = Fields(as_object(element) or {})
    return fields.has((RECIPIENT, "toolname")) or (
        fields.has(("name",)) and fields.has(ARGUMENTS)
    )
