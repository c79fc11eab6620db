"""Text and JSON that every database accepts: what an encoding cannot hold is replaced, never refused."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Final, cast

import orjson

_REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAX_DEPTH: Final = 200
_TOO_DEEP: Final = "(nested too deeply)"


def storable(text: str, *, nul: bool) -> str:
    """`text` without lone surrogates and, unless `nul`, without NUL characters."""
    if not nul and "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(_REPLACEMENT, text)
    return text


def dumps(value: object) -> str:
    """JSON text of `value`, for SQLite; a number that is not finite becomes null."""
    try:
        return orjson.dumps(value, default=_default).decode()
    except TypeError:
        return json.dumps(_plain(value, nul=True))


def dumps_without_nul(value: object) -> str:
    """JSON text of `value`, for PostgreSQL, whose JSONB has no NUL character."""
    text = dumps(value)
    if "\\u0000" in text:
        return json.dumps(_plain(value, nul=False))
    return text


def loads(text: str | bytes) -> object:
    """The value of a JSON column. The standard parser: integers of any size stay integers."""
    return json.loads(text)


def _default(value: object) -> object:
    """What orjson does not know: other mappings and collections, else its text."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, set | frozenset):
        return sorted(cast("Iterable[object]", value), key=str)
    return str(value)


def _plain(value: object, *, nul: bool, depth: int = 0) -> object:
    """The slow and thorough way: any value as plain JSON data."""
    match value:
        case None | bool() | int():
            plain: object = value
        case float():
            plain = None
            if math.isfinite(value):
                plain = value
        case Mapping() | list() | tuple() | set() | frozenset() if depth >= _MAX_DEPTH:
            plain = _TOO_DEEP
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            plain = {
                storable(str(key), nul=nul): _plain(entry, nul=nul, depth=depth + 1)
                for key, entry in items
            }
        case list() | tuple():
            plain = [
                _plain(entry, nul=nul, depth=depth + 1)
                for entry in cast("Iterable[object]", value)
            ]
        case set() | frozenset():
            plain = _plain(
                sorted(cast("Iterable[object]", value), key=str), nul=nul, depth=depth
            )
        case _:
            plain = storable(str(value), nul=nul)
    return plain
