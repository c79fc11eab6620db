"""Evidence validity: everything the answer cites is well-formed, exists, is what the agent says it is, and says it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.evidence import EvidenceSpec
from judgemesh.contracts.needs import Answer, Found, Lookup, Need, NotFound, Unanswered
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    Abstain,
    Error,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.quotes import MIN_QUOTE, folded_text, stands_in
from judgemesh.validators.citations.bibliography import (
    Agreement,
    Cited,
    Compared,
    Item,
    compare,
    exact_title,
)
from judgemesh.validators.citations.citing import Citations, citations_of

_METRIC: Final = Metric.EVIDENCE_VALIDITY.value
_STRICT: Final = frozenset({"doi", "arxiv", "pmid", "nct", "isbn"})
_NAMED = {
    "doi": "DOI",
    "arxiv": "arXiv",
    "pmid": "PMID",
    "nct": "trial",
    "isbn": "ISBN",
    "url": "address",
    "id": "id",
}
_TELLING_WORDS: Final = 4
_SHOWN: Final = 10


def _applies(contract: EvalContract) -> bool:
    return contract.evidence is not None


@dataclass(slots=True)
class _Inquiry:
    """One citation and everything the sources said about it."""

    cited: Cited
    by_id: dict[str, list[Answer]] = field(default_factory=dict[str, list[Answer]])
    by_title: list[Answer] = field(default_factory=list[Answer])
    by_quote: list[Answer] = field(default_factory=list[Answer])

    def found(self) -> Iterator[Found]:
        """Everything that was found by an identifier, then by title."""
        for answers in (*self.by_id.values(), self.by_title):
            yield from (answer for answer in answers if isinstance(answer, Found))


@validator(
    name="citations",
    version="1",
    metric=Metric.EVIDENCE_VALIDITY,
    codes=(
        FailureCode.FABRICATED_REFERENCE,
        FailureCode.CITATION_NOT_FOUND,
        FailureCode.MISSING_CITATION,
        FailureCode.MISSING_EVIDENCE,
        FailureCode.OUTPUT_FORMAT_INVALID,
        FailureCode.CLAIM_EVIDENCE_MISMATCH,
        FailureCode.UNSUPPORTED_CLAIM,
    ),
    applies=_applies,
    stage=Stage.SOURCE,
    timeout_s=120.0,
)
def citations(case: Case) -> Judgement:
    """Every citation is well-formed, stands in a source, and is there what the agent says it is.

    One verdict for each citation, so that the score is the share of citations verified. A source that cannot be
    reached leaves its citations undecided.
    """
    spec = case.contract.evidence
    if spec is None:
        return [_no_evidence_asked()]
    cited = citations_of(case.result.output, text=spec.text)
    verdicts = list(_missing(cited, spec))
    inquiries = [_Inquiry(one) for one in cited.found]
    if spec.sources and "exists" in spec.levels:
        answers = yield from _ask(
            [need for one in inquiries for need in _first_needs(one, spec)]
        )
        for one in inquiries:
            _take_first(one, spec, answers)
        answers = yield from _ask(
            [need for one in inquiries for need in _title_needs(one, spec)]
        )
        for one in inquiries:
            one.by_title.extend(next(answers) for _ in _title_needs(one, spec))
        quoted = [
            one
            for one in inquiries
            if _wants_quote(one.cited, spec) and _quote_is_elsewhere(one, spec)
        ]
        answers = yield from _ask(
            [need for one in quoted for need in _quote_needs(one, spec)]
        )
        for one in quoted:
            one.by_quote.extend(next(answers) for _ in spec.sources)
    verdicts += [_verdict(one, spec) for one in inquiries]
    if cited.beyond:
        verdicts.append(_beyond(cited))
    return verdicts or [_no_evidence_asked()]


def _no_evidence_asked() -> Skipped:
    return Skipped(
        check="citations",
        reason=Reason.NOT_CONFIGURED,
        diagnostic="no citation is asked for, and none given",
    )


# --- what is asked ------------------------------------------------------------------------------------------------


def _ask(
    needs: Sequence[Lookup],
) -> Generator[list[Need], list[Answer], Iterator[Answer]]:
    """One round: yields the needs, returns an iterator over the answers. Nothing is asked where nothing is needed."""
    if not needs:
        return iter(())
    answers = yield list(needs)
    return iter(answers)


def _first_needs(one: _Inquiry, spec: EvidenceSpec) -> Iterator[Lookup]:
    """By identifier where there is one; else by title."""
    text = _wants_quote(one.cited, spec)
    if not one.cited.ids:
        yield from _by_title(one.cited, spec)
    for scheme, value in one.cited.ids.items():
        for source in spec.sources:
            yield Lookup(source=source, query={scheme: value}, want_text=text)


def _take_first(one: _Inquiry, spec: EvidenceSpec, answers: Iterator[Answer]) -> None:
    if not one.cited.ids:
        one.by_title.extend(next(answers) for _ in _by_title(one.cited, spec))
    for scheme in one.cited.ids:
        one.by_id[scheme] = [next(answers) for _ in spec.sources]


def _title_needs(one: _Inquiry, spec: EvidenceSpec) -> Iterator[Lookup]:
    """By title too, where no identifier led anywhere and no authority has denied one."""
    if (
        one.cited.ids
        and not any(one.found())
        and not any(_denied(answers) for answers in one.by_id.values())
    ):
        yield from _by_title(one.cited, spec)


def _by_title(cited: Cited, spec: EvidenceSpec) -> Iterator[Lookup]:
    title = cited.title or cited.text[:300]
    if not title or cited.malformed:
        return
    query = {"title": title}
    if cited.authors:
        query["author"] = ", ".join(cited.authors[:3])
    if cited.year:
        query["year"] = str(cited.year)
    for source in spec.sources:
        yield Lookup(source=source, query=query, want_text=_wants_quote(cited, spec))


def _quote_needs(one: _Inquiry, spec: EvidenceSpec) -> Iterator[Lookup]:
    for source in spec.sources:
        yield Lookup(source=source, query={"quote": one.cited.quote[:2_000]})


def _wants_quote(cited: Cited, spec: EvidenceSpec) -> bool:
    return "quote" in spec.levels and len(cited.quote) >= MIN_QUOTE


def _quote_is_elsewhere(one: _Inquiry, spec: EvidenceSpec) -> bool:
    """The whole text of the cited item is there, and the passage does not stand in it."""
    items = [_item(found) for found in one.found()]
    whole = [item for item in items if item.text is not None and not item.excerpt]
    return bool(whole) and not any(_holds(item, one.cited, spec) for item in items)


def _holds(item: Item, cited: Cited, spec: EvidenceSpec) -> bool:
    return item.text is not None and stands_in(
        cited.quote, folded_text(item.text), spec.thresholds.quote
    )


# --- what it means ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Findings:
    """What is wrong with a citation, and what could not be found out."""

    faults: list[tuple[FailureCode, str]] = field(
        default_factory=list[tuple[FailureCode, str]]
    )
    unknown: list[Unanswered] = field(default_factory=list[Unanswered])
    uncovered: bool = False
    refs: list[str] = field(default_factory=list[str])
    parts: dict[str, str] = field(default_factory=dict[str, str])
    quote: str = ""

    def fault(self, code: FailureCode, why: str) -> None:
        """One more thing that is wrong."""
        self.faults.append((code, why))


def _verdict(one: _Inquiry, spec: EvidenceSpec) -> Verdict:
    cited, findings = one.cited, _Findings()
    if "identifier" in spec.levels or not cited.ids:
        for scheme, written in cited.malformed:
            findings.fault(
                FailureCode.OUTPUT_FORMAT_INVALID,
                f"{written[:100]!r} is no {_NAMED[scheme]}",
            )
    if "exists" in spec.levels and not findings.faults:
        if spec.sources:
            _exists(one, spec, findings)
        else:
            findings.uncovered = True
    return _worded(cited, findings, configured=bool(spec.sources))


def _exists(one: _Inquiry, spec: EvidenceSpec, findings: _Findings) -> None:
    """Existence, identity and the quote, in this order: each level rests on the one before."""
    groups, lacking = _identified(one, findings)
    titled = [answer for answer in one.by_title if isinstance(answer, Found)]
    if not groups and (
        same := [found for found in titled if _is_title(one.cited, found, spec)]
    ):
        groups.append(("title", same))
    if not groups:
        covered = bool(lacking or titled) or any(
            _covers(answer) for answer in one.by_title
        )
        _nowhere(one, findings, titled, covered=covered)
        return
    findings.refs = list(
        dict.fromkeys(found.ref for _, hits in groups for found in hits)
    )
    if "match" in spec.levels:
        for by, hits in groups:
            _match(one.cited, by, hits, spec, findings)
        for scheme in lacking:
            _lacks(one.cited, scheme, groups, findings)
    if _wants_quote(one.cited, spec):
        _quoted(one, spec, findings)


def _identified(
    one: _Inquiry, findings: _Findings
) -> tuple[list[tuple[str, list[Found]]], list[str]]:
    """What each identifier led to, and the identifiers that no source holds although one could."""
    groups: list[tuple[str, list[Found]]] = []
    lacking: list[str] = []
    for scheme, answers in one.by_id.items():
        if found := [answer for answer in answers if isinstance(answer, Found)]:
            groups.append((scheme, found))
        elif (denial := _denied(answers)) is not None:
            value = one.cited.ids[scheme]
            findings.fault(
                FailureCode.FABRICATED_REFERENCE,
                f"{denial.source} knows no {_NAMED[scheme]} {value}",
            )
        elif unknown := [
            answer for answer in answers if isinstance(answer, Unanswered)
        ]:
            findings.unknown.extend(unknown)
        elif any(_covers(answer) for answer in answers):
            lacking.append(scheme)
    return groups, lacking


def _covers(answer: Answer) -> bool:
    return isinstance(answer, NotFound) and answer.covers


def _denied(answers: list[Answer]) -> NotFound | None:
    """An authority's word that there is no such thing, unless another source has it."""
    if any(isinstance(answer, Found) for answer in answers):
        return None
    return next(
        (
            one
            for one in answers
            if isinstance(one, NotFound) and one.authoritative and one.covers
        ),
        None,
    )


