"""JSON Lines: one report a line, in the order of the run's input."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable
from typing import Any, BinaryIO

from judgemesh.contracts.printable_json import printable
from judgemesh.contracts.report import Report, report_to_json


async def write_jsonl(file: BinaryIO, reports: AsyncIterable[Report]) -> int:
    """Write the reports as they come; returns how many there were."""
    count = 0
    async for report in reports:
        file.write(to_json_bytes(report_to_json(report)))
        file.write(b"\n")
        count += 1
    return count


def to_json_bytes(data: dict[str, Any]) -> bytes:
    """Compact JSON. What the fast encoder refuses (integers over 64 bits, lone surrogates) takes the slow one."""
    import orjson

    try:
        encoded = orjson.dumps(data)
        return encoded if encoded.isascii() else printable(encoded.decode()).encode()
    except TypeError:
        return json.dumps(
            data, separators=(",", ":"), allow_nan=False, default=str
        ).encode("ascii")
