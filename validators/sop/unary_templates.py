"""DECLARE templates about one activity: how often it occurs, and whether it comes first or last."""

from __future__ import annotations

from judgemesh.contracts.sections.procedure import Rule
from judgemesh.validators.sop.activities import Occurrence
from judgemesh.validators.sop.trace import Steps
from judgemesh.validators.sop.violations import (
    Violation,
    describe_activity,
    describe_distance,
    describe_found,
    violation_at,
)


def existence(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs at least `count` times, overall or within the first steps."""
    occurrences = steps.of(rule.activity)
    name = describe_activity(rule.activity)
    if len(occurrences) >= rule.count:
        return _too_late(rule, steps, occurrences[rule.count - 1], name)
    return violation_at(
        f"{name} occurs {len(occurrences)} of at least {rule.count} times", occurrences
    )


def _too_late(
    rule: Rule, steps: Steps, occurrence: Occurrence, name: str
) -> Violation | None:
    """Whether the activity came after the first steps in which it must come."""
    if rule.within is None or rule.within.steps is None:
        return None
    order = steps.ranks(rule).order
    place = order.index(occurrence.position) + 1 if occurrence.position in order else 0
    if 0 < place <= rule.within.steps:
        return None
    why = f"{name} must come within the first {rule.within.steps} steps"
    return violation_at(why, [occurrence])


def absence(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs fewer than `count` times (never, when `count` is 1), overall or within any window."""
    occurrences = steps.of(rule.activity)
    if len(occurrences) < rule.count:
        return None
    allowed = "never" if rule.count == 1 else f"fewer than {rule.count} times"
    why = f"{describe_activity(rule.activity)} must occur {allowed}"
    if rule.within is None:
        return violation_at(why, occurrences)
    ranks = steps.ranks(rule)
    for start in range(len(occurrences) - rule.count + 1):
        window = occurrences[start : start + rule.count]
        if ranks.near(window[0], window[-1], rule.within):
            return violation_at(why + describe_distance(rule), window)
    return None


def exactly(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs `count` times."""
    occurrences = steps.of(rule.activity)
    if len(occurrences) == rule.count:
        return None
    name = describe_activity(rule.activity)
    return violation_at(
        f"{name} occurs {len(occurrences)} times, not {rule.count}", occurrences
    )


def init(rule: Rule, steps: Steps) -> Violation | None:
    """The first step is the activity."""
    return _at_edge(rule, steps, 0, "first")


def end(rule: Rule, steps: Steps) -> Violation | None:
    """The last step is the activity."""
    return _at_edge(rule, steps, -1, "last")


def _at_edge(rule: Rule, steps: Steps, edge: int, edge_name: str) -> Violation | None:
    order = steps.ranks(rule).order
    occurrences = steps.of(rule.activity)
    if order and occurrences and occurrences[edge].position == order[edge]:
        return None
    why = f"{describe_activity(rule.activity)} must come {edge_name}"
    if not order:
        return Violation(f"{why}, and there is no such step")
    return Violation(why, (steps.refs[order[edge]],))


def forbidden(rule: Rule, steps: Steps) -> Violation | None:
    """The activity never occurs."""
    occurrences = steps.of(rule.activity)
    if not occurrences:
        return None
    why = f"{describe_activity(rule.activity)} is forbidden"
    found = describe_found(rule.activity, occurrences[0])
    return violation_at(f"{why}{found}", occurrences)
