"""Expectations with wildcards in their path: the changed paths that fit, and which one each expectation means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.assignment import assign
from judgemesh.validators._shared.regex import Pattern, compiled
from judgemesh.validators._shared.state.changes import Actual, LeafChange, pieces_of
from judgemesh.validators._shared.state.globs import expression, spelled
from judgemesh.validators._shared.values import Path
from judgemesh.validators.state.expectations import CompiledState, Expectation
from judgemesh.validators.state.outcomes import Met, outcome_of

_MAX_PATHS: Final = 10_000


def has_wildcard(path: Path) -> bool:
    """Whether the path has a wildcard, so that it may mean several paths."""
    return any("*" in part for part in path)


def bind_wildcards(state: CompiledState, actual: Actual) -> CompiledState:
    """Give each expectation with wildcards a path of its own.

    Paths at which the expectation holds are assigned first, as many as possible; then paths at which something else
    changed. An expectation without such a path keeps its wildcards.
    """
    fixed: list[Expectation] = []
    unbound: list[Expectation] = []
    for expectation in state.expected:
        group = unbound if has_wildcard(expectation.path) else fixed
        group.append(expectation)
    fixed_paths = {expectation.path for expectation in fixed}
    candidates = _Candidates()
    for expectation in unbound:
        candidates.add(expectation, fixed_paths, state, actual)
    bound = candidates.assigned()
    for slot, expectation in enumerate(unbound):
        path = bound.get(slot, expectation.path)
        fixed.append(replace(expectation, path=path))
    paths = frozenset(expectation.path for expectation in fixed)
    return replace(
        state, expected=tuple(fixed), sorted_paths=tuple(sorted(paths)), paths=paths
    )


class _Candidates:
    """The paths that each expectation (a slot) may mean, as numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Path, int] = {}
        self._met: list[list[int]] = []
        self._changed: list[list[int]] = []

    def add(
        self,
        expectation: Expectation,
        fixed_paths: Collection[Path],
        state: CompiledState,
        actual: Actual,
    ) -> None:
        """Add a slot with its paths: those at which the expectation holds, and those at which something changed."""
        met: list[int] = []
        changed: list[int] = []
        for path in fitting_paths(expectation.path, actual):
            if path in fixed_paths:
                continue
            number = self._numbers.setdefault(path, len(self._numbers))
            outcome = outcome_of(replace(expectation, path=path), state, actual)
            if outcome.met is Met.MET:
                met.append(number)
            else:
                changed.append(number)
        self._met.append(met)
        self._changed.append(changed)

    def assigned(self) -> dict[int, Path]:
        """Slot -> path, each path once."""
        paths = list(self._numbers)
        slot_of = assign(self._met, [1] * len(self._met))
        capacity = [1] * len(self._met)
        for slot in slot_of.values():
            capacity[slot] = 0
        rest = [_without(numbers, slot_of) for numbers in self._changed]
        slot_of |= assign(rest, capacity)
        return {slot: paths[number] for number, slot in slot_of.items()}


def _without(numbers: Sequence[int], assigned: Collection[int]) -> list[int]:
    return [number for number in numbers if number not in assigned]


def fitting_paths(pattern: Path, actual: Actual) -> list[Path]:
    """The paths that fit the pattern and at or inside which something changed, in the order of the changes.

    At most 10,000.
    """
    fits = _compiled(pattern)
    checked: set[Path] = set()
    fitting: list[Path] = []
    for change in actual.changes:
        for path in _changed_paths(change, actual):
            for length in range(1, len(path) + 1):
                prefix = path[:length]
                if prefix in checked:
                    continue
                checked.add(prefix)
                if fits.search(spelled(prefix)) is not None:
                    fitting.append(prefix)
        if len(fitting) > _MAX_PATHS:
            break
    return fitting[:_MAX_PATHS]


def _changed_paths(change: LeafChange, actual: Actual) -> Iterable[Path]:
    """The change and whatever changed inside it."""
    pieces = pieces_of(change, actual)
    return [change.path, *(piece.path for piece in pieces or ())]


@lru_cache(maxsize=1024)
def _compiled(pattern: Path) -> Pattern:
    return compiled(expression(pattern) + "$")
