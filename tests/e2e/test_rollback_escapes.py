"""`judgemesh rollback` with agents that leave more than a world usually holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .command import judgemesh

NESTED = 2_000
DEEP = f"""
import os

gate = open(os.environ["JUDGEMESH_GATE"], "rb", buffering=0)
events = open(os.environ["JUDGEMESH_EVENTS"], "a", buffering=1)

def say(kind):
    print('{{"event_type": "%s"}}' % kind, file=events)
    gate.read(1)

say("tool.called")
here = os.getcwd()
os.chdir("world")
for _ in range({NESTED}):
    os.mkdir("deeper")
    os.chdir("deeper")
open("bottom", "w").write("x")
os.chdir(here)
say("artifact.created")
say("run.completed")
"""


def spec(folder: Path, agent: str, **world: Any) -> None:
    (folder / "agent.py").write_text(agent)
    (folder / "world").mkdir()
    (folder / "world" / "kept.txt").write_text("kept")
    data = {
        "task_id": "t",
        "agent": {"command": [sys.executable, "agent.py"], "time_limit_s": 60},
        "progress": {"writes": 1},
        "world": {"directories": [{"path": "world"}], **world},
    }
    (folder / "spec.yaml").write_text(json.dumps(data))


def test_two_thousand_nested_folders_are_put_back(tmp_path: Path) -> None:
    spec(tmp_path, DEEP)
    done = judgemesh("rollback", "spec.yaml", "--point", "late", "--json", cwd=tmp_path)
    (injection,) = json.loads(done.stdout)["injections"]
    assert injection["not_measured"] is None
    # Each nested folder, and the file in the last one.
    assert len(injection["leftovers"]) == NESTED + 1
    assert [path.name for path in (tmp_path / "world").iterdir()] == ["kept.txt"]
    assert not (tmp_path / ".judgemesh").exists()


def test_a_file_outside_the_world_is_judged_or_said_to_be_unseen(
    tmp_path: Path,
) -> None:
    here = 'os.chdir("world")'
    outside = tmp_path / "elsewhere.txt"
    agent = DEEP.replace(
        here, f'open({str(outside)!r}, "w").write("x"); os.chdir(here)'
    )
    agent = agent.replace(f"range({NESTED})", "range(0)").replace(
        '"bottom"', '"world/b"'
    )
    spec(tmp_path, agent)
    arguments = ("rollback", "spec.yaml", "--point", "late", "--json")
    (injection,) = json.loads(judgemesh(*arguments, cwd=tmp_path).stdout)["injections"]
    if injection["not_seen"]:
        assert "outside the declared world" in " ".join(injection["not_seen"])
        return
    assert injection["outside_world"] == [str(outside)]
    assert f"wrote outside the world: {outside}" in injection["leftovers"]
    ignoring = json.loads((tmp_path / "spec.yaml").read_text())
    ignoring["world"]["ignore_outside"] = ["*/elsewhere.txt"]
    (tmp_path / "spec.yaml").write_text(json.dumps(ignoring))
    (injection,) = json.loads(judgemesh(*arguments, cwd=tmp_path).stdout)["injections"]
    assert injection["outside_world"] == []
    assert injection["leftovers"] == ["added world/b"]
