"""Texts that know their JSON. A prompt is long, and most of it is the same in call after call."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Self


class JsonText(str):
    """A text with its ASCII JSON, which is joined from that of its parts.

    json: with its quotes.
    """

    __slots__ = ("json",)
    json: str

    @classmethod
    def joined(cls, parts: Iterable[str]) -> Self:
        """The parts as one text."""
        given = list(parts)
        text = cls("".join(given))
        text.json = f'"{"".join(map(_inside, given))}"'
        return text


@lru_cache(maxsize=256)
def _inside(part: str) -> str:
    """The JSON of a part without its quotes. Cached: all questions about a result have parts in common."""
    return json.dumps(part)[1:-1]
