"""A result names files: only regular files of bounded size below its folder are read, and none of them ends the run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from .command import judgemesh

CONTRACT = """
task_id: t
sop: {forbidden_tools: [pay]}
state: {allowed: ["/y/**"]}
"""
SECRET = "the secret of the neighbour"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.json").write_text(json.dumps({"key": SECRET}))
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "contract.yaml").write_text(CONTRACT)
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "link").symlink_to(tmp_path / "secret.json")
    (folder / "folder").mkdir()
    with (folder / "sparse.json").open("wb") as stream:
        stream.truncate(200 * 2**30)
    return folder


def test_a_named_file_is_regular_bounded_and_inside(folder: Path) -> None:
    names = [
        "pipe", "zero", "link", "folder", "sparse.json", "missing.json", "", "\0", "a" * 5000, "../secret.json",
        str(folder.parent / "secret.json"), "/dev/stdin", "/proc/self/environ", "folder/../../secret.json",
    ]  # fmt: skip
    lines: list[str] = []
    for number, name in enumerate(names):
        base: dict[str, Any] = {"task_id": "t", "output": "The order was booked."}
        traced = {**base, "result_id": f"trace-{number}", "trace": {"ref": name}}
        state = {"before_path": name, "after_path": name}
        stated: dict[str, Any] = {
            **base,
            "result_id": f"state-{number}",
            "trace": [],
            "state": state,
        }
        lines += [json.dumps(traced), json.dumps(stated)]
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")
    judgemesh(
        "grade", "results.jsonl", "--contracts", "contract.yaml", "-o", "reports.jsonl",
        cwd=folder, expect=1,
    )  # fmt: skip
    written = (folder / "reports.jsonl").read_text()
    reports = [json.loads(line) for line in written.splitlines()]
    assert len(reports) == len(lines)
    assert {report["gate"] for report in reports} == {"undecided"}
    assert SECRET not in written
    for file in folder.glob("*.db*"):
        assert SECRET.encode() not in file.read_bytes()
