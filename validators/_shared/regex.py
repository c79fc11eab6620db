"""Patterns that users write, run by RE2: in linear time on any text, so that no answer can hang the evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Final, Protocol, cast

_SPECIAL: Final = re.compile(r"\W")


class _Found(Protocol):
    """A match of RE2 in bytes."""

    def start(self) -> int: ...

    def __getitem__(self, group: int, /) -> bytes | None: ...


class _Compiled(Protocol):
    """A pattern as RE2 compiled it."""

    @property
    def groups(self) -> int: ...

    def search(self, text: bytes, /) -> _Found | None: ...

    def finditer(self, text: bytes, /) -> Iterator[_Found]: ...


class Match:
    """A match of a pattern."""

    __slots__ = ("_found", "_groups", "_text")

    def __init__(self, found: _Found, text: bytes, groups: int) -> None:
        self._found = found
        self._text = text
        self._groups = groups

    def start(self) -> int:
        """Offset of the first character."""
        return len(_decoded(self._text[: self._found.start()]))

    def line(self) -> int:
        """The number, from 1, of the line of the first character."""
        return self._text.count(b"\n", 0, self._found.start()) + 1

    def group(self) -> str:
        """The matched text."""
        return _decoded(self._found[0] or b"")

    def first_group(self) -> str | None:
        """What the first group that took part captured; None where none did."""
        for number in range(1, self._groups + 1):
            part = self._found[number]
            if part is not None:
                return _decoded(part)
        return None


class Pattern:
    """A compiled pattern. RE2 reads UTF-8: half a character (a lone surrogate) in a text counts as `?`.

    RE2 is given bytes. For a text its Python binding works out the offsets of every group in characters, which takes
    longer than the search.
    """

    __slots__ = ("_groups", "_pattern")

    def __init__(self, pattern: _Compiled) -> None:
        self._pattern = pattern
        self._groups = pattern.groups

    def search(self, text: str, /) -> Match | None:
        """The first match anywhere in `text`."""
        encoded = text.encode("utf-8", "replace")
        found = self._pattern.search(encoded)
        return None if found is None else Match(found, encoded, self._groups)

    def finditer(self, text: str, /) -> Iterator[Match]:
        """Every match in `text` that is more than blanks, looked for one by one."""
        encoded = text.encode("utf-8", "replace")
        groups = self._groups
        for found in self._pattern.finditer(encoded):
            match = Match(found, encoded, groups)
            if match.group().strip():
                yield match


def _decoded(part: bytes) -> str:
    return part.decode("utf-8", "replace")


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Pattern:
    """`pattern` compiled by RE2; half a character in a text counts as `?`.

    Raises:
        ValueError: it is no RE2 pattern. `contract check` reports this before a run.
    """
    # RE2's Python binding carries no type information.
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors = False
    compile_ = cast("Callable[..., _Compiled]", re2.compile)
    try:
        return Pattern(compile_(pattern, options))
    except re2.error as fault:
        raise ValueError(f"{pattern!r} is no RE2 pattern: {_message(fault)}") from None


def search(pattern: str, text: str) -> Match | None:
    """The first match of `pattern` in `text`.

    Raises:
        ValueError: `pattern` is no RE2 pattern.
    """
    return compiled(pattern).search(text)


def find_all(pattern: str, text: str) -> Iterator[Match]:
    """Every match of `pattern` in `text` that is more than blanks.

    Raises:
        ValueError: `pattern` is no RE2 pattern.
    """
    return compiled(pattern).finditer(text)


def captured(match: Match) -> str:
    """What the first group that took part captured; the whole match where the pattern has no group."""
    group = match.first_group()
    return match.group() if group is None else group


def escape(text: str) -> str:
    """`text` as a literal part of an RE2 pattern."""
    return _SPECIAL.sub(lambda char: f"\\x{{{ord(char[0]):x}}}", text)


def _message(fault: Exception) -> str:
    """The message of an error of the library, which may be bytes."""
    message = fault.args[0] if fault.args else fault
    if isinstance(message, bytes):
        return message.decode("utf-8", "replace")
    return str(message)
