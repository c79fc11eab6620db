"""A call that only carries other calls (`multi_tool_use.parallel`): the calls inside are what the agent did. Pure."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.transcripts.calls import read_call
from judgemesh.contracts.transcripts.carriers import (
    RECIPIENT,
    inner_calls,
    is_carrier,
)
from judgemesh.contracts.transcripts.keys import (
    Fields,
    as_object,
)
from judgemesh.contracts.transcripts.parts import Call, Part, Unread

_NAMESPACE: Final = "functions."


def opened(part: Part) -> list[Part]:
    """The calls that a call carries, each with the id of the carrier; any other part as it is."""
    if not isinstance(part, Call) or not is_carrier(part.name, part.arguments):
        return [part]
    elements = inner_calls(part.arguments)
    if not elements:
        return [part, Unread(f"the calls inside {part.name} cannot be read")]
    return [
        _carried(part, element, number) for number, element in enumerate(elements, 1)
    ]


def _carried(carrier: Call, element: object, number: int) -> Part:
    known = as_object(element) or {}
    named = Fields(known).text(RECIPIENT)
    call = read_call(known, named=(named or "").removeprefix(_NAMESPACE) or None)
    if call is None:
        return Unread(f"a call inside {carrier.name} names no tool")
    identity = None if carrier.id is None else f"{carrier.id}.{number}"
    outcome = call.outcome or carrier.outcome
    return Call(
        call.name, call.arguments, call.arguments_text, identity, outcome, carrier.id
    )
