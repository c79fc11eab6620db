"""Reading a plan of any form as steps: structured plans by their keys, texts by their list items.

A text is a list of steps when it is numbered, bulleted, or one parenthesised action a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import as_mapping, as_sequence, json_text
from judgemesh.validators.plan_quality import step_fields
from judgemesh.validators.plan_quality.plan import (
    MAX_STEPS,
    MAX_TEXT_CHARS,
    AgentPlan,
    PlanStep,
)
from judgemesh.validators.plan_quality.step_fields import StepFields, is_empty
from judgemesh.validators.plan_quality.text_signals import (
    says_branch,
    says_rollback,
    says_write,
)

_MAX_ITEM_CHARS: Final = 2_000
_MAX_ACTION_CHARS: Final = 600
_LIST_ITEM = re.compile(
    r"^\s{0,12}(?:(?:step\s*)?\(?\d{1,4}[.):]|[-*+\u2022\u2013])\s+(?P<item>\S.*)$",
    re.IGNORECASE,
)
_BARE_ACTION = re.compile(
    r"^\s{0,12}(?P<item>\([^()\n]{1,400}\)|[\w.-]{1,80}\([^()\n]{0,400}\))\s*[.;,]?\s*$"
)


def read_plan(value: object, ref: str) -> AgentPlan:
    """A plan of any JSON form, as steps."""
    mapping = as_mapping(value)
    if mapping is None:
        items = as_sequence(value)
        if items is not None:
            return _from_items(items, ref)
        return _from_text(value if isinstance(value, str) else json_text(value), ref)
    for key, steps in mapping.items():
        if fold_name(key) not in step_fields.STEPS:
            continue
        items = as_sequence(steps)
        if items is not None:
            return _from_items(items, ref)
        if isinstance(steps, str):
            return read_plan(steps, ref)
        break
    return _from_items([value], ref)


def _from_text(text: str, ref: str) -> AgentPlan:
    text = text[:MAX_TEXT_CHARS]
    items = list_items(text)
    if not items:
        return AgentPlan(prose=text, text=text, ref=ref)
    plan = _from_items(items, ref)
    return AgentPlan(steps=plan.steps, ref=ref, too_long=plan.too_long, text=text)


def _from_items(items: Sequence[object], ref: str) -> AgentPlan:
    steps: list[PlanStep] = []
    for item in items[:MAX_STEPS]:
        if not is_empty(item):
            steps.append(_read_step(len(steps) + 1, item))
    text = "\n".join(f"{step.number}. {step.text}" for step in steps)
    return AgentPlan(
        steps=tuple(steps),
        ref=ref,
        too_long=len(items) > MAX_STEPS,
        text=text[:MAX_TEXT_CHARS],
    )


def list_items(text: str) -> list[str]:
    """The items of the list that a text is or holds: numbered, bulleted, or one action in brackets a line."""
    lines = plain(text).splitlines()
    numbered = _matching_lines(_LIST_ITEM, lines, _MAX_ITEM_CHARS)
    return numbered or _matching_lines(_BARE_ACTION, lines, _MAX_ACTION_CHARS)


def _matching_lines(
    pattern: re.Pattern[str], lines: Sequence[str], max_chars: int
) -> list[str]:
    items: list[str] = []
    for line in lines:
        match = pattern.match(line[:max_chars])
        if match is not None:
            items.append(match["item"].strip())
    return items


def _read_step(number: int, item: object) -> PlanStep:
    mapping = as_mapping(item)
    if mapping is not None:
        return _structured_step(number, StepFields(mapping), json_text(dict(mapping)))
    text = item if isinstance(item, str) else json_text(item)
    return PlanStep(
        number=number,
        id=str(number),
        action=None,
        description=text,
        text=text,
        branch=says_branch(text),
        marked=says_write(text),
        rollback=says_rollback(text),
    )


def _structured_step(number: int, fields: StepFields, text: str) -> PlanStep:
    wording = " ".join(fields.texts())
    description = fields.text(step_fields.DESCRIPTION) or fields.text(step_fields.NAME)
    return PlanStep(
        number=number,
        id=fields.text(step_fields.ID) or str(number),
        action=fields.text(step_fields.ACTION),
        description=description or "",
        text=text,
        arguments=fields.arguments(),
        depends_on=fields.items(step_fields.DEPENDS_ON),
        inputs=fields.items(step_fields.INPUTS),
        outputs=fields.items(step_fields.OUTPUTS),
        branch=fields.is_filled(step_fields.BRANCH) or says_branch(wording),
        marked=fields.is_marked_as_write() or says_write(wording),
        rollback=fields.is_filled(step_fields.ROLLBACK) or says_rollback(wording),
        may_fail=fields.flag(step_fields.MAY_FAIL),
        structured=True,
    )
