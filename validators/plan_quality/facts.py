"""Carrying a plan out on facts: what each step needs, makes true and makes untrue, and whether the goal is reached."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.tools import PlanAction, PlanSpec
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.plan_quality.reading import PlanStep

Fact = tuple[str, ...]

_TOKEN = re.compile(r"[^\s(),;]+")
_LONGEST_NAME: Final = 4
_NUMBERING = re.compile(r"^\s*(?:(?:step\s*)?\(?\d{1,4}[.):]|[-*+])\s+", re.IGNORECASE)


def fact(text: str) -> Fact:
    """A fact as its words: `on(a, c)`, `(on a c)` and `On A C` are one."""
    return tuple(_TOKEN.findall(plain(text).casefold()))


@dataclass(frozen=True, slots=True)
class Action:
    """A declared action with its facts as words."""

    name: str
    parameters: tuple[str, ...]
    requires: tuple[Fact, ...]
    forbids: tuple[Fact, ...]
    adds: tuple[Fact, ...]
    removes: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class World:
    """The facts of a contract: its actions by folded name, what holds at the start, and what must hold at the end."""

    actions: Mapping[str, Action]
    initial: frozenset[Fact]
    goal: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A step that cannot be carried out (`step` 0: the goal is not reached)."""

    step: int
    why: str


@dataclass(frozen=True, slots=True)
class Carried:
    """How carrying out went. `kept` of `needed` conditions held, counted on through the faults."""

    faults: tuple[Fault, ...]
    kept: int
    needed: int


@dataclass(frozen=True, slots=True)
class Doing:
    """A step as a declared action with the values of its parameters."""

    action: Action
    values: Mapping[str, str]


def _compiled(name: str, action: PlanAction) -> Action:
    def facts(texts: Sequence[str]) -> tuple[Fact, ...]:
        return tuple(map(fact, texts))

    return Action(
        name,
        tuple(parameter.casefold() for parameter in action.parameters),
        facts(action.requires),
        facts(action.forbids),
        facts(action.adds),
        facts(action.removes),
    )


world_of: ByIdentity[PlanSpec, World] = ByIdentity(
    lambda spec: World(
        {
            fold_name(name): _compiled(name, action)
            for name, action in spec.actions.items()
        },
        frozenset(map(fact, spec.initial)),
        tuple(map(fact, spec.goal)),
    )
)
"""The facts of a contract's `plan` section, read once."""


def carry_out(steps: Sequence[PlanStep], world: World) -> Carried:
    """Carry the steps out one after the other.

    A fault does not end it: its effects are applied all the same, so that the share of kept conditions can be counted.
    Only the first fault is sure; whoever gates goes by whether there is one.
    """
    holds = set(world.initial)
    faults: list[Fault] = []
    kept = needed = 0
    for step in steps:
        doing = doing_of(step, world)
        if isinstance(doing, str):
            needed += 1
            faults.append(Fault(step.number, doing))
            continue
        unmet = _unmet(doing, holds)
        conditions = len(doing.action.requires) + len(doing.action.forbids)
        needed += conditions
        kept += conditions - len(unmet)
        faults.extend(
            Fault(step.number, f"{doing.action.name}: {why}") for why in unmet[:1]
        )
        holds.difference_update(_filled(doing.action.removes, doing.values))
        holds.update(_filled(doing.action.adds, doing.values))
    missing = [" ".join(one) for one in world.goal if one not in holds]
    if missing:
        faults.append(
            Fault(0, f"the plan does not bring about: {', '.join(missing[:5])}")
        )
    return Carried(tuple(faults), kept, needed)


def doing_of(step: PlanStep, world: World) -> Doing | str:
    """Which declared action a step is, with its values; or in words why it is none."""
    given = named_arguments(step.arguments)
    name, rest = step.action, []
    if name is None or fold_name(name) not in world.actions:
        words = _words(step.action or step.said)
        length = next(
            (
                n
                for n in range(min(_LONGEST_NAME, len(words)), 0, -1)
                if fold_name(" ".join(words[:n])) in world.actions
            ),
            0,
        )
        if not length:
            return f"{(step.action or step.said)[:80]!r} is no declared action"
        name, rest = " ".join(words[:length]), words[length:]
    action = world.actions[fold_name(name)]
    if isinstance(given, dict):
        missing = [
            parameter for parameter in action.parameters if parameter not in given
        ]
        return f"{action.name} lacks {missing[0]}" if missing else Doing(action, given)
    values = [*rest, *given]
    if len(values) != len(action.parameters):
        return (
            f"{action.name} takes {len(action.parameters)} arguments, got {len(values)}"
        )
    return Doing(action, dict(zip(action.parameters, values, strict=True)))


def named_arguments(
    arguments: Sequence[object] | Mapping[str, object],
) -> dict[str, str] | list[str]:
    """Arguments as words: by name where they have names."""
    if isinstance(arguments, Mapping):
        return {name.casefold(): _word(value) for name, value in arguments.items()}
    return [_word(value) for value in arguments]


def _word(value: object) -> str:
    return (
        plain(value if isinstance(value, str) else json_text(value)).strip().casefold()
    )


def _words(text: str) -> list[str]:
    return _TOKEN.findall(_NUMBERING.sub("", plain(text[:2_000])).casefold())


def _unmet(doing: Doing, holds: set[Fact]) -> list[str]:
    needs = [
        one for one in _filled(doing.action.requires, doing.values) if one not in holds
    ]
    bars = [one for one in _filled(doing.action.forbids, doing.values) if one in holds]
    return [f"needs {' '.join(one)!r}, which does not hold" for one in needs] + [
        f"must not meet {' '.join(one)!r}, which holds" for one in bars
    ]


def _filled(facts: Sequence[Fact], values: Mapping[str, str]) -> list[Fact]:
    return [tuple(_fill(word, values) for word in one) for one in facts]


def _fill(word: str, values: Mapping[str, str]) -> str:
    if "{" not in word:
        return word
    if word[0] == "{" and word[-1] == "}" and word[1:-1] in values:
        return values[word[1:-1]]
    for name, value in values.items():
        word = word.replace(f"{{{name}}}", value)
    return word
