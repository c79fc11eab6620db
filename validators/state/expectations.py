"""State changes that happened against state changes that were expected. Pure; `state` turns the outcome into verdicts.

The two sides may speak at different levels: `add /a {"x": 1}` equals `add /a/x 1`, and the replacement of a whole list
equals the changes of its elements. Changes at the same path are compared as they are; else the nearest containing
change is looked into, or the changes below are put together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from judgemesh.contracts.effects import ExpectedChange, StateSpec
from judgemesh.validators._shared.changes import (
    Actual,
    Change,
    filled,
    is_container,
    pieces_of,
)
from judgemesh.validators._shared.globs import Globs, globs_of, segments
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    dig,
    json_equal,
    leaves,
    shape,
    show,
)
from judgemesh.validators.execution.assignment import assign
from judgemesh.validators.state.patching import patched
from judgemesh.validators.state.wildcards import has_wildcard, places


@dataclass(frozen=True, slots=True)
class Expectation:
    """One change that should have happened."""

    path: Path
    spec: ExpectedChange
    before: object
    after: object

    @property
    def idle(self) -> bool:
        """Whether it expects nothing to change."""
        return (
            self.spec.match is None
            and self.before is not UNKNOWN
            and self.after is not UNKNOWN
            and json_equal(self.before, self.after)
        )


class Met(Enum):
    """How far an expectation came true."""

    MET = "met"
    WRONG = "wrong value"
    MISSING = "no change"
    UNSEEN = "not shown by the diff"


@dataclass(frozen=True, slots=True)
class Outcome:
    """An expectation with what became of it."""

    expectation: Expectation
    met: Met
    found: object = ABSENT

    def words(self) -> str:
        """One phrase for people."""
        expected = self.expectation
        if expected.spec.op == "remove":
            wanted = "its removal"
        elif expected.after is not UNKNOWN:
            wanted = show(expected.after, 60)
        else:
            wanted = (
                "a change"
                if expected.spec.match is None
                else describe(expected.spec.match)
            )
        found = f", found {show(self.found, 60)}" if self.met is Met.WRONG else ""
        return f"{expected.spec.path or 'the document'}: {self.met.value}: expected {wanted}{found}"


@dataclass(slots=True)
class Comparison:
    """The whole comparison."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    side_effects: list[Change] = field(default_factory=list[Change])
    forbidden: list[Change] = field(default_factory=list[Change])
    unseen: list[Path] = field(default_factory=list[Path])


@dataclass(frozen=True, slots=True)
class CompiledState:
    """A contract's state section, compiled."""

    expected: tuple[Expectation, ...]
    sorted_paths: tuple[Path, ...]
    paths: frozenset[Path]
    allowed: Globs
    ignored: Globs
    forbidden: Globs


def _compile(spec: StateSpec) -> CompiledState:
    expected = tuple(
        expectation
        for change in spec.expected
        if not (expectation := _expectation(change)).idle
    )
    paths = frozenset(expectation.path for expectation in expected)
    # A document that the contract names may come to be; whether it is any good, `documents` says.
    allowed = [*spec.allowed, *(document.path for document in spec.documents)]
    globs = (
        globs_of(tuple(patterns))
        for patterns in (allowed, spec.ignored, spec.forbidden)
    )
    return CompiledState(expected, tuple(sorted(paths)), paths, *globs)


def _expectation(change: ExpectedChange) -> Expectation:
    given = change.model_fields_set
    before = change.before if "before" in given else UNKNOWN
    after = change.after if "after" in given else UNKNOWN
    if change.op == "remove":
        after = ABSENT
    if change.op == "add":
        before = ABSENT
    return Expectation(segments(change.path), change, before, after)


compiled_state: ByIdentity[StateSpec, CompiledState] = ByIdentity(_compile)
"""The compiled section. Raises ValueError for a glob that cannot be compiled."""


