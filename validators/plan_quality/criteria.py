"""The criteria of planning quality, each a quarter: computed where the plan says enough, asked where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.tools import PlanSpec
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.tool_calls import tool_matches
from judgemesh.validators.plan_quality.facts import Carried, world_of
from judgemesh.validators.plan_quality.graph import ordering
from judgemesh.validators.plan_quality.reading import Plan, PlanStep
from judgemesh.validators.tool_selection.registry import Registry, registry_of

_WRITE_VERBS: Final = frozenset(
    {
        "add", "append", "apply", "archive", "book", "cancel", "charge", "clear", "close", "commit", "create", "delete",
        "deploy", "drop", "edit", "erase", "format", "insert", "install", "merge", "modify", "move", "order",
        "overwrite", "patch", "pay", "post", "publish", "purge", "push", "put", "refund", "remove", "rename", "replace",
        "reset", "revoke", "save", "schedule", "send", "store", "submit", "terminate", "transfer", "truncate",
        "uninstall", "update", "upload", "wipe", "write",
    }
)  # fmt: skip
_FIRST_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CAMEL: Final = 80


@dataclass(frozen=True, slots=True)
class Scored:
    """A criterion worked out: its share 0..1, and what is wrong with which steps."""

    share: float
    wrong: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A criterion that has to be asked, and the answer that is good."""

    text: str
    good: Literal["yes", "no"]


