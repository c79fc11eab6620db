"""A call that only carries others: which step is one, and what it carries."""

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
_PASSES_ON: Final = frozenset({"calltoolmcp", "usemcptool"})
"""Tools of coding agents that pass one call on to a server."""
_INNER_LISTS: Final = ("tooluses", "invocations")


def carries_calls(item: Mapping[str, Any]) -> bool:
    """Whether a step in our own form is a call that only carries others."""
    name: object = item.get("tool_name")
    arguments: object = item.get("arguments")
    if not isinstance(name, str):
        return False
    if type(arguments) is dict and len(cast("JsonObject", arguments)) != 1:
        return _is_named_carrier(name)
    return is_carrier(name, read_arguments(cast("object", arguments))[0])


def is_carrier(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether it is the carrier by name, or its arguments are one list whose elements all name a tool."""
    if _is_named_carrier(name):
        return True
    elements = inner_calls(name, arguments) if len(arguments) == 1 else []
    return bool(elements) and all(map(_names_tool, elements))


def _is_named_carrier(name: str) -> bool:
    return fold(name).endswith(_CARRIER) or fold(name) in _PASSES_ON


def inner_calls(name: str, arguments: Mapping[str, Any]) -> list[Any]:
    """What a carrier of that name holds; empty where there is nothing."""
    if fold(name) in _PASSES_ON:
        return [arguments] if _names_tool(arguments) else []
    return as_list(Fields(arguments).get(_INNER_LISTS)) or []


def _names_tool(element: object) -> bool:
    fields = Fields(as_object(element) or {})
    return fields.has((RECIPIENT, "toolname")) or (
        fields.has(("name",)) and fields.has(ARGUMENTS)
    )
