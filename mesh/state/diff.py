"""The difference of two JSON documents: leaf-level changes with RFC 6902 pointers. Pure, and never recursive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from judgemesh.contracts.result_parts.changes import StateChange

_Location = tuple["_Location | None", str] | None
"""A path as a linked list, joined to a pointer only where a change is found, so that deep documents stay cheap."""


def diff(before: object, after: object) -> tuple[StateChange, ...]:
    """The changes that turn `before` into `after`, applied in the order given.

    An object or array that is on one side only is one `add` or `remove` with its whole value; everything else is
    compared key by key and index by index. Numbers are compared as JSON numbers (1 equals 1.0, true is no number).
    Removed array elements come in descending order.

    Args:
        before: a JSON value.
        after: a JSON value.
    """
    return tuple(_changes(before, after))


def _changes(before: object, after: object) -> Iterator[StateChange]:
    stack: list[tuple[_Location, object, object]] = [(None, before, after)]
    while stack:
        location, old, new = stack.pop()
        if old is new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            old_object = cast("dict[str, object]", old)
            new_object = cast("dict[str, object]", new)
            yield from _one_sided_keys(location, old_object, new_object)
            for key in reversed(old_object):
                if key in new_object:
                    stack.append(((location, key), old_object[key], new_object[key]))
        elif isinstance(old, list) and isinstance(new, list):
            old_array = cast("Sequence[object]", old)
            new_array = cast("Sequence[object]", new)
            yield from _one_sided_items(location, old_array, new_array)
            for index in reversed(range(min(len(old_array), len(new_array)))):
                item_location = (location, str(index))
                stack.append((item_location, old_array[index], new_array[index]))
        elif not _same_scalar(cast("object", old), new):
            yield _change(location, "replace", before=old, after=new)


def _one_sided_keys(
    location: _Location, old: Mapping[str, object], new: Mapping[str, object]
) -> Iterator[StateChange]:
    for key, value in old.items():
        if key not in new:
            yield _change((location, key), "remove", before=value)
    for key, value in new.items():
        if key not in old:
            yield _change((location, key), "add", after=value)


def _one_sided_items(
    location: _Location, old: Sequence[object], new: Sequence[object]
) -> Iterator[StateChange]:
    for index in range(len(old) - 1, len(new) - 1, -1):
        yield _change((location, str(index)), "remove", before=old[index])
    for index in range(len(old), len(new)):
        yield _change((location, str(index)), "add", after=new[index])


def _same_scalar(old: object, new: object) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return isinstance(old, bool) and isinstance(new, bool) and old == new
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return False
    return old == new


def _change(
    location: _Location, op: Literal["add", "replace", "remove"], **values: Any
) -> StateChange:
    # The values are parts of a parsed document already: validating them again would only cost time.
    return StateChange.model_construct(
        _fields_set={"path", "op", *values}, path=_pointer(location), op=op, **values
    )


def _pointer(location: _Location) -> str:
    parts: list[str] = []
    while location is not None:
        location, segment = location
        parts.append(segment.replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in reversed(parts))
