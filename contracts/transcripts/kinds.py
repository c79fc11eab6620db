"""What a message, a part of one or an event is, by the word it gives as its kind."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    KINDS,
    RESULT_IDS,
    ROLE_OF_WORD,
    ROLES,
    TOOL,
    TOOL_NAMES,
    Fields,
    as_object,
    fold,
)


class Kind(StrEnum):
    """What a part of a trace is about."""

    CALL = "call"
    RESULT = "result"
    THOUGHT = "thought"
    INERT = "inert"
    OTHER = "other"


_RESULT_WORDS: Final = (
    "result", "calloutput", "tooloutput", "functionresponse", "toolresponse", "toolreturn", "retryprompt", "toolend",
    "toolerror", "functionoutput", "toolexecution", "toolcompleted", "toolfinished", "toolcallexecution", "toolmessage",
    "functionmessage", "calloutputitem",
)  # fmt: skip
_CALL_WORDS: Final = (
    "toolcall", "functioncall", "tooluse", "toolinvocation", "toolstart", "toolinvoke", "invoketool", "calltool",
    "toolscall", "toolrequest", "functioninvocation", "executablecode", "approvalrequest", "actioncall", "toolaction",
    "dynamictool", "usetool", "runtool", "executetool", "callfunction", "toolinput",
)  # fmt: skip
_THOUGHT_WORDS: Final = ("thinking", "reasoning", "thought", "encryptedcontent")
_INERT_WORDS: Final = frozenset(
    {
        "mcplisttools", "toolslist", "toollist", "tooldefinition", "tooldefinitions", "availabletools", "toolsearch",
        "toolapprovalresponse", "mcpapprovalresponse", "toolcallsummarymessage", "toolcalldelta", "toolcallchunk",
        "toolcallschunk", "toolinputstart", "toolinputdelta", "toolinputend", "tooltokens", "itemreference",
    }
)  # fmt: skip
_LOOSE_WORDS: Final = ("tool", "function", "invocation", "command", "action", "call")
"""Words of kinds that say that something was called, where a name of a tool stands beside them."""


def kind_word(fields: Fields) -> str:
    """The kind as it is written; empty where none is given."""
    return fields.text(KINDS) or ""


def kind_of(fields: Fields) -> Kind:
    """What the object says that it is."""
    word = kind_word(fields)
    kind = kind_of_word(word)
    if kind is Kind.OTHER and fold(word) == TOOL and fields.has(RESULT_IDS):
        return Kind.CALL if _has_state(fields) else Kind.RESULT
    return kind


def _has_state(fields: Fields) -> bool:
    """Whether the object names a tool, and its state holds the input: the call and its result in one."""
    state = as_object(fields.get("state"))
    return state is not None and fields.has(TOOL_NAMES) and Fields(state).has(ARGUMENTS)


def kind_of_word(word: str) -> Kind:
    """What a kind's word stands for."""
    folded = fold(word)
    if folded in _INERT_WORDS:
        return Kind.INERT
    if any(part in folded for part in _THOUGHT_WORDS):
        return Kind.THOUGHT
    if vercel_tool(word):
        return Kind.CALL
    if any(part in folded for part in _RESULT_WORDS):
        return Kind.RESULT
    if any(part in folded for part in _CALL_WORDS) or _is_hosted_call(folded):
        return Kind.CALL
    return Kind.OTHER


def _is_hosted_call(folded: str) -> bool:
    """Whether it is one of the calls named after what a provider runs itself (`web_search_call`)."""
    return folded.endswith("call") and folded != "call"


def says_call(word: str) -> bool:
    """Whether the kind's word may stand for a call, so that a name beside it is the name of a tool."""
    folded = fold(word)
    return folded not in ROLE_OF_WORD and any(part in folded for part in _LOOSE_WORDS)


def vercel_tool(word: str) -> str | None:
    """The tool that a kind such as `tool-refund` names; None for `tool-call` and other kinds."""
    prefix, _, name = word.partition("-")
    if prefix != TOOL or not name:
        return None
    folded = fold(word)
    if folded in _INERT_WORDS or any(
        part in folded for part in (*_RESULT_WORDS, *_CALL_WORDS)
    ):
        return None
    return name


def role_of(fields: Fields) -> str | None:
    """Who speaks: by role, else by kind, else by the name of the source."""
    role = fields.text("role") or _nested_role(fields)
    if role is not None:
        return role
    by_kind = ROLE_OF_WORD.get(fold(kind_word(fields)))
    if by_kind is not None:
        return by_kind
    source = fields.text(ROLES)
    if source is None:
        return None
    return ROLE_OF_WORD.get(fold(source), "assistant")


_ROLE_PLACES: Final = (
    ("role", "label"),
    ("info", "role"),
    ("author", "role"),
    ("from", "role"),
)


def _nested_role(fields: Fields) -> str | None:
    """The role where it stands in an object of the message."""
    for place, key in _ROLE_PLACES:
        inner = as_object(fields.get(place))
        role = None if inner is None else Fields(inner).text(key)
        if role is not None:
            return role
    return None


def is_tool_role(role: str | None) -> bool:
    """Whether the role is that of a tool's result."""
    return role is not None and ROLE_OF_WORD.get(fold(role)) == TOOL
