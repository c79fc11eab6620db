"""Comparing an agent's tool calls with an expert's: which call answers which decision, and what is wrong otherwise.

Where order does not matter, as many calls as possible are assigned to the expert's multiset of calls (a largest
matching), so the count does not depend on the order of either side. Where it matters, the longest run of calls in the
expert's order counts. What is left over is paired by tool, then by position, only to say *why* it is wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from judgemesh.contracts.sections.tools import ExpertCall, ToolsSpec
from judgemesh.validators._shared.assignment import assign
from judgemesh.validators._shared.trace.tool_names import tool_matches
from judgemesh.validators.tool_selection.call_faults import (
    argument_fault,
    registry_fault,
)
from judgemesh.validators.tool_selection.later_tries import FirstPicks
from judgemesh.validators.tool_selection.picks import (
    PickedCall,
    PickProblem,
    Picks,
    WrongPick,
)
from judgemesh.validators.tool_selection.registry import ToolRegistry

_MAX_PAIRS: Final = 200_000
_FORBIDDEN_PROBLEMS: Final = frozenset(
    {
        PickProblem.EXTRA,
        PickProblem.WRONG_TOOL,
        PickProblem.UNKNOWN_TOOL,
        PickProblem.BETTER_TOOL,
    }
)


class TooManyPairs(Exception):
    """There are more than 200,000 pairs of a call and an expert's call of the same tool."""


def against_expert(
    calls: Sequence[PickedCall], spec: ToolsSpec, registry: ToolRegistry
) -> Picks:
    """The picks of a run whose expert calls are known.

    Raises:
        TooManyPairs: too many calls for too many decisions.
        ValueError: a pattern or schema of the contract cannot be compiled.
    """
    comparison = _Comparison(calls, spec, registry)
    right = comparison.right_picks()
    wrong, extras, later = comparison.wrong_picks(right)
    forbidden: list[WrongPick] = []
    for pick in wrong:
        beyond = pick.beyond or pick.problem in _FORBIDDEN_PROBLEMS
        if spec.extra_calls == "forbid" and beyond:
            forbidden.append(pick)
    expected, answered = sum(comparison.counts), len(right)
    correct = answered - later
    if expected:
        first_pick = comparison.first_call_is_in(comparison.fitting)
        first_tool = comparison.first_call_is_in(comparison.same_tool)
    else:
        # The only decision is to call nothing.
        expected, correct = (0, 0) if extras else (1, 1)
        answered = correct
        first_pick = first_tool = not calls
    return Picks(
        expected=expected,
        extras=extras,
        correct=correct,
        answered=answered,
        wrong=tuple(wrong),
        first_pick_correct=first_pick,
        first_tool_correct=first_tool,
        forbidden=tuple(forbidden),
    )


def against_registry(calls: Sequence[PickedCall], registry: ToolRegistry) -> Picks:
    """The picks of a run without an expert trace: each call is right unless the registry speaks against it.

    A right call after a wrong one of the same tool or an equivalent is a later try of that decision.

    Raises:
        ValueError: a schema of the contract cannot be compiled.
    """
    faults = [registry_fault(call, registry) for call in calls]
    later_tries, open_tries = 0, dict[str, PickedCall]()
    for call, fault in zip(calls, faults, strict=True):
        tool = registry.class_of(call.name)
        if fault is not None:
            open_tries[tool] = call
        elif tool in open_tries and not _at_once(open_tries.pop(tool), call):
            later_tries += 1
    first_pick = first_tool = False
    if faults:
        first_pick = first_tool = faults[0] is None
        if faults[0] is not None:
            first_tool = faults[0].problem is PickProblem.INVALID_ARGUMENTS
    answered = faults.count(None)
    return Picks(
        expected=len(calls) - later_tries,
        extras=0,
        correct=answered - later_tries,
        answered=answered,
        wrong=tuple(filter(None, faults)),
        first_pick_correct=first_pick,
        first_tool_correct=first_tool,
    )


def _at_once(first: PickedCall, second: PickedCall) -> bool:
    return first.together is not None and first.together == second.together


