"""What every case grades: one task for each seam, each with a result that passes and one that fails."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

MODEL: Final = "gpt-4.1-mini"
TASKS: Final = ("judged", "recorded", "sql", "http", "cited", "page", "state", "plain")
QUICK: Final = ("judged", "recorded", "cited", "state", "plain")
"""The tasks that need no network but that of the judge, and no process for a database or a document."""
QUOTE: Final = "The reading room of the harbour library closes at six in winter."
_TITLE: Final = "Tides and ferries of the northern harbours"
_CONTRACTS: Final = """\
task_id: judged
criteria:
  - {{id: kept, question: "Was the guest told about the new date?", gate: true}}
---
task_id: recorded
execution: {{source: {{type: jsonl, path: records.jsonl}}, expected: [{{kind: book}}]}}
---
task_id: sql
execution:
  source: {{type: sql, url: "sqlite:///orders.db", query: "SELECT kind, result_id FROM orders", timeout_s: 1}}
  expected: [{{kind: book}}]
---
task_id: http
execution:
  source: {{type: http, url: "{pages}/records?run={{result_id}}", allow_hosts: [127.0.0.1], timeout_s: 1}}
  expected: [{{kind: book}}]
---
task_id: cited
evidence: {{sources: [{{type: jsonl, path: catalogue.jsonl, authoritative: true}}]}}
---
task_id: page
evidence: {{sources: [{{type: http, allow_hosts: [127.0.0.1], timeout_s: 1}}]}}
---
task_id: state
state: {{expected: [{{path: /orders/1/status, op: replace, after: paid}}], allowed: ["/orders/**"]}}
---
task_id: plain
sop: {{forbidden_tools: [pay]}}
"""
_CONFIG: Final = "judge_timeout_s = 1.0\n"


def write_scenario(folder: Path, pages: str, tasks: Sequence[str] = TASKS) -> None:
    """Write contracts, sources, and the results of the tasks; `pages` is the address of their server."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "contracts.yaml").write_text(_CONTRACTS.format(pages=pages))
    (folder / "mesh.toml").write_text(_CONFIG)
    record = {"kind": "book", "result_id": "recorded-good"}
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    work = {"title": _TITLE, "year": 2019, "doi": "10.5555/tides.2019.1"}
    (folder / "catalogue.jsonl").write_text(json.dumps(work) + "\n")
    database = sqlite3.connect(folder / "orders.db")
    with database:
        database.execute("CREATE TABLE orders (kind TEXT, result_id TEXT)")
        database.execute("INSERT INTO orders VALUES ('book', 'sql-good')")
    database.close()
    (folder / "before.json").write_text('{"orders": {"1": {"status": "open"}}}')
    (folder / "paid.json").write_text('{"orders": {"1": {"status": "paid"}}}')
    lines = [json.dumps(each) for each in results(pages, tasks)]
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")


def results(pages: str, tasks: Sequence[str] = TASKS) -> list[dict[str, Any]]:
    """Two results of each task, `TASK-good` and `TASK-bad`."""
    rows: list[dict[str, Any]] = []
    for task in tasks:
        for name in ("good", "bad"):
            rows.append(
                {
                    "result_id": f"{task}-{name}",
                    "task_id": task,
                    "output": {"final_answer": f"The guest was told ({task})."},
                    "trace": [],
                    **_of(task, name, pages),
                }
            )
    return rows


def _of(task: str, name: str, pages: str) -> Mapping[str, Any]:
    good = name == "good"
    match task:
        case "judged":
            truth = "yes" if good else "no"
            return {"output": {"final_answer": f"Moved to Monday. TRUTH:{truth}"}}
        case "cited":
            title = _TITLE if good else "A book about clouds that nobody wrote"
            return _citing(
                {"title": title, "doi": f"10.5555/tides.2019.{1 if good else 2}"}
            )
        case "page":
            return _citing({"url": f"{pages}/page/{name}", "quote": QUOTE})
        case "state":
            after = "paid.json" if good else "before.json"
            return {"state": {"before_path": "before.json", "after_path": after}}
        case "plain":
            tool = "look" if good else "pay"
            call = {
                "id": "1",
                "type": "function",
                "function": {"name": tool, "arguments": "{}"},
            }
            return {
                "trace": [{"role": "assistant", "content": None, "tool_calls": [call]}]
            }
        case _:
            return {}


def _citing(citation: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"output": {"final_answer": QUOTE, "citations": [citation]}}
