"""Data that stands in a page and that no browser runs: JSON that cannot end its element, and packed chunks."""

from __future__ import annotations

import base64
import gzip
from typing import Any, Final

from judgemesh.mesh.reporting.json_bytes import to_json_bytes

_ESCAPES: Final = {
    b"<": b"\\u003c",
    b">": b"\\u003e",
    b"&": b"\\u0026",
    "\u2028".encode(): b"\\u2028",
    "\u2029".encode(): b"\\u2029",
}
"""What could end or open markup, and what ends a line in scripts; all of it stands inside of JSON strings only."""


def inert_json(data: Any) -> str:
    """Compact JSON for `<script type="application/json">`: no text in it can end the element."""
    raw = to_json_bytes(data)
    for character, escape in _ESCAPES.items():
        raw = raw.replace(character, escape)
    return raw.decode()


def packed_json(data: Any) -> str:
    """JSON, compressed by gzip, as base64: a page unpacks it with `DecompressionStream` when it is looked at."""
    return base64.b64encode(gzip.compress(to_json_bytes(data), 6, mtime=0)).decode()
