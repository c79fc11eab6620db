"""A ledger on a PostgreSQL server serves the installed command as one in a file does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ..postgresql import Server
from .command import judgemesh, lines, summary

DESK = Path(__file__).parents[2] / "examples" / "support_desk"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The bundled example, in a folder that may be written."""
    shutil.copytree(DESK, tmp_path / "desk")
    return tmp_path / "desk"


def test_grade_go_on_report_and_bill_on_a_server(
    desk: Path, postgresql_server: Server
) -> None:
    server = postgresql_server.database()
    grade = [
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        "--judge",
        "replay:judge.jsonl",
        "--fail-under",
        "0",
    ]
    judged = [*grade, "--votes", "single", "--json"]

    some = summary(judgemesh(*judged, "--limit", "7", "--ledger", server, cwd=desk))
    whole = summary(
        judgemesh(*judged, "--ledger", server, "-o", "server.jsonl", cwd=desk)
    )
    in_file = summary(
        judgemesh(*judged, "--ledger", "file.db", "-o", "file.jsonl", cwd=desk)
    )

    assert some["attempted"] == 7
    assert whole["attempted"] == 16
    counts = (
        "passed",
        "failed",
        "undecided",
        "failure_codes",
        "outcome_classes",
        "evaluator_costs",
        "judge_calls",
    )
    assert [whole[name] for name in counts] == [in_file[name] for name in counts]
    told = ("result_id", "gate", "explanation", "outcome_score", "failure_reason_codes")
    assert [[row[name] for name in told] for row in lines(desk / "server.jsonl")] == [
        [row[name] for name in told] for row in lines(desk / "file.jsonl")
    ]
    rate = summary(judgemesh("asr", "--ledger", server, "--json", cwd=desk))
    assert rate == summary(judgemesh("asr", "--ledger", "file.db", "--json", cwd=desk))
    judgemesh("label", "export", "queue.jsonl", "--ledger", server, cwd=desk)
    assert lines(desk / "queue.jsonl")


def test_a_server_that_is_not_there_is_one_line(desk: Path) -> None:
    pytest.importorskip("psycopg")
    gone = "postgresql://somebody:secret@127.0.0.1:1/nothing"
    done = judgemesh(
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        "--ledger",
        gone,
        cwd=desk,
        expect=2,
    )
    assert "secret" not in done.stdout + done.stderr
    assert "127.0.0.1" in done.stderr