def _is_title(cited: Cited, found: Found, spec: EvidenceSpec) -> bool:
    (title, *_) = compare(cited, _item(found), spec.thresholds)
    return title.agreement is Agreement.SAME


def _nowhere(
    one: _Inquiry, findings: _Findings, near: list[Found], *, covered: bool
) -> None:
    findings.unknown.extend(
        answer for answer in one.by_title if isinstance(answer, Unanswered)
    )
    if findings.faults:
        return
    if not covered:
        findings.uncovered = True
        return
    hint = (
        f"; the nearest title is {str(near[0].fields.get('title', ''))[:160]!r} ({near[0].ref})"
        if near
        else ""
    )
    findings.fault(
        FailureCode.CITATION_NOT_FOUND, f"no configured source holds it{hint}"
    )


_EFFECT: Final = {
    Agreement.CONTRADICTS: FailureCode.FABRICATED_REFERENCE,
    Agreement.DIFFERS: FailureCode.CITATION_NOT_FOUND,
}


def _match(
    cited: Cited, by: str, hits: list[Found], spec: EvidenceSpec, findings: _Findings
) -> None:
    """Title, authors, year and venue; of several sources for one item, the one that agrees best counts for each."""
    outcomes = [compare(cited, _item(found), spec.thresholds) for found in hits]
    best = [
        max(column, key=lambda part: _RANK[part.agreement])
        for column in zip(*outcomes, strict=True)
    ]
    agreed = {part.part: part.agreement for part in best}
    for part in best:
        if part.agreement is not Agreement.UNKNOWN:
            findings.parts[part.part] = part.agreement.value
        code = _EFFECT.get(part.agreement)
        if code is not None:
            if by == "title" and not _same_work(cited, hits, part, agreed):
                code = FailureCode.CITATION_NOT_FOUND
            named = "" if by == "title" else f"{_NAMED[by]} {cited.ids[by]}: "
            findings.fault(code, f"{named}{part.why}")


