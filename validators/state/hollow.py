"""Objects that the run created or changed and that hold nothing readable, though the contract asked for content.

An expectation that names an empty value (`after: ""`, `one_of: [null, ...]`) asks for just that. One without a value
asks for content: so does `any: true`, and so does a pattern or a schema that an empty text happens to fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from judgemesh.contracts.sections.effects import StateSpec
from judgemesh.contracts.sections.section import Matcher
from judgemesh.validators._shared.state.changes import Actual, LeafChange
from judgemesh.validators._shared.state.contents import (
    ENTRY_KEYS,
    is_blank,
    is_entry,
    is_mark,
    may_be_empty,
    names_file,
    why_hollow,
)
from judgemesh.validators._shared.state.documents import Examined
from judgemesh.validators._shared.state.globs import globs_of, segments
from judgemesh.validators._shared.state.trails import path_of, trails
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Missing,
    Path,
    as_mapping,
    is_container,
    key_segments,
)
from judgemesh.validators.state.comparison import StateComparison
from judgemesh.validators.state.expectations import Expectation, compiled_state
from judgemesh.validators.state.outcomes import ChangeOutcome, Met

_VALUES: Final = frozenset({"equals", "one_of"})
_CONTENTS: Final = _VALUES | {"pattern", "contains", "json_schema"}
_EMPTY_PATTERNS: Final = ("^$", r"^\s*$", r"\A\z", "^()$")
_EMPTY_SCHEMA_KEYS: Final = frozenset(
    {"const", "enum", "maxItems", "maxLength", "maxProperties"}
)
_UNREADABLE: Final = ("cannot be read", "does not open", "is no ")
_LOCK: Final = "lock"


class Hollow(NamedTuple):
    """An object without content, and why."""

    path: Path
    why: str

    @property
    def is_unreadable(self) -> bool:
        """Whether there is something that cannot be read."""
        return self.why.startswith(_UNREADABLE)


def hollow_objects(
    comparison: StateComparison,
    spec: StateSpec,
    actual: Actual,
    documents: Sequence[Examined],
) -> list[Hollow]:
    """The hollow objects, each once. Documents that the contract names are left to their own check."""
    named = {document.path for document in documents}
    found: list[Hollow] = []
    around: set[Path] = set()
    for hollow in (
        *_hollow_expected(comparison, actual),
        *_hollow_files(comparison, spec, actual),
        *_hollow_rows(comparison, spec, actual),
    ):
        if hollow.path in named or hollow.path in around:
            continue
        found.append(hollow)
        around.update(hollow.path[:length] for length in range(1, len(hollow.path) + 1))
    return found


def _hollow_expected(comparison: StateComparison, actual: Actual) -> Iterator[Hollow]:
    """Expectations that came true with a value that is none."""
    for outcome in comparison.outcomes_that_are(Met.MET):
        expectation, value = outcome.expectation, outcome.actual
        if isinstance(value, Missing) or expectation.after is not UNKNOWN:
            continue
        if _was_emptied(outcome, actual):
            continue
        why = why_hollow(expectation.path, value)
        if why is None or _asks_for(expectation.spec.match, value):
            continue
        if not (is_mark(expectation.path)):
            yield Hollow(expectation.path, why)


def _was_emptied(outcome: ChangeOutcome, actual: Actual) -> bool:
    """Whether a container lost its elements, which is a change of its own."""
    if not is_container(outcome.actual) or outcome.actual:
        return False
    path = outcome.expectation.path
    change = actual.by_path.get(path)
    before = actual.document(path, after=False) if change is None else change.before
    if before is UNKNOWN:
        return bool(actual.below(path))
    return bool(before) and is_container(before)


def _asks_for(match: Matcher | None, value: object) -> bool:
    """Whether a matcher that the value fulfils asks for it, and does not just let it pass."""
    if match is None:
        return False
    given = match.model_fields_set
    if given & _VALUES:
        return True
    if not is_blank(value):
        return bool(given & _CONTENTS)
    if match.pattern is not None:
        return any(part in match.pattern for part in _EMPTY_PATTERNS)
    schema = as_mapping(match.json_schema) or {}
    if not _EMPTY_SCHEMA_KEYS.isdisjoint(schema):
        return True
    return value is None and "null" in str(schema.get("type"))


def _hollow_files(
    comparison: StateComparison, spec: StateSpec, actual: Actual
) -> Iterator[Hollow]:
    """Files that were created or changed, wherever that was expected or allowed."""
    state = compiled_state(spec)
    strays = {
        change.path for change in (*comparison.side_effects, *comparison.forbidden)
    }
    literal = globs_of(
        tuple(glob for glob in spec.allowed if "*" not in segments(glob)[-1:])
    )
    expected = [outcome.expectation for outcome in comparison.outcomes]
    for change in actual.changes:
        if (
            change.after is ABSENT
            or change.path in strays
            or state.ignored.covers(change.path)
        ):
            continue
        for path, value in _files_of(change, actual):
            if state.ignored.covers(path) or path in strays:
                continue
            created = change.before is ABSENT and len(path) >= len(change.path)
            is_expected = any(_concerns(expectation, path) for expectation in expected)
            if not (created or is_expected or literal.covers(path)):
                continue
            if is_mark(path) or (not is_expected and may_be_empty(path)):
                continue
            why = why_hollow(path, value)
            if why is not None and not any(
                _gives_content(expectation, path) for expectation in expected
            ):
                yield Hollow(path, why)


def _files_of(change: LeafChange, actual: Actual) -> Iterator[tuple[Path, object]]:
    """The files in a change, or the file that it is a part of, with what is known of them after the run."""
    parts = change.path
    for index in range(len(parts) - 1, 0, -1):
        if parts[index] in ENTRY_KEYS:
            holder = parts[:index]
            value = actual.document(holder, after=True)
            if value is UNKNOWN:
                value = _entry_of(holder, actual)
            if is_entry(holder, value) or names_file(holder):
                yield holder, value
    after = change.after
    if is_entry(parts, after) or _is_text_of(parts, after):
        yield parts, after
    elif is_container(after):
        for trail, value in trails(after):
            name = key_segments(trail.key)[-1:]
            if is_entry(name, value) or _is_text_of(name, value):
                yield (*parts, *path_of(trail)), value


def _is_text_of(path: Path, value: object) -> bool:
    """Whether the value is all that is known of a file: its text, or null."""
    return names_file(path) and (value is None or isinstance(value, str))


def _entry_of(path: Path, actual: Actual) -> dict[str, object]:
    """What the changes below a file say of it."""
    entry: dict[str, object] = {}
    for change in actual.below(path):
        if len(change.path) == len(path) + 1 and not isinstance(change.after, Missing):
            entry[change.path[-1]] = change.after
    return entry


def _concerns(expectation: Expectation, path: Path) -> bool:
    """Whether an expectation is about the object at a path, a part of it, or something around it."""
    other = expectation.path
    length = min(len(other), len(path))
    return other[:length] == path[:length]


def _gives_content(expectation: Expectation, path: Path) -> bool:
    """Whether the contract itself says what the file holds."""
    other = expectation.path
    if other[: len(path)] == path:
        part = other[len(path) :]
        return expectation.after is not UNKNOWN and part in (
            (),
            ("size",),
            ("text",),
            ("content",),
            ("sha256",),
        )
    return expectation.after is not UNKNOWN and other == path[: len(other)]


def _hollow_rows(
    comparison: StateComparison, spec: StateSpec, actual: Actual
) -> Iterator[Hollow]:
    """Objects that the run created where the contract allows it, and that have no field with a value."""
    state = compiled_state(spec)
    expected = [outcome.expectation for outcome in comparison.outcomes]
    for change in actual.changes:
        path = change.path
        if change.before is not ABSENT or as_mapping(change.after) is None:
            continue
        if not is_blank(change.after) or any(_concerns(one, path) for one in expected):
            continue
        is_lock = any(_LOCK in part.casefold() for part in path)
        if (
            state.allowed.covers(path)
            and not state.ignored.covers(path)
            and not is_lock
        ):
            yield Hollow(path, "is empty")
