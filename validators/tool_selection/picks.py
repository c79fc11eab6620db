"""Holding an agent's tool calls against an expert's: which call answers which decision, and what is wrong otherwise.

Where order does not matter, as many calls as possible are assigned to the expert's multiset of calls (a largest
matching), so the count does not depend on the order of either side. Where it matters, the longest run of calls in the
expert's order counts. What is left over is paired by tool, then by position, only to say *why* it is wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judgemesh.contracts.section import Matcher
from judgemesh.contracts.tools import ExpertCall, ToolsSpec
from judgemesh.validators._shared.assignment import assign
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.values import show
from judgemesh.validators.tool_selection.registry import Registry

MAX_PAIRS = 200_000
"""More call-decision pairs than this are not worked out; the evaluator says that it cannot tell."""


class Problem(StrEnum):
    """What is wrong with a pick."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    BETTER_TOOL = "better_tool_existed"
    WRONG_ARGUMENTS = "wrong_arguments"
    WRONG_TOOL = "wrong_tool"
    OUT_OF_ORDER = "out_of_order"
    MISSING = "missing_call"
    EXTRA = "extra_call"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: the registered name of its tool, and where it stands."""

    name: str
    arguments: Mapping[str, object]
    ref: str


@dataclass(frozen=True, slots=True)
class Wrong:
    """A decision that went wrong. `ref` is None for a call that was never made; `repeats` counts equal ones."""

    problem: Problem
    why: str
    ref: str | None = None
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Picks:
    """The picks of one run. `decisions` = the expert's calls and every counted call beyond them."""

    expected: int
    extras: int
    correct: int
    wrong: tuple[Wrong, ...] = ()
    first_pick_correct: bool = False
    first_tool_correct: bool = False
    forbidden: tuple[Wrong, ...] = ()

    @property
    def decisions(self) -> int:
        """How many decisions were there to get right."""
        return self.expected + self.extras

    def score(self, extra_penalty: float) -> float:
        """Share of correct picks, each call beyond the expert's weighing `extra_penalty`; 1 where none were due."""
        weight = self.expected + extra_penalty * self.extras
        return (
            self.correct / weight
            if weight > 0
            else float(self.extras == 0 or extra_penalty == 0)
        )


class TooManyPairs(Exception):
    """The assignment is too large to work out."""


def against_expert(calls: Sequence[Call], spec: ToolsSpec, registry: Registry) -> Picks:
    """The picks of a run whose expert calls are known.

    Raises:
        TooManyPairs: too many calls for too many decisions.
        ValueError: a pattern or schema of the contract is none.
    """
    slots = _slots(spec, registry)
    own = [fault_of(call, registry) for call in calls]
    same = _same_tool(calls, slots, registry)
    fits = [
        [
            item
            for item in items
            if own[item] is None and fault_of_arguments(slot, calls[item]) is None
        ]
        for slot, items in zip(slots, same, strict=True)
    ]
    capacity = [slot.count for slot in slots]
    right = _aligned(fits) if spec.ordered else assign(fits, capacity)
    expected = sum(capacity)
    wrong, left = _left_over(calls, slots, own, same, fits, right, spec)
    if not expected:
        first = first_tool = not calls
    else:
        heads = range(1) if spec.ordered else range(len(slots))
        first = any(0 in fits[slot] for slot in heads)
        first_tool = any(0 in same[slot] for slot in heads)
    forbidden = tuple(
        one for one in wrong if spec.extra_calls == "forbid" and one.problem in _BEYOND
    )
    return Picks(
        expected=expected or (0 if left else 1),
        extras=left,
        correct=len(right) if expected else int(not left),
        wrong=tuple(wrong),
        first_pick_correct=first,
        first_tool_correct=first_tool,
        forbidden=forbidden,
    )


def against_registry(calls: Sequence[Call], registry: Registry) -> Picks:
    """The picks of a run without an expert trace: each call is right unless the registry speaks against it.

    Raises:
        ValueError: a schema of the contract is none.
    """
    own = [fault_of(call, registry) for call in calls]
    return Picks(
        expected=len(calls),
        extras=0,
        correct=own.count(None),
        wrong=tuple(fault for fault in own if fault is not None),
        first_pick_correct=bool(own) and own[0] is None,
        first_tool_correct=bool(own)
        and (own[0] is None or own[0].problem is Problem.INVALID_ARGUMENTS),
    )


def fault_of(call: Call, registry: Registry) -> Wrong | None:
    """What the registry alone says against a call."""
    if not registry.knows(call.name):
        return Wrong(
            Problem.UNKNOWN_TOOL, f"there is no tool {show(call.name)}", call.ref
        )
    if (better := registry.better(call.name)) is not None:
        return Wrong(
            Problem.BETTER_TOOL,
            f"{better} does the same, safer or cheaper than {call.name}",
            call.ref,
        )
    if (invalid := registry.invalid(call.name, call.arguments)) is not None:
        return Wrong(Problem.INVALID_ARGUMENTS, f"{call.name}: {invalid}", call.ref)
    return None


