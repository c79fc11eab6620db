"""What looks like a call where no call was read: in places nobody knows, and in the text of the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import parsed
from judgemesh.contracts.transcripts.keys import (
    ARGUMENTS,
    CALL_LISTS,
    CALL_WRAPPERS,
    DEFINITIONS,
    TOOL_NAMES,
    Fields,
    as_list,
    as_object,
)
from judgemesh.contracts.transcripts.kinds import Kind, kind_of

_MAX_DEPTH: Final = 12
_DEFINING: Final = ("description", "inputschema", "jsonschema", "schema")
_SURE_ARGUMENTS: Final = (
    "arguments",
    "args",
    "toolinput",
    "toolargs",
    "inputparameters",
    "actioninput",
    "toolkwargs",
)
_TAGS: Final = re.compile(
    r"<(?:\w+:)?(?:tool_call|function_call|tool_use|tool_code|invoke\b|function=)|\[TOOL_CALLS?\]"
    r"|<details type=\"tool_calls\"|<(?:use_mcp_tool|execute_command|attempt_completion)>"
    r"|<\|(?:tool_call|tool_sep\|>|python_tag|call\|>|DSML\|)|\bto=functions\.|```[ \t]*tool_(?:code|call)",
    re.IGNORECASE,
)
_TOKEN_MARKS: Final = str.maketrans({"\uff5c": "|", "\u2581": "_"})
"""Marks that tokenizers write in place of a bar and an underscore."""
_REACT: Final = re.compile(
    r"^[^\w\n]{0,40}action[^\w\n]{0,40}:.+\n\s{0,40}[^\w\n]{0,40}action[ _]?input[^\w\n]{0,40}:",
    re.IGNORECASE | re.MULTILINE,
)
_BRACE: Final = re.compile(r"[{}]")
_MAX_TEXT_CHARS: Final = 200_000
_NAMES_TOOL: Final = re.compile("name|tool|function|action", re.IGNORECASE)
_MAX_OBJECTS: Final = 2_000
"""Objects of a text with such a word that are looked at."""


def call_looks(value: object, depth: int = 0) -> Iterator[str]:
    """The names of what looks like a call anywhere in the value; empty text for one without a name."""
    if depth > _MAX_DEPTH:
        return
    for element in as_list(value) or ():
        yield from call_looks(element, depth + 1)
    known = as_object(value)
    if known is None:
        return
    fields = Fields(known)
    name = _called(fields)
    if name is not None:
        yield name
        return
    for key, item in fields.items():
        if key in DEFINITIONS:
            continue
        if key in CALL_LISTS and _is_unreadable_list(item):
            yield ""
        yield from call_looks(item, depth + 1)


def _is_unreadable_list(value: object) -> bool:
    """Whether something stands where a list of calls should, and it is none."""
    if isinstance(value, str):
        return bool(value.strip())
    elements = as_list(value)
    return elements is not None and any(
        as_object(element) is None for element in elements
    )


def _called(fields: Fields) -> str | None:
    """The tool that the object seems to call; None where it does not look like a call."""
    if any(fields.has((key,)) for key in _DEFINING):
        return None
    name = fields.text(TOOL_NAMES) or _inner_name(fields)
    if name is not None and (fields.has(ARGUMENTS) or _inner_name(fields)):
        return name
    name = fields.text(("name", "action"))
    if name is not None and fields.has(_SURE_ARGUMENTS):
        return name
    if kind_of(fields) is Kind.CALL and name is not None:
        return name
    return None


def _inner_name(fields: Fields) -> str | None:
    for key in (*TOOL_NAMES, *CALL_WRAPPERS):
        known = as_object(fields.get(key))
        if known is None:
            continue
        inner = Fields(known)
        name = inner.text((*TOOL_NAMES, "name"))
        if name is not None and inner.has(ARGUMENTS) and not inner.has(_DEFINING):
            return name
    return None


def writes_call(text: str) -> bool:
    """Whether a text writes a call out: a tag, the lines of an action and its input, or JSON of a call."""
    text = text[:_MAX_TEXT_CHARS]
    if _TAGS.search(text.translate(_TOKEN_MARKS)) or _REACT.search(text):
        return True
    if "{" not in text:
        return False
    return any(next(call_looks(value), None) is not None for value in _values_in(text))


def _values_in(text: str) -> Iterator[Any]:
    whole = parsed(text)
    if whole is not None:
        yield whole
        return
    for written in _objects_in(text):
        value = parsed(written)
        if value is not None:
            yield value


def _objects_in(text: str) -> Iterator[str]:
    """What stands between braces that belong together, the outermost ones, in one pass over the text.

    An opening brace that is never closed hides nothing: the objects inside it are found.
    """
    open_at: list[int] = []
    spans: list[tuple[int, int]] = []
    for match in _BRACE.finditer(text):
        if match.group() == "{":
            open_at.append(match.start())
        elif open_at:
            start = open_at.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, match.end()))
    named = 0
    for start, end in spans:
        written = text[start:end]
        if named < _MAX_OBJECTS and _NAMES_TOOL.search(written):
            named += 1
            yield written
