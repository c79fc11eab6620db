"""What a snapshot says about a document, compared with what the contract asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.effects import DocumentSpec
from judgemesh.validators._shared.changes import Actual
from judgemesh.validators._shared.globs import globs_of, pointer, segments
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    as_mapping,
    as_sequence,
    show,
)

_MISSING = FailureCode.MISSING_REQUIRED_OUTPUT
_EMPTY = FailureCode.EMPTY_OR_INVALID_OUTPUT
_MALFORMED = FailureCode.OUTPUT_FORMAT_INVALID


@dataclass(frozen=True, slots=True)
class DocumentCheck:
    """One requirement on a document. `met` is None where that is unknown; `why` says what is wrong or not known."""

    part: str
    met: bool | None
    code: FailureCode
    why: str


@dataclass(slots=True)
class Examined:
    """A document with its checks: of its content (`usable`) and of its format and structure (`formed`)."""

    path: Path
    spec: DocumentSpec
    usable: list[DocumentCheck] = field(default_factory=list[DocumentCheck])
    formed: list[DocumentCheck] = field(default_factory=list[DocumentCheck])

    @property
    def checks(self) -> list[DocumentCheck]:
        """All checks."""
        return [*self.usable, *self.formed]


def examine(specs: Sequence[DocumentSpec], actual: Actual) -> list[Examined]:
    """Hold the documents after the run against what is asked of them: at least one entry for each spec."""
    examined: list[Examined] = []
    for spec in specs:
        examined += _examine(spec, actual)
    return examined


def _examine(spec: DocumentSpec, actual: Actual) -> list[Examined]:
    glob = segments(spec.path)
    document = actual.document((), after=True)
    is_whole = document is not UNKNOWN
    entries = _changed_entries(glob, actual)
    if is_whole:
        entries = _entries_inside(document, glob)
    examined: list[Examined] = []
    was_removed = False
    for path, entry in entries:
        if entry is ABSENT:
            was_removed = True
        else:
            examined.append(_examine_entry(path, entry, spec))
    if examined:
        return examined
    missing = DocumentCheck(
        "there", met=None, code=_MISSING, why="the diff does not show it"
    )
    if was_removed or is_whole:
        missing = DocumentCheck("there", met=False, code=_MISSING, why="does not exist")
    return [Examined(glob, spec, usable=[missing])]


def _changed_entries(glob: Path, actual: Actual) -> Iterator[tuple[Path, object]]:
    """The entries at a glob that the changes show whole: added, replaced or removed."""
    pattern = globs_of((pointer(glob),))
    for change in actual.changes:
        if change.after is UNKNOWN or len(change.path) != len(glob):
            continue
        if pattern.covers(change.path):
            yield change.path, change.after


def _entries_inside(root: object, glob: Path) -> Iterator[tuple[Path, object]]:
    """The entries at a glob inside a value. A key with slashes in it takes as many segments as it has."""
    stack: list[tuple[Path, object, int]] = [((), root, 0)]
    while stack:
        path, value, index = stack.pop()
        if index == len(glob):
            yield path, value
            continue
        for key, child in (as_mapping(value) or {}).items():
            parts = segments(f"/{key}")
            end = index + len(parts)
            part_glob = glob[index:end]
            if len(part_glob) != len(parts):
                continue
            if globs_of((pointer(part_glob),)).covers(parts):
                stack.append(((*path, *parts), child, end))


def _examine_entry(path: Path, entry: object, spec: DocumentSpec) -> Examined:
    examined = Examined(path, spec)
    fields = as_mapping(entry) or {}
    profile = as_mapping(fields.get("document"))
    opens = profile.get("opens") if profile else None
    if profile is None or not isinstance(opens, bool):
        reason = "the snapshot does not describe it as a document"
        if profile is not None:
            reason = str(profile.get("error"))
        why = f"was not examined: {reason}"
        examined.usable.append(DocumentCheck("opens", met=None, code=_EMPTY, why=why))
        return examined
    kind = str(profile.get("format"))
    why = f"does not open as {kind}: {profile.get('error')}"
    examined.usable.append(DocumentCheck("opens", opens, _EMPTY, why))
    if spec.format is not None:
        why = f"is {kind}, not {spec.format}"
        examined.formed.append(
            DocumentCheck("format", kind == spec.format, _MALFORMED, why)
        )
    if opens:
        text = profile.get("text", fields.get("text"))
        examined.usable += _content_checks(spec, profile, text)
        examined.formed += _structure_checks(spec, profile)
    return examined


def _content_checks(
    spec: DocumentSpec, profile: Mapping[str, object], text: object
) -> Iterator[DocumentCheck]:
    chars = _count(profile.get("chars"))
    why = f"has {chars} characters, at least {spec.min_chars} asked for"
    if chars == 0:
        why = "is empty"
    yield DocumentCheck("content", chars >= spec.min_chars, _EMPTY, why)
    for passage in spec.contains:
        held = _holds(passage, text, chars)
        why = f"its text is not whole in the snapshot: {show(passage)}?"
        if held is False:
            why = f"lacks {show(passage)}"
        yield DocumentCheck(f"contains {passage}", held, _EMPTY, why)


def _holds(passage: str, text: object, chars: int) -> bool | None:
    """Whether the text holds a passage; None where the snapshot may have only the beginning of the text."""
    if not isinstance(text, str):
        return None
    if plain(passage).casefold() in plain(text).casefold():
        return True
    return False if len(text.strip()) >= chars else None


def _structure_checks(
    spec: DocumentSpec, profile: Mapping[str, object]
) -> Iterator[DocumentCheck]:
    headings = _folded_set(profile.get("headings"))
    for heading in spec.headings:
        met = _folded(heading) in headings
        why = f"lacks the heading {show(heading)}"
        yield DocumentCheck(f"heading {heading}", met, _MALFORMED, why)
    if spec.tables:
        tables = _count(profile.get("tables"))
        why = f"has {tables} tables, at least {spec.tables} asked for"
        yield DocumentCheck("tables", tables >= spec.tables, _MALFORMED, why)
    if spec.columns:
        columns = _folded_set(spec.columns)
        rows = as_sequence(profile.get("columns")) or ()
        met = any(columns <= _folded_set(row) for row in rows)
        why = f"has no table with the columns {', '.join(spec.columns)}"
        yield DocumentCheck("columns", met, _MALFORMED, why)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _folded_set(values: object) -> set[str]:
    return {_folded(value) for value in as_sequence(values) or ()}


def _folded(value: object) -> str:
    return plain(str(value)).strip().casefold()
