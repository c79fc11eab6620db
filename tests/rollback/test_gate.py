"""The recorder at the gate of a rollback measurement, and files that are followed while they grow."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.following import Counts
from judgemesh.mesh.rollback.process import start
from judgemesh.mesh.rollback.spec import Command, ProgressSpec
from judgemesh.mesh.rollback.tail import OutputGate, Tail
from judgemesh.mesh.tracing import Recorder


def test_the_recorder_waits_after_each_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = OutputGate(tmp_path / "gate")
    monkeypatch.setenv("JUDGEMESH_GATE", str(tmp_path / "gate"))
    passed: list[str] = []

    def work() -> None:
        with Recorder(tmp_path / "events.jsonl") as recorder, recorder.run():
            passed.append("started")

    tail = Tail(tmp_path / "events.jsonl", from_end=False)
    worker = threading.Thread(target=work)
    assert not gate.waited_at
    worker.start()
    try:
        while not (lines := tail.lines()):
            assert worker.is_alive()
            time.sleep(0.001)
        worker.join(0.05)
        assert (len(lines), passed, gate.waited_at) == (1, [], True)
        gate.let_on()
        while not (lines := tail.lines()):
            assert worker.is_alive()
            time.sleep(0.001)
        assert (len(lines), passed) == (1, ["started"])
    finally:
        gate.close()  # nobody keeps the gate any more: the agent goes on
        worker.join(5)
        tail.close()
    assert not worker.is_alive()


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_a_gate_that_is_none_holds_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("JUDGEMESH_GATE", str(tmp_path / path))
    with Recorder(tmp_path / "events.jsonl") as recorder, recorder.run():
        pass
    assert len((tmp_path / "events.jsonl").read_text().splitlines()) == 2
    assert recorder.lost == 0


def test_a_gate_without_keeper_holds_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "gate")
    monkeypatch.setenv("JUDGEMESH_GATE", str(tmp_path / "gate"))
    with Recorder(tmp_path / "events.jsonl") as recorder, recorder.run():
        pass
    assert len((tmp_path / "events.jsonl").read_text().splitlines()) == 2


def test_what_comes_between_the_point_and_the_end_is_read(tmp_path: Path) -> None:
    agent = Command(command=["sleep", "60"])
    running = start(
        agent,
        ProgressSpec(writes=2),
        base=tmp_path,
        work=tmp_path,
        events=None,
        marker="m1",
    )
    events = tmp_path / "events.jsonl"
    try:
        for first, then in (
            ("tool.called", "artifact.created"),
            ("artifact.created", "run.completed"),
        ):
            with events.open("a") as file:
                file.write(json.dumps({"event_type": first}) + "\n")
            running._reach(InjectionPoint.EARLY)
            with events.open("a") as file:
                file.write(json.dumps({"event_type": then}) + "\n")
            running._drained()
        assert running.follower.counts == Counts(
            lines=4, tool_results=1, writes=2, all_written=True, final=True
        )
    finally:
        running.close()
    assert running.process.returncode == -9


def test_only_whole_lines_are_followed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("old\n")
    tail = Tail(path, from_end=True)
    assert tail.lines() == []
    with path.open("a") as file:
        file.write("one\nha")
        file.flush()
        assert tail.lines() == ["one"]
        file.write("lf\n\n")
    assert tail.lines() == ["half"]
    path.write_text("cut\n")
    assert tail.lines() == ["cut"]
    path.unlink()
    path.write_text("new\n")
    assert [*tail.lines(), *tail.lines()] == ["new"]
    tail.close()
