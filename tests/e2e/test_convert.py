"""`judgemesh convert` as a user runs it: files, folders, gzip, a pipe, and what cannot be converted."""

from __future__ import annotations

import gzip
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from .command import COMMAND, environment, judgemesh, summary

FIXTURES = Path(__file__).parents[1] / "tracing" / "transcripts" / "fixtures"
CHAT = FIXTURES / "openai_chat" / "forbidden.json"
CONTRACT = """
task_id: bicycles
sop: {forbidden_tools: [waive_deposit]}
"""


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_folder_becomes_results(tmp_path: Path) -> None:
    done = judgemesh(
        "convert",
        FIXTURES / "langgraph_state",
        "--task",
        "bicycles",
        "-o",
        "r.jsonl",
        "--json",
        cwd=tmp_path,
        expect=2,
    )
    assert "versions.txt" in done.stderr
    assert json.loads(done.stdout)["conversations"] == 7
    results = lines_of(tmp_path / "r.jsonl")
    assert [result["result_id"] for result in results] == sorted(
        result["result_id"] for result in results
    )
    assert {result["task_id"] for result in results} == {"bicycles"}


def test_a_forbidden_call_in_a_pipe_of_a_compressed_file(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    packed = gzip.compress(CHAT.read_bytes())
    (tmp_path / "chat.json.gz").write_bytes(packed)
    done = subprocess.run(
        [COMMAND, "convert", "-", "--task", "bicycles"],
        input=packed,
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=True,
    )
    judgemesh(
        "convert",
        "chat.json.gz",
        "--task",
        "bicycles",
        "-o",
        "file.jsonl",
        cwd=tmp_path,
    )
    (one,) = lines_of(tmp_path / "file.jsonl")
    piped = json.loads(done.stdout)
    assert (one["result_id"], piped["result_id"]) == ("chat", "stdin")
    assert one["trace"] == piped["trace"]
    graded = judgemesh(
        "grade",
        "file.jsonl",
        "--contracts",
        "c.yaml",
        "--ledger",
        "sqlite:///l.db",
        "--json",
        cwd=tmp_path,
        expect=1,
    )
    assert summary(graded)["failed"] == 1


def test_ids_actions_and_answers(tmp_path: Path) -> None:
    options = (
        "--id",
        "run",
        "--action",
        "reserve_bike",
        "--answer",
        "waive_deposit.reservation",
        "-o",
        "r.jsonl",
        "-q",
    )
    judgemesh("convert", CHAT, CHAT, "--task", "bicycles", *options, cwd=tmp_path)
    first, second = lines_of(tmp_path / "r.jsonl")
    assert (first["result_id"], second["result_id"]) == ("run", "run-2")
    assert first["actions"] == [
        {"kind": "reserve_bike", "parameters": {"bike": "Gravel 7", "hours": 2.5}}
    ]
    assert first["output"]["final_answer"] == "B-88"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.json", b"", "is empty"),
        ("text.txt", b"hello", "is neither JSON nor JSON Lines"),
        ("binary.bin", b"\xff\xfe\x00\xd8", "no text"),
        ("other.json", b'{"rows": [1, 2]}', "no known transcript format"),
        ("bad.gz", b"\x1f\x8b\x08rest", "cannot be read"),
    ],
)
def test_a_file_that_is_no_transcript(
    name: str, content: bytes, told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = judgemesh(
        "convert", name, CHAT, "--task", "t", "-o", "r.jsonl", cwd=tmp_path, expect=2
    )
    assert name in done.stderr
    assert told in done.stderr
    assert len(lines_of(tmp_path / "r.jsonl")) == 1


def test_wrong_usage(tmp_path: Path) -> None:
    assert (
        "does not exist"
        in judgemesh("convert", "no.json", "--task", "t", cwd=tmp_path, expect=2).stderr
    )
    assert (
        "no transcript format"
        in judgemesh(
            "convert", CHAT, "--task", "t", "--format", "chat", cwd=tmp_path, expect=2
        ).stderr
    )
    assert "--task" in judgemesh("convert", CHAT, cwd=tmp_path, expect=2).stderr
    assert (
        "--output"
        in judgemesh(
            "convert", CHAT, "--task", "t", "--json", cwd=tmp_path, expect=2
        ).stderr
    )


def test_a_broken_line_makes_the_trace_unread(tmp_path: Path) -> None:
    messages = json.loads(CHAT.read_text(encoding="utf-8"))
    lines = [json.dumps(message) for message in messages]
    (tmp_path / "log.jsonl").write_text(
        "\n".join([*lines[:3], lines[3][:-5], *lines[4:]]), encoding="utf-8"
    )
    done = judgemesh(
        "convert", "log.jsonl", "--task", "t", "-o", "r.jsonl", cwd=tmp_path
    )
    assert "line 4 is no JSON" in done.stderr
    (result,) = lines_of(tmp_path / "r.jsonl")
    assert "line 4 is no JSON" in result["trace"]["unread"]


def test_an_archive_of_another_kind(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a.txt", "hello")
    done = judgemesh("convert", "x.zip", "--task", "t", cwd=tmp_path, expect=2)
    assert "x.zip" in done.stderr
