"""What a broken rule reports: the violation with its steps, and the words for activities and distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.sections.procedure import Activity, Rule
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.trace.tool_calls import argument
from judgemesh.validators._shared.values import ABSENT, show
from judgemesh.validators.sop.activities import Occurrence

MAX_STEPS: Final = 10
"""A violation names at most this many steps."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a rule does not hold, and the references of the steps that show it (none where something is lacking)."""

    why: str
    steps: tuple[str, ...] = ()


def violation_at(why: str, occurrences: Sequence[Occurrence]) -> Violation:
    """A violation shown by its first ten occurrences."""
    refs = tuple(occurrence.ref for occurrence in occurrences[:MAX_STEPS])
    return Violation(why, refs)


def describe_activity(activity: Activity | None) -> str:
    """An activity in words."""
    if activity is None:
        return "nothing"
    parts = [activity.tool, activity.state, activity.role]
    if activity.says:
        parts.append(f"saying /{activity.says}/")
    if activity.where:
        conditions = [
            f"{name} is {describe(matcher)}" for name, matcher in activity.where.items()
        ]
        parts.append(f"where {' and '.join(conditions)}")
    if activity.succeeded is not None:
        parts.append("that succeeded" if activity.succeeded else "that failed")
    return " ".join(filter(None, parts))


def describe_found(activity: Activity | None, occurrence: Occurrence) -> str:
    """The values that the step has for the activity's conditions, in brackets; empty where it has none."""
    found: list[str] = []
    for name in activity.where if activity else ():
        value = argument(occurrence.step, name)
        if value is not ABSENT:
            found.append(f"{name} was {show(value)}")
    return f" ({', '.join(found)})" if found else ""


def describe_distance(rule: Rule) -> str:
    """The rule's distance in words, with a space in front; empty when it sets none."""
    if rule.within is None:
        return ""
    parts: list[str] = []
    if rule.within.steps is not None:
        parts.append(f"{rule.within.steps:g} steps")
    if rule.within.seconds is not None:
        parts.append(f"{rule.within.seconds:g} seconds")
    return f" within {' and '.join(parts)}"
