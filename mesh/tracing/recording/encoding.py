"""Events as lines of JSON, whatever they hold.

The standard library's encoder: the recorder runs in other people's processes and must
not need anything installed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Final, cast

_MAX_DEPTH: Final = 20
_DATA: Final = (type(None), bool, int, float, str)


def event_line(event: Mapping[str, object]) -> bytes:
    """The event as one line. Values that JSON has no form for are written as text."""
    try:
        line = _encode(event)
    except (ValueError, TypeError, RecursionError):
        line = _encode(_plain(event))
    return line.encode("utf-8", "backslashreplace") + b"\n"


def plain(value: object) -> object:
    """The usage object of a client library as JSON data.

    It is a mapping, or an object that has a method for one, or attributes.
    """
    return _plain(_as_data(value, 0))


def _as_data(value: object, depth: int) -> object:
    """The objects in a value as mappings, those that it holds too."""
    if depth >= _MAX_DEPTH or isinstance(value, _DATA):
        return value
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {key: _as_data(held, depth + 1) for key, held in items}
    if isinstance(value, list | tuple):
        elements = cast("list[object]", value)
        return [_as_data(element, depth + 1) for element in elements]
    for name in ("model_dump", "to_dict", "dict"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            return method()
    if isinstance(value, type) or not hasattr(value, "__dict__"):
        return value
    attributes = vars(value).items()
    data: dict[str, object] = {}
    for name, held in attributes:
        if name[:1] != "_":
            data[name] = _as_data(held, depth + 1)
    return data


def _plain(value: object, depth: int = 0) -> object:
    """Any value as JSON data. Slow: only for what the encoder refuses."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case _ if depth >= _MAX_DEPTH:
            return "..."
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return {str(key): _plain(inner, depth + 1) for key, inner in items}
        case list() | tuple() | set() | frozenset():
            elements = cast("list[object]", value)
            return [_plain(element, depth + 1) for element in elements]
        case _:
            return _text(value)


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 (a foreign object; recording must not fail the run)
        return f"<{type(value).__name__}: {type(error).__name__}>"


_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_text
).encode
