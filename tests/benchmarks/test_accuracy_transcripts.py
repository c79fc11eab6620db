"""The benchmark of transcripts on a folder of one file: it finds what is there, and says what is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIXTURE = (
    ROOT
    / "tests"
    / "tracing"
    / "transcripts"
    / "fixtures"
    / "openai_chat"
    / "retry.json"
)
CALLS: list[dict[str, Any]] = [
    {
        "tool": "send_note",
        "arguments": {"text": "fail", "tags": []},
        "result_text": '{"error": "the post office does not answer"}',
    },
    {
        "tool": "send_note",
        "arguments": {"text": "ok", "tags": []},
        "result_text": "{'sent': [1, [2, 3]]}",
    },
]


def measured(folder: Path, calls: list[dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    (folder / "chat.json").write_bytes(FIXTURE.read_bytes())
    expected = {
        "calls": calls,
        "final_answer": "Sent.",
        "user_messages": ["Ein Rad für morgen, bitte: 178 cm 🚲"],
        "tokens_in": None,
        "tokens_out": None,
    }
    row = {
        "form": "openai_chat",
        "file": "chat.json",
        "error_sign": "text",
        "expected": expected,
    }
    (folder / "manifest.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    script = ROOT / "benchmarks" / "accuracy" / "transcripts.py"
    done = subprocess.run(
        [sys.executable, script, "--data", folder],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def test_everything_is_found(tmp_path: Path) -> None:
    code, figures = measured(tmp_path, CALLS)
    assert code == 0
    assert (figures["files"], figures["whole"], figures["share"]) == (1, 1, 1.0)


def test_a_missing_and_an_invented_call_are_told(tmp_path: Path) -> None:
    code, figures = measured(tmp_path, [CALLS[0], {**CALLS[1], "tool": "send_letter"}])
    assert code == 1
    assert (figures["whole"], figures["invented"]) == (0, 1)
    assert figures["missing"]["openai_chat"]["calls"] == 1
