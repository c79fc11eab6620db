"""The digest of a stored report: equal before it is written and after it is read, on every database.

A database does not keep every spelling of a value: characters without UTF-8 are replaced, PostgreSQL has no NUL and
writes large floats as integers. The digest is taken of what all of them keep. Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, cast

import orjson

from judgemesh.mesh.ledger.encoding import dumps, dumps_without_nul, loads

_SORTED: Final = orjson.OPT_SORT_KEYS
_EXACT_BELOW: Final = 10**16
_UNLIKE: Final = rb'\\u0000|(?:":|[,\[])-?(?:\d{16}|[\d.]+[eE][^-])'
"""What databases may spell differently: NUL characters, large exponents, numbers from 16 digits before the point on.

A small number, such as the cost of a call, has a negative exponent, and all of them give it back as it was.
"""


@cache
def _unlike() -> Callable[[bytes], object]:
    """The search for it by RE2, which reads a report in a tenth of the time that `re` takes."""
    import re2

    search: Callable[[bytes], object] = re2.compile(_UNLIKE).search
    return search


def report_digest(data: Mapping[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a report as `contracts.report.report_to_json` gives it."""
    return hashlib.sha256(_canonical(data)).hexdigest()


def _canonical(data: object) -> bytes:
    try:
        text = orjson.dumps(data, option=_SORTED)
    except TypeError:
        return _plain(loads(dumps_without_nul(data)))
    if _unlike()(text):
        return _plain(loads(dumps_without_nul(loads(text))))
    return text


def _plain(data: object) -> bytes:
    """JSON of plain data in the spelling of orjson, so that the quick way gives the same text where it can."""
    spelled = _spelled(data)
    try:
        return orjson.dumps(spelled, option=_SORTED)
    except TypeError:
        return json.dumps(spelled, sort_keys=True).encode()


def _spelled(value: object) -> object:
    """Numbers that databases spell differently as text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and abs(value) >= _EXACT_BELOW:
        try:
            return f"{float(value):.15e}"
        except OverflowError:
            return dumps(str(value))
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return {key: _spelled(item) for key, item in named.items()}
    if isinstance(value, list):
        return [_spelled(item) for item in cast("list[object]", value)]
    return value
