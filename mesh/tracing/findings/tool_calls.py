"""The tool calls of a run, with what their comparison needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from judgemesh.contracts.tracing import Access, StateType, Step, ToolEvent
from judgemesh.mesh.tracing.findings.access import access_of
from judgemesh.mesh.tracing.findings.pattern import Cut, PricedRun

_SOURCES: Final[Mapping[StateType, str]] = {
    StateType.RETRIEVE: "retrieved_context",
    StateType.FILE_READ: "artifact_context",
    StateType.MEMORY_READ: "memory",
}
"""The source of the input that a tool's result becomes; `tool_result` for the others."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. position: among the tool calls of its agent."""

    step: Step
    tool: ToolEvent
    access: Access | None
    position: int

    @property
    def step_id(self) -> int:
        """The number of its step."""
        return self.step.step_id


Group: TypeAlias = list[ToolCall]


def calls_of_tools(run: PricedRun) -> list[ToolCall]:
    """Every tool call of a run, once, in its order.

    Two instrumentations may each have recorded a call: with the same call id, one within
    the other.
    """
    calls: list[ToolCall] = []
    positions: dict[str | None, int] = {}
    seen: dict[tuple[str, str | None], list[ToolCall]] = {}
    for step in run.steps:
        for tool in step.tools:
            known = seen.setdefault((tool.tool_name, tool.arguments_digest), [])
            if any(_is_same(call, step, tool) for call in known[-_MAX_COMPARED:]):
                continue
            position = positions.get(step.agent_id, 0)
            positions[step.agent_id] = position + 1
            call = ToolCall(step, tool, access_of(step, tool), position)
            calls.append(call)
            known.append(call)
    return calls


_MAX_COMPARED: Final = 8


def _is_same(call: ToolCall, step: Step, tool: ToolEvent) -> bool:
    """Whether two records with the same tool and arguments are of one call."""
    if call.step_id == step.step_id:
        return call.tool.call_id == tool.call_id is not None
    if call.tool.call_id is not None and tool.call_id is not None:
        return call.tool.call_id == tool.call_id
    return step.parent_step_id == call.step_id or _lies_within(step, call.step)


def _lies_within(step: Step, outer: Step) -> bool:
    """Whether the whole time of a step is within that of another."""
    if step.start_time is None or outer.start_time is None:
        return False
    if step.end_time is None or outer.end_time is None:
        return False
    begins = outer.start_time <= step.start_time
    is_shorter = outer.end_time - outer.start_time > step.end_time - step.start_time
    return begins and step.end_time <= outer.end_time and is_shorter


def equal_calls(
    calls: Iterable[ToolCall], access: Access | None, *, by_agent: bool
) -> list[Group]:
    """The calls of that access that have the same tool and arguments."""
    groups: dict[tuple[str | None, str, str], Group] = {}
    for call in calls:
        digest = call.tool.arguments_digest
        if digest and call.access == access:
            agent = call.step.agent_id if by_agent else None
            key = (agent, call.tool.tool_name, digest)
            groups.setdefault(key, []).append(call)
    return [group for group in groups.values() if len(group) > 1]


def same_result(one: ToolCall, other: ToolCall) -> bool | None:
    """Whether two calls had the same result; None: the trace does not say."""
    first, second = one.tool.result_digest, other.tool.result_digest
    if first is None or second is None:
        return None
    return first == second


def context_cuts(run: PricedRun, call: ToolCall, tokens: int) -> list[Cut]:
    """Tokens of a call's result in the next model call."""
    caller = run.next_caller(call.step)
    source = _SOURCES.get(call.step.state_type, "tool_result")
    if caller is None or not tokens or source not in run.parts.get(caller, {}):
        return []
    return [Cut(step_id=caller, part=source, tokens=tokens)]


def names_of(calls: Iterable[ToolCall]) -> str:
    """The names of the tools."""
    return ", ".join(sorted({call.tool.tool_name for call in calls}))


def steps_of(calls: Iterable[ToolCall]) -> tuple[int, ...]:
    """The numbers of the steps."""
    return tuple(sorted({call.step_id for call in calls}))
