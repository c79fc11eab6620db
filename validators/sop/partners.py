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

    def __init__(self, occurrences: Sequence[Occurrence], same: Sequence[str]) -> None:
        self._same = same
        self._all = _Row(occurrences)
        self._keyed: dict[object, _Row] = {}
        self._unkeyed = _Row(())
        if same:
            self._index_keys(occurrences)

    def _index_keys(self, occurrences: Sequence[Occurrence]) -> None:
        keyed: dict[object, list[Occurrence]] = {}
        unkeyed: list[Occurrence] = []
        for occurrence in occurrences:
            key = binding_key(occurrence.step, self._same)
            group = unkeyed if key is None else keyed.setdefault(key, [])
            group.append(occurrence)
        self._keyed = {key: _Row(group) for key, group in keyed.items()}
        self._unkeyed = _Row(unkeyed)

    def after(self, step: Occurrence) -> Occurrence | None:
        """The first that agrees and comes after `step`."""
        return min(self._nearest(step, later=True), key=_position, default=None)

    def before(self, step: Occurrence) -> Occurrence | None:
        """The last that agrees and comes before `step`."""
        return max(self._nearest(step, later=False), key=_position, default=None)

    def at(self, step: Occurrence) -> Occurrence | None:
        """The same step, where it is an occurrence of this activity too and agrees with itself."""
        partner = self._all.at(step.position)
        if partner is None or not agree(partner.step, step.step, self._same):
            return None
        return partner

    def _nearest(self, step: Occurrence, *, later: bool) -> Iterator[Occurrence]:
        """At most one candidate of each row."""
        if not self._same:
            yield from self._all.nearest(step, later=later)
            return
        key = binding_key(step.step, self._same)
        if key is None:
            yield from self._all.nearest(step, later=later, same=self._same)
            return
        if key in self._keyed:
            yield from self._keyed[key].nearest(step, later=later)
        yield from self._unkeyed.nearest(step, later=later, same=self._same)


class _Row:
    """Occurrences in the order of the trace."""

    __slots__ = ("_occurrences", "_positions")

    def __init__(self, occurrences: Sequence[Occurrence]) -> None:
        self._occurrences = occurrences
        self._positions = [occurrence.position for occurrence in occurrences]

    def at(self, position: int) -> Occurrence | None:
        index = bisect_left(self._positions, position)
        if index < len(self._positions) and self._positions[index] == position:
            return self._occurrences[index]
        return None

    def nearest(
        self, step: Occurrence, *, later: bool, same: Sequence[str] = ()
    ) -> Iterator[Occurrence]:
        """The nearest occurrence on that side of the step that agrees with it in `same`; nothing when none does."""
        if later:
            start = bisect_right(self._positions, step.position)
            indexes = range(start, len(self._positions))
        else:
            end = bisect_left(self._positions, step.position)
            indexes = range(end - 1, -1, -1)
        for index in indexes:
            candidate = self._occurrences[index]
            if agree(candidate.step, step.step, same):
                yield candidate
                return


def _position(occurrence: Occurrence) -> int:
    return occurrence.position