def fault_of_arguments(expected: ExpertCall, call: Call) -> str | None:
    """Why the arguments are not the expert's; None when they are."""
    for name, matcher in expected.arguments.items():
        if name not in call.arguments:
            if name not in expected.optional and not _may_be_absent(matcher):
                return f"{name} is missing"
        elif not matches(matcher, call.arguments[name]):
            return (
                f"{name} is {show(call.arguments[name])}, expected {describe(matcher)}"
            )
    if expected.match == "exact":
        unasked = [
            name
            for name in call.arguments
            if name not in expected.arguments and name not in expected.optional
        ]
        if unasked:
            return f"{show(unasked[0])} was not asked for"
    return None


def _may_be_absent(matcher: Matcher) -> bool:
    return matcher.any is False


_BEYOND = frozenset(
    {Problem.EXTRA, Problem.WRONG_TOOL, Problem.UNKNOWN_TOOL, Problem.BETTER_TOOL}
)


def _slots(spec: ToolsSpec, registry: Registry) -> list[ExpertCall]:
    """The expert's calls by registered names; in order, each on its own."""
    calls = [
        call.model_copy(update={"tool": registry.name(call.tool)})
        for call in spec.expected or ()
    ]
    if not spec.ordered:
        return calls
    if sum(call.count for call in calls) > MAX_PAIRS:
        raise TooManyPairs
    return [
        call.model_copy(update={"count": 1})
        for call in calls
        for _ in range(call.count)
    ]


def _same_tool(
    calls: Sequence[Call], slots: Sequence[ExpertCall], registry: Registry
) -> list[list[int]]:
    by_class: dict[str, list[int]] = {}
    for index, call in enumerate(calls):
        by_class.setdefault(registry.class_of(call.name), []).append(index)
    same = [by_class.get(registry.class_of(slot.tool), []) for slot in slots]
    if sum(map(len, same)) > MAX_PAIRS:
        raise TooManyPairs
    return same


def _aligned(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """The longest sequence of fitting (slot, item) pairs that rises in both: Hunt and Szymanski's method.

    Every slot takes one item here. Time is (fitting pairs) x log(length).
    """
    ends: list[int] = []
    tails: list[int] = []
    nodes: list[tuple[int, int, int]] = []
    for slot, items in enumerate(fits):
        # Descending items: one slot cannot extend a sequence it has itself just ended.
        for item in sorted(items, reverse=True):
            place = bisect_left(ends, item)
            nodes.append((slot, item, tails[place - 1] if place else -1))
            if place == len(ends):
                ends.append(item)
                tails.append(len(nodes) - 1)
            else:
                ends[place] = item
                tails[place] = len(nodes) - 1
    found: dict[int, int] = {}
    node = tails[-1] if tails else -1
    while node >= 0:
        slot, item, node = nodes[node]
        found[item] = slot
    return found


def _left_over(
    calls: Sequence[Call],
    slots: Sequence[ExpertCall],
    own: Sequence[Wrong | None],
    same: Sequence[Sequence[int]],
    fits: Sequence[Sequence[int]],
    right: Mapping[int, int],
    spec: ToolsSpec,
) -> tuple[list[Wrong], int]:
    """What is wrong, decision by decision, and how many counted calls stand beyond the expert's."""
    open_slots = [slot.count for slot in slots]
    for slot in right.values():
        open_slots[slot] -= 1
    used = set(right)
    wrong: dict[int, Wrong] = {}
    # Calls with a fault of their own first: which of several calls are left over must not hang on their order.
    rest_of = [
        sorted(
            (item for item in items if item not in used),
            key=lambda item: own[item] is None,
        )
        for items in same
    ]
    by_tool = assign(rest_of, open_slots)
    for item, slot in by_tool.items():
        open_slots[slot] -= 1
        used.add(item)
        wrong[item] = own[item] or _wrong_arguments(
            slots[slot], calls[item], in_order=item in fits[slot]
        )
    rest = [item for item in range(len(calls)) if item not in used]
    missing = [(slots[slot], count) for slot, count in enumerate(open_slots) if count]
    unmet = sum(count for _, count in missing)
    counted = [
        item for item in rest if spec.extra_calls != "allow" or own[item] is not None
    ]
    names = ", ".join(dict.fromkeys(slot.tool for slot, _ in missing))
    for number, item in enumerate(counted):
        problem = Problem.WRONG_TOOL if number < unmet else Problem.EXTRA
        why = (
            f"{calls[item].name} instead of {names}"
            if number < unmet
            else f"{calls[item].name} was not called for"
        )
        wrong[item] = own[item] or Wrong(problem, why, calls[item].ref)
    ordered = [wrong[item] for item in sorted(wrong)]
    ordered += [
        Wrong(Problem.MISSING, f"{slot.tool} was never called as expected", None, count)
        for slot, count in missing
    ]
    return ordered, max(0, len(counted) - unmet)


def _wrong_arguments(slot: ExpertCall, call: Call, *, in_order: bool) -> Wrong:
    if in_order:
        return Wrong(
            Problem.OUT_OF_ORDER,
            f"{call.name} stands in another place than the expert's",
            call.ref,
        )
    why = fault_of_arguments(slot, call)
    if why is None:
        return Wrong(
            Problem.OUT_OF_ORDER,
            f"{call.name} stands in another place than the expert's",
            call.ref,
        )
    return Wrong(Problem.WRONG_ARGUMENTS, f"{call.name}: {why}", call.ref)
