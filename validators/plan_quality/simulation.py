"""Carrying a plan out on facts: what each step needs, makes true and makes untrue, and whether the goal is reached.

The facts are those of classical planning (STRIPS): an action has preconditions and effects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.sections.tools import PlanAction, PlanSpec
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.plan_quality.plan import PlanStep

Fact = tuple[str, ...]
"""A fact as its words: `on(a, c)`, `(on a c)` and `On A C` are the same."""

_WORD = re.compile(r"[^\s(),;]+")
_NUMBERING = re.compile(r"^\s*(?:(?:step\s*)?\(?\d{1,4}[.):]|[-*+])\s+", re.IGNORECASE)
_MAX_NAME_WORDS: Final = 4
_MAX_STEP_CHARS: Final = 2_000
_MAX_MISSING: Final = 5


@dataclass(frozen=True, slots=True)
class CompiledAction:
    """A declared action with its facts as words."""

    name: str
    parameters: tuple[str, ...]
    requires: tuple[Fact, ...]
    forbids: tuple[Fact, ...]
    adds: tuple[Fact, ...]
    removes: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class PlanWorld:
    """The facts of a contract: its actions by folded name, what holds at the start, and what must hold at the end."""

    actions: Mapping[str, CompiledAction]
    initial: frozenset[Fact]
    goal: tuple[Fact, ...]

    def action_named(self, name: str) -> CompiledAction | None:
        """The declared action of that name; spelling and case do not count."""
        return self.actions.get(fold_name(name))

    def leading_action(self, words: Sequence[str]) -> tuple[CompiledAction, int] | None:
        """The declared action that the first words name, the longest name first, and how many words its name has."""
        for length in range(min(_MAX_NAME_WORDS, len(words)), 0, -1):
            action = self.action_named(" ".join(words[:length]))
            if action is not None:
                return action, length
        return None


@dataclass(frozen=True, slots=True)
class StepFault:
    """A step that cannot be carried out (`step` 0: the goal is not reached)."""

    step: int
    why: str


@dataclass(frozen=True, slots=True)
class Simulation:
    """The outcome of carrying a plan out. `kept` of `needed` conditions held, counted on through the faults."""

    faults: tuple[StepFault, ...]
    kept: int
    needed: int


@dataclass(frozen=True, slots=True)
class BoundAction:
    """A step as a declared action with the values of its parameters."""

    action: CompiledAction
    values: Mapping[str, str]

    def facts(self, facts: Sequence[Fact]) -> Iterator[Fact]:
        """The facts with the values filled in."""
        for fact in facts:
            yield tuple(_fill(word, self.values) for word in fact)


def _compile_action(name: str, action: PlanAction) -> CompiledAction:
    return CompiledAction(
        name=name,
        parameters=tuple(parameter.casefold() for parameter in action.parameters),
        requires=tuple(map(_fact, action.requires)),
        forbids=tuple(map(_fact, action.forbids)),
        adds=tuple(map(_fact, action.adds)),
        removes=tuple(map(_fact, action.removes)),
    )


def _compile_world(spec: PlanSpec) -> PlanWorld:
    actions: dict[str, CompiledAction] = {}
    for name, action in spec.actions.items():
        actions[fold_name(name)] = _compile_action(name, action)
    initial = frozenset(map(_fact, spec.initial))
    return PlanWorld(actions, initial, tuple(map(_fact, spec.goal)))


def _fact(text: str) -> Fact:
    return tuple(_WORD.findall(plain(text).casefold()))


world_of: ByIdentity[PlanSpec, PlanWorld] = ByIdentity(_compile_world)
"""The facts of a contract's `plan` section, read once."""


def simulate(steps: Sequence[PlanStep], world: PlanWorld) -> Simulation:
    """Carry the steps out one after the other.

    A fault does not end the simulation: its effects are applied all the same, so that the share of kept conditions can
    be counted. Only the first fault is certain; the gate asks only whether there is one.
    """
    holds = set(world.initial)
    faults: list[StepFault] = []
    kept = needed = 0
    for step in steps:
        bound = _bind(step, world)
        if isinstance(bound, str):
            needed += 1
            faults.append(StepFault(step.number, bound))
            continue
        action = bound.action
        conditions = len(action.requires) + len(action.forbids)
        unmet = _unmet(bound, holds)
        if unmet:
            faults.append(StepFault(step.number, f"{action.name}: {unmet[0]}"))
        needed += conditions
        kept += conditions - len(unmet)
        holds.difference_update(bound.facts(action.removes))
        holds.update(bound.facts(action.adds))
    missing = [" ".join(fact) for fact in world.goal if fact not in holds]
    if missing:
        why = f"the plan does not bring about: {', '.join(missing[:_MAX_MISSING])}"
        faults.append(StepFault(0, why))
    return Simulation(tuple(faults), kept, needed)


def _bind(step: PlanStep, world: PlanWorld) -> BoundAction | str:
    """The declared action of a step with its values; or in words why it has none."""
    values: list[str] = []
    action = None if step.action is None else world.action_named(step.action)
    if action is None:
        text = step.action or step.description
        words = _words(text)
        leading = world.leading_action(words)
        if leading is None:
            return f"{text[:80]!r} is no declared action"
        action, length = leading
        values = words[length:]
    if isinstance(step.arguments, Mapping):
        return _bind_by_name(action, step.arguments)
    values += map(_value, step.arguments)
    expected = len(action.parameters)
    if len(values) != expected:
        return f"{action.name} takes {expected} arguments, got {len(values)}"
    return BoundAction(action, dict(zip(action.parameters, values, strict=True)))


def _bind_by_name(
    action: CompiledAction, arguments: Mapping[str, object]
) -> BoundAction | str:
    values = {name.casefold(): _value(value) for name, value in arguments.items()}
    for parameter in action.parameters:
        if parameter not in values:
            return f"{action.name} lacks {parameter}"
    return BoundAction(action, values)


def _value(argument: object) -> str:
    text = argument if isinstance(argument, str) else json_text(argument)
    return plain(text).strip().casefold()


def _words(text: str) -> list[str]:
    unnumbered = _NUMBERING.sub("", plain(text[:_MAX_STEP_CHARS]))
    return _WORD.findall(unnumbered.casefold())


def _unmet(bound: BoundAction, holds: set[Fact]) -> list[str]:
    """The conditions of the action that do not hold, in words."""
    unmet: list[str] = []
    for fact in bound.facts(bound.action.requires):
        if fact not in holds:
            unmet.append(f"needs {' '.join(fact)!r}, which does not hold")
    for fact in bound.facts(bound.action.forbids):
        if fact in holds:
            unmet.append(f"must not meet {' '.join(fact)!r}, which holds")
    return unmet


def _fill(word: str, values: Mapping[str, str]) -> str:
    if "{" not in word:
        return word
    if word[0] == "{" and word[-1] == "}" and word[1:-1] in values:
        return values[word[1:-1]]
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word
