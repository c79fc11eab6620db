"""JSON values: equality as JSON means it, paths inside them, and how a value is shown to people.

Nothing here recurses: a value nested 100,000 deep costs time, never a RecursionError.
"""

from __future__ import annotations

import json
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple, TypeVar, cast

Path = tuple[str, ...]
T = TypeVar("T")


class Missing(Enum):
    """Why there is no value: none exists, or it is not known."""

    ABSENT = "absent"
    UNKNOWN = "unknown"


ABSENT: Final = Missing.ABSENT
UNKNOWN: Final = Missing.UNKNOWN

SHOWN_CHARS: Final = 80
_CONTAINERS: Final = (dict, list, tuple)
_SCALARS: Final = frozenset({str, int, float, bool})
_MAX_REPR_CHARS: Final = 400
_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), default=str
)
_MAX_INDEX_DIGITS: Final = 12
_MAX_KEY_SEGMENTS: Final = 8
_SEPARATORS: Final = ("/", "\\")


def as_mapping(value: object) -> Mapping[str, object] | None:
    """`value` if it is a JSON object."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def as_sequence(value: object) -> Sequence[object] | None:
    """`value` if it is a JSON array."""
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else None


def of_type(kind: type[T], values: object) -> list[T]:
    """The elements of a JSON array that are of a type; none where `values` is no array."""
    return [value for value in as_sequence(values) or () if isinstance(value, kind)]


def is_number(value: object) -> bool:
    """Whether `value` is a JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


_FLAG_WORDS: Final = {
    **dict.fromkeys(("true", "yes", "y", "1", "t"), True),
    **dict.fromkeys(("false", "no", "n", "0", "f"), False),
}


def flag(value: object) -> bool | None:
    """A flag as tables, databases and JSON write it (`true`, `"TRUE"`, `1`, `"no"`); None for what is no flag."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str | int | float):
        return None
    return _FLAG_WORDS.get(str(value).strip().casefold().removesuffix(".0"))


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
        left, right = stack.pop()
        if left is right:
            continue
        if type(left) is type(right) and type(left) in _SCALARS and left == right:
            # The common case, decided without further calls.
            continue
        if is_container(left) or is_container(right):
            children = _paired_children(left, right)
            if children is None:
                return False
            stack.extend(children)
        elif not _scalars_equal(left, right, strict=strict) and (
            scalar is None or not scalar(left, right)
        ):
            return False
    return True


def is_container(value: object) -> bool:
    """Whether the value is an object or an array."""
    return isinstance(value, _CONTAINERS)


def _paired_children(
    left: object, right: object
) -> Iterable[tuple[object, object]] | None:
    """The children of two containers in pairs; None where the containers differ by themselves."""
    mapping, other_mapping = as_mapping(left), as_mapping(right)
    if mapping is not None and other_mapping is not None:
        if mapping.keys() != other_mapping.keys():
            mapping, other_mapping = _composed(mapping), _composed(other_mapping)
            if mapping.keys() != other_mapping.keys():
                return None
        return [(child, other_mapping[key]) for key, child in mapping.items()]
    sequence, other_sequence = as_sequence(left), as_sequence(right)
    if sequence is None or other_sequence is None:
        return None
    if len(sequence) != len(other_sequence):
        return None
    return zip(sequence, other_sequence, strict=True)


def _composed(mapping: Mapping[str, object]) -> Mapping[str, object]:
    """The mapping with keys in one Unicode form, unless that makes two keys one."""
    composed = {composed_text(key): child for key, child in mapping.items()}
    return composed if len(composed) == len(mapping) else mapping


def composed_text(text: str) -> str:
    """A text in the composed form of Unicode: an accent is part of its letter, however it was stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _scalars_equal(left: object, right: object, *, strict: bool) -> bool:
    if left != right:
        if not (isinstance(left, str) and isinstance(right, str)):
            return False
        return composed_text(left) == composed_text(right)
    if type(left) is type(right):
        return True
    # In Python true equals 1.
    return not strict and not isinstance(left, bool) and not isinstance(right, bool)