class _Comparison:
    """An agent's calls beside the expert's.

    A slot is one of the expert's calls, which takes `counts[slot]` calls of the agent. `same_tool[slot]` are the
    agent's calls (as indexes) of the slot's tool or an equivalent, `fitting[slot]` those that are right. `faults[call]`
    is what the registry says against a call.
    """

    def __init__(
        self, calls: Sequence[PickedCall], spec: ToolsSpec, registry: ToolRegistry
    ) -> None:
        self._calls = calls
        self._spec = spec
        self._slots = _slots(spec, registry)
        self._faults = [registry_fault(call, registry) for call in calls]
        self.counts = [slot.count for slot in self._slots]
        self.same_tool = _same_tool(calls, self._slots, registry)
        self.fitting = list(map(self._fitting, range(len(self._slots))))

    def _fitting(self, slot: int) -> list[int]:
        fitting: list[int] = []
        for call in self.same_tool[slot]:
            if self._faults[call] is not None:
                continue
            if argument_fault(self._slots[slot], self._calls[call]) is None:
                fitting.append(call)
        return fitting

    def right_picks(self) -> dict[int, int]:
        """Call -> slot, as many as possible."""
        if self._spec.ordered:
            return _longest_in_order(self.fitting)
        return assign(self.fitting, self.counts)

    def first_call_is_in(self, calls_of_slot: Sequence[Sequence[int]]) -> bool:
        """Whether the agent's first call is among the calls of the first slot, or of any where order does not count."""
        slots = calls_of_slot[:1] if self._spec.ordered else calls_of_slot
        return any(0 in calls for calls in slots)

    def wrong_picks(self, right: Mapping[int, int]) -> tuple[list[WrongPick], int, int]:
        """What is wrong, decision by decision; counted calls beyond the expert's; decisions reached on a later try."""
        missing = list(self.counts)
        for slot in right.values():
            missing[slot] -= 1
        wrong: dict[int, WrongPick] = {}
        for call, slot in self._pair_by_tool(right, missing).items():
            missing[slot] -= 1
            wrong[call] = self._faults[call] or self._fault_in_slot(call, slot)
        unmatched: list[int] = []
        for call in range(len(self._calls)):
            if call not in right and call not in wrong and self._counts(call):
                unmatched.append(call)
        instead = sum(missing)
        wrong |= self._describe_unmatched(unmatched, missing)
        later = self._later_tries(right, unmatched[instead:])
        wrong |= later
        picks = [wrong[call] for call in sorted(wrong)]
        for slot, count in enumerate(missing):
            if count:
                why = f"{self._slots[slot].tool} was never called as expected"
                picks.append(WrongPick(PickProblem.MISSING, why, None, count))
        extras = max(0, len(unmatched) - instead) - len(later)
        return picks, extras, len(later)

    def _later_tries(
        self, right: Mapping[int, int], beyond: Sequence[int]
    ) -> dict[int, WrongPick]:
        """The calls beyond the expert's that were the first pick of a decision."""
        first_picks = FirstPicks(self._calls, right, self.same_tool, self.fitting)
        tries = first_picks.tries(beyond, ordered=self._spec.ordered)
        wrong: dict[int, WrongPick] = {}
        for call, answer in tries.items():
            wrong[call] = self._first_pick_fault(call, right[answer], answer)
        return wrong

    def _first_pick_fault(self, call: int, slot: int, answer: int) -> WrongPick:
        """Why the first pick of a decision was wrong that a later call answered."""
        first, later = self._calls[call], self._calls[answer]
        problem = PickProblem.WRONG_TOOL
        why = f"{first.name} instead of {later.name}"
        fault = self._faults[call]
        if fault is not None:
            problem, why = fault.problem, fault.why
        elif call in self.same_tool[slot]:
            problem = PickProblem.WRONG_ARGUMENTS
            reason = argument_fault(self._slots[slot], first)
            why = f"{first.name}: {reason or 'not at this step'}"
        why = f"{why}; {later.name} came on a later try"
        return WrongPick(problem, why, first.ref, beyond=True)

    def _pair_by_tool(
        self, right: Mapping[int, int], missing: Sequence[int]
    ) -> dict[int, int]:
        """Pair the calls that are not right with missing calls of the same tool: call -> slot.

        Calls with a fault of their own come first, so that which call is left over does not depend on their order.
        """
        candidates: list[list[int]] = []
        for calls in self.same_tool:
            faulty: list[int] = []
            others: list[int] = []
            for call in calls:
                if call not in right:
                    group = others if self._faults[call] is None else faulty
                    group.append(call)
            candidates.append(faulty + others)
        return assign(candidates, missing)

    def _fault_in_slot(self, call: int, slot: int) -> WrongPick:
        actual = self._calls[call]
        why = None
        if call not in self.fitting[slot]:
            why = argument_fault(self._slots[slot], actual)
        if why is None:
            why = f"{actual.name} is not at the expert's position"
            return WrongPick(PickProblem.OUT_OF_ORDER, why, actual.ref)
        return WrongPick(
            PickProblem.WRONG_ARGUMENTS, f"{actual.name}: {why}", actual.ref
        )

    def _counts(self, call: int) -> bool:
        """Whether a call beyond the expert's is a decision."""
        return self._spec.extra_calls != "allow" or self._faults[call] is not None

    def _describe_unmatched(
        self, unmatched: Sequence[int], missing: Sequence[int]
    ) -> dict[int, WrongPick]:
        """The calls of no expected tool: as many as are missing were made instead of these, the others are extra."""
        tools: dict[str, None] = {}
        for slot, count in enumerate(missing):
            if count:
                tools[self._slots[slot].tool] = None
        names = ", ".join(tools)
        instead = sum(missing)
        wrong: dict[int, WrongPick] = {}
        for number, call in enumerate(unmatched):
            actual = self._calls[call]
            if number < instead:
                why = f"{actual.name} instead of {names}"
                pick = WrongPick(PickProblem.WRONG_TOOL, why, actual.ref)
            else:
                why = f"{actual.name} was not called for"
                pick = WrongPick(PickProblem.EXTRA, why, actual.ref)
            wrong[call] = self._faults[call] or pick
        return wrong


