"""Decisions that were reached on a later try: only the first pick of a decision counts.

A call that answers no decision was the first pick of one: of the decision that a later call of the same tool answered,
else of the decision that the next right call answered. That decision is wrong. A further wrong try of the same decision
is a call beyond the expert's. A call that repeats a right one, or that was made at once with the right one, is no try.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from judgemesh.validators.tool_selection.picks import PickedCall


class FirstPicks:
    """Which right calls of a run came after a wrong try of their decision.

    calls: of the agent, in order. right: call -> slot. same_tool, fitting: the calls of each slot.
    """

    def __init__(
        self,
        calls: Sequence[PickedCall],
        right: Mapping[int, int],
        same_tool: Sequence[Sequence[int]],
        fitting: Sequence[Sequence[int]],
    ) -> None:
        self._calls = calls
        self._right = sorted(right)
        self._of_slot: dict[int, list[int]] = {}
        for call in self._right:
            self._of_slot.setdefault(right[call], []).append(call)
        self._slots = _slots_by_call(same_tool)
        self._fits = _slots_by_call(fitting)
        self._last_of_group: dict[int, int] = {}
        for index, picked in enumerate(calls):
            if picked.together is not None:
                self._last_of_group[picked.together] = index

    def tries(self, wrong: Sequence[int], *, ordered: bool) -> dict[int, int]:
        """The wrong call that was the first pick of a decision -> the right call that answered it later.

        Args:
            wrong: calls beyond the expert's, in order.
            ordered: whether the expert's calls come in an order.
        """
        first_picks: dict[int, int] = {}
        reached: set[int] = set()
        for call in wrong:
            if self._repeats(call, ordered=ordered):
                continue
            answer = self._answer_after(call)
            if answer is not None and answer not in reached:
                reached.add(answer)
                first_picks[call] = answer
        return first_picks

    def _repeats(self, call: int, *, ordered: bool) -> bool:
        """Whether the same decision was answered before, or (without an order) at any time."""
        slots = self._fits.get(call, ())
        if not ordered:
            return bool(slots)
        return any(self._of_slot.get(slot, (call,))[0] < call for slot in slots)

    def _answer_after(self, call: int) -> int | None:
        """The right call that a wrong one was a try for; None if nothing right followed."""
        together = self._calls[call].together
        start = call + 1
        if together is not None:
            start = self._last_of_group[together] + 1
        same: list[int] = []
        for slot in self._slots.get(call, ()):
            later = _first_from(self._of_slot.get(slot, ()), start)
            if later is not None:
                same.append(later)
        return min(same) if same else _first_from(self._right, start)


def _first_from(calls: Sequence[int], start: int) -> int | None:
    place = bisect_left(calls, start)
    return calls[place] if place < len(calls) else None


def _slots_by_call(calls_of_slot: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    slots: dict[int, list[int]] = {}
    for slot, calls in enumerate(calls_of_slot):
        for call in calls:
            slots.setdefault(call, []).append(slot)
    return slots
