"""DECLARE templates about two activities, `first` and `then`: which must come before, after or beside the other.

"Before" and "after" are strict: a step is neither before nor after itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from judgemesh.contracts.sections.procedure import Activity, Rule
from judgemesh.validators.sop.activities import Occurrence
from judgemesh.validators.sop.partners import Partners
from judgemesh.validators.sop.trace import Ranks, Steps
from judgemesh.validators.sop.violations import (
    Violation,
    describe_activity,
    describe_distance,
    violation_at,
)


def responded_existence(rule: Rule, steps: Steps) -> Violation | None:
    """Where a `first` occurs, a `then` occurs too, before or after it."""
    thens = Partners(steps.of(rule.then), rule.same)
    ranks = steps.ranks(rule)
    broken: list[Occurrence] = []
    for first in steps.of(rule.first):
        if next(_near_partners(first, thens, ranks, rule), None) is None:
            broken.append(first)
    return _unpartnered(rule, broken, rule.first, rule.then, "")


def response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` after it."""
    return _responses(rule, steps, _anywhere, "after it")


def alternate_response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` after it, before the next `first`."""
    return _responses(rule, steps, _alternating, "after it and before the next one")


def chain_response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` right after it."""
    return _responses(rule, steps, _adjacent, "right after it")


def precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` before it."""
    return _precedences(rule, steps, _anywhere, "before it")


def alternate_precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` before it, after the previous `then`."""
    return _precedences(
        rule, steps, _alternating, "before it and after the previous one"
    )


def chain_precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` right before it."""
    return _precedences(rule, steps, _adjacent, "right before it")


def succession(rule: Rule, steps: Steps) -> Violation | None:
    """Response and precedence together."""
    reasons: list[str] = []
    refs: dict[str, None] = {}
    for violation in (response(rule, steps), precedence(rule, steps)):
        if violation is not None:
            reasons.append(violation.why)
            refs |= dict.fromkeys(violation.steps)
    return Violation("; ".join(reasons), tuple(refs)) if reasons else None


def not_coexistence(rule: Rule, steps: Steps) -> Violation | None:
    """`first` and `then` do not both occur."""
    thens = Partners(steps.of(rule.then), rule.same)
    ranks = steps.ranks(rule)
    for first in steps.of(rule.first):
        partner = next(_near_partners(first, thens, ranks, rule), None)
        if partner is not None:
            first_name = describe_activity(rule.first)
            why = f"both {first_name} and {describe_activity(rule.then)}"
            return _broken(rule, _in_order((first, partner)), why)
    return None


def not_succession(rule: Rule, steps: Steps) -> Violation | None:
    """No `then` comes after a `first`."""
    thens = Partners(steps.of(rule.then), rule.same)
    ranks = steps.ranks(rule)
    broken: list[Occurrence] = []
    for first in steps.of(rule.first):
        partner = thens.after(first)
        if partner is not None and ranks.near(first, partner, rule.within):
            broken += (first, partner)
    if not broken:
        return None
    why = f"{describe_activity(rule.then)} after {describe_activity(rule.first)}"
    return _broken(rule, _in_order(broken), why)


def choice(rule: Rule, steps: Steps) -> Violation | None:
    """At least one of `first` and `then` occurs."""
    if steps.of(rule.first) or steps.of(rule.then):
        return None
    first, then = describe_activity(rule.first), describe_activity(rule.then)
    return Violation(f"neither {first} nor {then} occurs")


_Fits = Callable[[Occurrence, Occurrence, Occurrence | None, Ranks], bool]
"""Whether a partner fits: the step, its partner, the nearest step like it on the partner's side, the ranks."""


def _anywhere(
    _step: Occurrence, _partner: Occurrence, _rival: Occurrence | None, _ranks: Ranks
) -> bool:
    return True


def _alternating(
    step: Occurrence, partner: Occurrence, rival: Occurrence | None, _ranks: Ranks
) -> bool:
    """The partner is nearer than the next step like it."""
    if rival is None:
        return True
    return abs(partner.position - step.position) < abs(rival.position - step.position)


def _adjacent(
    step: Occurrence, partner: Occurrence, _rival: Occurrence | None, ranks: Ranks
) -> bool:
    if step.position <= partner.position:
        return ranks.next_to(step, partner)
    return ranks.next_to(partner, step)


def _responses(rule: Rule, steps: Steps, fits: _Fits, where: str) -> Violation | None:
    """Check that every `first` has a fitting `then` after it."""
    thens = Partners(steps.of(rule.then), rule.same)
    rivals = Partners(steps.of(rule.first), rule.same)
    broken = _without_partner(rule, steps, rule.first, thens.after, rivals.after, fits)
    return _unpartnered(rule, broken, rule.first, rule.then, where)


def _precedences(rule: Rule, steps: Steps, fits: _Fits, where: str) -> Violation | None:
    """Check that every `then` has a fitting `first` before it."""
    firsts = Partners(steps.of(rule.first), rule.same)
    rivals = Partners(steps.of(rule.then), rule.same)
    broken = _without_partner(
        rule, steps, rule.then, firsts.before, rivals.before, fits
    )
    return _unpartnered(rule, broken, rule.then, rule.first, where)


_Nearest = Callable[[Occurrence], Occurrence | None]
"""The nearest partner of a step, before or after it."""


def _without_partner(
    rule: Rule,
    steps: Steps,
    activity: Activity | None,
    nearest_partner: _Nearest,
    nearest_rival: _Nearest,
    fits: _Fits,
) -> list[Occurrence]:
    """The occurrences of the activity without a partner that fits and lies within the rule's distance."""
    ranks = steps.ranks(rule)
    broken: list[Occurrence] = []
    for step in steps.of(activity):
        partner = nearest_partner(step)
        if (
            partner is None
            or not ranks.near(step, partner, rule.within)
            or not fits(step, partner, nearest_rival(step), ranks)
        ):
            broken.append(step)
    return broken


def _near_partners(
    step: Occurrence, partners: Partners, ranks: Ranks, rule: Rule
) -> Iterator[Occurrence]:
    """The partners at, before and after the step that lie within the rule's distance."""
    for partner in (partners.at(step), partners.before(step), partners.after(step)):
        if partner is not None and ranks.near(step, partner, rule.within):
            yield partner


def _unpartnered(
    rule: Rule,
    broken: Sequence[Occurrence],
    activity: Activity | None,
    lacking: Activity | None,
    where: str,
) -> Violation | None:
    if not broken:
        return None
    why = f"{describe_activity(activity)} without {describe_activity(lacking)}"
    return _broken(rule, broken, f"{why} {where}".rstrip())


def _broken(rule: Rule, broken: Sequence[Occurrence], why: str) -> Violation:
    binding = f" for the same {', '.join(rule.same)}" if rule.same else ""
    return violation_at(f"{why}{binding}{describe_distance(rule)}", broken)


def _in_order(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """Each step once, in the order of the trace."""
    by_position = {occurrence.position: occurrence for occurrence in occurrences}
    return sorted(by_position.values(), key=attrgetter("position"))
