"""The verdicts of the checks of a plan that need no judge."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.tools import PlanCheck, PlanCriterion, PlanSpec
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Skipped,
    Verdict,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import MAX_REFS
from judgemesh.validators._shared.values import listed
from judgemesh.validators.plan_quality.actions import missing_required
from judgemesh.validators.plan_quality.context import PlanContext
from judgemesh.validators.plan_quality.criteria import CriterionScore
from judgemesh.validators.plan_quality.plan import AgentPlan
from judgemesh.validators.plan_quality.simulation import Simulation

METRIC: Final = "plan_quality"
POINTS_PER_CRITERION: Final = 2.5
MIN_STEPS: Final = 3
"""A task of fewer steps needs no plan."""
_MAX_FAULTS: Final = 20


def checks_made(spec: PlanSpec) -> set[PlanCheck]:
    """The checks that the contract says enough for."""
    made: set[PlanCheck] = {*spec.measure}
    if spec.actions:
        made.add("conditions")
    if spec.required:
        made.add("required")
    return made


def any_check_gates(spec: PlanSpec) -> bool:
    """Whether a check that is made decides the gate."""
    return not checks_made(spec).isdisjoint(spec.gate)


def no_plan_needed(task_steps: int) -> Pass:
    """A task of few steps needs no plan."""
    return Pass(
        check="plan",
        diagnostic=f"a task of {task_steps} steps needs no plan",
        metric=METRIC,
        gating=False,
        confidence=DETERMINISTIC,
        details={"task_steps": task_steps},
    )


def no_plan(task_steps: int, *, gating: bool) -> Fail:
    """There is no plan. A task that needs one scores 0."""
    return Fail(
        check="plan",
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=f"a task of {task_steps} steps, and no plan before the first tool call",
        metric=METRIC if task_steps >= MIN_STEPS else None,
        gating=gating,
        confidence=DETERMINISTIC,
        details={"task_steps": task_steps},
    )


def unreadable(spec: PlanSpec, why: str) -> Abstain:
    """The plan cannot be read."""
    return Abstain(
        check="plan", diagnostic=why, metric=METRIC, gating=any_check_gates(spec)
    )


def conditions_verdict(
    spec: PlanSpec, plan: AgentPlan, simulation: Simulation
) -> Verdict:
    """Whether every step can be carried out and the goal is reached."""
    gating = "conditions" in spec.gate
    if not simulation.faults:
        return Pass(
            check="conditions",
            diagnostic=f"all {len(plan.steps)} steps can be carried out",
            gating=gating,
            confidence=DETERMINISTIC,
        )
    first = simulation.faults[0]
    diagnostic, ref = first.why, plan.ref
    if first.step:
        diagnostic = f"step {first.step}: {first.why}"
        ref = f"{plan.ref}:{first.step}"
    rows = [
        {"step": fault.step, "why": fault.why}
        for fault in simulation.faults[:_MAX_FAULTS]
    ]
    return Fail(
        check="conditions",
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        diagnostic=diagnostic,
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=(ref,),
        details={"faults": rows},
    )


def required_verdict(context: PlanContext) -> Verdict:
    """Whether the plan takes every required action."""
    gating = "required" in context.spec.gate
    missing = missing_required(context)
    if not missing:
        return Pass(check="required", gating=gating, confidence=DETERMINISTIC)
    return Fail(
        check="required",
        codes=(FailureCode.INCOMPLETE_ANSWER,),
        diagnostic=f"the plan lacks {listed(missing)}",
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=(context.plan.ref,),
    )


def criterion_verdict(
    criterion: PlanCriterion, score: CriterionScore, spec: PlanSpec, plan: AgentPlan
) -> Verdict:
    """The verdict of a criterion that was worked out."""
    gating = criterion in spec.gate
    points = round(POINTS_PER_CRITERION * score.share, 6)
    if score.share >= 1 and not score.wrong:
        return Pass(
            check=criterion,
            metric=METRIC,
            gating=gating,
            confidence=DETERMINISTIC,
            details={"points": points},
        )
    return Fail(
        check=criterion,
        codes=(FailureCode.SOP_NOT_FOLLOWED,),
        score=min(score.share, 1.0),
        diagnostic=listed(score.wrong),
        metric=METRIC,
        gating=gating,
        confidence=DETERMINISTIC,
        evidence_refs=tuple(f"{plan.ref}:{step}" for step in score.steps[:MAX_REFS]),
        details={"points": points},
    )


def not_asked(criterion: PlanCriterion, spec: PlanSpec) -> Skipped:
    """The criterion needs a judge, and there is none."""
    return not_configured(
        criterion,
        "the plan does not declare it, and no judge is configured to read it",
        metric=METRIC,
        gating=criterion in spec.gate,
    )