def _slots(spec: ToolsSpec, registry: ToolRegistry) -> list[ExpertCall]:
    """The expert's calls by registered names; where order matters, repeated calls one by one.

    Where it does not, they are sorted, so that the order in which they are written decides nothing.
    """
    slots: list[ExpertCall] = []
    for call in spec.expected or ():
        slots.append(call.model_copy(update={"tool": registry.name(call.tool)}))
    if not spec.ordered:
        return sorted(slots, key=ExpertCall.model_dump_json)
    if sum(slot.count for slot in slots) > _MAX_PAIRS:
        raise TooManyPairs
    single: list[ExpertCall] = []
    for slot in slots:
        single += [slot.model_copy(update={"count": 1})] * slot.count
    return single


def _same_tool(
    calls: Sequence[PickedCall], slots: Sequence[ExpertCall], registry: ToolRegistry
) -> list[list[int]]:
    """For each slot, the calls of its tool or an equivalent."""
    by_class: dict[str, list[int]] = {}
    for index, call in enumerate(calls):
        by_class.setdefault(registry.class_of(call.name), []).append(index)
    same = [
        [
            index
            for index, call in enumerate(calls)
            if tool_matches(slot.tool, call.name)
        ]
        if "*" in slot.tool
        else by_class.get(registry.class_of(slot.tool), [])
        for slot in slots
    ]
    if sum(map(len, same)) > _MAX_PAIRS:
        raise TooManyPairs
    return same


def _longest_in_order(fitting: Sequence[Sequence[int]]) -> dict[int, int]:
    """The longest sequence of fitting (slot, call) pairs that rises in both: the algorithm of Hunt and Szymanski.

    Every slot takes one call here. Time is (fitting pairs) x log(length). Returns call -> slot.
    """
    ends: list[
        int
    ] = []  # ends[n]: the smallest call that ends a sequence of n + 1 pairs
    tails: list[int] = []  # tails[n]: the node of that pair
    nodes: list[tuple[int, int, int]] = []  # slot, call, node before it
    for slot, calls in enumerate(fitting):
        # Descending calls: one slot cannot extend a sequence it has itself just ended.
        for call in sorted(calls, reverse=True):
            length = bisect_left(ends, call)
            nodes.append((slot, call, tails[length - 1] if length else -1))
            if length == len(ends):
                ends.append(call)
                tails.append(len(nodes) - 1)
            else:
                ends[length] = call
                tails[length] = len(nodes) - 1
    slot_of: dict[int, int] = {}
    node = tails[-1] if tails else -1
    while node >= 0:
        slot, call, node = nodes[node]
        slot_of[call] = slot
    return slot_of
