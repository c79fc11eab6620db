"""JSON as bytes, whatever it holds."""

from __future__ import annotations

import json
from typing import Any

from judgemesh.contracts.text.printable_json import printable


def to_json_bytes(data: Any) -> bytes:
    """Compact JSON. What the fast encoder refuses (integers over 64 bits, lone surrogates) takes the slow one."""
    import orjson

    try:
        encoded: bytes = orjson.dumps(data)
        return encoded if encoded.isascii() else printable(encoded.decode()).encode()
    except TypeError:
        return json.dumps(
            data, separators=(",", ":"), allow_nan=False, default=str
        ).encode("ascii")
