"""Finding, for one occurrence, the nearest other occurrence before or after it that agrees with it.

Occurrences with a binding key are looked up; only the others (utterances, values that are objects) are compared one by
one, so that long traces stay linear.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from judgemesh.validators.sop.activities import Occurrence, agree, binding_key


class Partners:
    """The occurrences of one activity as partners of another one's. `same` are the arguments they must agree in."""

    def __init__(self, found: Sequence[Occurrence], same: Sequence[str]) -> None:
        self._same = same
        self._all = _Row(found)
        self._keyed: dict[object, _Row] = {}
        self._unkeyed = _Row(())
        if same:
            keyed: dict[object, list[Occurrence]] = {}
            unkeyed: list[Occurrence] = []
            for one in found:
                key = binding_key(one.step, same)
                (unkeyed if key is None else keyed.setdefault(key, [])).append(one)
            self._keyed = {key: _Row(group) for key, group in keyed.items()}
            self._unkeyed = _Row(unkeyed)

    def after(self, one: Occurrence) -> Occurrence | None:
        """The first that agrees and stands after `one`."""
        return min(self._nearest(one, later=True), key=_position, default=None)

    def before(self, one: Occurrence) -> Occurrence | None:
        """The last that agrees and stands before `one`."""
        return max(self._nearest(one, later=False), key=_position, default=None)

    def at(self, one: Occurrence) -> Occurrence | None:
        """The same step, where it is an occurrence of this activity too."""
        found = self._all.at(one.position)
        return (
            found
            if found is not None and agree(found.step, one.step, self._same)
            else None
        )

    def _nearest(self, one: Occurrence, *, later: bool) -> Iterator[Occurrence]:
        """At most one candidate of each row."""
        if not self._same:
            found = next(self._all.away_from(one.position, later=later), None)
            rows: tuple[_Row, ...] = ()
        else:
            key = binding_key(one.step, self._same)
            row = None if key is None else self._keyed.get(key)
            found = (
                None
                if row is None
                else next(row.away_from(one.position, later=later), None)
            )
            rows = (self._all,) if key is None else (self._unkeyed,)
        if found is not None:
            yield found
        for other in rows:
            agreeing = (
                candidate
                for candidate in other.away_from(one.position, later=later)
                if agree(candidate.step, one.step, self._same)
            )
            found = next(agreeing, None)
            if found is not None:
                yield found


class _Row:
    """Occurrences in the order of the trace."""

    __slots__ = ("_found", "_positions")

    def __init__(self, found: Sequence[Occurrence]) -> None:
        self._found = found
        self._positions = [one.position for one in found]

    def at(self, position: int) -> Occurrence | None:
        index = bisect_left(self._positions, position)
        return (
            self._found[index]
            if index < len(self._found) and self._positions[index] == position
            else None
        )

    def away_from(self, position: int, *, later: bool) -> Iterator[Occurrence]:
        """Those on that side of the position, the nearest first."""
        if later:
            indexes = range(bisect_right(self._positions, position), len(self._found))
        else:
            indexes = range(bisect_left(self._positions, position) - 1, -1, -1)
        return (self._found[index] for index in indexes)


def _position(one: Occurrence) -> int:
    return one.position
