"""The paths that an argument names, for comparison with what is denied and with what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from judgemesh.validators.permissions.arguments import Argument, Role
from judgemesh.validators.permissions.commands import operands, pieces
from judgemesh.validators.permissions.looks import (
    is_hardly_else,
    is_path_by_itself,
    is_prose,
    looks_like_path,
)

_SEPARATORS: Final = re.compile(r"[\n|]|[,;](?=\s|/|~|\.|\w+[/:\\])")
_LISTED: Final = re.compile(r"[/\\]|^~")


def named_paths(argument: Argument) -> list[str]:
    """Every text in an argument that may be a path, for comparison with what is denied."""
    if argument.role is Role.TEXT:
        return []
    text = argument.text
    if argument.role in (Role.OTHER, Role.MAYBE) and is_prose(text):
        return []
    parts = dict.fromkeys(pieces(text))
    if argument.role in (Role.COMMAND, Role.CODE):
        return list(parts)
    return [text, *parts]


def used_paths(argument: Argument) -> list[str]:
    """The texts in an argument that are paths, for comparison with what is allowed."""
    text, role = argument.text, argument.role
    is_path = _IS_PATH[role]
    if role in (Role.COMMAND, Role.CODE):
        parts = list(dict.fromkeys(operands(text)))
    else:
        parts = _listed(text) or [text]
    return [part for part in parts if is_path(part)]


def _any_text(_text: str) -> bool:
    return True


def _no_text(_text: str) -> bool:
    return False


def _listed(text: str) -> list[str]:
    """The paths of a list that is given as one text; empty where it is none."""
    parts = [part.strip() for part in _SEPARATORS.split(text)]
    if len(parts) > 1 and all(_LISTED.search(part) for part in parts if part):
        return [part for part in parts if part]
    parts = text.split()
    if len(parts) > 1 and all(is_hardly_else(part) for part in parts):
        return parts
    return []


_IS_PATH: Final[Mapping[Role, Callable[[str], bool]]] = {
    Role.PATH: _any_text,
    Role.LIKELY: looks_like_path,
    Role.MAYBE: is_hardly_else,
    Role.COMMAND: _any_text,
    Role.CODE: is_path_by_itself,
    Role.TEXT: _no_text,
    Role.OTHER: is_path_by_itself,
}
"""When a text is a path, by what the name of its argument says."""
