"""One message, part of a message, event or plain step, as the parts that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from judgemesh.contracts.transcripts.blocks import (
    beyond,
    holds_results,
    ids_of,
    json_rpc,
    one_call,
    read_results,
)
from judgemesh.contracts.transcripts.calls import (
    read_call,
)
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    ASSISTANT,
    CALL_LISTS,
    CALL_WRAPPERS,
    CONTENTS,
    ENVELOPES,
    NAMES,
    NESTED_LISTS,
    RESULT_IDS,
    RESULT_WRAPPERS,
    TOOL_NAMES,
    Fields,
    as_list,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import (
    Kind,
    is_tool_role,
    kind_of,
    kind_word,
    role_of,
    says_call,
)
from judgemesh.contracts.transcripts.outcomes import is_result_of_call, read_result
from judgemesh.contracts.transcripts.parts import (
    Boundary,
    Call,
    Part,
    Said,
    Unread,
)

_MAX_DEPTH: Final = 16
_SURELY_ARGUMENTS: Final = (
    "arguments",
    "toolargs",
    "toolinput",
    "toolarguments",
    "functionarguments",
    "toolkwargs",
)
"""Keys that only a call has; an object with one, and with neither name nor text, is a call of who knows what."""
_EMPTY_MESSAGE: Final = frozenset({"role", "id", "metadata", "createdat", "timestamp"})
_IDENTIFIER: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-:/")


def read_item(
    value: Mapping[str, Any], role: str | None = None, depth: int = 0
) -> list[Part]:
    """The parts of a message or of one of its blocks; empty where it holds none. `role` is who speaks around it."""
    if depth > _MAX_DEPTH:
        return [Unread("it is nested too deep")]
    fields = Fields(value)
    if fields.get("ismeta") is True:
        return []
    if "jsonrpc" in fields:
        return json_rpc(fields)
    enveloped = _opened(fields)
    if enveloped is not None:
        return read_item(enveloped, role_of(fields) or role, depth + 1)
    return _read_kind(fields, role, depth)


def _read_kind(fields: Fields, role: str | None, depth: int) -> list[Part]:
    match kind_of(fields):
        case Kind.CALL:
            return _read_calls(fields, role, depth)
        case Kind.RESULT:
            return read_results(fields)
        case Kind.THOUGHT:
            text = fields.text(("text", "thinking", "reasoning", "content", "thought"))
            return [Said(None, text, thought=True)] if text else []
        case Kind.INERT:
            return []
        case Kind.OTHER:
            return _read_other(fields, role, depth)


def _read_other(fields: Fields, role: str | None, depth: int) -> list[Part]:
    """The parts of what gives no kind, or the kind of a message."""
    speaker = role_of(fields) or role
    if fold(kind_word(fields)) == "stepstart":
        return [Boundary()]
    problem = _unreadable(fields, speaker)
    if problem is not None:
        return [Unread(problem)]
    if _is_plain_call(fields, speaker):
        call = read_call(fields.value)
        return [] if call is None else [*_spoken(fields, speaker, depth), call]
    if (is_tool_role(speaker) or is_result_of_call(fields)) and not holds_results(
        fields
    ):
        return read_results(fields)
    said = _spoken(fields, speaker, depth)
    parts = list(said)
    found = [part for part in parts if isinstance(part, Call)]
    for calls in _listed_calls(fields, speaker, depth):
        parts += beyond(found, calls)
        found = [part for part in parts if isinstance(part, Call)]
    listed = parts[len(said) :]
    # A message with the results of its calls is what a user was shown of a whole turn: its text ends the turn.
    return [*listed, *said] if _are_answered(listed) else parts


def _are_answered(parts: list[Part]) -> bool:
    """Whether these are calls with their results."""
    return bool(parts) and all(
        isinstance(part, Call) and part.outcome is not None for part in parts
    )


def _unreadable(fields: Fields, speaker: str | None) -> str | None:
    """Why an object that may be or hold a call cannot be read; None where it can."""
    is_named = fields.has((*CONTENTS, *NAMES, *CALL_LISTS, *CALL_WRAPPERS))
    if fields.has(_SURELY_ARGUMENTS) and not is_named:
        return "a call names no tool"
    if _is_nameless_call(fields, speaker):
        return "a call names no tool"
    if _is_unknown_action(fields):
        return "an action and what was observed, in no known form"
    is_empty = set(map(fold, fields.value)) <= _EMPTY_MESSAGE
    if is_empty and role_of(fields) == ASSISTANT:
        return "a message of the agent holds nothing"
    return None


def _is_unknown_action(fields: Fields) -> bool:
    """Whether an object has an action that is no name of a tool, and what was observed after it."""
    action = fields.text("action")
    return (
        action is not None
        and fields.has(("observation",))
        and not _is_plain_call(fields, None)
    )


def _is_nameless_call(fields: Fields, speaker: str | None) -> bool:
    """Whether an object has the id of a call and arguments, and no name: its kind would have told the tool."""
    if is_tool_role(speaker) or fields.has((*NAMES, *CALL_LISTS, *CALL_WRAPPERS)):
        return False
    return fields.has(RESULT_IDS) and fields.get(ARGUMENTS) is not None


def _opened(fields: Fields) -> Mapping[str, Any] | None:
    """The message that stands in an envelope (`data`, `message`, `payload` ...); None where there is none."""
    if _is_plain_call(fields, None) or fields.has(("role", "toolcalls")):
        return None
    for key in ENVELOPES[:-1]:
        inner = as_object(fields.get(key))
        if inner is None:
            continue
        seen = Fields(inner)
        if seen.has(
            (
                "role",
                "type",
                "partkind",
                "kind",
                "jsonrpc",
                "toolcalls",
                "content",
                "toolname",
            )
        ):
            outer = {
                name: item
                for name, item in fields.value.items()
                if fold(name) in ("type", "event")
            }
            return {**outer, **inner} if "type" not in seen else inner
    return None


def _is_plain_call(fields: Fields, speaker: str | None) -> bool:
    """Whether the object itself is a call: it names a tool, or has a name beside arguments."""
    if is_tool_role(speaker) and (_answers_call(fields) or not fields.has(ARGUMENTS)):
        return False
    if fields.text(TOOL_NAMES) is not None:
        return True
    nested = [as_object(fields.get(key)) for key in ("tool", "function")]
    if any(inner and Fields(inner).text(("name",)) for inner in nested):
        return True
    if fields.text(("name", "action")) is not None and fields.has(ARGUMENTS):
        return True
    if says_call(kind_word(fields)) and fields.text(("name", "action")):
        return True
    action = fields.text("action")
    return (
        action is not None
        and speaker is None
        and set(action.casefold()) <= _IDENTIFIER
        and not fields.has(CONTENTS)
    )


def _answers_call(fields: Fields) -> bool:
    """Whether a message of a tool says which call it answers, and what; it may repeat the arguments."""
    return fields.has(RESULT_IDS) and fields.get(CONTENTS) is not None


def _read_calls(fields: Fields, role: str | None, depth: int) -> list[Part]:
    """The call that an object of the kind of a call states, or the list of calls that it holds."""
    for key in (*CALL_WRAPPERS, "content", "contents", "data", "payload"):
        elements = as_list(fields.get(key))
        if elements and all(as_object(element) for element in elements):
            parts: list[Part] = []
            for element in elements:
                parts += one_call(element)
            return parts
    for key in CALL_WRAPPERS:
        inner = as_object(fields.get(key))
        if inner is not None:
            return one_call({**ids_of(fields), **inner})
    call = read_call(fields.value)
    if call is not None:
        return [call]
    spoken = _spoken(fields, role, depth)
    return [*spoken, Unread(f"the call of kind {kind_word(fields)!r} names no tool")]


def _spoken(fields: Fields, role: str | None, depth: int) -> list[Part]:
    """What a message says and what its blocks hold, in order."""
    parts: list[Part] = []
    texts: list[str] = []
    for key in CONTENTS:
        for part in _content(fields.get(key), role, depth):
            if isinstance(part, Said) and part.text in texts:
                continue
            if isinstance(part, Said):
                texts.append(part.text)
            parts.append(part)
    parts = _without_repeated_text(parts)
    parts += beyond(
        [part for part in parts if isinstance(part, Call)], _wrapped(fields)
    )
    if fields.get("thought") is True:
        return [_as_thought(part) for part in parts]
    return parts


def _wrapped(fields: Fields) -> list[Part]:
    """The call or result that stands under a key of its own (`functionCall`, `toolUse`, `toolResult`)."""
    parts: list[Part] = []
    for key, item in fields.items():
        known = as_object(item)
        if known and key in CALL_WRAPPERS:
            parts += one_call(known)
        elif known and key == "executablecode":
            parts += one_call(known, "code_execution")
        elif known and key in RESULT_WRAPPERS:
            parts.append(read_result(known))
    return parts


def _as_thought(part: Part) -> Part:
    return Said(part.role, part.text, thought=True) if isinstance(part, Said) else part


def _without_repeated_text(parts: list[Part]) -> list[Part]:
    """The parts without a text that only joins the others."""
    texts = [part.text for part in parts if isinstance(part, Said)]
    joined = {"".join(texts[:-1]), "\n".join(texts[:-1])}
    last = parts[-1] if parts else None
    if len(texts) > 2 and isinstance(last, Said) and last.text in joined:
        return parts[:-1]
    return parts


def _content(value: object, role: str | None, depth: int) -> Iterator[Part]:
    if isinstance(value, str):
        if value.strip():
            yield Said(role, value)
        return
    known = as_object(value)
    if known is not None:
        yield from read_item(known, role, depth + 1)
        return
    for element in as_list(value) or ():
        if isinstance(element, str):
            yield Said(role, element)
        elif as_object(element) is not None:
            yield from read_item(element, role, depth + 1)
        elif element is not None:
            # A part that is no text and no object may have been a call.
            yield Unread(f"a part of a message is {type(element).__name__}")


def _listed_calls(
    fields: Fields, speaker: str | None, depth: int
) -> Iterator[list[Part]]:
    """The calls of each list of calls in the message, and of what nests messages in it."""
    for key, item in fields.items():
        elements = as_list(item)
        if key in CALL_LISTS and elements is not None:
            parts: list[Part] = []
            for element in elements:
                parts += one_call(element)
            yield parts
        elif key == "additionalkwargs" and as_object(item):
            inner = Fields(as_object(item) or {})
            yield from _listed_calls(inner, speaker, depth)
            yield _spoken(inner, speaker, depth + 1)
        elif as_object(item) is not None and key not in CONTENTS:
            yield _nested_messages(Fields(as_object(item) or {}), depth)


def _nested_messages(fields: Fields, depth: int) -> list[Part]:
    parts: list[Part] = []
    for key, item in fields.items():
        if key not in NESTED_LISTS:
            continue
        for element in as_list(item) or ():
            known = as_object(element)
            if known is not None:
                parts += read_item(known, None, depth + 1)
    return parts
