"""Names of tools: the same tool under another spelling or with the prefix of a server or namespace.

`delete_user`, `Delete-User` and `deleteUser` are one name. `functions.delete_user` and `mcp__crm__delete_user` are
`delete_user` with a prefix, and a name without prefix stands for the tool of any server.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain

_PREFIX_MARKS: Final = re.compile(r"__|[.:/]")
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
    if _compiled(pattern).fullmatch(tool) is not None:
        return True
    words = _compiled(_words(pattern))
    own = _PREFIX_MARKS.split(tool)[-1]
    return any(words.fullmatch(_words(name)) is not None for name in (tool, own))


def same_tool(left: str, right: str) -> bool:
    """Whether two names are one tool's: equal but for spelling and for a prefix that only one of them has."""
    one, other = folded_tool(left), folded_tool(right)
    shared = min(len(one), len(other))
    return one[-shared:] == other[-shared:]


@lru_cache(maxsize=8192)
def folded_tool(name: str) -> tuple[str, ...]:
    """The prefixes of a name and the name itself, without case and separators. There is at least one part."""
    parts: list[str] = []
    for part in _PREFIX_MARKS.split(plain(name)):
        folded = _SEPARATORS.sub("", part).casefold()
        if folded and not (folded in _GENERIC and not parts):
            parts.append(folded)
    return tuple(parts) or (name.casefold(),)


@lru_cache(maxsize=8192)
def _words(name: str) -> str:
    """A name as words joined by `_`, in small letters."""
    spaced = _CAMEL.sub("_", plain(name))
    return _SEPARATORS.sub("_", spaced).casefold()


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    literals = re.sub(r"\*+", "*", pattern).split("*")
    return re.compile(".*".join(map(re.escape, literals)), re.DOTALL)
