"""One expectation against the changes that happened.

The two may be given at different levels: `add /a {"x": 1}` equals `add /a/x 1`, and the replacement of a whole list
equals the changes of its elements. Changes at the same path are compared as they are; else the value is taken out of
the nearest containing change, or put together from the changes below.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.state.changes import Actual, LeafChange, filled
from judgemesh.validators._shared.state.contents import names_file
from judgemesh.validators._shared.state.globs import Globs
from judgemesh.validators._shared.state.sameness import same_number, same_text
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Flattened,
    Path,
    dig,
    flatten,
    is_container,
    json_equal,
    show,
)
from judgemesh.validators.state.expectations import CompiledState, Expectation
from judgemesh.validators.state.patching import Relative, patched

_TEXT_KEYS: Final = (("text",), ("content",))


class Met(Enum):
    """How far an expectation came true."""

    MET = "met"
    WRONG = "wrong value"
    MISSING = "no change"
    UNSEEN = "not shown by the diff"


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """An expectation, how far it came true, the value after the run, and whether that before it is the wrong one."""

    expectation: Expectation
    met: Met
    actual: object = ABSENT
    before: object = UNKNOWN
    """The value before the run, where it is not the expected one."""

    def describe(self) -> str:
        """One phrase for people."""
        path = self.expectation.spec.path or "the document"
        if self.before is not UNKNOWN:
            expected = _describe_start(self.expectation)
            found = "nothing" if _is_nothing(self.before) else show(self.before, 60)
            return f"{path}: wrong value before the run: expected {expected}, found {found}"
        expected = _describe_expected(self.expectation)
        phrase = f"{path}: {self.met.value}: expected {expected}"
        if self.met is Met.WRONG:
            phrase += f", found {show(self.actual, 60)}"
        return phrase


def _describe_start(expectation: Expectation) -> str:
    if expectation.spec.op == "add" or expectation.before is ABSENT:
        return "nothing"
    return "a value" if expectation.before is UNKNOWN else show(expectation.before, 60)


def _describe_expected(expectation: Expectation) -> str:
    if expectation.spec.op == "remove":
        return "its removal"
    if expectation.after is not UNKNOWN:
        return show(expectation.after, 60)
    if expectation.spec.match is not None:
        return describe(expectation.spec.match)
    return "a change"


def outcome_of(
    expectation: Expectation, state: CompiledState, actual: Actual
) -> ChangeOutcome:
    """How far the expectation came true."""
    change = actual.by_path.get(expectation.path)
    if change is None:
        around = actual.around(expectation.path)
        if around is not None:
            change = _inside(around, expectation.path, actual)
            if _is_unchanged(change):
                return ChangeOutcome(expectation, Met.MISSING)
    if change is None:
        below = actual.below(expectation.path)
        if not below:
            return ChangeOutcome(expectation, Met.MISSING)
        combined = _combined(expectation, below, actual)
        if isinstance(combined, Met):
            return ChangeOutcome(expectation, combined, UNKNOWN)
        change = combined
    if not _start_fits(expectation, change, state):
        return ChangeOutcome(expectation, Met.WRONG, change.after, change.before)
    met = _compare_change(expectation, change, state.ignored)
    return ChangeOutcome(expectation, met, change.after)


def _inside(around: LeafChange, path: Path, actual: Actual) -> LeafChange:
    """The change at `path`, taken out of the change of an object that contains it."""
    relative_path = path[len(around.path) :]
    before = dig(around.before, relative_path)
    after = dig(around.after, relative_path)
    if before is UNKNOWN:
        before = actual.document(path, after=False)
    return LeafChange(path, before, after)


def _is_unchanged(change: LeafChange) -> bool:
    if change.before is UNKNOWN or change.after is UNKNOWN:
        return False
    return json_equal(change.before, change.after)


def _combined(
    expectation: Expectation, below: list[LeafChange], actual: Actual
) -> LeafChange | Met:
    """The change of a whole object, put together from the changes below it; a `Met` where that cannot be done."""
    path = expectation.path
    before = actual.document(path, after=False)
    after = actual.document(path, after=True)
    if after is not UNKNOWN:
        return LeafChange(path, before, after)
    relative = [
        (change.path[len(path) :], change.before, change.after) for change in below
    ]
    base = expectation.before if before is UNKNOWN else before
    if base is not UNKNOWN and base is not ABSENT:
        return LeafChange(path, before, patched(base, relative))
    if expectation.after is UNKNOWN and expectation.spec.match is None:
        return LeafChange(path, before, UNKNOWN)
    return _compare_leaves(expectation, relative)


def _compare_leaves(expectation: Expectation, changes: list[Relative]) -> Met:
    """Compare only the leaves that the diff shows, because the object before is not known."""
    if expectation.after is UNKNOWN:
        return Met.UNSEEN
    expected = flatten(expectation.after).leaves
    shown: dict[Path, object] = {}
    for path, _, after in changes:
        if after is UNKNOWN:
            return Met.UNSEEN
        if after is ABSENT and any(leaf[: len(path)] == path for leaf in expected):
            return Met.WRONG
        shown |= flatten(after, path).leaves
    match = expectation.spec.match
    strict = match is not None and match.strict
    for path, value in shown.items():
        if path not in expected:
            return Met.WRONG
        if not json_equal(expected[path], value, strict=strict):
            return Met.WRONG
    return Met.MET if shown.keys() == expected.keys() else Met.UNSEEN


def _compare_change(
    expectation: Expectation, change: LeafChange, ignored: Globs
) -> Met:
    """Compare a known change with the expectation."""
    op = expectation.spec.op
    if op == "remove":
        return _compare_removal(change)
    if op is not None and change.after is ABSENT:
        return Met.WRONG
    return _compare_after(expectation, change.after, ignored)


def _compare_removal(change: LeafChange) -> Met:
    after = change.after
    if _is_nothing(after):
        return Met.MET
    return Met.UNSEEN if after is UNKNOWN else Met.WRONG


def _compare_after(expectation: Expectation, after: object, ignored: Globs) -> Met:
    """Compare the value after the run with the expected value and matcher, as far as they are given."""
    expected, match = expectation.after, expectation.spec.match
    if expected is UNKNOWN and match is None:
        return Met.MET
    if after is UNKNOWN:
        return Met.UNSEEN
    if expected is None and after is ABSENT:
        return Met.MET if match is None else Met.WRONG
    if expected is not UNKNOWN and not _equal(
        expected, after, expectation.path, ignored
    ):
        return Met.WRONG
    if match is not None and not matches(match, after):
        return Met.WRONG
    return Met.MET


def _start_fits(
    expectation: Expectation, change: LeafChange, state: CompiledState
) -> bool:
    """Whether the object started as the contract says, as far as contract and diff say it."""
    if change.before is UNKNOWN:
        return True
    if expectation.spec.op == "add":
        return _is_nothing(change.before)
    if expectation.spec.op == "replace" and change.before is ABSENT:
        return False
    if expectation.before is UNKNOWN:
        return True
    if _is_nothing(expectation.before):
        return _is_nothing(change.before)
    return _equal(expectation.before, change.before, expectation.path, state.ignored)


def _is_nothing(value: object) -> bool:
    """Whether there was no value: many a diff writes null for what did not exist."""
    return value is ABSENT or value is None


def _equal(left: object, right: object, path: Path, ignored: Globs) -> bool:
    """JSON equality of two values at `path`, without what the contract ignores."""
    if left is ABSENT or right is ABSENT:
        return left is right
    same = same_text if _is_text_of_file(path) else same_number
    if json_equal(left, right, same):
        return True
    if ignored.empty or not (is_container(left) and is_container(right)):
        return False
    left_parts, right_parts = flatten(left, path), flatten(right, path)
    for at in left_parts.containers.keys() & right_parts.containers.keys():
        if left_parts.containers[at] is not right_parts.containers[at]:
            return False
    left_leaves = _compared_leaves(left_parts, right_parts, ignored)
    right_leaves = _compared_leaves(right_parts, left_parts, ignored)
    if left_leaves.keys() != right_leaves.keys():
        return False
    return all(
        json_equal(leaf, right_leaves[at], same) for at, leaf in left_leaves.items()
    )


def _is_text_of_file(path: Path) -> bool:
    """Whether the path is a file or its text."""
    return names_file(path) or (path[-1:] in _TEXT_KEYS and names_file(path[:-1]))


def _compared_leaves(
    value: Flattened, other: Flattened, ignored: Globs
) -> dict[Path, object]:
    """The leaves that are not ignored, without empty containers that hold something on the other side."""
    compared: dict[Path, object] = {}
    for at, leaf in value.leaves.items():
        if ignored.covers(at) or filled(leaf, other.containers.get(at)):
            continue
        compared[at] = leaf
    return compared
