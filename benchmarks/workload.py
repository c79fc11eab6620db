"""Generated agent results of a set size, and a contract that only deterministic validators are needed for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

CHECKS = 5
"""Required fields of the contract, each found by a pattern in the answer."""

_LINE = "Batch {batch} was loaded from the warehouse export and compared with the source, shelf by shelf. "
_FACTS = (
    "Rows loaded: {rows}. Rows rejected: 0. Checksum: c{batch:08x}. Run log: logs/{batch}.txt. "
    "Next check: tomorrow at six. "
)

CONTRACT: Json = {
    "task_id": "load-batch",
    "success_criteria": {
        "must_include": [
            "rows_loaded",
            "rows_rejected",
            "checksum",
            "run_log",
            "next_check",
        ]
    },
    "fields": {
        "rows_loaded": {"find_by": ["pattern"], "pattern": r"Rows loaded: (\d+)"},
        "rows_rejected": {"find_by": ["pattern"], "pattern": r"Rows rejected: (\d+)"},
        "checksum": {"find_by": ["pattern"], "pattern": r"Checksum: (c[0-9a-f]{8})"},
        "run_log": {"find_by": ["pattern"], "pattern": r"Run log: (\S+)"},
        "next_check": {"find_by": ["pattern"], "pattern": r"Next check: ([a-z ]+)"},
    },
}


def agent_result(number: int, size_bytes: int = 4096) -> Json:
    """A result whose JSON line is about `size_bytes` long; the same for the same number."""
    steps = [
        {
            "tool_name": "load_batch",
            "arguments": {"batch": number, "part": part},
            "result": "ok",
        }
        for part in range(4)
    ]
    result: Json = {
        "result_id": f"result-{number:07d}",
        "task_id": CONTRACT["task_id"],
        "agent_version": "1",
        "output": {"final_answer": ""},
        "trace": {"steps": steps},
    }
    facts = _FACTS.format(batch=number, rows=1000 + number)
    line = _LINE.format(batch=number)
    room = max(0, size_bytes - len(json.dumps(result)) - len(facts))
    result["output"]["final_answer"] = (
        (line * (room // len(line) + 1))[:room] + "\n" + facts
    )
    return result


def lines(count: int, size_bytes: int = 4096) -> Iterator[str]:
    """JSONL lines of `count` results."""
    for number in range(count):
        yield json.dumps(agent_result(number, size_bytes)) + "\n"


def write(folder: Path, count: int, size_bytes: int = 4096) -> tuple[Path, Path]:
    """Write results and contract into the folder; returns both paths."""
    results, contract = folder / f"results_{count}.jsonl", folder / "contract.yaml"
    with results.open("w", encoding="utf-8") as file:
        file.writelines(lines(count, size_bytes))
    contract.write_text(json.dumps(CONTRACT), encoding="utf-8")
    return results, contract
