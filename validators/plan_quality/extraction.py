"""Reading the steps of a plan in prose with a model's help."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from judgemesh.contracts.needs import Extract, Extracted, Material
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.plan_quality.plan import AgentPlan
from judgemesh.validators.plan_quality.reading import read_plan

_NAMES: Final = {"type": "array", "items": {"type": "string"}}
_SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "required": ["steps"],
    "properties": {
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["description"],
                "properties": {
                    "id": {"type": "string"},
                    "description": {"type": "string"},
                    "action": {"type": "string"},
                    "depends_on": _NAMES,
                    "inputs": _NAMES,
                    "outputs": _NAMES,
                },
            },
        }
    },
}
_INSTRUCTION: Final = (
    "List the steps that the text plans to take, in the order of the text. For each: what it does, the tool or action "
    "it names if it names one, the steps it depends on, and what it takes in and brings out, as far as the text says. "
    "Invent nothing. When the text states no plan, the list is empty."
)


def steps_need(plan: AgentPlan) -> Extract:
    """The request for the steps of a plan in prose."""
    return Extract(
        extract_id="plan_steps",
        instruction=_INSTRUCTION,
        materials=(Material("text", plan.prose),),
        schema=_SCHEMA,
    )


def with_extracted_steps(plan: AgentPlan, extracted: Extracted) -> AgentPlan | None:
    """The plan with the steps that a model read out of its prose; None when its answer has another form.

    Such steps count as text, not as objects, so that what they do not say is asked.
    """
    data = as_mapping(extracted.data)
    steps = None if data is None else as_sequence(data.get("steps"))
    if steps is None:
        return None
    read = read_plan({"steps": steps}, plan.ref)
    return AgentPlan(
        steps=tuple(replace(step, structured=False) for step in read.steps),
        ref=plan.ref,
        too_long=read.too_long,
        text=plan.text,
    )