def compare(state: CompiledState, actual: Actual) -> Comparison:
    """Hold what happened against what was expected, and find what nobody asked for."""
    if any(has_wildcard(path) for path in state.paths):
        state = _bound(state, actual)
    result = Comparison(
        outcomes=[
            _outcome(expectation, state, actual) for expectation in state.expected
        ]
    )
    for change in actual.changes:
        _unexpected(change, state, actual, result)
    return result


def _bound(state: CompiledState, actual: Actual) -> CompiledState:
    """Each expectation with wildcards at a place of its own, where what it expects happened, or at least something."""
    open_ones = [one for one in state.expected if has_wildcard(one.path)]
    expected = [one for one in state.expected if not has_wildcard(one.path)]
    taken = {one.path for one in expected}
    found = {
        id(one): [place for place in places(one.path, actual) if place not in taken]
        for one in open_ones
    }
    every = list(dict.fromkeys(place for some in found.values() for place in some))
    number = {place: index for index, place in enumerate(every)}

    def ranked(one: Expectation) -> tuple[list[int], list[int]]:
        met: list[int] = []
        changed: list[int] = []
        for place in found[id(one)]:
            holds = _outcome(replace(one, path=place), state, actual).met is Met.MET
            (met if holds else changed).append(number[place])
        return met, changed

    ranks = [ranked(one) for one in open_ones]
    owner = assign([met for met, _ in ranks], [1] * len(ranks))
    held = {slot: item for item, slot in owner.items()}
    left = [slot for slot in range(len(ranks)) if slot not in held]
    rest = assign(
        [[item for item in ranks[slot][1] if item not in owner] for slot in left],
        [1] * len(left),
    )
    held |= {left[index]: item for item, index in rest.items()}
    expected += [
        replace(one, path=every[held[slot]]) if slot in held else one
        for slot, one in enumerate(open_ones)
    ]
    paths = frozenset(one.path for one in expected)
    return replace(
        state, expected=tuple(expected), sorted_paths=tuple(sorted(paths)), paths=paths
    )


def _outcome(expectation: Expectation, state: CompiledState, actual: Actual) -> Outcome:
    change = actual.by_path.get(expectation.path)
    if change is None:
        around = actual.around(expectation.path)
        if around is not None:
            change = _inside(around, expectation.path, actual)
            if (
                change.before is not UNKNOWN
                and change.after is not UNKNOWN
                and json_equal(change.before, change.after)
            ):
                return Outcome(expectation, Met.MISSING)
    if change is None:
        below = actual.below(expectation.path)
        if not below:
            return Outcome(expectation, Met.MISSING)
        seen = _seen(expectation, below, actual)
        if isinstance(seen, Met):
            return Outcome(expectation, seen, UNKNOWN)
        change = seen
    return Outcome(expectation, _judge(expectation, change, state), change.after)


def _inside(around: Change, path: Path, actual: Actual) -> Change:
    rest = path[len(around.path) :]
    before, after = dig(around.before, rest), dig(around.after, rest)
    if before is UNKNOWN:
        before = actual.document(path, after=False)
    return Change(path, before, after)


def _seen(
    expectation: Expectation, below: list[Change], actual: Actual
) -> Change | Met:
    """The change of a whole object, put together from the changes below it; or a word where that cannot be done."""
    path = expectation.path
    before, after = (
        actual.document(path, after=False),
        actual.document(path, after=True),
    )
    if after is not UNKNOWN:
        return Change(path, before, after)
    base = expectation.before if before is UNKNOWN else before
    relative = [
        (change.path[len(path) :], change.before, change.after) for change in below
    ]
    if base is not UNKNOWN and base is not ABSENT:
        return Change(path, before, patched(base, relative))
    if expectation.after is UNKNOWN and expectation.spec.match is None:
        return Change(path, before, UNKNOWN)
    return _by_leaves(expectation, relative)


