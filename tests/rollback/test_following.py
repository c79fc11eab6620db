"""Lines -> points, and kills that came too late."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.following import Follower, passed
from judgemesh.mesh.rollback.spec import ProgressSpec


def event(kind: str, **payload: Any) -> str:
    return json.dumps({"event_type": kind, "payload": payload})


TOOL, WRITE, STEP, FINAL = map(
    event, ("tool.called", "artifact.created", "step.completed", "run.completed")
)
FINALIZE = event("step.started", state_type="FINALIZE")


def reached_at(progress: dict[str, Any], lines: list[str]) -> dict[str, int | None]:
    """The line, from 1, at which each point is reached."""
    found: dict[str, int | None] = {}
    for point in InjectionPoint:
        follower = Follower(ProgressSpec.model_validate(progress))
        found[point.value] = None
        for number, line in enumerate(lines, 1):
            follower.see(line)
            if follower.reached(point):
                found[point.value] = number
                break
    return found


@pytest.mark.parametrize(
    ("progress", "lines", "early", "mid", "late"),
    [
        ({"writes": 2}, [TOOL, TOOL, WRITE, WRITE, FINAL], 1, 3, 4),
        ({}, [TOOL, WRITE, WRITE, FINALIZE, FINAL], 1, 2, 4),
        ({"writes": 1}, [TOOL, WRITE], 1, 2, 2),
        ({"writes": 3}, [TOOL, WRITE, WRITE, FINAL], 1, 2, None),
        # half the planned steps, and a write
        ({"writes": 2, "steps": 4}, [TOOL, STEP, WRITE, STEP, WRITE, STEP], 1, 4, 5),
        ({"writes": 2, "steps": 2}, [TOOL, STEP, STEP, WRITE, WRITE], 1, 4, 5),
        # calls of tools that write; a failed one wrote nothing
        (
            {"write_tools": ["save"], "writes": 1},
            [
                event("tool.called", tool_name="look"),
                event("tool.called", tool_name="save", status="error"),
                event("tool.called", tool_name="save"),
            ],
            1,
            3,
            3,
        ),
        # lines of standard output
        (
            {
                "follow": "stdout",
                "tool_result": "^result",
                "write": ["^wrote", {"did": "write"}],
                "final": "^done",
                "writes": 2,
            },
            ["hello", "result 1", "wrote a", '{"did": "write"}', "done"],
            2,
            3,
            4,
        ),
        # neither torn lines nor other JSON are events
        (
            {"writes": 1},
            ['{"event_type": "tool.', "[1]", "null", '{"event_type": 3}', TOOL, WRITE],
            5,
            6,
            6,
        ),
        (
            {"writes": 1, "write": {"n": 1}},
            [TOOL, '{"n": true}', '{"n": 1.0}'],
            1,
            3,
            3,
        ),
    ],
)
def test_where_points_are(
    progress: dict[str, Any],
    lines: list[str],
    early: int | None,
    mid: int | None,
    late: int | None,
) -> None:
    assert reached_at(progress, lines) == {"early": early, "mid": mid, "late": late}


@pytest.mark.parametrize(
    ("point", "until", "more", "late"),
    [
        (InjectionPoint.EARLY, [TOOL], [], ""),
        (InjectionPoint.EARLY, [TOOL], [TOOL, STEP], ""),
        (InjectionPoint.EARLY, [TOOL], [WRITE], "had gone on to write"),
        (InjectionPoint.MID, [TOOL, WRITE], [WRITE], ""),
        (InjectionPoint.MID, [TOOL, WRITE], [WRITE, WRITE], "made all its writes"),
        (InjectionPoint.LATE, [TOOL, WRITE, WRITE, WRITE], [STEP], ""),
        (
            InjectionPoint.LATE,
            [TOOL, WRITE, WRITE, WRITE],
            [WRITE],
            "after what was said to be the last",
        ),
        (InjectionPoint.LATE, [TOOL, WRITE, WRITE, WRITE], [FINAL], "final message"),
        (InjectionPoint.EARLY, [TOOL], [FINAL], "final message"),
    ],
)
def test_a_kill_that_came_too_late(
    point: InjectionPoint, until: list[str], more: list[str], late: str
) -> None:
    follower = Follower(ProgressSpec(writes=3))
    for line in until:
        follower.see(line)
    assert follower.reached(point)
    at = follower.counts
    for line in more:
        follower.see(line)
    assert late in passed(point, at, follower.counts)
    assert bool(late) == bool(passed(point, at, follower.counts))
