"""The changes of state that a run made, put in order: one for each path, looked up from above, below and beside."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from judgemesh.contracts.results import StateChange, StateEvidence
from judgemesh.validators._shared.globs import segments
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    as_mapping,
    as_sequence,
    dig,
    json_equal,
    leaves,
    shape,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change that happened: ABSENT where nothing stood or stands, UNKNOWN where the diff is silent."""

    path: Path
    before: object
    after: object


class Actual:
    """The changes that happened, by path."""

    def __init__(
        self, changes: Iterable[StateChange], evidence: StateEvidence | None
    ) -> None:
        self.by_path: dict[Path, Change] = {}
        self._evidence = evidence
        for raw, change in _merged(changes).items():
            if (
                change.before is not UNKNOWN
                and change.after is not UNKNOWN
                and json_equal(change.before, change.after)
            ):
                continue
            path = change.path
            if path in self.by_path:
                # Two pointers that differ only in escaping a slash: keep the second apart, under its exact segments.
                path = tuple(
                    part.replace("~1", "/").replace("~0", "~")
                    for part in raw.split("/")[1:]
                )
            self.by_path[path] = change

    @cached_property
    def _sorted(self) -> list[Path]:
        return sorted(self.by_path)

    @property
    def changes(self) -> Iterable[Change]:
        """Every change, each path once."""
        return self.by_path.values()

    def below(self, path: Path) -> list[Change]:
        """The changes strictly inside `path`."""
        found: list[Change] = []
        for index in range(bisect_left(self._sorted, path), len(self._sorted)):
            inner = self._sorted[index]
            if inner[: len(path)] != path:
                break
            if inner != path:
                found.append(self.by_path[inner])
        return found

    def around(self, path: Path) -> Change | None:
        """The nearest change of an object that contains `path`."""
        for length in range(len(path) - 1, -1, -1):
            change = self.by_path.get(path[:length])
            if change is not None:
                return change
        return None

    def document(self, path: Path, *, after: bool) -> object:
        """The value at `path` in the document before or after the run; UNKNOWN unless the result holds it."""
        evidence = self._evidence
        name = "after" if after else "before"
        if (
            evidence is None
            or evidence.diff is not None
            or name not in evidence.model_fields_set
        ):
            return UNKNOWN
        return dig(evidence.after if after else evidence.before, path)


def _merged(changes: Iterable[StateChange]) -> dict[str, Change]:
    """One change for each pointer: from the first `before` to the last `after`."""
    merged: dict[str, Change] = {}
    for change in changes:
        given = change.model_fields_set
        before = (
            ABSENT
            if change.op == "add"
            else change.before
            if "before" in given
            else UNKNOWN
        )
        after = (
            ABSENT
            if change.op == "remove"
            else change.after
            if "after" in given
            else UNKNOWN
        )
        earlier = merged.get(change.path)
        merged[change.path] = Change(
            segments(change.path), before if earlier is None else earlier.before, after
        )
    return merged


def is_container(value: object) -> bool:
    """Whether the value is an object or an array."""
    return as_mapping(value) is not None or as_sequence(value) is not None


def pieces_of(change: Change, actual: Actual) -> list[Change] | None:
    """The change leaf by leaf; None where the diff does not show the object before or after."""
    before, after = change.before, change.after
    if before is UNKNOWN:
        before = actual.document(change.path, after=False)
    if after is UNKNOWN:
        after = actual.document(change.path, after=True)
    inner = is_container(before) or is_container(after)
    if before is UNKNOWN or after is UNKNOWN:
        return None if inner else [change]
    if not inner:
        return [change]
    old, new = dict(leaves(before, change.path)), dict(leaves(after, change.path))
    was, now = shape(before, change.path), shape(after, change.path)
    pieces = [
        Change(at, old.get(at, ABSENT), new.get(at, ABSENT))
        for at in dict.fromkeys((*old, *new))
        if (at not in old or at not in new or not json_equal(old[at], new[at]))
        and not (filled(old.get(at), now.get(at)) or filled(new.get(at), was.get(at)))
    ]
    # An object that became an array of the same leaves, or the other way round.
    return pieces + [
        Change(at, UNKNOWN, UNKNOWN)
        for at, array in was.items()
        if now.get(at, array) is not array
    ]


def filled(leaf: object, array: bool | None) -> bool:  # noqa: FBT001
    """Whether an empty container on one side only holds something on the other (an array or not): its items tell."""
    return array is not None and leaf == ([] if array else {})
