"""What the accuracy benchmarks share: reading a folder of rows, and grading results as a user's harness does."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Report
from judgemesh.mesh import Mesh

Json = dict[str, Any]


def rows_of(folder: Path, needed: Iterable[str]) -> list[Json]:
    """The rows of every `*.jsonl` of the folder that have all keys; how many have not is said on stderr."""
    keys = frozenset(needed)
    found: list[Json] = []
    for path in sorted(folder.glob("*.jsonl")):
        left_out = 0
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                row = _row(line)
                if row is not None and row.keys() >= keys:
                    found.append(row)
                elif line.strip():
                    left_out += 1
        if left_out:
            print(
                f"{path}: {left_out} lines have not the keys {', '.join(sorted(keys))}; left out",
                file=sys.stderr,
            )
    return found


def _row(line: str) -> Json | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Json", row) if isinstance(row, dict) else None


def grade(contracts: Sequence[Json], results: Sequence[Json]) -> dict[str, Report]:
    """Grade the results under the contracts, without judge and ledger; the reports by result id."""

    async def run() -> dict[str, Report]:
        agreed = [EvalContract.model_validate(contract) for contract in contracts]
        async with Mesh.from_config(contracts=agreed, ledger=None) as mesh:
            return {
                report.result_id: report async for report in mesh.grade_many(results)
            }

    return asyncio.run(run())
