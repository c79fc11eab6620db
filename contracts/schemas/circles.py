"""JSON Schemas that refer to themselves without end: a pure look at their references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast
from urllib.parse import unquote

_MAX_DIGITS: Final = 9
_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE: Final = ("not", "if", "then", "else")
"""Keywords whose schemas are about the same value as the schema they stand in."""


def circular_reference(schema: Any) -> str | None:
    """A local reference that leads back to itself on the same value, such as `{"$ref": "#"}`; None where none does.

    Such a schema accepts everything, or has no meaning. A reference that goes into a part of the value first (a tree of
    nodes) is no circle.
    """
    finished: set[int] = set()
    for start in _schemas_in(schema):
        waiting = [(start, iter(_on_same_value(start, schema)))]
        open_ids = {id(start)}
        while waiting:
            current, others = waiting[-1]
            following = next(others, None)
            if following is None:
                waiting.pop()
                open_ids.discard(id(current))
                finished.add(id(current))
            elif id(following) in open_ids:
                return str(following.get("$ref", current.get("$ref", "#")))
            elif id(following) not in finished:
                waiting.append((following, iter(_on_same_value(following, schema))))
                open_ids.add(id(following))
    return None


def _schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in the schema: each may be one."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            mapping = cast("dict[str, Any]", value)
            yield mapping
            waiting.extend(mapping.values())
        elif isinstance(value, list):
            waiting.extend(cast("list[Any]", value))


def _on_same_value(schema: dict[str, Any], root: Any) -> Iterator[dict[str, Any]]:
    """The schemas that the value of a schema must, or may, fit too."""
    others: list[Any] = [schema.get(name) for name in _SAME_VALUE]
    for name in _SAME_VALUE_LISTS:
        listed = schema.get(name)
        if isinstance(listed, list):
            others += cast("list[Any]", listed)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference[:1] == "#":
        others.append(_at(root, unquote(reference[1:])))
    for other in others:
        if isinstance(other, dict):
            yield cast("dict[str, Any]", other)


def _at(root: Any, pointer: str) -> Any:
    """The part of a schema at a pointer; None where there is none."""
    value = root
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(key)
        elif isinstance(value, list) and key.isdecimal() and len(key) < _MAX_DIGITS:
            items = cast("list[Any]", value)
            value = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return value
