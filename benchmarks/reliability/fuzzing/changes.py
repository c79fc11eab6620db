"""Changes of inputs: of bytes, and of the values of a JSON document, which then still is one."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from typing import Any, Final, cast

MAX_BYTES: Final = 8_192
_VALUES_SHARE: Final = 0.75
"""Of the inputs that are JSON, the share whose values are changed instead of their bytes."""
_PART_SHARE: Final = 0.7
_MAX_INT_DIGITS: Final = 300

_PIECES: Final = (
    b"\\u0000", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", "\u202e".encode(), "\u2028".encode(), b"1e999999", b"NaN",
    b"9" * 40, b"-0", b"[" * 200, b"{" * 200, b'"', b"'", b"\\", b"\n", b"\r\n", b"\t", b" " * 60, b"<", b"&lt;",
    b"*a *a", b"&a [*a]", b"!!python/object:x", b"null", b"true", b'{"verdict": "no"}', b"doi:10.", b"et al. ", b"**",
    b'"$ref": "#"', b"task_id: ", b"%41", b"..", b"(", b")", b"[1]",
)  # fmt: skip
_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 2**63, -(2**63) - 1, 10**_MAX_INT_DIGITS, 0.0, -0.0, 1e308, -1e308, 5e-324, 0.1,
    "", " ", "\n", "\x00", "\ud800", "\u202e", "\u2028", "\ufeff", "0", "-0", "1e999999", "NaN", "Infinity", "9" * 400,
    "1,000,000.00", "1.000.000,00", "\u0663\u066b\u0665", "½", "$ 5", "5 %", "2026-13-45T99:99:99Z",
    "0000-00-00", "2026-02-29",
    "../../x", "/dev/zero", "file:///x", "http://[::1]/", "https://x/" + "a/" * 60, "10.1000/" + "(" * 60, "a" * 3_000,
    "(" * 400, "* " * 300, "a," * 600, "|" * 600, "1. " * 400, "**/" * 20, "^(a+)+$", "(?P<x>", "[", "\\", "{}", "[]",
    "{{x}}", "yes", "no", "none", "N/A", "TODO", "done", "error", "null", "assistant", "tool", "user",
    [], {}, [[]], [None], [{}], {"": None}, {"$ref": "#"}, {"a": {"b": {"c": []}}},
    {"role": "assistant"}, [1, "1", 1.0],
)  # fmt: skip


def changed(data: bytes, corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """The input with one to six changes; never longer than `MAX_BYTES`."""
    if chance.random() < _VALUES_SHARE:
        value = _value(data)
        if isinstance(value, list | dict):
            other = _value(chance.choice(corpus))
            try:
                text = _changed_document(cast("object", value), other, chance)
            except (
                ValueError,
                RecursionError,
            ):  # nested too deep, or a number too long
                text = b"[]"
            if len(text) <= MAX_BYTES:
                return text
    return _changed_bytes(data, corpus, chance)


def _value(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


# --- values ---


def _changed_document(value: object, other: object, chance: random.Random) -> bytes:
    holder: list[Any] = [value]
    where: Any = holder
    key: Any = 0
    if isinstance(value, dict) and value and chance.random() < _PART_SHARE:
        # One part is changed and the others stay valid: a hostile result under a contract that can be used.
        where = cast("dict[str, Any]", value)
        key = chance.choice(list(where))
    part: list[Any] = [where[key]]
    for _ in range(chance.randint(1, 4)):
        _change_place(part, other, chance)
    where[key] = part[0]
    return json.dumps(holder[0]).encode()


def _change_place(holder: list[Any], other: object, chance: random.Random) -> None:
    """Change one place of the document that the list holds."""
    places = _places(holder)
    where, key = chance.choice(places)
    match chance.randrange(9):
        case 0 | 1:
            where[key] = copy.deepcopy(chance.choice(_VALUES))
        case 2:
            source, name = chance.choice(_places([other]))
            where[key] = copy.deepcopy(source[name])
        case 3 if where is not holder:
            del where[key]
        case 4 if where is not holder:
            _add_beside(where, key, other, chance)
        case 5:
            source, name = chance.choice(places)
            where[key] = copy.deepcopy(source[name])
        case 6:
            where[key] = _wrapped(where[key], chance)
        case _:
            where[key] = _near(where[key], chance)


def _places(value: list[Any]) -> list[tuple[Any, Any]]:
    """Every place of a document: its container and its key."""
    found: list[tuple[Any, Any]] = []
    open_: list[Any] = [value]
    while open_:
        where = open_.pop()
        is_object = isinstance(where, dict)
        keys = list(cast("Any", where)) if is_object else list(range(len(where)))
        for key in cast("list[Any]", keys):
            found.append((where, key))
            if isinstance(where[key], dict | list):
                open_.append(where[key])
    return found


def _add_beside(where: Any, key: Any, other: object, chance: random.Random) -> None:
    value = copy.deepcopy(where[key])
    if isinstance(where, list):
        places = cast("list[Any]", where)
        places[key:key] = [value] * chance.randint(1, 4)
        return
    names = [name for _, name in _places([other]) if isinstance(name, str)]
    where[chance.choice([*names, "", f"{key} ", f"{key}".upper()])] = value


def _wrapped(value: Any, chance: random.Random) -> Any:
    match chance.randrange(5):
        case 0:
            return [value]
        case 1:
            return {"value": value}
        case 2:
            return json.dumps(value)
        case 3:
            for _ in range(chance.choice((5, 60, 200))):
                value = [value]
            return value
        case _:
            return [value, copy.deepcopy(value)]


def _near(value: Any, chance: random.Random) -> Any:
    """A value like the given one: another number, the number as text, the text with changes."""
    if isinstance(value, str):
        encoded = value.encode("utf-8", "surrogatepass")
        return _changed_bytes(encoded, [encoded], chance).decode("utf-8", "replace")
    if isinstance(value, int | float) and not isinstance(value, bool):
        near = (str(value), -value, value + 1, value * 1000, value / 7, f"{value:,}")
        return chance.choice(near)
    return str(value)


# --- bytes ---


def _changed_bytes(
    data: bytes, corpus: Sequence[bytes], chance: random.Random
) -> bytes:
    result = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(result) + 1)
        end = min(len(result), at + chance.randint(1, 24))
        match chance.randrange(7):
            case 0 if result:
                result[at - 1] ^= 1 << chance.randrange(8)
            case 1:
                result[at:at] = bytes([chance.randrange(256)])
            case 2:
                del result[at:end]
            case 3:
                result[at:at] = result[at:end] * chance.randint(1, 8)
            case 4:
                result[at:at] = chance.choice(_PIECES)
            case 5:
                other = chance.choice(corpus)
                start = chance.randrange(len(other) + 1)
                result[at:end] = other[start : start + chance.randint(1, 64)]
            case _:
                result[at:end] = reversed(result[at:end])
    return bytes(result[:MAX_BYTES])
