"""The criteria of planning quality, each a quarter of the score, as far as the plan itself says enough.

A criterion returns None where only a question to a judge can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.tools import PlanCriterion
from judgemesh.validators.plan_quality.actions import (
    action_of,
    is_write,
    may_fail,
    name_fits,
)
from judgemesh.validators.plan_quality.context import PlanContext
from judgemesh.validators.plan_quality.dependencies import ordering
from judgemesh.validators.plan_quality.plan import PlanStep

_MAX_SHOWN_ORDER: Final = 80


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """A criterion worked out: its share 0..1, and what is wrong with which steps."""

    share: float
    wrong: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


def score_ordering(context: PlanContext) -> CriterionScore | None:
    """Share of dependencies kept: declared ones, inputs after outputs, and facts that steps need."""
    declared = ordering(context.plan.steps)
    kept, total, wrong = declared.kept, declared.total, list(declared.broken)
    if declared.order is None:
        wrong.append("the dependencies form a cycle: no order keeps them")
    elif declared.broken and len(declared.order) <= _MAX_SHOWN_ORDER:
        wrong.append(f"an order that keeps them: {', '.join(map(str, declared.order))}")
    simulation = context.simulation
    if simulation is not None:
        kept += simulation.kept
        total += simulation.needed
        for fault in simulation.faults:
            if fault.step:
                wrong.append(f"step {fault.step}: {fault.why}")
    if total:
        return CriterionScore(kept / total, tuple(wrong))
    # A single step cannot be out of order. Several that declare nothing may be.
    if simulation is not None or len(context.plan.steps) == 1:
        return CriterionScore(1.0)
    return None


def score_branches(context: PlanContext) -> CriterionScore | None:
    """Share of the steps that may fail with a branch for it."""
    fallible = [step for step in context.plan.steps if may_fail(step, context)]
    without_branch = [step for step in fallible if not step.branch]
    if not without_branch:
        return CriterionScore(1.0)
    if not context.plan.structured:
        return None
    faults = {
        step.number: "says nothing about what happens when it fails"
        for step in without_branch
    }
    return _faulty(1 - len(without_branch) / len(fallible), faults)


def score_scope(context: PlanContext) -> CriterionScore | None:
    """All or nothing: 0 when a step is outside what the contract allows."""
    allowed = [*context.spec.allowed, *context.spec.required]
    if not context.spec.allowed:
        tools = context.contract.tools
        if tools is None or not tools.expected:
            return None
        allowed += [call.tool for call in tools.expected]
    outside: dict[int, str] = {}
    for step in context.plan.steps:
        name = action_of(step, context)
        if name is None:
            return None
        if not name_fits(name, allowed, context):
            outside[step.number] = f"({name}) is outside the objective"
    return _faulty(0.0 if outside else 1.0, outside)


def score_reversibility(context: PlanContext) -> CriterionScore | None:
    """Over the steps that write: half for being marked as such, half for a stated way to undo them."""
    writes = [step for step in context.plan.steps if is_write(step, context)]
    faults: dict[int, str] = {}
    for step in writes:
        if not (step.marked and step.rollback):
            faults[step.number] = _lack(step)
    if not context.plan.structured:
        # The verbs of a text do not tell for certain that no step writes.
        may_write_more = not writes and context.registry is None
        if faults or may_write_more:
            return None
    if not faults:
        return CriterionScore(1.0)
    reached = sum(step.marked + step.rollback for step in writes) / 2
    return _faulty(reached / len(writes), faults)


def _lack(step: PlanStep) -> str:
    lacks: list[str] = []
    if not step.marked:
        lacks.append("is not marked as a write")
    if not step.rollback:
        lacks.append("says no way to undo it")
    return ", and ".join(lacks)


def _faulty(share: float, faults: Mapping[int, str]) -> CriterionScore:
    """The score with a phrase for each faulty step."""
    wrong = tuple(f"step {number} {fault}" for number, fault in faults.items())
    return CriterionScore(share, wrong, tuple(faults))


CRITERIA: Final[
    Mapping[PlanCriterion, Callable[[PlanContext], CriterionScore | None]]
] = MappingProxyType(
    {
        "ordering": score_ordering,
        "branches": score_branches,
        "scope": score_scope,
        "reversibility": score_reversibility,
    }
)
