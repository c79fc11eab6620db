"""Texts that know their JSON. A prompt is long, and most of it is the same in call after call."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Self

SYSTEM: Final = "system"
USER: Final = "user"
"""Roles of messages."""


class JsonText(str):
    """A text with its ASCII JSON, without quotes, in two parts.

    begin: up to the end of its longest part, as one object for all texts that begin so. rest: what follows.
    """

    __slots__ = ("begin", "rest")
    begin: str
    rest: str

    @classmethod
    def joined(cls, parts: Iterable[str]) -> Self:
        """The parts as one text."""
        given = list(parts)
        text = cls("".join(given))
        lengths = list(map(len, given))
        end = lengths.index(max(lengths)) + 1 if given else 0
        text.begin = _begin(tuple(given[:end]))
        text.rest = "".join(map(_inside, given[end:]))
        return text

    @property
    def json(self) -> str:
        """Its ASCII JSON."""
        return f'"{self.begin}{self.rest}"'


@lru_cache(maxsize=64)
def _begin(parts: tuple[str, ...]) -> str:
    """Cached: all questions about a result begin with the same parts."""
    return "".join(map(_inside, parts))


@lru_cache(maxsize=256)
def _inside(part: str) -> str:
    """The JSON of a part without its quotes."""
    return json.dumps(part)[1:-1]


class PromptMessages(tuple[dict[str, str], ...]):
    """The messages of a prompt: one of the system, and one of the user, whose content is a `JsonText`."""

    __slots__ = ()

    @classmethod
    def of(cls, system: str, content: JsonText) -> Self:
        """The messages of these two contents. Their dicts must not be changed."""
        return cls(
            ({"role": SYSTEM, "content": system}, {"role": USER, "content": content})
        )
