"""Lines of an event file or of standard output -> how far the agent is, and whether a point is passed. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.spec import Mark, ProgressSpec

_FAILED: Final = frozenset({"error", "timeout", "cancelled"})


@dataclass(frozen=True, slots=True)
class Counts:
    """How far the agent is: lines read, and what they said."""

    lines: int = 0
    tool_results: int = 0
    writes: int = 0
    steps: int = 0
    all_written: bool = False
    final: bool = False


class Follower:
    """Reads lines one by one. `counts` is how far the agent is."""

    def __init__(self, progress: ProgressSpec) -> None:
        self._progress = progress
        self._is_result = _any_of(progress.tool_result)
        self._is_write = _any_of(progress.write_marks)
        self._is_step = _any_of(progress.step)
        self._is_final = _any_of(progress.final)
        self._is_all_written = _any_of(progress.all_written_marks)
        self.counts = Counts()

    def see(self, line: str) -> Counts:
        """One whole line; gives back the counts after it."""
        data = _parsed(line)
        before, planned = self.counts, self._progress.writes
        writes = before.writes + (self._is_write(line, data) and not _failed(data))
        full = planned is not None and writes >= planned
        self.counts = Counts(
            lines=before.lines + 1,
            tool_results=before.tool_results + self._is_result(line, data),
            writes=writes,
            steps=before.steps + self._is_step(line, data),
            all_written=before.all_written or full or self._is_all_written(line, data),
            final=before.final or self._is_final(line, data),
        )
        return self.counts

    def reached(self, point: InjectionPoint) -> bool:
        """Whether the agent is at the point, or past it.

        Early is the first tool result; mid the first write, and with planned steps also half of these; late the last
        write.
        """
        counts, steps = self.counts, self._progress.steps
        if point is InjectionPoint.EARLY:
            return counts.tool_results > 0
        if point is InjectionPoint.MID:
            return counts.writes > 0 and (steps is None or 2 * counts.steps >= steps)
        return counts.all_written


def passed(point: InjectionPoint, at: Counts, now: Counts) -> str:
    """Why a kill at `now` says nothing about a point that was reached at `at`; empty if it does.

    Early is before any further write, mid before the last, late after the last and before the final message.
    """
    if now.final:
        return "its final message was out already"
    more = now.writes - at.writes
    if point is InjectionPoint.EARLY and more:
        return f"it had gone on to write ({more} more)"
    if point is InjectionPoint.MID and now.all_written and not at.all_written:
        return "it had gone on and made all its writes"
    if point is InjectionPoint.LATE and more:
        return f"it went on to write ({more} more) after what was said to be the last write"
    return ""


def _any_of(marks: Sequence[Mark]) -> Callable[[str, object], bool]:
    tests = [_test(mark) for mark in marks]
    return lambda line, data: any(test(line, data) for test in tests)


def _test(mark: Mark) -> Callable[[str, object], bool]:
    if mark.pattern is not None:
        import re2

        search = re2.compile(mark.pattern).search
        return lambda line, _data: search(line) is not None
    keys = mark.keys or {}
    return lambda _line, data: all(
        _fits(_at(data, path), expected) for path, expected in keys.items()
    )


def _fits(value: object, expected: Any) -> bool:
    if isinstance(expected, list):
        options = cast("list[Any]", expected)
        return any(_fits(value, option) for option in options)
    return isinstance(value, bool) == isinstance(expected, bool) and value == expected


def _at(data: object, path: str) -> object:
    """The value under a dotted path; a key that holds the dots itself comes first."""
    if isinstance(data, Mapping) and path in data:
        return cast("Mapping[str, object]", data)[path]
    here = cast("object", data)
    for part in path.split("."):
        if not isinstance(here, Mapping):
            return None
        here = cast("Mapping[str, object]", here).get(part)
    return here


def _failed(data: object) -> bool:
    return _at(data, "payload.status") in _FAILED


def _parsed(line: str) -> object:
    """The line as JSON; None where it is none (a line of text, or one that was torn)."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        return cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return None
