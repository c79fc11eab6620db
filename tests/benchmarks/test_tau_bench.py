"""The whole way from recorded runs to agreement: on the published recordings where they are at hand, and on small rows
of our own that have what those lack."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "tau_bench"
Row = dict[str, Any]

RENEW: list[Row] = [{"name": "renew_loan", "args": {"loan": "L1"}}]
RENEWED: list[Row] = [{"path": "loans/L1/due", "before": "12:30", "after": "no"}]


def agreement(folder: Path) -> tuple[Row, str]:
    """The benchmark's one line, and what it noted on stderr."""
    command = [
        sys.executable,
        str(ROOT / "benchmarks/accuracy/tau_bench.py"),
        "--data",
        str(folder),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return json.loads(line), done.stderr


def run(run_id: str, reward: float, **changes: object) -> Row:
    """A run of a made-up library desk that does what was asked, unless changed; a change to `...` drops the key."""
    row: Row = {
        "run_id": run_id,
        "domain": "library",
        "task_id": run_id,
        "expected_actions": RENEW,
        "expected_outputs": [],
        "messages": [
            {"role": "user", "content": "Renew it."},
            {"role": "assistant", "content": "It is renewed."},
        ],
        "calls": [],
        "terminated": True,
        "state_diff": RENEWED,
        "expected_state_diff": RENEWED,
        "official_reward": reward,
        **changes,
    }
    return {key: value for key, value in row.items() if value is not ...}


def says(text: object, role: str = "assistant", **more: object) -> list[Row]:
    return [
        {"role": "user", "content": "Hello"},
        {"role": role, "content": text, **more},
    ]


TOOL_ONLY: list[Row] = [
    {"role": "user", "content": "Renew it."},
    {
        "role": "assistant",
        "tool_call": {"seq": 0, "name": "transfer_to_human_agents", "args": {}},
    },
]
CALL: Row = {
    "role": "assistant",
    "tool_call": {"seq": 0, "name": "renew_loan", "args": {}},
}
FOUND: Row = {
    "seq": 0,
    "name": "get_price",
    "args": {"number": "1786"},
    "result": "1786",
}
LOOK: list[Row] = [{"name": "get_loan", "args": {}}]
FAILED_CALL: list[Row] = [
    {
        "seq": 0,
        "name": "renew_loan",
        "args": {},
        "result": "Error: timed out",
        "error": True,
    }
]
NULLED: list[Row] = [{"path": "loans/L1/holder", "before": "M7", "after": None}]
NESTED: list[Row] = [
    {
        "path": "x",
        "op": "add",
        "after": {"a": [1, {"b": None, "c": "1e5"}], "equals": 3},
    }
]
FEE: list[Row] = [{"path": "members/M7/fee", "before": 100, "after": 250}]
ODD_PATH: list[Row] = [{"path": "a~b/#W1/c d", "op": "add", "after": 1}]

CASES: list[Row] = [
    run("does what was asked", 1),
    run("does nothing", 0, state_diff=[]),
    run("does more than asked", 0, state_diff=[*RENEWED, {"path": "loans/L2", "op": "remove", "before": 1}]),
    run("does it wrongly", 0, state_diff=[{**RENEWED[0], "after": False}]),
    run("quoted and unquoted are two things", 0, state_diff=[{**RENEWED[0], "after": "false"}]),
    run("removes instead", 0, state_diff=[{"path": "loans/L1/due", "op": "remove", "before": "12:30"}]),
    run("sets null", 1, state_diff=NULLED, expected_state_diff=NULLED),
    run("sets something for null", 0, state_diff=[{**NULLED[0], "after": 0}], expected_state_diff=NULLED),
    run("nested value", 1, state_diff=NESTED, expected_state_diff=NESTED),
    run("odd characters in paths", 1, state_diff=ODD_PATH, expected_state_diff=ODD_PATH),
    run("the same number", 1, state_diff=FEE, expected_state_diff=FEE),
    run("another type of number", 0, state_diff=[{**FEE[0], "after": 250.0}], expected_state_diff=FEE),
    run("another type inside", 0, state_diff=[{**NESTED[0], "after": {"a": [1.0, {"b": None, "c": "1e5"}], "equals": 3}}], expected_state_diff=NESTED),
    run("keys without domain", 1, domain=..., instruction=..., agent_model=...),
    run("not terminated", 0, terminated=False),
    run("terminated unknown", 1, terminated=...),
    run("never says a word", 1, messages=TOOL_ONLY),
    run("no messages", 1, messages=[]),
    run("ends on a failed call", 1, messages=[*says("Hm."), CALL], calls=FAILED_CALL),
    run("commas in numbers", 1, expected_outputs=["1786", "54.04"], messages=says("It was $1,786, then $54.04.")),
    run("one output of two", 0, expected_outputs=["1786", "54.04"], messages=says("It was $1,786.")),
    run("only the user says it", 0, expected_outputs=["1786"], messages=says("It was 1786", role="user")),
    run("only a tool says it", 0, expected_outputs=["1786"], messages=says("ok"), calls=[FOUND]),
    run("only beside a call", 0, expected_outputs=["1786"], messages=says("1786", tool_call=CALL["tool_call"])),
    run("an earlier message says it", 1, expected_outputs=["1786"], messages=[*says("It was 1,786."), *says("Bye.")]),
    run("over two messages", 0, expected_outputs=["17 86"], messages=[*says("17"), says("86")[1]]),
    run("any case", 1, expected_outputs=["MasterCard"], messages=says("paid by mastercard ending 12")),
    run("metacharacters", 1, expected_outputs=["(a+b)*[c]?", "$5.00"], messages=says("so (A+B)*[C]? is $5.00")),
    run("metacharacters are literal", 0, expected_outputs=["a.b"], messages=says("axb")),
    run("looks like a placeholder", 1, expected_outputs=["None", "N/A", "-"], messages=says("none - n/a")),
    run("same output twice", 1, expected_outputs=["4", "4", ""], messages=says("4")),
    run("only reads, changes nothing", 1, expected_actions=LOOK, state_diff=[], expected_state_diff=[]),
    run("only reads, yet changes", 0, expected_actions=LOOK, expected_state_diff=[]),
    run("no expected actions", 1, expected_actions=..., state_diff=[], expected_state_diff=[]),
]  # fmt: skip

VACUOUS: list[Row] = [
    run("vacuous", 1, state_diff=[], expected_state_diff=[]),
    run(
        "vacuous with output",
        1,
        state_diff=[],
        expected_state_diff=[],
        expected_outputs=["4"],
        messages=says("4"),
    ),
]
VACUOUS_YET_FAILED: list[Row] = [
    run("vacuous, changes something", 0, expected_state_diff=[]),
    run(
        "vacuous, output missing",
        0,
        state_diff=[],
        expected_state_diff=[],
        expected_outputs=["4"],
    ),
    run(
        "vacuous, not terminated",
        0,
        state_diff=[],
        expected_state_diff=[],
        terminated=False,
    ),
]


def write(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_rows_of_our_own(tmp_path: Path) -> None:
    rows = [*CASES, *VACUOUS, *VACUOUS_YET_FAILED]
    write(tmp_path / "a.jsonl", rows)
    write(
        tmp_path / "b.jsonl",
        [run("does what was asked", 0, state_diff=[]), run("does nothing", 1)],
    )
    write(tmp_path / "other.jsonl", [{"id": 1, "text": "no recorded run"}])
    tally, notes = agreement(tmp_path)
    assert tally == {
        "runs": len(rows) + 2,
        "agree": len(rows) + 2 - len(VACUOUS),
        "disagree": [],
        "vacuous_expectations": [row["run_id"] for row in VACUOUS],
    }
    assert "other.jsonl: 1 lines" in notes


def test_disagreement_is_seen(tmp_path: Path) -> None:
    """The measurement itself can fail: wrong rewards are found, each by its id."""
    write(
        tmp_path / "a.jsonl",
        [
            run("right", 1),
            run("said to fail", 0),
            run("said to pass", 1, state_diff=[]),
        ],
    )
    tally, _ = agreement(tmp_path)
    assert tally == {
        "runs": 3,
        "agree": 1,
        "disagree": ["said to fail", "said to pass"],
        "vacuous_expectations": [],
    }


def test_a_folder_without_runs_is_an_error(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "benchmarks/accuracy/tau_bench.py"),
        "--data",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no *.jsonl file with recorded runs" in done.stderr


@pytest.mark.data
def test_the_gate_agrees_with_every_recorded_run() -> None:
    if not DATA.is_dir():
        pytest.skip(f"the recorded runs are not at {DATA}")
    tally, _ = agreement(DATA)
    assert tally == {
        "runs": 150,
        "agree": 150,
        "disagree": [],
        "vacuous_expectations": [],
    }
