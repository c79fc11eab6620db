"""Assigning items to slots that they fit: as many as possible, each item once."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def assign(fits: Sequence[Sequence[int]], capacity: Sequence[int]) -> dict[int, int]:
    """A largest assignment of items to slots (a maximum bipartite matching by augmenting paths).

    Args:
        fits: for each slot, the items that fit it, best first.
        capacity: how many items each slot takes.

    Returns:
        item -> slot.
    """
    slot_of: dict[int, int] = {}
    free = list(capacity)
    for slot, items in enumerate(fits):
        for item in items:
            if free[slot] <= 0:
                break
            if item not in slot_of:
                slot_of[item] = slot
                free[slot] -= 1
    for slot, count in enumerate(free):
        for _ in range(count):
            if not _augment(slot, fits, slot_of):
                break
    return slot_of


def _augment(
    start: int, fits: Sequence[Sequence[int]], slot_of: dict[int, int]
) -> bool:
    """Make room for one more item in `start` by moving items between slots (breadth first, each slot visited once)."""
    queue = deque([start])
    # slot -> the item it would give up, and the slot that would take it
    moves: dict[int, tuple[int, int] | None] = {start: None}
    while queue:
        slot = queue.popleft()
        for item in fits[slot]:
            holder = slot_of.get(item)
            if holder is None:
                _shift(item, slot, moves, slot_of)
                return True
            if holder not in moves:
                moves[holder] = (item, slot)
                queue.append(holder)
    return False


def _shift(
    item: int,
    slot: int,
    moves: dict[int, tuple[int, int] | None],
    slot_of: dict[int, int],
) -> None:
    """Give `item` to `slot`, then carry out the moves that lead from `slot` back to the start."""
    slot_of[item] = slot
    move = moves[slot]
    while move is not None:
        released, taker = move
        slot_of[released] = taker
        move = moves[taker]
