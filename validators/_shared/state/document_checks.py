"""What a contract asks of the content and the structure of a document that opens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.effects import DocumentSpec
from judgemesh.validators._shared.answer.fillers import placeholder_in
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import as_sequence, show

_EMPTY = FailureCode.EMPTY_OR_INVALID_OUTPUT
_MALFORMED = FailureCode.OUTPUT_FORMAT_INVALID


@dataclass(frozen=True, slots=True)
class DocumentCheck:
    """One requirement on a document. `met` is None where that is unknown; `why` says what is wrong or not known."""

    part: str
    met: bool | None
    code: FailureCode
    why: str


def content_checks(
    spec: DocumentSpec, profile: Mapping[str, object], text: object
) -> Iterator[DocumentCheck]:
    """Whether a document that opens has the content asked for."""
    chars = _count(profile.get("chars"))
    why = f"has {chars} characters, at least {spec.min_chars} asked for"
    if chars == 0:
        why = "is empty"
    yield DocumentCheck("content", chars >= spec.min_chars, _EMPTY, why)
    filler = placeholder_in(text) if isinstance(text, str) else None
    if chars and filler is not None:
        yield DocumentCheck("placeholder", met=False, code=_EMPTY, why=filler)
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


def structure_checks(
    spec: DocumentSpec, profile: Mapping[str, object]
) -> Iterator[DocumentCheck]:
    """Whether it has the headings, tables and columns asked for."""
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