class Flattened(NamedTuple):
    """A value taken apart: every scalar and every empty container by its path, and every other container.

    `containers` says of each path whether an array is there: the leaves alone do not tell an array from an object.
    """

    leaves: dict[Path, object]
    containers: dict[Path, bool]


def flatten(value: object, path: Path = ()) -> Flattened:
    """The leaves and containers of `value`, which is at `path`. `ABSENT` has none.

    A key that holds a slash counts as several segments, as in an unescaped pointer.
    """
    flattened = Flattened({}, {})
    if value is ABSENT:
        return flattened
    leaves, containers = flattened
    stack: list[tuple[Path, object]] = [(path, value)]
    while stack:
        inner_path, inner = stack.pop()
        if not (inner and is_container(inner)):
            leaves[inner_path] = inner
            continue
        mapping = as_mapping(inner)
        containers[inner_path] = mapping is None
        if mapping is not None:
            for key, child in mapping.items():
                stack.append((inner_path + key_segments(key), child))
        else:
            for index, child in enumerate(as_sequence(inner) or ()):
                stack.append(((*inner_path, str(index)), child))
    return flattened


def key_segments(key: str) -> Path:
    """A key as path segments, in the composed form; a key of another system may have backslashes."""
    key = composed_text(key)
    if "\\" in key:
        key = key.replace("\\", "/")
    return tuple(key.split("/")) if "/" in key else (key,)


def walk(root: object, ref: str) -> Iterator[tuple[str, str, object]]:
    """Every key of every object in `root`, shallow ones first: reference, key, value."""
    queue: deque[tuple[str, object]] = deque([(ref, root)])
    while queue:
        parent_ref, parent = queue.popleft()
        mapping = as_mapping(parent)
        if mapping is None:
            for index, child in enumerate(as_sequence(parent) or ()):
                if is_container(child):
                    queue.append((f"{parent_ref}/{index}", child))
            continue
        for key, child in mapping.items():
            child_ref = f"{parent_ref}/{key}"
            yield child_ref, key, child
            if is_container(child):
                queue.append((child_ref, child))


def strings(root: object, ref: str) -> Iterator[tuple[str, str]]:
    """Every text in `root` with its reference."""
    stack: list[tuple[str, object]] = [(ref, root)]
    while stack:
        inner_ref, inner = stack.pop()
        if isinstance(inner, str):
            yield inner_ref, inner
            continue
        for key, child in (as_mapping(inner) or {}).items():
            stack.append((f"{inner_ref}/{key}", child))
        for index, child in enumerate(as_sequence(inner) or ()):
            stack.append((f"{inner_ref}/{index}", child))


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
        if mapping is None:
            value = _element(as_sequence(value) or (), path[index])
            index += 1
            continue
        key, index = _key_at(mapping, path, index)
        if key is None:
            return ABSENT
        value = mapping[key]
    return value


def _element(sequence: Sequence[object], segment: str) -> object:
    """The element of an array that a path segment names; ABSENT when there is none."""
    is_index = segment.isascii() and segment.isdigit()
    if not is_index or len(segment) > _MAX_INDEX_DIGITS:
        return ABSENT
    index = int(segment)
    return sequence[index] if index < len(sequence) else ABSENT


def _key_at(
    mapping: Mapping[str, object], path: Path, start: int
) -> tuple[str | None, int]:
    """The key of `mapping` that segments of `path` make from `start` on, and where they end; None where none do."""
    key = path[start]
    if key in mapping:
        return key, start + 1
    if not key.isascii():
        names = {composed_text(name): name for name in mapping}
        if composed_text(key) in names:
            return names[composed_text(key)], start + 1
    for separator in _SEPARATORS:
        key = path[start]
        for end in range(start + 1, min(len(path), start + _MAX_KEY_SEGMENTS)):
            key = f"{key}{separator}{path[end]}"
            if key in mapping:
                return key, end + 1
    return None, start


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
    text = repr(value[:_MAX_REPR_CHARS]) if isinstance(value, str) else json_text(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def listed(phrases: Sequence[str], limit: int = 5) -> str:
    """The phrases as one, with the number of those left out."""
    shown = list(phrases[:limit])
    if len(phrases) > limit:
        shown.append(f"and {len(phrases) - limit} more")
    return "; ".join(shown)
