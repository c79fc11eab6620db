"""Agreement with official grades of recorded runs: on the published ones where they are at hand, and on a domain of our
own with what the script has to understand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "sopbench_runs"
EVERY = 12
"""Every so many-th published run: the whole takes ten seconds."""
Row = dict[str, Any]


def agreement(folder: Path) -> Row:
    command = [
        sys.executable,
        str(ROOT / "benchmarks/accuracy/sopbench_runs.py"),
        "--data",
        str(folder),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    return dict(json.loads(line))


def write(path: Path, rows: Iterable[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.data
@pytest.mark.skipif(
    not DATA.is_dir(), reason="the recorded runs are not beside the repository"
)
def test_published_runs(tmp_path: Path) -> None:
    for name in ("tasks.jsonl", "domain_graphs.json"):
        (tmp_path / name).symlink_to(DATA / name)
    lines = (
        (DATA / "runs.jsonl")
        .read_text(encoding="utf-8")
        .splitlines(keepends=True)[::EVERY]
    )
    (tmp_path / "runs.jsonl").write_text("".join(lines), encoding="utf-8")
    found = agreement(tmp_path)
    assert found["runs"] == len(lines)
    assert found["constraint_agree"] == found["database_agree"] == 1.0
    assert found["order_agree"] >= 0.985


GRAPH: Row = {
    "nodes": [
        ["water", {"plant": "plant"}],
        "and",
        ["unlock", {"user": "user"}],
        "or",
        ["moisture", {"plant": "plant"}],
        ["all_plants", {}],
    ],
    "connections": [[0, 1], [1, 2], [1, 3], [3, 4], [3, 5]],
}
TASK: Row = {
    "task_id": "t1",
    "domain": "garden",
    "user_goal": "water",
    "user_prompt": "Water the fern.",
    "directed_action_graph": GRAPH,
    "constraints_original": ["single", "is_dry", {"plant": "plant"}],
    "constraints": [
        "chain",
        [
            ["single", "moisture", {"plant": "plant"}],
            ["single", "soil_report", {"bed": "plant"}],
        ],
    ],
}
GRAPHS: Row = {
    "garden": {
        name: {"nodes": [[name, {}]], "connections": []}
        for name in ("unlock", "moisture", "all_plants", "soil_report")
    }
}
CHANGE = [{"path": "plants/fern/wet", "before": False, "after": True}]


def call(
    name: str, result: Any = True, strict: Any = True, status: str = "ok", **args: Any
) -> Row:
    return {
        "name": name,
        "args": args,
        "result": result,
        "strict_result": strict,
        "strict_status": status,
    }


def run(
    run_id: str,
    calls: list[Row],
    *grades: bool,
    changed: bool = True,
    allowed: bool = True,
) -> Row:
    names = ("constraint_not_violated", "database_match", "dirgraph_satisfied")
    return {
        "run_id": run_id,
        "task_id": "t1",
        "calls": calls,
        "state_diff": CHANGE if changed else [],
        "strict_state_diff": CHANGE if allowed else [],
        "official": dict(zip(names, grades, strict=True)),
    }


WATER = call("water", plant="fern")


RUNS = [
    run("good", [call("unlock"), call("moisture", 3, [True, 3], plant="fern"), WATER], True, True, True),
    run("either", [call("unlock"), call("all_plants"), WATER], True, True, True),
    run("none", [], True, True, True, changed=False, allowed=False),
    run("other plant", [call("unlock"), call("moisture", plant="ivy"), WATER], True, True, False),
    run("locked", [call("moisture", plant="fern"), WATER], True, True, False),
    run("refused", [call("unlock"), call("all_plants"), {**WATER, "strict_result": False}], False, False, True, allowed=False),
    run("implied", [call("unlock"), call("soil_report", bed="fern"), WATER], True, True, True),
    run("failed call", [call("unlock", None, None, "unknown_tool_or_bad_args"), call("all_plants"), WATER], True, True, False),
    run("not done", [call("unlock")], True, False, True, changed=False),
]  # fmt: skip


def test_a_domain_of_our_own(tmp_path: Path) -> None:
    write(tmp_path / "tasks.jsonl", [TASK])
    (tmp_path / "domain_graphs.json").write_text(json.dumps(GRAPHS))
    write(tmp_path / "runs.jsonl", RUNS)
    checks = ("constraint_agree", "database_agree", "order_agree")
    assert agreement(tmp_path) == {"runs": len(RUNS), **dict.fromkeys(checks, 1.0)}
    wrong = [
        {
            **one,
            "official": {name: not grade for name, grade in one["official"].items()},
        }
        for one in RUNS
    ]
    write(tmp_path / "runs.jsonl", wrong)
    assert agreement(tmp_path) == {"runs": len(RUNS), **dict.fromkeys(checks, 0.0)}


def test_a_folder_without_runs_is_said(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(ROOT / "benchmarks/accuracy/sopbench_runs.py"),
        "--data",
        str(tmp_path),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "runs.jsonl" in done.stderr
