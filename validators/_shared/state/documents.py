"""What a snapshot says about a document, compared with what the contract asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.effects import DocumentSpec
from judgemesh.validators._shared.state.changes import Actual
from judgemesh.validators._shared.state.contents import why_hollow
from judgemesh.validators._shared.state.document_checks import (
    DocumentCheck,
    content_checks,
    structure_checks,
)
from judgemesh.validators._shared.state.globs import globs_of, pointer, segments
from judgemesh.validators._shared.state.text_profile import text_profile
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    as_mapping,
)

_MISSING = FailureCode.MISSING_REQUIRED_OUTPUT
_EMPTY = FailureCode.EMPTY_OR_INVALID_OUTPUT
_MALFORMED = FailureCode.OUTPUT_FORMAT_INVALID


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
    fields = as_mapping(entry) or {"text": entry}
    profile = as_mapping(fields.get("document")) or _profile_of(path, fields)
    opens = profile.get("opens") if profile else None
    if profile is None or not isinstance(opens, bool):
        empty = why_hollow(path, entry)
        if empty is not None:
            examined.usable.append(
                DocumentCheck("opens", met=False, code=_EMPTY, why=empty)
            )
            return examined
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
        examined.usable += content_checks(spec, profile, text)
        examined.formed += structure_checks(spec, profile)
    return examined


def _profile_of(
    path: Path, fields: Mapping[str, object]
) -> Mapping[str, object] | None:
    """The description by the document's text, where the snapshot has all of it."""
    text = fields.get("text", fields.get("content"))
    size = fields.get("size")
    if not isinstance(text, str) or not path:
        return None
    if isinstance(size, int) and len(text.encode(errors="replace")) < size:
        return None
    return text_profile(path[-1], text)