QUESTIONS: Final[Mapping[str, Question]] = MappingProxyType(
    {
        "ordering": Question(
            "Does any step of the plan need something that only a later step brings about?",
            "no",
        ),
        "branches": Question(
            "Does the plan say, for the steps that can fail, what to do when they fail?",
            "yes",
        ),
        "scope": Question(
            "Does the plan contain a step that the objective does not ask for and does not need?",
            "no",
        ),
        "reversibility": Question(
            "Is every step of the plan that writes, sends, changes or deletes something marked as such, with a stated "
            "way to undo it? Answer yes when there is no such step.",
            "yes",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class View:
    """What the criteria look at."""

    plan: Plan
    spec: PlanSpec
    contract: EvalContract
    carried: Carried | None

    @property
    def registry(self) -> Registry | None:
        """The tools of the contract, where it lists them."""
        return None if self.contract.tools is None else registry_of(self.contract.tools)


def ordering_of(view: View) -> Scored | None:
    """Share of dependencies kept: declared ones, inputs after outputs, and facts that steps need."""
    declared = ordering(view.plan.steps)
    kept, total, wrong = declared.kept, declared.total, list(declared.broken)
    if declared.order is None:
        wrong.append("the dependencies run in a circle: no order keeps them")
    elif declared.broken and len(declared.order) <= _CAMEL:
        wrong.append(f"an order that keeps them: {', '.join(map(str, declared.order))}")
    if view.carried is not None:
        kept, total = kept + view.carried.kept, total + view.carried.needed
        wrong += [
            f"step {fault.step}: {fault.why}"
            for fault in view.carried.faults
            if fault.step
        ]
    if not total:
        # One step cannot stand in the wrong order; several that declare nothing tell nothing.
        return (
            Scored(1.0)
            if len(view.plan.steps) == 1 or view.carried is not None
            else None
        )
    return Scored(kept / total, tuple(wrong))


def branches_of(view: View) -> Scored | None:
    """Share of the steps that can fail with a branch for it."""
    risky = [step for step in view.plan.steps if _may_fail(step, view)]
    bare = [step for step in risky if not step.branch]
    if bare and not view.plan.structured:
        return None
    if not bare:
        return Scored(1.0)
    return Scored(
        1 - len(bare) / len(risky),
        tuple(
            f"step {step.number} says nothing about what happens when it fails"
            for step in bare
        ),
        tuple(step.number for step in bare),
    )


def scope_of(view: View) -> Scored | None:
    """All or nothing: a step outside what the contract allows breaks it."""
    allowed = [*view.spec.allowed, *view.spec.required]
    if not view.spec.allowed:
        tools = view.contract.tools
        if tools is None or not tools.expected:
            return None
        allowed += [call.tool for call in tools.expected]
    names = {step.number: action_of(step, view) for step in view.plan.steps}
    if any(name is None for name in names.values()):
        return None
    outside = [
        number
        for number, name in names.items()
        if name is not None and not _fits(name, allowed, view)
    ]
    return Scored(
        0.0 if outside else 1.0,
        tuple(
            f"step {number} ({names[number]}) is outside the objective"
            for number in outside
        ),
        tuple(outside),
    )


def reversibility_of(view: View) -> Scored | None:
    """Over the steps that write: half for being marked as such, half for a stated way back."""
    writes = [step for step in view.plan.steps if writes_something(step, view)]
    lacking = [step for step in writes if not (step.marked and step.rollback)]
    if lacking and not view.plan.structured:
        return None
    if not view.plan.structured and not writes and view.registry is None:
        # Words are no list of writing steps.
        return None
    if not lacking:
        return Scored(1.0)
    got = sum(step.marked + step.rollback for step in writes) / 2
    return Scored(
        got / len(writes),
        tuple(f"step {step.number} {_lack(step)}" for step in lacking),
        tuple(step.number for step in lacking),
    )


def _lack(step: PlanStep) -> str:
    if step.marked:
        return "says no way to undo it"
    return (
        "is not marked as a write"
        if step.rollback
        else "is not marked as a write, and says no way to undo it"
    )


CRITERIA: Final[Mapping[str, Callable[[View], Scored | None]]] = MappingProxyType(
    {
        "ordering": ordering_of,
        "branches": branches_of,
        "scope": scope_of,
        "reversibility": reversibility_of,
    }
)
"""Each criterion by its name; None from one means that only a question can tell."""


def missing_required(view: View) -> list[str]:
    """Required actions that no step of the plan takes."""
    return [
        glob
        for glob in dict.fromkeys(view.spec.required)
        if not any(_takes(step, glob, view) for step in view.plan.steps)
    ]


def _takes(step: PlanStep, glob: str, view: View) -> bool:
    name = action_of(step, view)
    if name is not None:
        return _fits(name, [glob], view)
    return fold_name(glob.replace("*", "")) in fold_name(step.said[:200])


def _fits(name: str, globs: list[str], view: View) -> bool:
    registry = view.registry
    spoken = registry.name(name) if registry is not None else name
    return any(
        tool_matches(glob, one) or fold_name(glob) == fold_name(one)
        for glob in globs
        for one in (name, spoken)
    )


def action_of(step: PlanStep, view: View) -> str | None:
    """The action a step takes, by its own word or the contract's declared actions."""
    if step.action is not None:
        known = world_of(view.spec).actions.get(fold_name(step.action))
        return step.action if known is None else known.name
    words = re.findall(r"[^\s(),;]+", step.said[:400])
    for length in range(min(4, len(words)), 0, -1):
        known = world_of(view.spec).actions.get(fold_name(" ".join(words[:length])))
        if known is not None:
            return known.name
    return None


def _may_fail(step: PlanStep, view: View) -> bool:
    declared = view.spec.actions.get(action_of(step, view) or "")
    for word in (declared.may_fail if declared else None, step.may_fail):
        if word is not None:
            return word
    return True


def writes_something(step: PlanStep, view: View) -> bool:
    """Whether a step changes something: by the contract's label, the registry's, its own mark, or its verb."""
    name = action_of(step, view)
    declared = view.spec.actions.get(name or "")
    if declared is not None and declared.access is not None:
        return declared.access == "write"
    tool = (
        view.registry.get(view.registry.name(name))
        if view.registry is not None and name is not None
        else None
    )
    if tool is not None and (tool.access is not None or tool.risk is not None):
        return tool.access == "write" or tool.risk == "destructive"
    first = _FIRST_WORDS.search(name or step.said[:_CAMEL])
    return step.marked or (
        first is not None and first.group().casefold() in _WRITE_VERBS
    )
