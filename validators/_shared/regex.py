"""Patterns that users write, run by RE2: in linear time on any text, so that no answer can hang the evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Final, Protocol, cast

_SPECIAL: Final = re.compile(r"\W")


class Match(Protocol):
    """A match of a pattern."""

    def start(self) -> int:
        """Offset of the first character."""
        ...

    def group(self, index: int = 0, /) -> str:
        """The matched text."""
        ...

    def groups(self) -> Sequence[str | None]:
        """The text of every group."""
        ...


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str, /) -> Match | None:
        """The first match anywhere in `text`."""
        ...

    def finditer(self, text: str, /) -> Iterator[Match]:
        """Every match in `text`."""
        ...


class _WholeCharacters:
    """A pattern of RE2, which reads UTF-8: half a character (a lone surrogate) in a text counts as `?`."""

    __slots__ = ("_pattern",)

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern

    def search(self, text: str, /) -> Match | None:
        try:
            return self._pattern.search(text)
        except UnicodeEncodeError:
            return self._pattern.search(_encodable(text))

    def finditer(self, text: str, /) -> Iterator[Match]:
        try:
            return iter(list(self._pattern.finditer(text)))
        except UnicodeEncodeError:
            return self._pattern.finditer(_encodable(text))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


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
    compile_ = cast("Callable[..., Pattern]", re2.compile)
    try:
        return _WholeCharacters(compile_(pattern, options))
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
    for match in compiled(pattern).finditer(text):
        if match.group().strip():
            yield match


def captured(match: Match) -> str:
    """What the first group that took part captured; the whole match where the pattern has no group."""
    for group in match.groups():
        if group is not None:
            return group
    return match.group()


def escape(text: str) -> str:
    """`text` as a literal part of an RE2 pattern."""
    return _SPECIAL.sub(lambda char: f"\\x{{{ord(char[0]):x}}}", text)


def _message(fault: Exception) -> str:
    """The message of an error of the library, which may be bytes."""
    message = fault.args[0] if fault.args else fault
    if isinstance(message, bytes):
        return message.decode("utf-8", "replace")
    return str(message)
