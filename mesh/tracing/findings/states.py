"""Checks of the patterns that validation, refinement and failing steps show."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.tracing import StateType, Step
from judgemesh.mesh.tracing.bill.split import OUTPUT
from judgemesh.mesh.tracing.findings.changes import change_ids, changed_between
from judgemesh.mesh.tracing.findings.pattern import (
    Cut,
    Number,
    PatternMatch,
    PricedRun,
    step_ids,
    whole_steps,
)
from judgemesh.mesh.tracing.steps.values import count_of

STATE_COST_SHARE: Final = 0.15


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