def _by_leaves(
    expectation: Expectation, relative: list[tuple[Path, object, object]]
) -> Met:
    """Without the object before, only the leaves that the diff shows can be held against the expected ones."""
    if expectation.after is UNKNOWN:
        return Met.UNSEEN
    wanted = dict(leaves(expectation.after))
    shown: dict[Path, object] = {}
    for path, _, after in relative:
        if after is UNKNOWN:
            return Met.UNSEEN
        if after is ABSENT and any(leaf[: len(path)] == path for leaf in wanted):
            return Met.WRONG
        shown.update(leaves(after, path))
    match = expectation.spec.match
    strict = match is not None and match.strict
    if any(
        path not in wanted or not json_equal(wanted[path], value, strict=strict)
        for path, value in shown.items()
    ):
        return Met.WRONG
    return Met.MET if shown.keys() == wanted.keys() else Met.UNSEEN


def _judge(expectation: Expectation, change: Change, state: CompiledState) -> Met:
    """Hold a known change against the expectation."""
    if not _start_fits(expectation, change, state):
        return Met.WRONG
    op, after = expectation.spec.op, change.after
    if op == "remove":
        return _word(after is ABSENT, after)
    if op is not None and after is ABSENT:
        return Met.WRONG
    if expectation.after is not UNKNOWN:
        equal = after is not UNKNOWN and _equal(
            expectation.after, after, expectation.path, state.ignored
        )
        if not equal:
            return _word(False, after)  # noqa: FBT003
    if expectation.spec.match is not None:
        return _word(
            after is not UNKNOWN and matches(expectation.spec.match, after), after
        )
    return Met.MET


def _word(holds: bool, after: object) -> Met:  # noqa: FBT001
    if holds:
        return Met.MET
    return Met.UNSEEN if after is UNKNOWN else Met.WRONG


def _start_fits(expectation: Expectation, change: Change, state: CompiledState) -> bool:
    """Whether the object started as the contract says, as far as both sides say it."""
    if change.before is UNKNOWN:
        return True
    if expectation.spec.op == "add":
        return change.before is ABSENT
    if expectation.spec.op == "replace" and change.before is ABSENT:
        return False
    return expectation.before is UNKNOWN or _equal(
        expectation.before, change.before, expectation.path, state.ignored
    )


def _equal(one: object, two: object, path: Path, ignored: Globs) -> bool:
    if one is ABSENT or two is ABSENT:
        return one is two
    if json_equal(one, two):
        return True
    if ignored.empty or not (is_container(one) and is_container(two)):
        return False
    was, now = shape(one, path), shape(two, path)
    first, second = (
        {
            at: leaf
            for at, leaf in leaves(value, path)
            if not (ignored.covers(at) or filled(leaf, other.get(at)))
        }
        for value, other in ((one, now), (two, was))
    )
    return (
        first.keys() == second.keys()
        and all(json_equal(leaf, second[at]) for at, leaf in first.items())
        and all(was[at] is now[at] for at in was.keys() & now.keys())
    )


def _unexpected(
    change: Change, state: CompiledState, actual: Actual, result: Comparison
) -> None:
    """Sort what no expectation covers into side effects and forbidden changes."""
    path = change.path
    if path in state.paths or any(
        path[:length] in state.paths for length in range(len(path))
    ):
        return
    expected_inside = _holds_expected(path, state.sorted_paths)
    if (
        not expected_inside
        and state.ignored.empty
        and state.allowed.empty
        and state.forbidden.empty
    ):
        result.side_effects.append(change)
        return
    if (
        not expected_inside
        and state.forbidden.empty
        and (state.ignored.covers(path) or state.allowed.covers(path))
    ):
        return
    pieces = pieces_of(change, actual)
    if pieces is None:
        if expected_inside:
            result.unseen.append(path)
            return
        pieces = [change]
    for piece in pieces:
        if expected_inside and any(
            piece.path[:length] in state.paths
            for length in range(len(path), len(piece.path) + 1)
        ):
            continue
        if state.forbidden.covers(piece.path):
            result.forbidden.append(piece)
        elif not state.ignored.covers(piece.path) and not state.allowed.covers(
            piece.path
        ):
            result.side_effects.append(piece)


def _holds_expected(path: Path, sorted_paths: Sequence[Path]) -> bool:
    index = bisect_left(sorted_paths, path)
    return index < len(sorted_paths) and sorted_paths[index][: len(path)] == path
