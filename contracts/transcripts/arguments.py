"""Arguments of a call as an object: JSON as text is parsed, and text that is no JSON is kept as it stands."""

from __future__ import annotations

import ast
import json
import math
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import JsonObject, as_object

_MAX_LITERAL_CHARS: Final = 100_000


def read_arguments(value: object) -> tuple[JsonObject, str | None]:
    """The arguments, and their text where they are no object and cannot be read as one."""
    if isinstance(value, str):
        return _from_text(value)
    if value is None or value in ([], ()):
        return {}, None
    known = as_object(value)
    if known is not None:
        return known, None
    return {}, as_text(value)


def _from_text(text: str) -> tuple[JsonObject, str | None]:
    if not text.strip():
        return {}, None
    value = parsed(text)
    if isinstance(value, str):
        value = parsed(value)
    if value is None and text.strip() in ("null", "None"):
        return {}, None
    known = as_object(value)
    return ({}, text) if known is None else (known, None)


def parsed(text: str) -> Any:
    """The value that a text writes as JSON or as a Python literal; None where it writes none."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_constant=_refuse,
            parse_float=_finite,
        )
    except _TwoKeysError:
        return None
    except (ValueError, RecursionError):
        pass
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or len(stripped) > _MAX_LITERAL_CHARS:
        return None
    try:
        return _plain(ast.literal_eval(stripped))
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


class _TwoKeysError(ValueError):
    """A key stands twice in an object."""


def _plain(value: object) -> Any:
    """The value, if JSON can hold it."""
    return json.loads(json.dumps(value, allow_nan=False))


def _distinct(pairs: list[tuple[str, Any]]) -> JsonObject:
    """An object; raises _TwoKeysError where a key stands twice, because readers disagree about which one counts."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _TwoKeysError
    return value


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def as_text(value: object) -> str:
    """Any value as text: text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return str(type(value).__name__)
