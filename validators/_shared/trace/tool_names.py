"""Names of tools: the same tool under another spelling or with the prefix of a server or namespace.

`delete_user`, `Delete-User` and `deleteUser` are one name. `functions.delete_user` and `mcp__crm__delete_user` are
`delete_user` with a prefix, and a name without prefix stands for the tool of any server.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from judgemesh.contracts.text.literal_search import fits_glob
from judgemesh.validators._shared.text import plain

_PREFIX_MARKS: Final = re.compile(r"__|[.:/]")
_INDEX: Final = re.compile(r":[0-9]{1,4}$")
"""The number of the call, which some models write behind the name: `functions.delete_user:0`."""
_MAX_SERVER_WORDS: Final = 8
_SEPARATORS: Final = re.compile(r"[\s_\-\u2010-\u2015]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GENERIC: Final = frozenset(
    {"functions", "function", "tools", "tool", "defaultapi", "mcp", "namespace"}
)
"""Prefixes that say nothing about which tool it is."""


def tool_matches(pattern: str, tool: str) -> bool:
    """Whether a tool's name matches; `*` in the pattern stands for any run of characters."""
    if pattern == tool:
        return True
    if "*" not in pattern:
        return same_tool(pattern, tool)
    if fits_glob(pattern, tool):
        return True
    words = _words(pattern)
    return any(fits_glob(words, _words(name)) for name in (tool, *_own_names(tool)))


def same_tool(left: str, right: str) -> bool:
    """Whether two names are one tool's: equal but for spelling and for a prefix that only one of them has."""
    if _same(folded_tool(left), folded_tool(right)):
        return True
    return any(
        _same(one, other) for one in _with_prefix(left) for other in _with_prefix(right)
    )


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    shared = min(len(one), len(other))
    return one[-shared:] == other[-shared:]


@lru_cache(maxsize=8192)
def _with_prefix(name: str) -> tuple[tuple[str, ...], ...]:
    """The name, and what is left of it without a prefix that some clients mark as words are marked."""
    return (folded_tool(name), *map(folded_tool, _own_names(name)))


@lru_cache(maxsize=8192)
def _own_names(name: str) -> tuple[str, ...]:
    """The names that a tool may have on its server.

    `HotelPlugin-waive_fee` has a hyphen between words that underscores or capitals join; in `mcp_hotel_waive_fee` the
    server may have any number of words.
    """
    numberless = _INDEX.sub("", plain(name))
    names = [_PREFIX_MARKS.split(numberless)[-1]]
    prefix, hyphen, own = numberless.partition("-")
    if hyphen and ("_" in own or _CAMEL.search(prefix) or _CAMEL.search(own)):
        names.append(own)
    words = _words(numberless).split("_")
    if words[0] == "mcp":
        for first in range(2, min(len(words), _MAX_SERVER_WORDS)):
            names.append("_".join(words[first:]))
    return tuple(names)


def spelled_names(name: str) -> tuple[str, ...]:
    """The name and those it may have without a prefix, as words joined by `_`, in small letters."""
    return (_words(name), *map(_words, _own_names(name)))


@lru_cache(maxsize=8192)
def folded_tool(name: str) -> tuple[str, ...]:
    """The prefixes of a name and the name itself, without case and separators. There is at least one part."""
    parts: list[str] = []
    for part in _PREFIX_MARKS.split(_INDEX.sub("", plain(name))):
        folded = _SEPARATORS.sub("", part).casefold()
        if folded and not (folded in _GENERIC and not parts):
            parts.append(folded)
    return tuple(parts) or (name.casefold(),)


@lru_cache(maxsize=8192)
def _words(name: str) -> str:
    """A name as words joined by `_`, in small letters."""
    spaced = _CAMEL.sub("_", plain(name))
    return _SEPARATORS.sub("_", spaced).casefold()
