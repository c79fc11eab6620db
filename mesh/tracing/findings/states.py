"""Checks of the patterns that validation, refinement and failing steps show."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.mesh.tracing.bill.split import OUTPUT
from judgemesh.mesh.tracing.findings.changes import change_ids, changed_between
from judgemesh.mesh.tracing.findings.pattern import (
    FAILED,
    Cut,
    Number,
    PatternMatch,
    PricedRun,
    cost_of,
    step_ids,
    whole_steps,
)
from judgemesh.mesh.tracing.steps.values import count_of

STATE_COST_SHARE: Final = 0.15
FAILED_COST_SHARE: Final = 0.05


def check_validation(run: PricedRun) -> PatternMatch | None:
    """Validation that makes up much of the cost, and was done again without a change."""
    share = _cost_share(run, StateType.VALIDATE)
    rounds = run.steps_of(StateType.VALIDATE)
    if share is None or len(rounds) < 2:
        return None
    unneeded = _without_change(run, rounds)
    issues = [count_of(step.details.get("issues_found")) for step in rounds]
    numbers: dict[str, Number] = {
        "cost_share": share,
        "rounds": len(rounds),
        "rounds_without_a_change_before": len(unneeded),
    }
    if None not in issues:
        numbers["rounds_that_found_an_issue"] = sum(map(bool, issues))
    elif not unneeded:
        return None
    if not unneeded and any(issues):
        return None  # every round followed a change, and rounds found something
    return PatternMatch(
        numbers=numbers,
        steps=step_ids(unneeded or rounds),
        assumption="what did not change since the last round is not validated again",
        cuts=whole_steps(unneeded),
        cause=_validation_cause(unneeded),
    )


def _validation_cause(unneeded: Sequence[Step]) -> str:
    if unneeded:
        return (
            "Validation runs again although nothing was changed since the last round."
        )
    return "No round of validation found an issue."


def _without_change(run: PricedRun, rounds: Sequence[Step]) -> list[Step]:
    """The rounds before which nothing was changed since a round of the same validator.

    Any other model call may have written a new version of what is validated.
    """
    changes = change_ids(run)
    for step in run.callers:
        if step.state_type is not StateType.VALIDATE:
            insort(changes.unknown, step.step_id)
    last: dict[str, int] = {}
    unneeded: list[Step] = []
    for step in rounds:
        name = str(step.details.get("validator_name") or step.details.get("validator"))
        before = last.get(name)
        if before is not None and not changed_between(changes, before, step.step_id):
            unneeded.append(step)
        last[name] = step.step_id
    return unneeded


def check_refinement(run: PricedRun) -> PatternMatch | None:
    """Refinement that makes up much of the cost and changes little of what it writes."""
    share = _cost_share(run, StateType.REFINE)
    if share is None:
        return None
    rounds = run.steps_of(StateType.REFINE)
    written = modified = 0
    cuts: list[Cut] = []
    for step in rounds:
        output = 0 if step.usage is None else step.usage.output_tokens
        changed = count_of(step.details.get("modified_content_tokens"))
        written += output
        if changed is not None and output > changed:
            modified += changed
            unneeded = Decimal(output - changed) / output
            cuts.append(Cut(step_id=step.step_id, part=OUTPUT, share=unneeded))
        else:
            modified += output
    if not cuts:
        return None
    return PatternMatch(
        numbers={
            "cost_share": share,
            "output_tokens": written,
            "refinement_efficiency": modified / written,
        },
        steps=tuple(cut.step_id for cut in cuts),
        assumption="only the tokens that are modified are written",
        cuts=cuts,
    )


def _cost_share(run: PricedRun, state: StateType) -> float | None:
    """The share of a state in the cost; None below the threshold."""
    for row in run.bill.by_state:
        if row.name == state.value and row.share is not None:
            return row.share if row.share >= STATE_COST_SHARE else None
    return None


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
    """A tool that fails again and again, with a model call before each try."""
    failures: dict[tuple[str | None, str], list[Step]] = {}
    for step in run.steps:
        for tool in step.tools:
            if tool.status in FAILED:
                key = (step.agent_id, tool.tool_name)
                failures.setdefault(key, []).append(step)
    again: list[Step] = []
    names: list[str] = []
    for (_, name), steps in failures.items():
        if len(steps) > 1:
            names.append(name)
            again += steps[1:]
    if not again:
        return None
    asked = _asked_only_for(run, again)
    cause, direction = _FAILURES[_kind_of(failures)]
    return PatternMatch(
        numbers={
            "tools": ", ".join(sorted(set(names))),
            "failures_after_the_first": len(again),
            "model_calls_for_them": len(asked),
        },
        cause=cause,
        direction=direction,
        steps=tuple(sorted({step.step_id for step in again})),
        assumption=(
            "the model calls that ask only for the failures after the first are not made"
        ),
        cuts=[Cut(step_id=number) for number in asked],
    )


def _kind_of(failures: Mapping[tuple[str | None, str], Sequence[Step]]) -> str:
    """How the calls that fail more than once fail."""
    groups = [steps for steps in failures.values() if len(steps) > 1]
    statuses = {tool.status for steps in groups for s in steps for tool in s.tools}
    if "error" not in statuses:
        return "timeout"
    calls = [
        (t.tool_name, t.arguments_digest) for g in groups for s in g for t in s.tools
    ]
    is_same = None not in dict(calls).values() and len(set(calls)) < len(calls)
    return "same" if is_same else "other"


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
