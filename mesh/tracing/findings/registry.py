"""What a registry of tools says about the calls of a trace: whether they read or write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from judgemesh.contracts.sections.tools import Tool
from judgemesh.contracts.tracing import Access, Step, ToolEvent, Trace
from judgemesh.mesh.tracing.steps.packed import PackedSteps


def accesses_of(tools: Iterable[Tool]) -> dict[str, Access]:
    """The access of each tool that states it, by its name and its aliases.

    A destructive tool writes. Where two entries of a name disagree, it writes: that is
    the safer reading.
    """
    accesses: dict[str, Access] = {}
    for tool in tools:
        access = tool.access or ("write" if tool.risk == "destructive" else None)
        for name in (tool.name, *tool.aliases):
            if access is not None and accesses.get(name) != "write":
                accesses[name] = access
    return accesses


def with_accesses(trace: Trace, accesses: Mapping[str, Access]) -> Trace:
    """The trace with the access of each tool call that the registry knows."""
    if not accesses:
        return trace

    def steps() -> Iterator[Step]:
        for step in trace.steps:
            if step.tools:
                tools = tuple(_labelled(tool, accesses) for tool in step.tools)
                yield replace(step, tools=tools)
            else:
                yield step

    labelled: Sequence[Step]
    if isinstance(trace.steps, PackedSteps):
        labelled = PackedSteps(steps())
    else:
        labelled = tuple(steps())
    return replace(trace, steps=labelled)


def _labelled(tool: ToolEvent, accesses: Mapping[str, Access]) -> ToolEvent:
    access = accesses.get(tool.tool_name)
    return tool if access is None else replace(tool, access=access)
