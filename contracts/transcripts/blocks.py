"""Calls and results that hold no messages of their own."""

from __future__ import annotations

from typing import Any, Final

from judgemesh.contracts.transcripts.calls import read_call
from judgemesh.contracts.transcripts.keys import (
    CONTENTS,
    RESULT_IDS,
    RESULT_WRAPPERS,
    Fields,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import Kind, kind_of
from judgemesh.contracts.transcripts.outcomes import read_result
from judgemesh.contracts.transcripts.parts import Call, Part, Unread

_RESULT_LISTS: Final = ("toolresponses", "content", "contents", "results")
"""Keys of a message that hold the results of several calls. The text beside `tool_responses` only joins them."""


def json_rpc(fields: Fields) -> list[Part]:
    """A line of the protocol of tool servers."""
    if fields.text("method") == "tools/call":
        params = as_object(fields.get("params")) or {}
        call = read_call({**params, "id": fields.get("id")})
        return [Unread("a call names no tool")] if call is None else [call]
    if fields.has(("result", "error")):
        inner = as_object(fields.get("result")) or {
            "error": fields.get("error"),
            "result": fields.get("result"),
        }
        return [read_result({**inner, "id": fields.get("id")}, stray=True)]
    return []


def one_call(value: object, named: str | None = None) -> list[Part]:
    """The call that an object states, or that it names no tool."""
    call = read_call(value, named=named)
    return [Unread("a call names no tool")] if call is None else [call]


def ids_of(fields: Fields) -> dict[str, Any]:
    """The ids that a wrapper gives for the call inside it."""
    return {key: item for key, item in fields.items() if key in RESULT_IDS}


def read_results(fields: Fields) -> list[Part]:
    """The results that a message or block holds."""
    for key in _RESULT_LISTS:
        elements = as_list(fields.get(key))
        if elements and all(_names_call(element) for element in elements):
            return [read_result(element) for element in elements]
    for key in RESULT_WRAPPERS:
        inner = as_object(fields.get(key))
        if inner is not None and fields.get(("content",)) is None:
            return [read_result(inner)]
    return [read_result(fields.value)]


def _names_call(value: object) -> bool:
    known = as_object(value)
    return known is not None and Fields(known).has(
        ("callid", "toolcallid", "tooluseid")
    )


def holds_results(fields: Fields) -> bool:
    """Whether the message of a tool holds several typed parts, each with a result of its own."""
    for key in CONTENTS:
        for element in as_list(fields.get(key)) or ():
            known = as_object(element)
            if known is not None and _is_result_block(Fields(known)):
                return True
    return False


def _is_result_block(fields: Fields) -> bool:
    return kind_of(fields) is Kind.RESULT or any(
        key in fields for key in RESULT_WRAPPERS
    )


def beyond(found: list[Call], parts: list[Part]) -> list[Part]:
    """The parts without calls that were found at another place of the same message."""
    left = list(found)
    new: list[Part] = []
    for part in parts:
        same = next((call for call in left if _is_same(call, part)), None)
        if same is None:
            new.append(part)
        else:
            left.remove(same)
    return new


def _is_same(call: Call, part: Part) -> bool:
    if not isinstance(part, Call) or fold(call.name) != fold(part.name):
        return False
    if call.id is not None and part.id is not None and call.id == part.id:
        return True
    return (call.id is None or part.id is None) and call.arguments == part.arguments
