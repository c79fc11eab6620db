"""Whether two patterns of paths have a path in common. `data/*` and `data/private/**` do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_BRACES: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")
_CLASS: Final = re.compile(r"\[[^\]]+\]")
_MAX_EXPANDED: Final = 64
_MAX_SEGMENTS: Final = 64
_MAX_CHARS: Final = 256
_ANY: Final = "**"


def expanded(path: str) -> list[str]:
    """The path once for each choice of its braces, at most 64: `{a,b}/c` is `a/c` and `b/c`."""
    done: list[str] = []
    waiting = [path]
    while waiting and len(done) + len(waiting) <= _MAX_EXPANDED:
        text = waiting.pop()
        braces = _BRACES.search(text)
        if braces is None:
            done.append(text)
            continue
        before, after = text[: braces.start()], text[braces.end() :]
        waiting += (f"{before}{part}{after}" for part in braces[1].split(","))
    return done + waiting


def overlaps(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether a path fits both patterns. What fits the whole of `right` and goes on below it fits too."""
    if len(left) > _MAX_SEGMENTS or len(right) > _MAX_SEGMENTS:
        return False
    waiting = [(0, 0)]
    seen = set(waiting)
    while waiting:
        i, j = waiting.pop()
        if j == len(right) or (i == len(left) and _rest_is_any(right, j)):
            return True
        for step in _steps(left, right, i, j):
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return False


def _rest_is_any(pattern: tuple[str, ...], start: int) -> bool:
    return all(part == _ANY for part in pattern[start:])


def _steps(
    left: tuple[str, ...], right: tuple[str, ...], i: int, j: int
) -> Iterator[tuple[int, int]]:
    """The pairs of positions that may follow a pair."""
    here = left[i] if i < len(left) else None
    there = right[j]
    if here == _ANY:
        yield i + 1, j
        yield i, j + 1
    if there == _ANY:
        yield i, j + 1
        if here is not None:
            yield i + 1, j
    elif here not in (None, _ANY) and _may_agree(str(here), there):
        yield i + 1, j + 1


@lru_cache(maxsize=4096)
def _may_agree(left: str, right: str) -> bool:
    """Whether a name fits both patterns of one segment. `?` and `[...]` are any character."""
    if len(left) > _MAX_CHARS or len(right) > _MAX_CHARS:
        return False
    left = _CLASS.sub("?", left)
    # Row i: which lengths j of `right` may agree with the first i characters of `left`.
    row = [True] + [False] * len(right)
    for j, other in enumerate(right):
        row[j + 1] = row[j] and other == "*"
    for char in left:
        following = [row[0] and char == "*"] + [False] * len(right)
        for j, other in enumerate(right):
            if "*" in (char, other):
                following[j + 1] = following[j] or row[j + 1] or row[j]
            else:
                following[j + 1] = row[j] and char in (other, "?")
        row = following
    return row[-1]
