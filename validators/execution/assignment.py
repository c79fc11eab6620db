"""Assigning records to expectations: as many as possible, each record once."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def assign(fits: Sequence[Sequence[int]], capacity: Sequence[int]) -> dict[int, int]:
    """A largest assignment of items to slots.

    Args:
        fits: for each slot, the items that fit it, best first.
        capacity: how many items each slot takes.

    Returns:
        item -> slot.
    """
    owner: dict[int, int] = {}
    left = list(capacity)
    for slot, items in enumerate(fits):
        for item in items:
            if left[slot] <= 0:
                break
            if item not in owner:
                owner[item] = slot
                left[slot] -= 1
    for slot, count in enumerate(left):
        for _ in range(count):
            if not _augment(slot, fits, owner):
                break
    return owner


def _augment(start: int, fits: Sequence[Sequence[int]], owner: dict[int, int]) -> bool:
    """Make room for one more item in `start` by moving items between slots (breadth first, each slot visited once)."""
    queue = deque([start])
    # slot -> the item it would give up, and the slot that would take it
    came_by: dict[int, tuple[int, int] | None] = {start: None}
    while queue:
        slot = queue.popleft()
        for item in fits[slot]:
            holder = owner.get(item)
            if holder is None:
                _shift(item, slot, came_by, owner)
                return True
            if holder not in came_by:
                came_by[holder] = (item, slot)
                queue.append(holder)
    return False


def _shift(
    item: int,
    slot: int,
    came_by: dict[int, tuple[int, int] | None],
    owner: dict[int, int],
) -> None:
    owner[item] = slot
    step = came_by[slot]
    while step is not None:
        given, taker = step
        owner[given] = taker
        step = came_by[taker]
