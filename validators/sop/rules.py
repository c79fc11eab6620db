"""Procedure rules over the sequence of steps, named as in declarative process mining (DECLARE).

A checker gets the rule and the trace and returns the counterexample: the steps that break the rule, and why. To add a
template, write one function and give it a row in `TEMPLATES`. "Before" and "after" are strict: a step is neither
before nor after itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.procedure import Activity, Rule
from judgemesh.validators.sop.activities import Occurrence
from judgemesh.validators.sop.partners import Partners
from judgemesh.validators.sop.trace import Ranks, Steps

_SHOWN_STEPS: Final = 10

__all__ = ["TEMPLATES", "Steps", "Violation", "name"]


@dataclass(frozen=True, slots=True)
class Violation:
    """Why a rule does not hold, and the references of the steps that show it (none where something is lacking)."""

    why: str
    steps: tuple[str, ...] = ()


def existence(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs at least `count` times."""
    found = steps.of(rule.activity)
    if len(found) >= rule.count:
        return None
    return Violation(
        f"{name(rule.activity)} occurs {len(found)} of at least {rule.count} times",
        _refs(found),
    )


def absence(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs fewer than `count` times (never, when `count` is 1), overall or within any window."""
    found = steps.of(rule.activity)
    allowed = "never" if rule.count == 1 else f"fewer than {rule.count} times"
    if rule.within is None:
        return (
            None
            if len(found) < rule.count
            else Violation(f"{name(rule.activity)} must occur {allowed}", _refs(found))
        )
    ranks = steps.ranks(rule)
    for index in range(len(found) - rule.count + 1):
        window = found[index : index + rule.count]
        if ranks.near(window[0], window[-1], rule.within):
            return Violation(
                f"{name(rule.activity)} must occur {allowed}{_within(rule)}",
                _refs(window),
            )
    return None


def exactly(rule: Rule, steps: Steps) -> Violation | None:
    """The activity occurs `count` times."""
    found = steps.of(rule.activity)
    if len(found) == rule.count:
        return None
    return Violation(
        f"{name(rule.activity)} occurs {len(found)} times, not {rule.count}",
        _refs(found),
    )


def init(rule: Rule, steps: Steps) -> Violation | None:
    """The first step is the activity."""
    return _at_the_edge(rule, steps, 0, "first")


def end(rule: Rule, steps: Steps) -> Violation | None:
    """The last step is the activity."""
    return _at_the_edge(rule, steps, -1, "last")


def _at_the_edge(rule: Rule, steps: Steps, edge: int, word: str) -> Violation | None:
    order = steps.ranks(rule).order
    if not order:
        return Violation(
            f"{name(rule.activity)} must come {word}, and there is no such step"
        )
    position = order[edge]
    if any(one.position == position for one in steps.of(rule.activity)[edge:][:1]):
        return None
    return Violation(f"{name(rule.activity)} must come {word}", (steps.refs[position],))


def forbidden(rule: Rule, steps: Steps) -> Violation | None:
    """The activity never occurs."""
    found = steps.of(rule.activity)
    return (
        Violation(f"{name(rule.activity)} is forbidden", _refs(found))
        if found
        else None
    )


def responded_existence(rule: Rule, steps: Steps) -> Violation | None:
    """Where a `first` occurs, a `then` occurs too, before or after it."""
    ranks, thens = steps.ranks(rule), Partners(steps.of(rule.then), rule.same)
    broken = [
        one
        for one in steps.of(rule.first)
        if not any(
            other is not None and ranks.near(one, other, rule.within)
            for other in (thens.at(one), thens.before(one), thens.after(one))
        )
    ]
    return _broken(rule, broken, f"{name(rule.first)} without {name(rule.then)}")


def response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` after it."""
    return _responses(
        rule, steps, _anywhere, f"{name(rule.first)} without {name(rule.then)} after it"
    )


def alternate_response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` after it, before the next `first`."""
    return _responses(
        rule,
        steps,
        _alternating,
        f"{name(rule.first)} without {name(rule.then)} after it and before the next one",
    )


def chain_response(rule: Rule, steps: Steps) -> Violation | None:
    """Every `first` has a `then` right after it."""
    return _responses(
        rule,
        steps,
        _adjacent,
        f"{name(rule.first)} without {name(rule.then)} right after it",
    )


def precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` before it."""
    return _precedences(
        rule,
        steps,
        _anywhere,
        f"{name(rule.then)} without {name(rule.first)} before it",
    )


def alternate_precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` before it, after the previous `then`."""
    return _precedences(
        rule,
        steps,
        _alternating,
        f"{name(rule.then)} without {name(rule.first)} before it and after the previous one",
    )


def chain_precedence(rule: Rule, steps: Steps) -> Violation | None:
    """Every `then` has a `first` right before it."""
    return _precedences(
        rule,
        steps,
        _adjacent,
        f"{name(rule.then)} without {name(rule.first)} right before it",
    )


def succession(rule: Rule, steps: Steps) -> Violation | None:
    """Response and precedence together."""
    found = [
        violation
        for violation in (response(rule, steps), precedence(rule, steps))
        if violation is not None
    ]
    if not found:
        return None
    refs = dict.fromkeys(ref for violation in found for ref in violation.steps)
    return Violation("; ".join(violation.why for violation in found), tuple(refs))


def not_coexistence(rule: Rule, steps: Steps) -> Violation | None:
    """`first` and `then` do not both occur."""
    ranks, thens = steps.ranks(rule), Partners(steps.of(rule.then), rule.same)
    for one in steps.of(rule.first):
        for other in (thens.at(one), thens.before(one), thens.after(one)):
            if other is not None and ranks.near(one, other, rule.within):
                return _broken(
                    rule,
                    _in_order((one, other)),
                    f"both {name(rule.first)} and {name(rule.then)}",
                )
    return None


def not_succession(rule: Rule, steps: Steps) -> Violation | None:
    """No `then` comes after a `first`."""
    ranks, thens = steps.ranks(rule), Partners(steps.of(rule.then), rule.same)
    broken: list[Occurrence] = []
    for one in steps.of(rule.first):
        other = thens.after(one)
        if other is not None and ranks.near(one, other, rule.within):
            broken += (one, other)
    return _broken(
        rule, _in_order(broken), f"{name(rule.then)} after {name(rule.first)}"
    )


def choice(rule: Rule, steps: Steps) -> Violation | None:
    """At least one of `first` and `then` occurs."""
    if steps.of(rule.first) or steps.of(rule.then):
        return None
    return Violation(f"neither {name(rule.first)} nor {name(rule.then)} occurs")


TEMPLATES: Final[Mapping[str, Callable[[Rule, Steps], Violation | None]]] = (
    MappingProxyType(
        {
            template.__name__: template
            for template in (
                existence,
                absence,
                exactly,
                init,
                end,
                forbidden,
                responded_existence,
                response,
                alternate_response,
                chain_response,
                precedence,
                alternate_precedence,
                chain_precedence,
                succession,
                not_coexistence,
                not_succession,
                choice,
            )
        }
    )
)

_Fits = Callable[[Occurrence, Occurrence, Occurrence | None, Ranks], bool]
"""Whether a partner will do: the step, its partner, the nearest other step like it on the partner's side, the ranks."""


def _anywhere(
    _one: Occurrence, _partner: Occurrence, _rival: Occurrence | None, _ranks: Ranks
) -> bool:
    return True


def _alternating(
    one: Occurrence, partner: Occurrence, rival: Occurrence | None, _ranks: Ranks
) -> bool:
    return rival is None or abs(partner.position - one.position) < abs(
        rival.position - one.position
    )


def _adjacent(
    one: Occurrence, partner: Occurrence, _rival: Occurrence | None, ranks: Ranks
) -> bool:
    early, late = sorted((one, partner), key=_position)
    return ranks.next_to(early, late)


def _responses(rule: Rule, steps: Steps, fits: _Fits, why: str) -> Violation | None:
    firsts = steps.of(rule.first)
    thens, rivals, ranks = (
        Partners(steps.of(rule.then), rule.same),
        Partners(firsts, rule.same),
        steps.ranks(rule),
    )
    broken = [
        one
        for one in firsts
        if (partner := thens.after(one)) is None
        or not ranks.near(one, partner, rule.within)
        or not fits(one, partner, rivals.after(one), ranks)
    ]
    return _broken(rule, broken, why)


def _precedences(rule: Rule, steps: Steps, fits: _Fits, why: str) -> Violation | None:
    thens = steps.of(rule.then)
    firsts, rivals, ranks = (
        Partners(steps.of(rule.first), rule.same),
        Partners(thens, rule.same),
        steps.ranks(rule),
    )
    broken = [
        one
        for one in thens
        if (partner := firsts.before(one)) is None
        or not ranks.near(one, partner, rule.within)
        or not fits(one, partner, rivals.before(one), ranks)
    ]
    return _broken(rule, broken, why)


def _broken(rule: Rule, broken: Iterable[Occurrence], why: str) -> Violation | None:
    found = list(broken)
    if not found:
        return None
    binding = f" for the same {', '.join(rule.same)}" if rule.same else ""
    return Violation(f"{why}{binding}{_within(rule)}", _refs(found))


def _within(rule: Rule) -> str:
    if rule.within is None:
        return ""
    parts = [
        f"{amount:g} {unit}"
        for amount, unit in (
            (rule.within.steps, "steps"),
            (rule.within.seconds, "seconds"),
        )
        if amount is not None
    ]
    return f" within {' and '.join(parts)}"


def _refs(found: list[Occurrence]) -> tuple[str, ...]:
    return tuple(occurrence.ref for occurrence in found[:_SHOWN_STEPS])


def _in_order(found: Iterable[Occurrence]) -> list[Occurrence]:
    """Each step once, in the order of the trace."""
    return [one for _, one in sorted({one.position: one for one in found}.items())]


def _position(one: Occurrence) -> int:
    return one.position


def name(activity: Activity | None) -> str:
    """An activity in words."""
    if activity is None:
        return "nothing"
    parts = [activity.tool, activity.state, activity.role]
    said = f"saying /{activity.says}/" if activity.says else ""
    where = f"where {', '.join(activity.where)}" if activity.where else ""
    success = {True: "that succeeded", False: "that failed", None: ""}[
        activity.succeeded
    ]
    return " ".join(part for part in (*parts, said, where, success) if part)
