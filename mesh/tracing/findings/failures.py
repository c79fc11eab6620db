"""Checks of what failing steps and failing tools cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.mesh.tracing.findings.changes import change_ids, changed_between
from judgemesh.mesh.tracing.findings.pattern import (
    FAILED,
    Cut,
    PatternMatch,
    PricedRun,
    cost_of,
    step_ids,
    whole_steps,
)
from judgemesh.mesh.tracing.findings.tool_calls import (
    ToolCall,
    calls_of_tools,
    names_of,
    steps_of,
)

FAILED_COST_SHARE: Final = 0.05


def check_failures(run: PricedRun) -> PatternMatch | None:
    """Failed steps that make up much of the cost."""
    failed = [step for step in run.steps if step.status in FAILED and _own_cost(step)]
    spent, whole = cost_of(failed), run.bill.totals.cost
    if len(spent) != 1 or len(whole) != 1 or not whole[0].amount:
        return None
    share = float(spent[0].amount / whole[0].amount)
    if spent[0].currency != whole[0].currency or share < FAILED_COST_SHARE:
        return None
    return PatternMatch(
        numbers={"failed_steps": len(failed), "cost_share": share},
        steps=step_ids(failed),
        assumption="the failing steps are not made",
        cuts=whole_steps(failed),
    )


def _own_cost(step: Step) -> bool:
    return any(money.amount for money in step.costs.amounts())


def check_failed_calls(run: PricedRun) -> PatternMatch | None:
    """A tool that fails again right after it failed, with a model call before each try."""
    again = _failed_again(run)
    if not again:
        return None
    steps = [call.step for _, call in again]
    asked = _asked_only_for(run, steps)
    cause, direction = _FAILURES[_kind_of(again)]
    return PatternMatch(
        numbers={
            "tools": names_of(call for _, call in again),
            "failures_after_the_first": len(again),
            "model_calls_for_them": len(asked),
        },
        cause=cause,
        direction=direction,
        steps=steps_of(call for _, call in again),
        assumption=(
            "the model calls that ask only for the failures after the first are not made"
        ),
        cuts=[Cut(step_id=number) for number in asked],
    )


def _failed_again(run: PricedRun) -> list[tuple[ToolCall, ToolCall]]:
    """Failures of a tool whose call before had failed too, each with that call.

    A script that fails otherwise is no second try, and neither is the same call after a
    write.
    """
    changes = change_ids(run)
    last: dict[tuple[str | None, str], ToolCall] = {}
    again: list[tuple[ToolCall, ToolCall]] = []
    for call in calls_of_tools(run):
        key = (call.step.agent_id, call.tool.tool_name)
        before = last.get(key)
        last[key] = call
        if before is None or call.tool.status not in FAILED:
            continue
        if before.tool.status not in FAILED:
            continue
        is_same = before.tool.arguments_digest == call.tool.arguments_digest
        if is_same and changed_between(changes, before.step_id, call.step_id):
            continue
        if is_same or call.step.state_type is not StateType.SCRIPT_EXEC:
            again.append((before, call))
    return again


def _kind_of(again: Sequence[tuple[ToolCall, ToolCall]]) -> str:
    """How the calls that fail more than once fail."""
    if all(call.tool.status == "timeout" for _, call in again):
        return "timeout"
    for before, call in again:
        digest = call.tool.arguments_digest
        if digest is not None and digest == before.tool.arguments_digest:
            return "same"
    return "other"


_FAILURES: Final[Mapping[str, tuple[str, str]]] = {
    "timeout": (
        "The tool times out, and the model asks for it again.",
        (
            "Try again inside the tool, with growing pauses; look first whether a write was"
            " done."
        ),
    ),
    "same": (
        "The same call is made again after it failed, with the same arguments.",
        (
            "Say in the error whether trying again can help; stop the agent from repeating a"
            " call that was refused."
        ),
    ),
    "other": (
        "The agent guesses how to call the tool: it fails again with other arguments.",
        (
            "Describe the arguments in the tool's schema with an example; say in the error"
            " what to send instead."
        ),
    ),
}


def _asked_only_for(run: PricedRun, steps: Sequence[Step]) -> list[int]:
    """The model calls that asked for these steps and for no other tool call."""
    wanted = {step.step_id for step in steps}
    asked: dict[int, bool] = {}
    for step in run.steps:
        if not step.tools:
            continue
        asker = run.asker(step)
        if asker is not None:
            asked[asker] = asked.get(asker, True) and step.step_id in wanted
    return [number for number, only in asked.items() if only]


def asked_only_for(run: PricedRun, numbers: Sequence[int]) -> list[int]:
    """The model calls that asked for the steps of these numbers and for nothing else."""
    wanted = set(numbers)
    return _asked_only_for(run, [s for s in run.steps if s.step_id in wanted])
