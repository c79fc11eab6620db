"""The whole comparison: an outcome for each expectation, and the changes that nobody asked for. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.validators._shared.state.changes import Actual, LeafChange, pieces_of
from judgemesh.validators._shared.values import Path
from judgemesh.validators.state.expectations import CompiledState
from judgemesh.validators.state.outcomes import ChangeOutcome, Met, outcome_of
from judgemesh.validators.state.wildcards import bind_wildcards, has_wildcard

_DERIVED: Final = frozenset({"size", "sha256", "md5", "document", "mtime"})
"""Keys of a file's entry that change with its text."""


@dataclass(slots=True)
class StateComparison:
    """Outcomes, changes that nobody asked for, forbidden changes, and paths whose value before is not known."""

    outcomes: list[ChangeOutcome] = field(default_factory=list[ChangeOutcome])
    side_effects: list[LeafChange] = field(default_factory=list[LeafChange])
    forbidden: list[LeafChange] = field(default_factory=list[LeafChange])
    unseen: list[Path] = field(default_factory=list[Path])

    def outcomes_that_are(self, *values: Met) -> list[ChangeOutcome]:
        """The outcomes that came true this far."""
        return [outcome for outcome in self.outcomes if outcome.met in values]


def compare(state: CompiledState, actual: Actual) -> StateComparison:
    """Compare the changes that happened with those expected, and find the ones that nobody asked for."""
    if any(has_wildcard(path) for path in state.paths):
        state = bind_wildcards(state, actual)
    comparison = StateComparison()
    for expectation in state.expected:
        comparison.outcomes.append(outcome_of(expectation, state, actual))
    for change in actual.changes:
        if not _belongs(change.path, state.paths):
            _classify(change, state, actual, comparison)
    return comparison


def _classify(
    change: LeafChange,
    state: CompiledState,
    actual: Actual,
    comparison: StateComparison,
) -> None:
    """Sort a change that no expectation covers as a whole into side effects and forbidden changes."""
    path = change.path
    holds_expected = _holds_expected(path, state.sorted_paths)
    if not holds_expected and state.forbidden.empty:
        # The whole change can be decided at once.
        if state.ignored.covers(path) or state.allowed.covers(path):
            return
        if state.ignored.empty and state.allowed.empty:
            comparison.side_effects.append(change)
            return
    pieces = pieces_of(change, actual)
    if pieces is None:
        if holds_expected:
            comparison.unseen.append(path)
            return
        pieces = [change]
    for piece in pieces:
        if holds_expected and _belongs(piece.path, state.paths):
            continue
        if state.forbidden.covers(piece.path):
            comparison.forbidden.append(piece)
        elif state.ignored.covers(piece.path) or state.allowed.covers(piece.path):
            continue
        else:
            comparison.side_effects.append(piece)


def _is_inside(path: Path, expected: Collection[Path]) -> bool:
    """Whether the path or an object that contains it is expected to change."""
    if path in expected:
        return True
    return any(path[:length] in expected for length in range(len(path)))


def _belongs(path: Path, expected: Collection[Path]) -> bool:
    """Whether the path is expected to change, or follows from one that is."""
    return _is_inside(path, expected) or _follows_from_text(path, expected)


def _follows_from_text(path: Path, expected: Collection[Path]) -> bool:
    """Whether the path is the size or hash of a file whose text is expected to change."""
    for index in range(len(path) - 1, 0, -1):
        if path[index] in _DERIVED:
            holder = path[:index]
            return any((*holder, key) in expected for key in ("text", "content"))
    return False


def _holds_expected(path: Path, sorted_paths: Sequence[Path]) -> bool:
    """Whether an expected path lies inside the path."""
    index = bisect_left(sorted_paths, path)
    return index < len(sorted_paths) and sorted_paths[index][: len(path)] == path