_RANK: Final = {
    Agreement.CONTRADICTS: 0,
    Agreement.DIFFERS: 1,
    Agreement.UNKNOWN: 2,
    Agreement.SAME: 3,
}


def _same_work(
    cited: Cited, hits: list[Found], part: Compared, agreed: Mapping[str, Agreement]
) -> bool:
    """Found by its title alone, is it the work that is meant? Two works may share a short title or the beginning of a
    long one; hardly a whole long one, and hardly one by the same people."""
    if not any(exact_title(cited, _item(found)) for found in hits):
        return False
    if part.part == "authors":
        return len(cited.title.split()) >= _TELLING_WORDS
    return agreed.get("authors") is Agreement.SAME


def _lacks(
    cited: Cited,
    scheme: str,
    groups: list[tuple[str, list[Found]]],
    findings: _Findings,
) -> None:
    """An identifier that the source does not have, although it has the work and names identifiers of that kind."""
    if scheme not in _STRICT:
        return
    for _, hits in groups:
        for found in hits:
            item = _item(found)
            held = item.ids.get(scheme, frozenset())
            if cited.ids[scheme] in held:
                return
            if held or scheme in item.schemes:
                there = (
                    f"there it is {', '.join(sorted(held))}"
                    if held
                    else "there the work has none"
                )
                findings.fault(
                    FailureCode.CITATION_NOT_FOUND,
                    f"no source holds the {_NAMED[scheme]} {cited.ids[scheme]}; {there}",
                )
                return


