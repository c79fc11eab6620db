"""A call and its result out of one object, whatever framework wrote it."""

from __future__ import annotations

from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import as_text, read_arguments
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    ERRORS,
    IDS,
    MORE_ARGUMENTS,
    NAMES,
    RESULTS,
    TOOL_NAMES,
    Fields,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import kind_word, vercel_tool
from judgemesh.contracts.transcripts.outcomes import STATES, error_of, ids_in, unwrapped
from judgemesh.contracts.transcripts.parts import Call, Outcome

_GENERIC_KINDS: Final = frozenset(
    {"toolcall", "functioncall", "customtoolcall", "mcpcall", "toolusecall", "call"}
)
_BESIDE_ARGUMENTS: Final = frozenset(
    {*NAMES, *IDS, *RESULTS, *ERRORS, *STATES, "type", "metadata", "extra", "provider", "origin", "toolorigin", "meta"}
)  # fmt: skip


def read_call(value: object, *, named: str | None = None) -> Call | None:
    """The call that an object states; None where it names no tool. `named` is the tool if the object does not say."""
    known = as_object(value)
    if known is None:
        return None
    fields = Fields(known)
    inner = _inner(fields) or _state(fields)
    name = _name(fields, inner) or named or _hosted_tool(fields)
    if name is None:
        return None
    arguments, text = _arguments(fields, inner)
    found = ids_in(fields, IDS)
    return Call(
        name,
        arguments,
        text,
        found[0] if found else None,
        _own_outcome(fields) or (None if inner is None else _own_outcome(inner)),
    )


def _inner(fields: Fields) -> Fields | None:
    """The object that a call is nested in: `{"function": {"name": ..., "arguments": ...}}`."""
    for key in (
        *TOOL_NAMES,
        "action",
        "data",
        "payload",
        "params",
        "toolcall",
        "functioncall",
        "custom",
    ):
        known = as_object(fields.get(key))
        if known is not None and Fields(known).text(NAMES):
            return Fields(known)
    return None


def _state(fields: Fields) -> Fields | None:
    """The state of a call that holds its input and its output."""
    known = as_object(fields.get("state"))
    return Fields(known) if known and Fields(known).has(ARGUMENTS) else None


def _name(fields: Fields, inner: Fields | None) -> str | None:
    name = fields.text(TOOL_NAMES)
    if name is None and inner is not None:
        name = inner.text(NAMES)
    return name or fields.text(NAMES)


def _hosted_tool(fields: Fields) -> str | None:
    """The tool that the kind itself names: `tool-refund`, `web_search_call`, `executable_code`."""
    word = kind_word(fields)
    named = vercel_tool(word)
    if named is not None:
        return named
    if fold(word) == "executablecode":
        return "code_execution"
    if fold(word) in _GENERIC_KINDS or not fold(word).endswith("call"):
        return None
    return word[: -len("call")].rstrip("_- ") or None


def _arguments(
    fields: Fields, inner: Fields | None
) -> tuple[dict[str, Any], str | None]:
    for place in filter(None, (inner, fields)):
        value = place.get(ARGUMENTS)
        if value is not None:
            return read_arguments(value)
        if place.has(ARGUMENTS):
            return {}, None
    if inner is not None:
        return _other_arguments(inner)
    return _other_arguments(fields)


def _other_arguments(fields: Fields) -> tuple[dict[str, Any], str | None]:
    """Arguments under another key; an object that stands beside the name may be them, and is not taken for them."""
    value = fields.get(MORE_ARGUMENTS)
    action = as_object(fields.get("action"))
    if value is None and action is not None:
        value = action
    if value is not None:
        return read_arguments(value)
    beside = {
        key: item
        for key, item in fields.items()
        if key not in _BESIDE_ARGUMENTS and as_object(item)
    }
    return {}, as_text(beside) if beside else None


def _own_outcome(fields: Fields) -> Outcome | None:
    """The result, where it stands beside the call itself."""
    error = error_of(fields)
    if fields.get(RESULTS) is None and error is None:
        return None
    return Outcome(unwrapped(fields.get(RESULTS)), error)
