"""Claims: whether the evidence bears out what the answer states."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.evidence import ClaimsSpec
from judgemesh.contracts.needs import (
    Answer,
    Extract,
    Extracted,
    Found,
    Lookup,
    Material,
    Need,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    Error,
    Metric,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.values import as_mapping, as_sequence, listed
from judgemesh.validators.claims.asking import CLAIM_CHARS, by_judge
from judgemesh.validators.claims.facts import Word, hold_against
from judgemesh.validators.claims.finding import FoundClaim, claims_in
from judgemesh.validators.claims.points import METRIC, Point
from judgemesh.validators.claims.rules import Finding, Stance, read_claim, weigh
from judgemesh.validators.claims.sources import Evidence, Library, library_of
from judgemesh.validators.claims.verdicts import verdicts_of

_CODES: Final = (
    FailureCode.UNSUPPORTED_CLAIM,
    FailureCode.CLAIM_EVIDENCE_MISMATCH,
    FailureCode.CONTRADICTED_BY_EVIDENCE,
    FailureCode.WRONG_FACT,
)
_SHOWN: Final = 160
_NO_CLAIMS: Final = "no_claims"
_EXTRACTION: Final = (
    "List every statement of fact in the text that evidence could bear out or refute, each as one sentence that can be "
    "understood alone, with the citation marks that the text gives for it. Add and correct nothing."
)
_EXTRACTION_SCHEMA: Final[Mapping[str, object]] = MappingProxyType(
    {
        "type": "object",
        "required": ["claims"],
        "properties": {
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {
                        "text": {"type": "string"},
                        "citations": {"type": "array", "items": {"type": "string"}},
                    },
                },
            }
        },
    }
)


def _applies(contract: EvalContract) -> bool:
    return contract.claims is not None or any(
        code in _CODES for code in contract.named_codes()
    )


@validator(
    name="claims",
    version="1",
    metric=Metric.EVIDENCE_CONSISTENCY,
    codes=_CODES,
    applies=_applies,
    stage=Stage.MODEL,
    timeout_s=900.0,
)
def claims(case: Case) -> Judgement:
    """The evidence bears out what the answer states, and nothing contradicts a known fact.

    Claims are those the agent lists, or the sentences that state something. Rules decide first, and only what they can
    hardly get wrong; what they leave open is asked: does the cited evidence support the claim, and if not, does it
    contradict it. Without a judge an open point is skipped, never passed.
    """
    spec = case.contract.claims or ClaimsSpec()
    found = yield from _find_claims(case, spec)
    if not isinstance(found, list):
        return [found]
    if not found:
        return [
            Skipped(
                check="claims",
                reason=_NO_CLAIMS,
                diagnostic="the answer states no claim",
                gating=False,
            )
        ]
    beyond = len(found) - spec.max_claims
    points = [
        Point(claim, read_claim(claim.text[:CLAIM_CHARS]))
        for claim in found[: spec.max_claims]
    ]
    library = library_of(case.result.output, spec)
    yield from _fetch(case, points, library)
    wanted = (
        bool(library.texts)
        or case.contract.evidence is not None
        or any(one.claim.citations for one in points)
    )
    for point in points:
        _by_facts(point, spec)
        if point.stance is None and not point.facts:
            _by_rules(point, library, wanted=wanted)
    if case.judge:
        yield from by_judge([point for point in points if _is_open(point)])
    return verdicts_of(points, beyond)


def _is_open(point: Point) -> bool:
    return point.stance is Stance.OPEN and not point.inaccessible


# --- finding claims and evidence -----------------------------------------------------------------------------------


def _find_claims(
    case: Case, spec: ClaimsSpec
) -> Generator[list[Need], list[Answer], list[FoundClaim] | Verdict]:
    output = case.result.output
    if output.claims:
        return [
            FoundClaim(claim.text, tuple(claim.citations), f"claims/{index}")
            for index, claim in enumerate(output.claims)
            if claim.text.strip()
        ]
    if spec.extract == "none" or not output.final_answer:
        return []
    if spec.extract == "sentences":
        return claims_in(output.final_answer)
    if not case.judge:
        return Skipped(
            check="claims",
            reason=Reason.NOT_CONFIGURED,
            diagnostic="the contract lets a model find the claims, and no judge is configured",
            metric=METRIC,
        )
    answer = Material("final_answer", output.final_answer)
    (reply,) = yield [
        Extract(
            extract_id="claims",
            instruction=_EXTRACTION,
            materials=(answer,),
            schema=_EXTRACTION_SCHEMA,
        )
    ]
    return _extracted(reply)


def _extracted(reply: Answer) -> list[FoundClaim] | Verdict:
    if isinstance(reply, Unanswered):
        return unanswered_verdict(reply, check="claims", metric=METRIC)
    if not isinstance(reply, Extracted):
        raise TypeError(f"an extraction was answered by {type(reply).__name__}")
    data = as_mapping(reply.data)
    items = None if data is None else as_sequence(data.get("claims"))
    if items is None:
        return Error(
            check="claims",
            reason=Reason.JUDGE_FAILED,
            diagnostic="no list of claims",
            metric=METRIC,
        )
    found: list[FoundClaim] = []
    for index, item in enumerate(items):
        given = as_mapping(item) or {}
        text, citations = given.get("text"), as_sequence(given.get("citations")) or ()
        if isinstance(text, str) and text.strip():
            ids = tuple(one for one in citations if isinstance(one, str))
            found.append(FoundClaim(text, ids, f"final_answer:claim{index + 1}"))
    return found


def _fetch(
    case: Case, points: list[Point], library: Library
) -> Generator[list[Need], list[Answer], None]:
    """Ask the contract's evidence sources for cited texts that the result does not carry."""
    sources = case.contract.evidence.sources if case.contract.evidence else []
    unread = dict.fromkeys(
        citation
        for point in points
        for citation in point.claim.citations
        if not library.cited(citation)
    )
    asked = [
        (citation, Lookup(source=source, query=query, want_text=True))
        for citation in unread
        for source in sources
        for query in library.queries(citation)
    ]
    if not asked:
        return
    replies = yield [lookup for _, lookup in asked]
    for (citation, _), reply in zip(asked, replies, strict=True):
        if (
            isinstance(reply, Found)
            and isinstance(text := reply.fields.get("text"), str)
            and text.strip()
        ):
            library.add(reply.ref, text, [citation])
        elif isinstance(reply, Unanswered):
            library.unreachable[citation] = reply.message


