"""The parts of a command, a piece of code or a list that may be paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judgemesh.validators.permissions.looks import (
    is_below_known_root,
    is_hardly_else,
    is_operand,
)

_EMPTY_QUOTES: Final = re.compile(r"''|\"\"")
_BREAKS: Final = re.compile(r"[\s'\"`;|&<>()]+")
_FLAG: Final = re.compile(r"^-[A-Za-z]+(?=[/~.].)")
_ENDS: Final = re.compile(r"[;|&\n]+")
_REDIRECTED: Final = re.compile(r"[<>]\s*([^\s<>&|;'\"()]*/[^\s<>&|;'\"()]*)")
_NAME_WITH_SLASH: Final = re.compile(r"/\w+")
_FILE_PROGRAMS: Final = frozenset(
    {
        "cat", "cp", "mv", "rm", "ls", "less", "more", "head", "tail", "find", "tar", "zip", "unzip", "scp", "rsync",
        "open", "chmod", "chown", "touch", "tee", "type", "copy", "del", "move", "vi", "vim", "nano", "ln", "mkdir",
        "rmdir", "stat", "sort", "wc", "source", "shred", "sudo", "dd", "xxd", "strings", "file", "du",
    }
)  # fmt: skip


def pieces(text: str) -> Iterator[str]:
    """The parts of a command or list that may be paths."""
    for token in _tokens(text):
        yield token
        yield from _inner(token)


def operands(text: str) -> Iterator[str]:
    """The parts of a command that are paths: not the programs that it starts, and not what only has a slash.

    What a program for files is given is a path where it has a slash at all; `feature/login` is none for `git`.
    """
    for part in _ENDS.split(text):
        tokens = list(_tokens(part))
        program, given = "", tokens
        if len(tokens) > 1:
            program, given = tokens[0].rpartition("/")[2].casefold(), tokens[1:]
        elif _is_slash_command(part.strip()):
            continue
        is_path = is_hardly_else
        if not program or program in _FILE_PROGRAMS:
            is_path = is_operand
        for token in given:
            inner = list(_inner(token)) or [token]
            yield from (piece for piece in inner if is_path(piece))
    yield from _REDIRECTED.findall(text)


def _is_slash_command(text: str) -> bool:
    """Whether a whole command is a word after a slash: `/help`."""
    return _NAME_WITH_SLASH.fullmatch(text) is not None and not is_below_known_root(
        text
    )


def _tokens(text: str) -> Iterator[str]:
    for token in _BREAKS.split(_EMPTY_QUOTES.sub("", text)):
        if token:
            yield token


def _inner(token: str) -> Iterator[str]:
    """What stands behind an option, an equals sign, an at sign or a colon in a part of a command."""
    if "{" not in token:
        parts = re.split(r"[=,\[\]]|@(?=[/~.])|(?<=[\w.])[?#]", token)
    else:
        parts = token.split("=")
    for part in parts:
        for piece in _colon_parts(_FLAG.sub("", part)):
            if piece and piece != token:
                yield piece


def _colon_parts(part: str) -> list[str]:
    """The parts of `host:/path` and `/a:/b`; a URL and a path with a drive stay whole."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:[/\\]{1,2}", part) and (
        "://" in part or re.match(r"[A-Za-z]:|file:", part)
    ):
        return [part]
    return re.split(r":(?=[/~.])", part)
