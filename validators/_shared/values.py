"""JSON values: equality as JSON means it, places inside, and how a value is shown to people.

Nothing here recurses: a value nested 100,000 deep costs time, never a RecursionError.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, cast

Path = tuple[str, ...]


class Missing(Enum):
    """What stands where no value does."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT: Final = Missing.ABSENT
UNKNOWN: Final = Missing.UNKNOWN

SHOWN_CHARS: Final = 80
_HEAD: Final = 400
_PLAIN: Final = frozenset({str, int, float, bool})
_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), default=str
)
_MAX_INDEX_DIGITS: Final = 12


def as_mapping(value: object) -> Mapping[str, object] | None:
    """`value` if it is a JSON object."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def as_sequence(value: object) -> Sequence[object] | None:
    """`value` if it is a JSON array."""
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else None


def is_number(value: object) -> bool:
    """JSON numbers; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_equal(
    left: object,
    right: object,
    scalar: Callable[[object, object], bool] | None = None,
    *,
    strict: bool = False,
) -> bool:
    """JSON equality: 1 equals 1.0 (unless `strict`), true is no number, objects ignore order.

    `scalar` decides about two scalars that are not equal (a tolerance, a looser reading).
    """
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is type(b) and type(a) in _PLAIN:
            # The common case, cheaply.
            if a != b and (scalar is None or not scalar(a, b)):
                return False
            continue
        one, two = as_mapping(a), as_mapping(b)
        if one is not None or two is not None:
            if one is None or two is None or one.keys() != two.keys():
                return False
            stack.extend((value, two[key]) for key, value in one.items())
            continue
        first, second = as_sequence(a), as_sequence(b)
        if first is not None or second is not None:
            if first is None or second is None or len(first) != len(second):
                return False
            stack.extend(zip(first, second, strict=True))
        elif (not _scalars_equal(a, b) or (strict and type(a) is not type(b))) and (
            scalar is None or not scalar(a, b)
        ):
            return False
    return True


def _scalars_equal(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    return a == b


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every scalar and every empty container in `value`, with its path. `ABSENT` has no leaves.

    A key that holds a slash counts as several segments, as in an unescaped pointer.
    """
    if value is ABSENT:
        return
    stack: list[tuple[Path, object]] = [(path, value)]
    while stack:
        here, item = stack.pop()
        mapping, sequence = as_mapping(item), as_sequence(item)
        if mapping:
            stack.extend(
                (here + key_segments(key), child) for key, child in mapping.items()
            )
        elif sequence:
            stack.extend(
                ((*here, str(index)), child) for index, child in enumerate(sequence)
            )
        else:
            yield here, item


def shape(value: object, path: Path = ()) -> dict[Path, bool]:
    """Every non-empty container in `value`: its path, and whether it is an array. Leaves alone do not tell that."""
    found: dict[Path, bool] = {}
    stack: list[tuple[Path, object]] = [(path, value)]
    while stack:
        here, item = stack.pop()
        mapping, sequence = as_mapping(item), as_sequence(item)
        if mapping:
            found[here] = False
            stack.extend(
                (here + key_segments(key), child) for key, child in mapping.items()
            )
        elif sequence:
            found[here] = True
            stack.extend(
                ((*here, str(index)), child) for index, child in enumerate(sequence)
            )
    return found


def key_segments(key: str) -> Path:
    """A key as path segments."""
    return tuple(key.split("/")) if "/" in key else (key,)


def walk(root: object, ref: str) -> Iterator[tuple[str, str, object]]:
    """Every key of every object in `root`, shallow ones first: reference, key, value."""
    queue: deque[tuple[str, object]] = deque([(ref, root)])
    while queue:
        here, item = queue.popleft()
        mapping = as_mapping(item)
        if mapping is not None:
            for key, child in mapping.items():
                place = f"{here}/{key}"
                yield place, key, child
                if isinstance(child, dict | list):
                    queue.append((place, cast("object", child)))
            continue
        for index, child in enumerate(as_sequence(item) or ()):
            if isinstance(child, dict | list):
                queue.append((f"{here}/{index}", cast("object", child)))


def pointer_segments(path: str) -> Path:
    """A field's `path`: an RFC 6901 pointer, or a dotted path (`a.b[0].c`, with or without `$.`)."""
    if path.startswith("/"):
        return tuple(
            part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")
        )
    dotted = path.removeprefix("$").replace("[", ".").replace("]", "")
    return tuple(part for part in dotted.split(".") if part)


def dig(value: object, path: Path) -> object:
    """The value at `path` inside `value`; ABSENT when there is none, UNKNOWN inside what is unknown.

    Where an object lacks a segment as key, it may hold the rest of the path as one key with slashes.
    """
    index = 0
    while index < len(path):
        if value is UNKNOWN or value is ABSENT:
            return value
        mapping = as_mapping(value)
        if mapping is not None:
            taken = _taken(mapping, path, index)
            if taken == 0:
                return ABSENT
            value = mapping["/".join(path[index : index + taken])]
            index += taken
            continue
        sequence, segment = as_sequence(value), path[index]
        if (
            sequence is None
            or not (segment.isascii() and segment.isdigit())
            or len(segment) > _MAX_INDEX_DIGITS
        ):
            return ABSENT
        if int(segment) >= len(sequence):
            return ABSENT
        value = sequence[int(segment)]
        index += 1
    return value


def _taken(mapping: Mapping[str, object], path: Path, index: int) -> int:
    """How many segments of `path` from `index` on make a key of `mapping`; 0 for none."""
    if path[index] in mapping:
        return 1
    key = path[index]
    for end in range(index + 1, min(len(path), index + 8)):
        key = f"{key}/{path[end]}"
        if key in mapping:
            return end + 1 - index
    return 0


def json_text(value: object) -> str:
    """`value` as compact JSON; values that JSON cannot hold are shown by their `str`."""
    try:
        return _ENCODER.encode(value)
    except (RecursionError, ValueError):
        return "<a value nested too deep to show>"


def show(value: object, limit: int = SHOWN_CHARS) -> str:
    """`value` for one line of a diagnostic, cut to about `limit` characters."""
    if isinstance(value, Missing):
        return "nothing" if value is ABSENT else "something unknown"
    text = repr(value[:_HEAD]) if isinstance(value, str) else json_text(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def listed(items: Sequence[str], limit: int = 5) -> str:
    """`items` as one phrase, with the number of those left out."""
    rest = len(items) - limit
    return "; ".join(items[:limit]) + (f"; and {rest} more" if rest > 0 else "")
