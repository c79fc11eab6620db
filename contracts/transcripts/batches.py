"""A call that only carries other calls (`multi_tool_use.parallel`): the calls inside are what the agent did. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from judgemesh.contracts.transcripts.arguments import read_arguments
from judgemesh.contracts.transcripts.calls import read_call
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    Fields,
    JsonObject,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.parts import Call, Part, Unread

_CARRIER: Final = "multitooluseparallel"
_INNER_LISTS: Final = ("tooluses", "invocations")
_NAMESPACE: Final = "functions."
_RECIPIENT: Final = "recipientname"


def carries_calls(item: Mapping[str, Any]) -> bool:
    """Whether a step in our own form is a call that only carries others."""
    name: object = item.get("tool_name")
    arguments: object = item.get("arguments")
    if not isinstance(name, str):
        return False
    if type(arguments) is dict and len(cast("JsonObject", arguments)) != 1:
        return fold(name).endswith(_CARRIER)
    return _is_carrier(name, read_arguments(cast("object", arguments))[0])


def opened(part: Part) -> list[Part]:
    """The calls that a call carries, each with the id of the carrier; any other part as it is."""
    if not isinstance(part, Call) or not _is_carrier(part.name, part.arguments):
        return [part]
    elements = _inner(part.arguments)
    if not elements:
        return [part, Unread(f"the calls inside {part.name} cannot be read")]
    return [
        _carried(part, element, number) for number, element in enumerate(elements, 1)
    ]


def _is_carrier(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether it is the carrier by name, or its arguments are one list whose elements all name a tool."""
    if fold(name).endswith(_CARRIER):
        return True
    elements = _inner(arguments) if len(arguments) == 1 else []
    return bool(elements) and all(map(_names_tool, elements))


def _inner(arguments: Mapping[str, Any]) -> list[Any]:
    return as_list(Fields(arguments).get(_INNER_LISTS)) or []


def _names_tool(element: object) -> bool:
    fields = Fields(as_object(element) or {})
    return fields.has((_RECIPIENT, "toolname")) or (
        fields.has(("name",)) and fields.has(ARGUMENTS)
    )


def _carried(carrier: Call, element: object, number: int) -> Part:
    known = as_object(element) or {}
    named = Fields(known).text(_RECIPIENT)
    call = read_call(known, named=(named or "").removeprefix(_NAMESPACE) or None)
    if call is None:
        return Unread(f"a call inside {carrier.name} names no tool")
    identity = None if carrier.id is None else f"{carrier.id}.{number}"
    outcome = call.outcome or carrier.outcome
    return Call(
        call.name, call.arguments, call.arguments_text, identity, outcome, carrier.id
    )
