"""The same command grades again what a changed file concerns, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from .command import judgemesh, summary

CONTRACTS = """
- task_id: pay
  success_criteria: {required_outputs: [final_answer]}
  execution:
    source: {type: SOURCE}
    expected: [{kind: payment, target: acct-1}]
- task_id: cite
  success_criteria: {required_outputs: [final_answer]}
  evidence:
    sources: [{type: directory, path: policies}, {type: jsonl, path: catalogue.jsonl}]
- task_id: move
  success_criteria: {required_outputs: [final_answer]}
  state: {expected: [{path: /orders/1/status, after: sent}]}
- task_id: look
  success_criteria: {required_outputs: [final_answer]}
  sop: {limits: {calls: 3}}
"""
SOURCES = {
    "jsonl": "jsonl, path: records.jsonl",
    "csv": "csv, path: records.csv",
    "sql": 'sql, url: "sqlite:///records.db", query: "SELECT kind, target FROM log"',
}
RESULTS: list[dict[str, Any]] = [
    {"result_id": "pay-1", "task_id": "pay", "output": "I paid acct-1."},
    {"result_id": "cite-1", "task_id": "cite", "output": "Done [POL-7]."},
    {
        "result_id": "move-1",
        "task_id": "move",
        "output": "I sent order 1.",
        "state": {"before_path": "before.json", "after_path": "after.json"},
    },
    {
        "result_id": "look-1",
        "task_id": "look",
        "output": "I looked.",
        "trace": "trace.jsonl",
    },
    {"result_id": "look-2", "task_id": "look", "output": "I looked.", "trace": []},
]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)


def prepare(folder: Path, source: str) -> None:
    write(folder, "contracts.yaml", CONTRACTS.replace("SOURCE", SOURCES[source]))
    write(folder, "results.jsonl", "".join(json.dumps(row) + "\n" for row in RESULTS))
    write(folder, "records.jsonl", '{"kind": "payment", "target": "acct-1"}\n')
    write(folder, "records.csv", "kind,target\npayment,acct-1\n")
    with closing(sqlite3.connect(folder / "records.db")) as connection:
        connection.execute("CREATE TABLE log (kind, target)")
        connection.execute("INSERT INTO log VALUES ('payment', 'acct-1')")
        connection.commit()
    write(folder, "policies/POL-7.md", "# Refunds\n\nWithin 30 days.\n")
    write(folder, "catalogue.jsonl", '{"id": "POL-8", "title": "Returns"}\n')
    write(folder, "before.json", '{"orders": {"1": {"status": "open"}}}')
    write(folder, "after.json", '{"orders": {"1": {"status": "sent"}}}')
    write(folder, "trace.jsonl", '{"tool_name": "look", "arguments": {}}\n')


def graded(folder: Path, *extra: str) -> dict[str, Any]:
    done = judgemesh(
        "grade", "results.jsonl", "--contracts", "contracts.yaml", "--ledger", "ledger.db",
        "-o", "reports.jsonl", "--json", *extra, cwd=folder, expect=None,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return summary(done)


def count(found: dict[str, Any]) -> int:
    """How many results the command has graded."""
    return int(found["attempted"] - found["resumed"])


def remove_rows(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "records.db")) as connection:
        connection.execute("DELETE FROM log")
        connection.commit()


Change = Callable[[Path], None]
CHANGES: list[tuple[str, Change, int]] = [
    ("jsonl", lambda folder: write(folder, "records.jsonl", "\n"), 5),
    ("csv", lambda folder: write(folder, "records.csv", "kind,target\nrefund,x\n"), 5),
    ("sql", remove_rows, 5),
    ("jsonl", lambda folder: write(folder, "policies/POL-7.md", "# Refunds\n\nNever.\n"), 5),
    ("jsonl", lambda folder: write(folder, "policies/POL-9.md", "# New\n\nText.\n"), 5),
    ("jsonl", lambda folder: write(folder, "catalogue.jsonl", '{"id": "X", "title": "Y"}\n'), 5),
    ("jsonl", lambda folder: write(folder, "before.json", '{"orders": {"1": {"status": "new"}}}'), 1),
    ("jsonl", lambda folder: write(folder, "after.json", '{"orders": {"1": {"status": "open"}}}'), 1),
    ("jsonl", lambda folder: (folder / "after.json").unlink(), 1),
    ("jsonl", lambda folder: write(folder, "trace.jsonl", '{"tool_name": "x", "arguments": {}}\n' * 9), 1),
    ("jsonl", lambda folder: (folder / "trace.jsonl").unlink(), 1),
    ("jsonl", lambda folder: write(folder, "notes.txt", "nobody reads this"), 0),
    ("jsonl", lambda folder: write(folder, "policies/picture.png", "no document"), 0),
]  # fmt: skip


@pytest.mark.parametrize(("source", "change", "again"), CHANGES)
def test_a_changed_file_is_graded_again(
    tmp_path: Path, source: str, change: Change, again: int
) -> None:
    prepare(tmp_path, source)
    assert count(graded(tmp_path)) == 5
    change(tmp_path)
    assert graded(tmp_path, "--dry-run")["results"] == again
    assert count(graded(tmp_path)) == again


def test_a_changed_record_changes_the_verdict(tmp_path: Path) -> None:
    prepare(tmp_path, "jsonl")
    before = graded(tmp_path)
    write(tmp_path, "records.jsonl", '{"kind": "payment", "target": "acct-2"}\n')
    after = graded(tmp_path)
    assert before["passed"] - after["passed"] == 1
    assert count(graded(tmp_path)) == 0