def _quoted(one: _Inquiry, spec: EvidenceSpec, findings: _Findings) -> None:
    items = [_item(found) for found in one.found()]
    texts = [item for item in items if item.text is not None]
    if any(_holds(item, one.cited, spec) for item in texts):
        findings.quote = "found"
        return
    if not any(not item.excerpt for item in texts):
        findings.unknown.append(
            Unanswered(
                error_type=Reason.SOURCE_INACCESSIBLE,
                message="the full text of the source is not to be had, so the quoted passage cannot be checked",
                inaccessible=True,
            )
        )
        return
    elsewhere = [answer for answer in one.by_quote if isinstance(answer, Found)]
    passage = f"the passage {one.cited.quote[:120]!r}"
    if elsewhere:
        findings.quote = "misattributed"
        why = f"{passage} stands in {elsewhere[0].ref}, not in the work cited"
        findings.fault(FailureCode.CLAIM_EVIDENCE_MISMATCH, why)
    elif unknown := [
        answer for answer in one.by_quote if isinstance(answer, Unanswered)
    ]:
        findings.unknown.extend(unknown)
    else:
        findings.quote = "not_found"
        findings.fault(FailureCode.UNSUPPORTED_CLAIM, f"{passage} stands in no source")


def _item(found: Found) -> Item:
    """The fields of an answer, as far as they have the types they should have: sources may be anybody's."""
    given = found.fields
    ids = given.get("ids")
    years = given.get("years")
    text = given.get("text")
    return Item(
        title=str(given.get("title") or ""),
        titles=_texts(given.get("titles")),
        authors=_texts(given.get("authors")),
        years=tuple(
            year for year in cast("list[object]", years) if isinstance(year, int)
        )
        if years
        else (),
        venue=str(given.get("venue") or ""),
        ids={
            scheme: frozenset(_texts(values))
            for scheme, values in cast("Mapping[str, object]", ids).items()
        }
        if isinstance(ids, Mapping)
        else {},
        schemes=frozenset(_texts(given.get("schemes"))),
        preprint=given.get("preprint") is True,
        web_page=given.get("web_page") is True,
        excerpt=given.get("excerpt") is True,
        text=text if isinstance(text, str) else None,
    )


