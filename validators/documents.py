"""Documents that must be there after the run and be usable: they open, say something, have headings and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.effects import DocumentSpec
from judgemesh.contracts.results import StateEvidence
from judgemesh.contracts.validator import Case, Judgement, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.changes import Actual
from judgemesh.validators._shared.globs import Globs, globs_of, pointer, segments
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    Path,
    as_mapping,
    as_sequence,
    listed,
    show,
)

_METRIC: Final = Metric.EXECUTION_SUCCESS.value


@dataclass(frozen=True, slots=True)
class Check:
    """One thing asked of a document. `met` is None where nobody can tell; `why` says what is wrong or not known."""

    part: str
    met: bool | None
    code: FailureCode
    why: str


@dataclass(slots=True)
class Examined:
    """A document with what was asked of it: `usable` (article 002: content usability) and `formed` (format quality)."""

    path: Path
    spec: DocumentSpec
    usable: list[Check] = field(default_factory=list[Check])
    formed: list[Check] = field(default_factory=list[Check])

    @property
    def checks(self) -> list[Check]:
        """Everything that was asked."""
        return [*self.usable, *self.formed]


@validator(
    name="documents",
    version="1",
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        FailureCode.MISSING_REQUIRED_OUTPUT,
        FailureCode.EMPTY_OR_INVALID_OUTPUT,
        FailureCode.OUTPUT_FORMAT_INVALID,
    ),
    applies=lambda contract: (
        contract.state is not None and bool(contract.state.documents)
    ),
)
def documents(case: Case) -> Judgement:
    """Every document that the contract names is there, opens, and has the content and structure asked for.

    What a document is like stands in the snapshot: it was looked at when the snapshot was taken, because validators
    read no files. A document that nobody looked at leaves the check undecided.
    """
    yield from ()
    specs = case.contract.state.documents if case.contract.state else []
    if not specs:
        return [
            Skipped(
                check="documents",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract names no documents",
            )
        ]
    if case.changes is None:
        return [
            Abstain(
                check="documents",
                code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
                reason=Reason.SOURCE_INACCESSIBLE,
                diagnostic=case.problems.get(
                    "state", "the result carries no state evidence"
                ),
                metric=_METRIC,
                gating=None if any(spec.gate for spec in specs) else False,
            )
        ]
    examined = examine(
        specs, Actual(case.changes, case.result.state), case.result.state
    )
    return [verdict for item in examined for verdict in _verdicts(item)]


def examine(
    specs: Sequence[DocumentSpec], actual: Actual, evidence: StateEvidence | None
) -> list[Examined]:
    """Hold the documents after the run against what is asked of them: at least one entry for each spec."""
    return [item for spec in specs for item in _examined(spec, actual, evidence)]


def _examined(
    spec: DocumentSpec, actual: Actual, evidence: StateEvidence | None
) -> Iterator[Examined]:
    glob = segments(spec.path)
    shown = (
        evidence is not None
        and evidence.diff is None
        and "after" in evidence.model_fields_set
    )
    entries = (
        list(_inside(evidence.after, glob))
        if shown and evidence is not None
        else list(_changed(glob, actual))
    )
    there = [(path, entry) for path, entry in entries if entry is not ABSENT]
    if not there:
        gone = shown or bool(entries)
        missing = Check(
            "there",
            False if gone else None,
            FailureCode.MISSING_REQUIRED_OUTPUT,
            "is not there" if gone else "the diff does not show it",
        )
        yield Examined(glob, spec, usable=[missing])
    for path, entry in there:
        yield _looked_at(path, entry, spec)


def _inside(root: object, glob: Path) -> Iterator[tuple[Path, object]]:
    """The entries at a glob inside a document. A key with slashes in it takes as many segments as it has."""
    stack: list[tuple[Path, object, int]] = [((), root, 0)]
    while stack:
        path, value, index = stack.pop()
        if index == len(glob):
            yield path, value
            continue
        for key, child in (as_mapping(value) or {}).items():
            parts = segments(f"/{key}")
            wanted = glob[index : index + len(parts)]
            if len(wanted) == len(parts) and _globs(wanted).covers(parts):
                stack.append(((*path, *parts), child, index + len(parts)))


def _globs(wanted: Path) -> Globs:
    return globs_of((pointer(wanted),))


def _changed(glob: Path, actual: Actual) -> Iterator[tuple[Path, object]]:
    """The entries at a glob that the changes show whole: added, replaced or removed."""
    pattern = _globs(glob)
    for change in actual.changes:
        if (
            len(change.path) == len(glob)
            and pattern.covers(change.path)
            and change.after is not UNKNOWN
        ):
            yield change.path, change.after


def _looked_at(path: Path, entry: object, spec: DocumentSpec) -> Examined:
    found = Examined(path, spec)
    described = as_mapping((as_mapping(entry) or {}).get("document"))
    opens = None if described is None else described.get("opens")
    if described is None or not isinstance(opens, bool):
        reason = (
            "the snapshot does not describe it as a document"
            if described is None
            else str(described.get("error"))
        )
        found.usable.append(
            Check(
                "opens",
                None,
                FailureCode.EMPTY_OR_INVALID_OUTPUT,
                f"was not looked at: {reason}",
            )
        )
        return found
    kind = str(described.get("format"))
    error = f"does not open as {kind}: {described.get('error')}"
    found.usable.append(
        Check("opens", opens, FailureCode.EMPTY_OR_INVALID_OUTPUT, error)
    )
    if spec.format is not None:
        why = f"is {kind}, not {spec.format}"
        found.formed.append(
            Check("format", kind == spec.format, FailureCode.OUTPUT_FORMAT_INVALID, why)
        )
    if opens:
        text = _text_of(cast("Mapping[str, object]", entry), described)
        found.usable += _content(spec, described, text)
        found.formed += _structure(spec, described)
    return found


def _text_of(
    entry: Mapping[str, object], described: Mapping[str, object]
) -> str | None:
    text = described.get("text", entry.get("text"))
    return text if isinstance(text, str) else None


def _content(
    spec: DocumentSpec, described: Mapping[str, object], text: str | None
) -> Iterator[Check]:
    chars = described.get("chars")
    size = chars if isinstance(chars, int) else 0
    empty = (
        "is empty"
        if size == 0
        else f"has {size} characters, at least {spec.min_chars} asked for"
    )
    yield Check(
        "content", size >= spec.min_chars, FailureCode.EMPTY_OR_INVALID_OUTPUT, empty
    )
    for wanted in spec.contains:
        held = (
            None if text is None else plain(wanted).casefold() in plain(text).casefold()
        )
        if held is False and text is not None and len(text.strip()) < size:
            held = None  # only the beginning of the text is in the snapshot
        why = (
            f"lacks {show(wanted)}"
            if held is False
            else f"its text is not whole in the snapshot: {show(wanted)}?"
        )
        yield Check(
            f"contains {wanted}", held, FailureCode.EMPTY_OR_INVALID_OUTPUT, why
        )


def _structure(spec: DocumentSpec, described: Mapping[str, object]) -> Iterator[Check]:
    headings = {
        _folded(heading) for heading in as_sequence(described.get("headings")) or ()
    }
    for wanted in spec.headings:
        why = f"lacks the heading {show(wanted)}"
        yield Check(
            f"heading {wanted}",
            _folded(wanted) in headings,
            FailureCode.OUTPUT_FORMAT_INVALID,
            why,
        )
    if spec.tables:
        given = described.get("tables")
        count = given if isinstance(given, int) else 0
        why = f"has {count} tables, at least {spec.tables} asked for"
        yield Check(
            "tables", count >= spec.tables, FailureCode.OUTPUT_FORMAT_INVALID, why
        )
    if spec.columns:
        named = {_folded(name) for name in spec.columns}
        rows = [
            {_folded(cell) for cell in as_sequence(row) or ()}
            for row in as_sequence(described.get("columns")) or ()
        ]
        why = f"has no table with the columns {', '.join(spec.columns)}"
        yield Check(
            "columns",
            any(named <= row for row in rows),
            FailureCode.OUTPUT_FORMAT_INVALID,
            why,
        )


def _folded(value: object) -> str:
    return plain(str(value)).strip().casefold()


def _verdicts(item: Examined) -> Iterator[Verdict]:
    """One verdict for each code that failed; else a pass, or an abstention where something is not known."""
    name, weight, gate = pointer(item.path), item.spec.weight, item.spec.gate
    failed: dict[FailureCode, list[str]] = {}
    for check in item.checks:
        if check.met is False:
            failed.setdefault(check.code, []).append(check.why)
    for code, whys in failed.items():
        yield Fail(
            check=f"document:{name}",
            codes=(code,),
            diagnostic=f"{name} {listed(whys)}",
            metric=_METRIC,
            weight=weight,
            gating=gate,
            confidence=DETERMINISTIC,
            evidence_refs=(f"state:{name}",),
        )
    if failed:
        return
    unknown = [check.why for check in item.checks if check.met is None]
    if unknown:
        yield Abstain(
            check=f"document:{name}",
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic=f"{name} {listed(unknown)}",
            metric=_METRIC,
            weight=weight,
            gating=gate,
        )
        return
    yield Pass(
        check=f"document:{name}",
        metric=_METRIC,
        weight=weight,
        gating=gate,
        confidence=DETERMINISTIC,
        evidence_refs=(f"state:{name}",),
    )
