"""Every key of a nested value with the way to it, of which only the wanted ones are spelled as paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from judgemesh.validators._shared.values import (
    Path,
    as_mapping,
    as_sequence,
    is_container,
    key_segments,
)


class Trail(NamedTuple):
    """A key, and the trail of what holds it. To spell every path costs the square of the depth."""

    around: Trail | None
    key: str


def trails(root: object) -> Iterator[tuple[Trail, object]]:
    """Every key of every object in `root`, shallow ones first: its trail and its value."""
    queue: deque[tuple[Trail | None, object]] = deque([(None, root)])
    while queue:
        around, holder = queue.popleft()
        mapping = as_mapping(holder)
        if mapping is None:
            for index, child in enumerate(as_sequence(holder) or ()):
                if is_container(child):
                    queue.append((Trail(around, str(index)), child))
            continue
        for key, child in mapping.items():
            trail = Trail(around, key)
            yield trail, child
            if is_container(child):
                queue.append((trail, child))


def path_of(trail: Trail) -> Path:
    """The segments of a trail."""
    parts: list[str] = []
    rest: Trail | None = trail
    while rest is not None:
        parts.extend(reversed(key_segments(rest.key)))
        rest = rest.around
    return tuple(reversed(parts))