def _texts(value: object) -> tuple[str, ...]:
    return (
        tuple(one for one in cast("list[object]", value) if isinstance(one, str))
        if isinstance(value, list | tuple)
        else ()
    )


# --- what is said -------------------------------------------------------------------------------------------------


def _worded(cited: Cited, findings: _Findings, *, configured: bool) -> Verdict:
    """A fabrication is one whatever else is out of reach; "not found" is one only when every source was asked."""
    check = f"citation:{cited.place}"
    details: dict[str, object] = {
        "citation": cited.shown(),
        "ids": dict(cited.ids),
        "parts": findings.parts,
    }
    if findings.quote:
        details["quote"] = findings.quote
    refs = (cited.place, *findings.refs[:_SHOWN])
    why = "; ".join(dict.fromkeys(why for _, why in findings.faults))
    certain = [
        code
        for code, _ in findings.faults
        if code is not FailureCode.CITATION_NOT_FOUND
    ]
    if findings.faults and (certain or not findings.unknown):
        codes = tuple(dict.fromkeys(code for code, _ in findings.faults))
        return Fail(
            check=check,
            codes=codes,
            diagnostic=f"{cited.shown()}: {why}",
            metric=_METRIC,
            evidence_refs=refs,
            details=details,
        )
    if findings.unknown:
        return _unreachable(check, cited, findings.unknown)
    if findings.uncovered:
        return Abstain(
            check=check,
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.NOT_CONFIGURED,
            diagnostic=f"{cited.shown()}: {_UNCOVERED[configured]}",
            metric=_METRIC,
            evidence_refs=(cited.place,),
        )
    return Pass(check=check, metric=_METRIC, evidence_refs=refs, details=details)


_UNCOVERED: Final = {
    True: "none of the configured sources can tell about items of this kind",
    False: "the contract configures no evidence source; add `evidence.sources`, or `levels: [identifier]`",
}


def _unreachable(
    check: str, cited: Cited, unknown: list[Unanswered]
) -> Abstain | Error:
    first = next((one for one in unknown if not one.inaccessible), unknown[0])
    message = f"{cited.shown()}: {first.message}"
    if first.inaccessible:
        return Abstain(
            check=check,
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic=message,
            metric=_METRIC,
            evidence_refs=(cited.place,),
        )
    return Error(
        check=check, reason=first.error_type, diagnostic=message, metric=_METRIC
    )


def _missing(cited: Citations, spec: EvidenceSpec) -> Iterator[Verdict]:
    """What should be cited and is not: nothing at all, too little, or references that lead nowhere."""
    if cited.dangling:
        shown = ", ".join(cited.dangling[:_SHOWN])
        yield Fail(
            check="references",
            codes=(FailureCode.MISSING_CITATION,),
            diagnostic=f"references in the text lead to no citation: {shown}",
            metric=_METRIC,
            weight=float(len(cited.dangling)),
            evidence_refs=("final_answer",),
        )
    number = len(cited.found) + cited.beyond
    least = max(spec.min_citations, 1)
    if not spec.required or number >= least or (not number and cited.dangling):
        return
    if number:
        why = f"{least} citations are required, and {number} given"
        yield _absent(FailureCode.MISSING_CITATION, why, least - number)
    elif cited.discussed:
        yield _absent(
            FailureCode.MISSING_CITATION,
            "the answer speaks of evidence and cites none",
            least,
        )
    else:
        yield _absent(
            FailureCode.MISSING_EVIDENCE,
            "evidence is required, and the answer gives none",
            least,
        )


def _absent(code: FailureCode, why: str, number: int) -> Fail:
    return Fail(
        check="citations",
        codes=(code,),
        diagnostic=why,
        metric=_METRIC,
        weight=float(number),
    )


def _beyond(cited: Citations) -> Abstain:
    return Abstain(
        check="citations:beyond",
        diagnostic=f"{cited.beyond} citations more than are checked in one answer",
        metric=_METRIC,
        weight=float(cited.beyond),
    )
