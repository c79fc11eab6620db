"""Places in the state that a path with wildcards may mean: those at which, or inside which, something changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from judgemesh.validators._shared.changes import Actual, Change, pieces_of
from judgemesh.validators._shared.globs import expression
from judgemesh.validators._shared.regex import Pattern, compiled
from judgemesh.validators._shared.values import Path

_MOST_PLACES = 10_000


def has_wildcard(path: Path) -> bool:
    """Whether the path stands for more than one place."""
    return any("*" in part for part in path)


def places(path: Path, actual: Actual) -> list[Path]:
    """Every place that fits the path, in the order of the changes; no more than 10,000."""
    fits = _exactly(path)
    found: dict[Path, None] = {}
    for change in actual.changes:
        for place in _paths(change, actual):
            for length in range(1, len(place) + 1):
                inside = place[:length]
                if (
                    inside not in found
                    and fits.search("/" + "".join(part + "/" for part in inside))
                    is not None
                ):
                    found[inside] = None
        if len(found) > _MOST_PLACES:
            break
    return list(found)[:_MOST_PLACES]


def _paths(change: Change, actual: Actual) -> Iterable[Path]:
    """The change and whatever changed inside it."""
    pieces = pieces_of(change, actual)
    return [change.path, *(piece.path for piece in pieces or ())]


@lru_cache(maxsize=1024)
def _exactly(path: Path) -> Pattern:
    return compiled(expression(path) + "$")
