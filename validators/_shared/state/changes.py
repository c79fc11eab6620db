"""The changes of state that a run made: one for each path, found by their path, inside another path or around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from judgemesh.contracts.result_parts.changes import StateChange, StateEvidence
from judgemesh.validators._shared.state.globs import segments
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    dig,
    flatten,
    is_container,
    json_equal,
    pointer_segments,
)


@dataclass(frozen=True, slots=True)
class LeafChange:
    """One change that happened: ABSENT where there is no value, UNKNOWN where the diff does not show it."""

    path: Path
    before: object
    after: object

    @property
    def is_void(self) -> bool:
        """Whether it left the value as it was."""
        if self.before is UNKNOWN or self.after is UNKNOWN:
            return False
        return json_equal(self.before, self.after)


class Actual:
    """The changes that happened, by path."""

    def __init__(
        self, changes: Iterable[StateChange], evidence: StateEvidence | None
    ) -> None:
        self.by_path: dict[Path, LeafChange] = {}
        self._evidence = evidence
        for pointer, change in _merged(changes).items():
            if change.is_void:
                continue
            path = change.path
            if path in self.by_path:
                # Two pointers that differ only in escaping a slash: keep the second apart, under its exact segments.
                path = pointer_segments(pointer)
            self.by_path[path] = change

    @cached_property
    def _sorted(self) -> list[Path]:
        return sorted(self.by_path)

    @property
    def changes(self) -> Iterable[LeafChange]:
        """Every change, each path once."""
        return self.by_path.values()

    def below(self, path: Path) -> list[LeafChange]:
        """The changes strictly inside `path`."""
        below: list[LeafChange] = []
        for index in range(bisect_left(self._sorted, path), len(self._sorted)):
            inner = self._sorted[index]
            if inner[: len(path)] != path:
                break
            if inner != path:
                below.append(self.by_path[inner])
        return below

    def around(self, path: Path) -> LeafChange | None:
        """The nearest change of an object that contains `path`."""
        for length in range(len(path) - 1, -1, -1):
            change = self.by_path.get(path[:length])
            if change is not None:
                return change
        return None

    def document(self, path: Path, *, after: bool) -> object:
        """The value at `path` in the document before or after the run; UNKNOWN unless the result holds it."""
        evidence = self._evidence
        if evidence is None or evidence.diff is not None:
            return UNKNOWN
        name = "after" if after else "before"
        if name not in evidence.model_fields_set:
            return UNKNOWN
        return dig(evidence.after if after else evidence.before, path)


def _merged(changes: Iterable[StateChange]) -> dict[str, LeafChange]:
    """One change for each pointer: from the first `before` to the last `after`."""
    merged: dict[str, LeafChange] = {}
    for change in changes:
        named = change.model_fields_set
        before = change.before if "before" in named else UNKNOWN
        after = change.after if "after" in named else UNKNOWN
        if change.op == "add":
            before = ABSENT
        if change.op == "remove":
            after = ABSENT
        if change.path in merged:
            before = merged[change.path].before
        merged[change.path] = LeafChange(segments(change.path), before, after)
    return merged


def pieces_of(change: LeafChange, actual: Actual) -> list[LeafChange] | None:
    """The change leaf by leaf; None where the diff does not show the object before or after."""
    before, after = change.before, change.after
    if before is UNKNOWN:
        before = actual.document(change.path, after=False)
    if after is UNKNOWN:
        after = actual.document(change.path, after=True)
    if not is_container(before) and not is_container(after):
        return [change]
    if before is UNKNOWN or after is UNKNOWN:
        return None
    return _pieces_inside(change.path, before, after)


def _pieces_inside(path: Path, before: object, after: object) -> list[LeafChange]:
    old, new = flatten(before, path), flatten(after, path)
    pieces: list[LeafChange] = []
    for leaf_path in old.leaves | new.leaves:
        piece = LeafChange(
            leaf_path,
            old.leaves.get(leaf_path, ABSENT),
            new.leaves.get(leaf_path, ABSENT),
        )
        if piece.is_void:
            continue
        if filled(piece.before, new.containers.get(leaf_path)):
            continue
        if filled(piece.after, old.containers.get(leaf_path)):
            continue
        pieces.append(piece)
    for container_path, is_array in old.containers.items():
        # An object became an array of the same leaves, or an array became an object.
        if new.containers.get(container_path, is_array) is not is_array:
            pieces.append(LeafChange(container_path, UNKNOWN, UNKNOWN))
    return pieces


def filled(leaf: object, is_array: bool | None) -> bool:  # noqa: FBT001 (the type of the other side: array, object, none)
    """Whether an empty container on one side only holds something on the other: then its items tell the change.

    Args:
        leaf: the empty container.
        is_array: the other side at this path: an array, an object, or (None) no container with items.
    """
    return is_array is not None and leaf == ([] if is_array else {})
