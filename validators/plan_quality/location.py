"""Where a result has its plan: in its own field, in a planning step, or in what the agent said before it acted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.answer.hollow import is_hollow
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.transcript import ASSISTANT_ROLES
from judgemesh.validators.plan_quality.plan import MAX_TEXT_CHARS, AgentPlan
from judgemesh.validators.plan_quality.reading import read_plan
from judgemesh.validators.plan_quality.step_fields import is_empty

_PLANNING_STATES: Final = frozenset(map(fold_name, ("plan", "planning", "make_plan")))


def plan_of(result: AgentResult) -> AgentPlan | None:
    """The plan before the first tool call: the result's own, a planning step's, or what the agent said; or None."""
    if not is_empty(result.plan):
        return read_plan(result.plan, "plan")
    early = _before_first_call(result.trace.steps if result.trace else [])
    plan = _from_planning_step(early)
    return plan if plan is not None else _from_utterances(early)


def _before_first_call(steps: Sequence[TraceStep]) -> list[TraceStep]:
    """The steps before the first tool call, and what the agent says in the step of that call."""
    early: list[TraceStep] = []
    for step in steps:
        if step.tool_name is None:
            early.append(step)
            continue
        if step.content:
            utterance = TraceStep(
                role=step.role or "assistant",
                content=step.content,
                state_type=step.state_type,
            )
            early.append(utterance)
        break
    return early


def _from_planning_step(steps: Sequence[TraceStep]) -> AgentPlan | None:
    for number, step in enumerate(steps, start=1):
        if fold_name(step.state_type or "") in _PLANNING_STATES:
            plan = (step.model_extra or {}).get("plan", step.content)
            if not is_empty(plan):
                return read_plan(plan, f"trace:{number}")
    return None


def _from_utterances(steps: Sequence[TraceStep]) -> AgentPlan | None:
    """The first utterance that is a list of two steps or more, else all utterances as prose."""
    texts: list[str] = []
    first_ref = ""
    for number, step in enumerate(steps, start=1):
        if not step.content or is_hollow(step.content):
            continue
        if (step.role or "").casefold() not in ASSISTANT_ROLES:
            continue
        ref = f"trace:{number}"
        plan = read_plan(step.content, ref)
        if len(plan.steps) > 1:
            return plan
        texts.append(step.content)
        first_ref = first_ref or ref
    if not texts:
        return None
    text = "\n".join(texts)[:MAX_TEXT_CHARS]
    return AgentPlan(prose=text, text=text, ref=first_ref)
