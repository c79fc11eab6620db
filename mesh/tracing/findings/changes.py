"""Where a run changed the world, or may have: between two equal calls that counts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.mesh.tracing.findings.access import access_of
from judgemesh.mesh.tracing.findings.pattern import PricedRun

_WRITING: Final = frozenset(
    {StateType.REFINE, StateType.FILE_WRITE, StateType.MEMORY_WRITE}
)
_MARKS: Final = ("artifacts_created", "artifacts_modified", "state_changes")


@dataclass(slots=True)
class Changes:
    """The numbers of the steps that write, and of those of which nothing says it."""

    writes: list[int] = field(default_factory=list[int])
    unknown: list[int] = field(default_factory=list[int])


def change_ids(run: PricedRun) -> Changes:
    """The steps that wrote, or may have. A refused write changed nothing."""
    changes = Changes()
    for step in run.steps:
        if step.state_type in _WRITING or any(map(step.details.get, _MARKS)):
            changes.writes.append(step.step_id)
            continue
        accesses = {
            access_of(step, tool) for tool in step.tools if tool.status != "error"
        }
        if "write" in accesses:
            changes.writes.append(step.step_id)
        elif None in accesses or _is_unseen(step):
            changes.unknown.append(step.step_id)
    return changes


def _is_unseen(step: Step) -> bool:
    """A script may do anything, and its step need not say what."""
    return step.state_type is StateType.SCRIPT_EXEC and not step.tools


def changed_between(
    changes: Changes, first: int, second: int, *, count_unknown: bool = True
) -> bool:
    """Whether a step between two others wrote, or may have."""
    if _any_between(changes.writes, first, second):
        return True
    return count_unknown and _any_between(changes.unknown, first, second)


def _any_between(numbers: Sequence[int], first: int, second: int) -> bool:
    position = bisect_right(numbers, first)
    return position < len(numbers) and numbers[position] < second
