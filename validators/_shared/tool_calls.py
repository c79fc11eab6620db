"""Tool calls of a trace: which steps they are, whether a tool's name matches, and the values of their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.transcript import step_ref
from judgemesh.validators._shared.values import ABSENT, dig, pointer_segments


class ToolCall(NamedTuple):
    """A step that calls a tool. `position` is its index among all steps."""

    tool: str
    step: TraceStep
    position: int

    @property
    def ref(self) -> str:
        """The step's id, or its number from 1."""
        return step_ref(self.step, self.position)


def tool_calls(steps: Sequence[TraceStep]) -> list[ToolCall]:
    """The tool calls of a trace, in order."""
    return [
        ToolCall(step.tool_name, step, position)
        for position, step in enumerate(steps)
        if step.tool_name is not None
    ]


def tool_matches(pattern: str, tool: str) -> bool:
    """Whether a tool's name matches; `*` in the pattern stands for any run of characters."""
    if "*" not in pattern:
        return pattern == tool
    return _compiled(pattern).fullmatch(tool) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    literals = re.sub(r"\*+", "*", pattern).split("*")
    return re.compile(".*".join(map(re.escape, literals)), re.DOTALL)


def argument(step: TraceStep, name: str) -> object:
    """The value of an argument: by key, by dotted path or pointer; `result` and `result.x` look into the result."""
    if name in step.arguments:
        return step.arguments[name]
    path = pointer_segments(name)
    if path[:1] == ("result",):
        return _in_result(step.result, path[1:])
    if path[:1] == ("arguments",):
        path = path[1:]
    return dig(step.arguments, path)


def _in_result(result: object, path: tuple[str, ...]) -> object:
    """The value at `path` in a tool's result, which may be JSON as text."""
    if result is None:
        return ABSENT
    if path and isinstance(result, str):
        try:
            result = parse_json(result)
        except ValueError:
            return dig(result, path)
    return dig(result, path)
