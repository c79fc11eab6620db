"""`judgemesh init`, the files for CI, and exported questions: what a new user sees first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from judgemesh.mesh import __version__

from .command import judgemesh, summary

ROOT = Path(__file__).parents[2]


def chat(
    *, tool: str = "find_parcel", result: str = '{"place": "Depot 4"}'
) -> list[dict[str, Any]]:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": tool, "arguments": '{"number": 77}'},
    }
    return [
        {"role": "user", "content": "Where is parcel 77?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "assistant", "content": "Parcel 77 is at Depot 4."},
    ]  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "chat.json").write_text(json.dumps(chat()))
    return tmp_path


def test_a_log_becomes_a_report_and_a_contract_that_holds_for_later_runs(
    log: Path,
) -> None:
    done = judgemesh("init", "chat.json", cwd=log, COLUMNS="80")
    assert "1 passed, 0 failed, 0 undecided" in done.stdout
    assert "No judge was asked" in done.stdout
    judgemesh("contract", "check", "graded/contract.yaml", cwd=log)
    contract = (log / "graded" / "contract.yaml").read_text()
    assert contract.count("REVIEW") >= 4
    (log / "later.json").write_text(json.dumps(chat(tool="delete_parcel")))
    judgemesh(
        "convert", "later.json", "--task", "chat", "-o", "later.jsonl", "-q", cwd=log
    )
    later = judgemesh(
        "grade", "later.jsonl", "--contracts", "graded/contract.yaml", "--json", cwd=log, expect=1
    )  # fmt: skip
    assert "UNAUTHORIZED_ACTION" in summary(later)["failure_codes"]


def test_nothing_is_replaced(log: Path) -> None:
    judgemesh("init", "chat.json", cwd=log)
    again = judgemesh("init", "chat.json", cwd=log, expect=2)
    assert "exists already, and is not replaced" in again.stderr
    assert len(again.stderr.splitlines()) == 1
    judgemesh("init", "chat.json", "--folder", "second", cwd=log)


def test_a_failed_call_and_one_that_cannot_be_read_show(log: Path) -> None:
    failed = chat(result='{"error": "no such parcel"}')
    unread = chat()
    unread[1]["tool_calls"] = "find_parcel 77"
    (log / "logs").mkdir()
    for name, messages in (("good", chat()), ("failed", failed), ("unread", unread)):
        (log / "logs" / f"{name}.json").write_text(json.dumps(messages))
    found = summary(judgemesh("init", "logs", "--json", cwd=log))
    reports = {report["result_id"]: report for report in found["reports"]}
    assert reports["good"]["gate"] == "pass"
    assert reports["failed"]["gate"] == "fail"
    assert "TOOL_FAILURE" in reports["failed"]["failure_reason_codes"]
    assert reports["unread"]["gate"] == "undecided"


def test_no_log_is_one_line(log: Path) -> None:
    (log / "prose.txt").write_text("This is no transcript.")
    done = judgemesh("init", "prose.txt", cwd=log, expect=2)
    assert not (log / "graded" / "results.jsonl").exists()
    assert "holds no conversation" in done.stderr.splitlines()[-1]


def test_markdown_of_a_run_is_a_table_whatever_an_agent_wrote(log: Path) -> None:
    judgemesh("init", "chat.json", "-q", cwd=log)
    hostile = {"result_id": "a|b](http://x)<img>", "task_id": "chat", "output": ""}
    (log / "hostile.jsonl").write_text(json.dumps(hostile) + "\n")
    judgemesh(
        "grade", "hostile.jsonl", "--contracts", "graded/contract.yaml", "-o", "s.md", cwd=log, expect=1
    )  # fmt: skip
    text = (log / "s.md").read_text()
    assert "## judgemesh: 0 of 1 passed" in text
    assert "95% interval" in text
    (row,) = [line for line in text.splitlines() if "img" in line]
    assert row.count("|") == 5
    assert "<img>" not in text


def test_the_files_for_ci_are_yaml_and_their_commands_run(log: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    page = (ROOT / "docs/how-to/ci.md").read_text()
    blocks = re.findall(r"```yml\n(.*?)```", page, re.DOTALL)
    assert [bool(yaml.safe_load(block)) for block in blocks] == [True, True]
    judgemesh("init", "chat.json", "-q", cwd=log)
    script: list[str] = str(yaml.safe_load(blocks[1])["grade"]["script"][1]).split()
    files = {
        "results.jsonl": "graded/results.jsonl",
        "contract.yaml": "graded/contract.yaml",
    }
    judgemesh(*[files.get(word, word) for word in script[1:]], cwd=log)
    assert (log / "junit.xml").is_file()
    assert (log / "summary.md").is_file()


def test_the_version_is_one(log: Path) -> None:
    assert judgemesh("--version", cwd=log).stdout.strip() == f"judgemesh {__version__}"


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_an_exported_question_carries_what_a_person_needs(
    log: Path, suffix: str
) -> None:
    desk = ROOT / "examples" / "support_desk"
    judgemesh(
        "grade", desk / "results.jsonl", "--contracts", desk / "contracts.yaml", "--judge",
        f"replay:{desk / 'judge.jsonl'}", "--fail-under", "0", "-q", cwd=log,
    )  # fmt: skip
    name = f"queue.{suffix}"
    judgemesh("label", "export", name, "--results", desk / "results.jsonl", cwd=log)
    text = (log / name).read_text()
    assert "answer" in text
    first = json.loads((desk / "results.jsonl").read_text().splitlines()[0])
    if suffix == "jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        assert all(line["question"] and "answer" in line for line in lines)
        assert any(line["answer"] for line in lines), first
    judgemesh("label", "import", name, "--labeler", "ann", cwd=log)
