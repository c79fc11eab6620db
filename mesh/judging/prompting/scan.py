"""Which of many words and patterns a text holds, in one pass of RE2. Pure.

The tables of hostile text hold hundreds of words and patterns, and nearly no text has a match for one of them. One
automaton for all of them says so in the time of a single search. Only patterns that can match are then tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_MAX_BYTES: Final = 64 * 2**20
_ALWAYS: Final = ""


class Scan(Generic[T]):
    """Finds which of some RE2 patterns match anywhere in a text.

    Args:
        patterns: each with the value that it stands for; several may stand for one value.
    """

    def __init__(self, patterns: Iterable[tuple[str, T]]) -> None:
        import re2

        options = re2.Options()
        options.max_mem = _MAX_BYTES
        self._set = re2.Set.SearchSet(options)
        self._values: list[T] = []
        for pattern, value in patterns:
            self._set.Add(pattern)
            self._values.append(value)
        self._all = frozenset(self._values)
        # An automaton that runs out of memory reports no match at all, not even of the empty pattern.
        self._set.Add(_ALWAYS)
        self._set.Compile()

    def found(self, text: str) -> frozenset[T]:
        """The values of all patterns that match; every value if that cannot be told."""
        ids = self._set.Match(text.encode("utf-8", "surrogatepass"))
        if not ids:
            return self._all
        always = len(self._values)
        return frozenset(self._values[number] for number in ids if number != always)