# --- rules ---------------------------------------------------------------------------------------------------------


def _by_facts(point: Point, spec: ClaimsSpec) -> None:
    unclear: list[str] = []
    for fact in spec.facts:
        word, why = hold_against(point.read, fact)
        if word is Word.WRONG:
            point.settle(
                Stance.CONTRADICTS,
                f"{fact.property} of {fact.subject}: {why}",
                code=FailureCode.WRONG_FACT,
            )
            return
        if word is Word.RIGHT and point.stance is None:
            point.settle(Stance.SUPPORTS, f"{fact.property} of {fact.subject}: {why}")
        if word is Word.UNCLEAR:
            unit = f" {fact.unit}" if fact.unit else ""
            unclear.append(f"{fact.property} of {fact.subject}: {fact.value}{unit}")
    if unclear and point.stance is None:
        point.facts = tuple(unclear)
        point.settle(Stance.OPEN, f"it may speak of a known fact ({listed(unclear)})")


def _by_rules(point: Point, library: Library, *, wanted: bool) -> None:
    if not wanted:
        return
    cited = [
        text for citation in point.claim.citations for text in library.cited(citation)
    ]
    unread = [
        citation for citation in point.claim.citations if not library.cited(citation)
    ]
    point.evidence = (
        list({id(text): text for text in cited}.values())
        if point.claim.citations
        else library.texts
    )
    if point.claim.citations and not point.evidence:
        why = next(
            (library.unreachable[one] for one in unread if one in library.unreachable),
            "its text is not at hand",
        )
        point.inaccessible = f"{listed(unread)}: {why}"
        point.settle(Stance.OPEN, point.inaccessible)
        return
    if not point.evidence:
        point.settle(
            Stance.UNRELATED,
            "the result carries no evidence",
            code=FailureCode.UNSUPPORTED_CLAIM,
        )
        return
    findings = [(text, weigh(point.read, text.reading)) for text in point.evidence]
    _conclude(point, findings, complete=not (unread or library.cut))


def _conclude(
    point: Point, findings: Sequence[tuple[Evidence, Finding]], *, complete: bool
) -> None:
    """What all the evidence together does to the claim."""
    by_stance: dict[Stance, list[tuple[Evidence, Finding]]] = {}
    for text, finding in findings:
        by_stance.setdefault(finding.stance, []).append((text, finding))
    supports, contradicts = (
        by_stance.get(Stance.SUPPORTS, []),
        by_stance.get(Stance.CONTRADICTS, []),
    )
    if supports and not contradicts:
        point.settle(Stance.SUPPORTS, supports[0][1].why, refs=_refs(supports))
    elif contradicts and not supports:
        why = f"{contradicts[0][1].why}: {contradicts[0][1].sentence[:_SHOWN]!r}"
        code = FailureCode.CONTRADICTED_BY_EVIDENCE
        point.settle(Stance.CONTRADICTS, why, code=code, refs=_refs(contradicts))
    elif complete and set(by_stance) == {Stance.UNRELATED}:
        refs = (
            [text.ref for text in point.evidence[:5]] if point.claim.citations else []
        )
        point.settle(
            Stance.UNRELATED, findings[0][1].why, code=point.no_support, refs=refs
        )
    else:
        both = (
            "the evidence speaks for it and against it"
            if supports
            else "no rule is sure"
        )
        point.settle(
            Stance.OPEN,
            next(
                (one.why for _, one in by_stance.get(Stance.OPEN, []) if one.why), both
            ),
        )


def _refs(found: Sequence[tuple[Evidence, Finding]]) -> list[str]:
    return [f"{text.ref}:{finding.start}" for text, finding in found[:5]]
