"""Tool calls of a trace: which steps they are, whether a tool's name matches, and the values of their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.trace.tool_names import spelled_names, tool_matches
from judgemesh.validators._shared.trace.transcript import step_ref
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    as_mapping,
    as_sequence,
    dig,
    json_equal,
    pointer_segments,
)

__all__ = ["ToolCall", "argument", "calls_tool", "tool_calls"]

_FORWARDERS: Final = re.compile(
    r"^(?:call|invoke|execute|run|use|dispatch)_?(?:mcp_?|server_?|remote_?)?(?:tool|function)(?:_?call|_?mcp)?$"
    r"|^mcp_?(?:tool_?)?call$"
)
"""Tools that only call another one, which their arguments name: `call_tool`, `use_mcp_tool`."""
_FORWARDED: Final = ("tool_name", "tool", "function_name", "function", "name")

_KEY_MARKS: Final = re.compile(r"[\s_\-.]+")
_MAX_DEPTH: Final = 5
_MAX_WIDTH: Final = 1000


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


def calls_tool(pattern: str, step: TraceStep) -> bool:
    """Whether a step calls a tool of that name, itself or through a tool that calls others."""
    tool = step.tool_name
    if tool is None:
        return False
    if tool_matches(pattern, tool):
        return True
    forwarded = _forwarded(step)
    return forwarded is not None and tool_matches(pattern, forwarded)


def _forwarded(step: TraceStep) -> str | None:
    """The tool that a forwarding tool was told to call."""
    if not step.arguments or step.tool_name is None:
        return None
    if not any(_FORWARDERS.match(name) for name in spelled_names(step.tool_name)):
        return None
    named = next(
        (step.arguments[key] for key in _FORWARDED if key in step.arguments), None
    )
    return named if isinstance(named, str) and named.strip() else None


def argument(step: TraceStep, name: str) -> object:
    """The value of an argument: by key, by dotted path or pointer; `result` and `result.x` look into the result.

    Where there is no such key, a key that differs only in case and marks counts, and then the only key of that name
    inside the arguments, also inside JSON that stands there as text. UNKNOWN where the arguments could not be read, or
    where several keys of that name disagree.
    """
    if name in step.arguments:
        return step.arguments[name]
    path = pointer_segments(name)
    if path[:1] == ("result",):
        return _in_result(step.result, path[1:])
    if path[:1] == ("arguments",):
        path = path[1:]
    value = dig(step.arguments, path)
    if value is not ABSENT:
        return value
    found = _by_name(step.arguments, path)
    if found is ABSENT and step.arguments_text is not None:
        return UNKNOWN
    return found


def _by_name(arguments: object, path: tuple[str, ...]) -> object:
    """The value under keys of these names, at the first depth that has any."""
    values: list[object] = [arguments]
    for depth, name in enumerate(path):
        values = _under(values, _folded_key(name), nested=depth == 0)
    if not values:
        return ABSENT
    if any(not json_equal(values[0], other) for other in values[1:]):
        return UNKNOWN
    return values[0]


def _under(values: Sequence[object], key: str, *, nested: bool) -> list[object]:
    """The values of a key in any of the objects; with `nested`, else in what they hold, level by level."""
    level = list(values)
    for _ in range(_MAX_DEPTH if nested else 1):
        found: list[object] = []
        below: list[object] = []
        for value in level:
            for name, item in (as_mapping(_opened(value)) or {}).items():
                (found if _folded_key(name) == key else below).append(item)
            below += as_sequence(_opened(value)) or ()
        if found:
            return found
        level = below[:_MAX_WIDTH]
    return []


def _opened(value: object) -> object:
    """The object or list that a text writes as JSON; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return parse_json(value)
    except ValueError:
        return value


def _folded_key(name: str) -> str:
    return _KEY_MARKS.sub("", name).casefold()


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
