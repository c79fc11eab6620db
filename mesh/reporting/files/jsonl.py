"""JSON Lines: one report a line, in the order of the run's input."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import BinaryIO

from judgemesh.contracts.report import Report, report_to_json
from judgemesh.mesh.reporting.json_bytes import to_json_bytes


async def write_jsonl(file: BinaryIO, reports: AsyncIterable[Report]) -> int:
    """Write the reports as they come; returns how many there were."""
    count = 0
    async for report in reports:
        file.write(to_json_bytes(report_to_json(report)))
        file.write(b"\n")
        count += 1
    return count
