"""The difference of two JSON documents: leaf-level changes with RFC 6902 pointers. Pure, and never recursive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from judgemesh.contracts.results import StateChange

_Place = tuple["_Place | None", str] | None
"""A place as a linked list, joined to a pointer only where a change is found (deep documents stay cheap)."""


def diff(before: object, after: object) -> tuple[StateChange, ...]:
    """The changes that turn `before` into `after`, applied in the order given.

    A change stands where the documents part: an object or array that is on one side only is one `add` or `remove` with
    its whole value, everything else is taken apart key by key and index by index. Numbers are compared as JSON numbers
    (1 equals 1.0, true is no number). Removed array elements come last first.

    Args:
        before: a JSON value.
        after: a JSON value.
    """
    return tuple(_changes(before, after))


def _changes(before: object, after: object) -> Iterator[StateChange]:
    stack: list[tuple[_Place, object, object]] = [(None, before, after)]
    while stack:
        place, old, new = stack.pop()
        if old is new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            one, two = (
                cast("Mapping[str, object]", old),
                cast("Mapping[str, object]", new),
            )
            yield from _one_sided_keys(place, one, two)
            stack.extend(
                ((place, key), value, two[key])
                for key, value in reversed(list(one.items()))
                if key in two
            )
        elif isinstance(old, list) and isinstance(new, list):
            first, second = cast("Sequence[object]", old), cast("Sequence[object]", new)
            yield from _one_sided_items(place, first, second)
            common = range(min(len(first), len(second)) - 1, -1, -1)
            stack.extend(
                ((place, str(index)), first[index], second[index]) for index in common
            )
        elif not _same_scalar(cast("object", old), new):
            yield _change(place, "replace", before=old, after=new)


def _one_sided_keys(
    place: _Place, old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[StateChange]:
    for key, value in old.items():
        if key not in new:
            yield _change((place, key), "remove", before=value)
    for key, value in new.items():
        if key not in old:
            yield _change((place, key), "add", after=value)


def _one_sided_items(
    place: _Place, old: Sequence[object], new: Sequence[object]
) -> Iterator[StateChange]:
    for index in range(len(old) - 1, len(new) - 1, -1):
        yield _change((place, str(index)), "remove", before=old[index])
    for index in range(len(old), len(new)):
        yield _change((place, str(index)), "add", after=new[index])


def _same_scalar(old: object, new: object) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return isinstance(old, bool) and isinstance(new, bool) and old == new
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return False
    return old == new


def _change(
    place: _Place, op: Literal["add", "replace", "remove"], **values: Any
) -> StateChange:
    # The values are parts of a parsed document already: validating them again would only cost time.
    return StateChange.model_construct(
        _fields_set={"path", "op", *values}, path=_pointer(place), op=op, **values
    )


def _pointer(place: _Place) -> str:
    parts: list[str] = []
    while place is not None:
        place, segment = place
        parts.append(segment.replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in reversed(parts))
