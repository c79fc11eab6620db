"""The action that a step takes: its name, whether it may fail, and whether it writes something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.sections.tools import Tool
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.tool_names import tool_matches
from judgemesh.validators.plan_quality.context import PlanContext
from judgemesh.validators.plan_quality.plan import PlanStep
from judgemesh.validators.plan_quality.simulation import world_of

_WRITE_VERBS: Final = frozenset(
    {
        "add", "append", "apply", "archive", "book", "cancel", "charge", "clear", "close", "commit", "create", "delete",
        "deploy", "drop", "edit", "erase", "format", "insert", "install", "merge", "modify", "move", "order",
        "overwrite", "patch", "pay", "post", "publish", "purge", "push", "put", "refund", "remove", "rename", "replace",
        "reset", "revoke", "save", "schedule", "send", "store", "submit", "terminate", "transfer", "truncate",
        "uninstall", "update", "upload", "wipe", "write",
    }
)  # fmt: skip
_WORD = re.compile(r"[^\s(),;]+")
_VERB = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_MAX_VERB_CHARS: Final = 80
_MAX_NAME_CHARS: Final = 400
_MAX_REQUIRED_CHARS: Final = 200


def action_of(step: PlanStep, context: PlanContext) -> str | None:
    """The name of the action: the one that the contract declares, else the step's own; None where it names none."""
    world = world_of(context.spec)
    if step.action is not None:
        action = world.action_named(step.action)
        return step.action if action is None else action.name
    words = _WORD.findall(step.description[:_MAX_NAME_CHARS])
    leading = world.leading_action(words)
    return None if leading is None else leading[0].name


def name_fits(name: str, patterns: Sequence[str], context: PlanContext) -> bool:
    """Whether an action's name, or the registered name of the tool it stands for, matches one of the patterns."""
    names = {name}
    if context.registry is not None:
        names.add(context.registry.name(name))
    for pattern in patterns:
        for spelling in names:
            if tool_matches(pattern, spelling):
                return True
            if fold_name(pattern) == fold_name(spelling):
                return True
    return False


def missing_required(context: PlanContext) -> list[str]:
    """Required actions that no step of the plan takes."""
    missing: list[str] = []
    for pattern in dict.fromkeys(context.spec.required):
        if not any(_takes(step, pattern, context) for step in context.plan.steps):
            missing.append(pattern)
    return missing


def _takes(step: PlanStep, pattern: str, context: PlanContext) -> bool:
    name = action_of(step, context)
    if name is not None:
        return name_fits(name, [pattern], context)
    text = fold_name(step.description[:_MAX_REQUIRED_CHARS])
    return fold_name(pattern.replace("*", "")) in text


def may_fail(step: PlanStep, context: PlanContext) -> bool:
    """Whether a step may fail, as the contract or the plan says; any step may where neither does."""
    declared = context.spec.actions.get(action_of(step, context) or "")
    if declared is not None and declared.may_fail is not None:
        return declared.may_fail
    return step.may_fail is not False


def is_write(step: PlanStep, context: PlanContext) -> bool:
    """Whether a step changes something: by the contract's label, the registry's, its own mark, or its verb."""
    name = action_of(step, context)
    declared = context.spec.actions.get(name or "")
    if declared is not None and declared.access is not None:
        return declared.access == "write"
    tool = _tool(name, context)
    if tool is not None and (tool.access is not None or tool.risk is not None):
        return tool.access == "write" or tool.risk == "destructive"
    if step.marked:
        return True
    verb = _VERB.search(name or step.description[:_MAX_VERB_CHARS])
    return verb is not None and verb.group().casefold() in _WRITE_VERBS


def _tool(name: str | None, context: PlanContext) -> Tool | None:
    registry = context.registry
    if registry is None or name is None:
        return None
    return registry.get(registry.name(name))
