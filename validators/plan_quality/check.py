"""The path of a plan: read, simulated, measured, asked about."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from judgemesh.contracts.needs import Extracted, Unanswered, unanswered_verdict
from judgemesh.contracts.sections.tools import PlanCriterion, PlanSpec
from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import Verdict, not_configured
from judgemesh.validators._shared.replies import expect
from judgemesh.validators._shared.trace.transcript import without_trace
from judgemesh.validators.plan_quality.context import PlanContext
from judgemesh.validators.plan_quality.criteria import CRITERIA
from judgemesh.validators.plan_quality.extraction import (
    steps_need,
    with_extracted_steps,
)
from judgemesh.validators.plan_quality.location import plan_of
from judgemesh.validators.plan_quality.plan import MAX_STEPS, AgentPlan
from judgemesh.validators.plan_quality.questions import answered, question_about
from judgemesh.validators.plan_quality.simulation import simulate, world_of
from judgemesh.validators.plan_quality.verdicts import (
    METRIC,
    MIN_STEPS,
    any_check_gates,
    checks_made,
    conditions_verdict,
    criterion_verdict,
    no_plan,
    no_plan_needed,
    not_asked,
    required_verdict,
    unreadable,
)


def check_plan_quality(case: Case) -> Judgement:
    """Verdicts on the plan that precedes the first tool call."""
    spec = case.contract.plan
    if spec is None:
        return [not_configured("plan", "the contract has no `plan` section")]
    plan = yield from _read(case, spec)
    if not isinstance(plan, AgentPlan):
        return plan
    simulation = simulate(plan.steps, world_of(spec)) if spec.actions else None
    context = PlanContext(plan, spec, case.contract, simulation)
    verdicts = list(_hard_checks(context))
    task_steps = _task_steps(case, spec, plan)
    if task_steps < MIN_STEPS:
        return [*verdicts, no_plan_needed(task_steps)]
    verdicts += yield from _measure(case, context)
    return verdicts or [not_configured("plan", "nothing to measure was named")]


def _read(case: Case, spec: PlanSpec) -> Generator[Any, Any, AgentPlan | list[Verdict]]:
    """The plan as steps, or the verdicts where it has none. A model reads the steps of prose."""
    plan = plan_of(case.result)
    if plan is None:
        return _without_plan(case, spec)
    if plan.prose:
        if not case.judge:
            why = "the plan is prose; without a judge its steps cannot be read"
            return [unreadable(spec, why)]
        answers = yield {"steps": steps_need(plan)}
        reply = expect(answers["steps"], Extracted)
        if isinstance(reply, Unanswered):
            gating = any_check_gates(spec)
            return [
                unanswered_verdict(reply, check="plan", metric=METRIC, gating=gating)
            ]
        plan = with_extracted_steps(plan, reply)
        if plan is None:
            return [unreadable(spec, "the model's list of steps has another form")]
    if plan.too_long:
        return [unreadable(spec, f"the plan has more than {MAX_STEPS} steps")]
    return plan if plan.steps else _without_plan(case, spec)


def _without_plan(case: Case, spec: PlanSpec) -> list[Verdict]:
    """The verdicts where there is no plan, or an empty one.

    An empty plan is carried out all the same: the goal may hold from the start.
    """
    is_given = case.result.plan is not None
    why = without_trace(case)
    if not is_given and why is not None:
        why = f"the result carries no plan, and it cannot be read from the trace: {why}"
        return [unreadable(spec, why)]
    task_steps = _task_steps(case, spec, None)
    verdicts: list[Verdict] = []
    gating_checks = checks_made(spec).intersection(spec.gate)
    if is_given and spec.actions:
        simulation = simulate((), world_of(spec))
        verdicts.append(conditions_verdict(spec, AgentPlan(), simulation))
        gating_checks.discard("conditions")
    needed = task_steps >= MIN_STEPS
    if needed or (gating_checks and not is_given):
        verdicts.append(no_plan(task_steps, gating=bool(gating_checks)))
    else:
        verdicts.append(no_plan_needed(task_steps))
    return verdicts


def _hard_checks(context: PlanContext) -> Iterator[Verdict]:
    if context.simulation is not None:
        yield conditions_verdict(context.spec, context.plan, context.simulation)
    if context.spec.required:
        yield required_verdict(context)


def _measure(case: Case, context: PlanContext) -> Judgement:
    """The criteria of planning quality: worked out where the plan says enough, else asked."""
    verdicts: list[Verdict] = []
    unsettled: list[PlanCriterion] = []
    for criterion in dict.fromkeys(context.spec.measure):
        score = CRITERIA[criterion](context)
        if score is None:
            unsettled.append(criterion)
            continue
        verdicts.append(criterion_verdict(criterion, score, context.spec, context.plan))
    if not unsettled:
        return verdicts
    if not case.judge:
        skipped = [not_asked(criterion, context.spec) for criterion in unsettled]
        return [*verdicts, *skipped]
    answers = yield {
        criterion: question_about(criterion, case, context) for criterion in unsettled
    }
    for criterion in unsettled:
        verdicts.append(answered(criterion, answers[criterion], context.spec))
    return verdicts


def _task_steps(case: Case, spec: PlanSpec, plan: AgentPlan | None) -> int:
    """How many steps the task takes: the contract's word, else the expert's calls, else what was planned or done."""
    if spec.steps is not None:
        return spec.steps
    if spec.required:
        return len(set(spec.required))
    expected = case.contract.tools.expected if case.contract.tools else None
    if expected:
        return sum(call.count for call in expected)
    steps = case.result.trace.steps if case.result.trace else []
    called = sum(step.tool_name is not None for step in steps)
    planned = len(plan.steps) if plan else 0
    return max(called, planned)
