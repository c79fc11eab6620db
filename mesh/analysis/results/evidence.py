"""What the verdicts of a result rest on: claims, citations, passages, differences of state, records. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from judgemesh.contracts.attempts import SourceLookup
from judgemesh.contracts.report import ValidatorVerdict
from judgemesh.contracts.verdicts import Kind

_CITATION: Final = "citation:"
_STATE: Final = "state:"
_TEXT_FIELDS: Final = ("text", "abstract", "content", "passage", "quote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that a verdict refers to. ref: its name in `evidence_refs`. title: where it comes from."""

    ref: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim and what was made of it. refs: places in the answer, and passages (`ResultPage.passages`).

    verdict: position of the verdict. kind: of that verdict.
    """

    text: str
    why: str
    kind: Kind
    verdict: int
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """A citation and what was made of it. refs: where it stands, and what sources returned for it.

    found: what sources hold, `field: value`; empty where nothing was found.
    """

    label: str
    why: str
    kind: Kind
    verdict: int
    refs: tuple[str, ...]
    found: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedState:
    """One difference of state. before, after: JSON-ready; None may also be the value null."""

    path: str
    op: str
    before: object
    after: object
    verdicts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRecord:
    """What a system knows about an execution, or the agent brought. source: `source` or `result`."""

    source: str
    kind: str
    target: str | None
    confirmation_id: str | None
    status: str | None
    parameters: Mapping[str, object]
    verdicts: tuple[int, ...]


def claims_of(verdicts: Sequence[ValidatorVerdict]) -> tuple[CheckedClaim, ...]:
    """The claims in the details of the verdicts."""
    return tuple(_claims(verdicts))


def _claims(verdicts: Sequence[ValidatorVerdict]) -> Iterator[CheckedClaim]:
    for position, row in enumerate(verdicts):
        rows = row.verdict.details.get("claims")
        if not isinstance(rows, list):
            continue
        for entry in _mappings(cast("list[object]", rows)):
            evidence = entry.get("evidence")
            refs = cast("list[object]", evidence) if isinstance(evidence, list) else []
            yield CheckedClaim(
                text=_text(entry.get("claim")),
                why=_text(entry.get("why")),
                kind=row.verdict.kind,
                verdict=position,
                refs=tuple(filter(None, map(_text, [entry.get("ref"), *refs]))),
            )


def citations_of(
    verdicts: Sequence[ValidatorVerdict], lookups: Iterable[SourceLookup]
) -> tuple[CheckedCitation, ...]:
    """The citations that verdicts name, with what sources returned."""
    returned = {lookup.ref: lookup for lookup in lookups if lookup.ref is not None}
    found: list[CheckedCitation] = []
    for position, row in enumerate(verdicts):
        verdict = row.verdict
        if not verdict.check.startswith(_CITATION):
            continue
        fields: list[tuple[str, str]] = []
        for ref in verdict.evidence_refs:
            if ref in returned:
                fields += _fields(returned[ref])
        found.append(
            CheckedCitation(
                label=_text(verdict.details.get("citation")) or verdict.check,
                why=verdict.diagnostic,
                kind=verdict.kind,
                verdict=position,
                refs=verdict.evidence_refs,
                found=tuple(dict.fromkeys(fields)),
            )
        )
    return tuple(found)


def _fields(lookup: SourceLookup) -> Iterator[tuple[str, str]]:
    for name, value in lookup.fields.items():
        if value not in (None, "", [], {}) and name not in _TEXT_FIELDS:
            yield name, _text(value)


def passages_of(
    passages: object, lookups: Iterable[SourceLookup]
) -> tuple[Passage, ...]:
    """Texts of the contract that verdicts refer to, and those that sources returned.

    Args:
        passages: as the content of a result has them; None where they are not kept.
        lookups: of the ledger.
    """
    found: dict[str, Passage] = {}
    if isinstance(passages, Mapping):
        for ref, text in cast("Mapping[str, object]", passages).items():
            found[ref] = Passage(ref=ref, title=ref, text=_text(text))
    for lookup in lookups:
        text = next(
            (
                _text(lookup.fields[name])
                for name in _TEXT_FIELDS
                if lookup.fields.get(name)
            ),
            "",
        )
        if lookup.ref and text:
            title = _text(lookup.fields.get("title")) or lookup.source
            found[lookup.ref] = Passage(ref=lookup.ref, title=title, text=text)
    return tuple(found.values())


def changes_of(
    content: Mapping[str, Any], refs: Mapping[str, Sequence[int]]
) -> tuple[ChangedState, ...]:
    """The differences of state in the content of a result."""
    changes = content.get("state_changes")
    if changes is None:
        changes = _part(_part(content, "result"), "state").get("diff")
    if not isinstance(changes, list):
        return ()
    return tuple(
        ChangedState(
            path=_text(change.get("path")),
            op=_text(change.get("op")),
            before=change.get("before"),
            after=change.get("after"),
            verdicts=tuple(refs.get(f"{_STATE}{_text(change.get('path'))}", ())),
        )
        for change in _mappings(cast("list[object]", changes))
    )


def records_of(
    content: Mapping[str, Any], refs: Mapping[str, Sequence[int]]
) -> tuple[KnownRecord, ...]:
    """The records of sources, then those that the result brought."""
    own = _part(content, "result").get("records")
    known: list[KnownRecord] = []
    brought: tuple[tuple[str, object], ...] = (
        ("source", content.get("records")),
        ("result", own),
    )
    for source, rows in brought:
        if isinstance(rows, list):
            entries = _mappings(cast("list[object]", rows))
            known.extend(_record(source, entry, refs) for entry in entries)
    return tuple(known)


def _record(
    source: str, row: Mapping[str, Any], refs: Mapping[str, Sequence[int]]
) -> KnownRecord:
    kind, target = _text(row.get("kind")), row.get("target")
    confirmation_id = row.get("confirmation_id")
    parameters = row.get("parameters")
    return KnownRecord(
        source=source,
        kind=kind,
        target=None if target is None else _text(target),
        confirmation_id=None if confirmation_id is None else _text(confirmation_id),
        status=None if row.get("status") is None else _text(row.get("status")),
        parameters=cast("Mapping[str, object]", parameters)
        if isinstance(parameters, Mapping)
        else {},
        verdicts=tuple(
            refs.get(f"record:{kind}/{confirmation_id or target or '?'}", ())
        ),
    )


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}


def _mappings(values: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    for value in values:
        if isinstance(value, Mapping):
            yield cast("Mapping[str, Any]", value)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(_text, cast("list[object]", value)))
    return value if isinstance(value, str) else str(value)
