"""The verdicts on claims: one for each that a judge decided; those that rules decided are grouped by stance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import unanswered_verdict
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Skipped,
    Verdict,
    VerdictFields,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.values import listed
from judgemesh.validators.claims.asked import takes_tool_results
from judgemesh.validators.claims.counting import ReadCount
from judgemesh.validators.claims.points import METRIC, ClaimPoint
from judgemesh.validators.claims.support.rules import Stance

_MAX_ROWS: Final = 50
_MAX_CITATIONS: Final = 10
_SHOWN_CHARS: Final = 160
_NOTHING_TO_COMPARE: Final = not_configured(
    "claims",
    "no claim is about a known fact, and there is no evidence to compare the claims with",
    gating=False,
)


_NO_CLAIMS: Final = "no_claims"


class _Group(NamedTuple):
    """What the points of one verdict have in common."""

    stance: Stance
    code: FailureCode | None
    inaccessible: bool


def no_evidence(case: Case) -> Verdict:
    """The verdict where claims have to be supported, and there is nothing that could support them."""
    trace_problem = case.problems.get("trace")
    if trace_problem is not None and takes_tool_results(case.contract):
        return inaccessible("evidence", trace_problem, metric=METRIC)
    why = (
        "claims have to be supported, and there is no evidence: the contract names no passage (claims.evidence) and no "
        "source (evidence.sources), and no tool returned anything; what the agent brings is no evidence"
    )
    return not_configured("claims", why, metric=METRIC, gating=True)


def verdicts_of(
    points: Sequence[ClaimPoint], count: ReadCount, *, supported: bool = False
) -> list[Verdict]:
    """All verdicts on the claims, and on what of the answer was not read or not checked.

    `supported`: the contract asks for supported claims, and an answer that was not read proves none.
    """
    verdicts: list[Verdict] = []
    groups: dict[_Group, list[ClaimPoint]] = {}
    for number, point in enumerate(points, start=1):
        check = f"claim:{number}"
        if point.stance is None:
            continue
        if point.fault is not None:
            verdicts.append(unanswered_verdict(point.fault, check=check, metric=METRIC))
        elif point.judged:
            verdicts.append(_judged(check, point))
        else:
            group = _Group(point.stance, point.code, bool(point.inaccessible))
            groups.setdefault(group, []).append(point)
    for group, members in groups.items():
        verdicts.append(_grouped(group, members, count))
    if count.beyond > 0:
        verdicts.append(_beyond(count.beyond, len(points)))
    if count.reading.unread:
        verdicts.append(_unread(count))
    if verdicts:
        return verdicts
    if not points and supported and count.reading.fragments:
        return [_fragments_only(count)]
    return [_NOTHING_TO_COMPARE if points else _no_claims(count)]


def _no_claims(count: ReadCount) -> Skipped:
    why = "the answer states no claim"
    if count.text:
        why = f"{why} ({count.text})"
    return Skipped(
        check="claims",
        reason=_NO_CLAIMS,
        diagnostic=why,
        gating=False,
        details={"reading": count.details},
    )


def _fragments_only(count: ReadCount) -> Abstain:
    """Words that are neither talk nor a statement that can be compared, such as `Yes.`, are not read."""
    shown = listed([repr(text[:_SHOWN_CHARS]) for text in count.reading.fragments])
    return Abstain(
        check="claims_unread",
        diagnostic=f"{count.text}: {shown} was not read as a statement, and is no talk either",
        metric=METRIC,
        details={"reading": count.details},
    )


def _unread(count: ReadCount) -> Abstain:
    """Where something was not read, nobody knows whether it is supported."""
    why = "; ".join(filter(None, (count.text, *count.reading.unread)))
    return Abstain(
        check="claims_unread",
        diagnostic=why,
        metric=METRIC,
        details={"reading": count.details},
    )


def _judged(check: str, point: ClaimPoint) -> Verdict:
    details = {"claims": [_row(point)]}
    if point.stance is Stance.SUPPORTS:
        return Pass(
            check=check,
            diagnostic=point.why,
            confidence=point.confidence,
            evidence_refs=point.refs,
            metric=METRIC,
            details=details,
        )
    if point.code is None:
        return Abstain(
            check=check,
            diagnostic=_reason(point),
            confidence=point.confidence,
            evidence_refs=point.refs,
            metric=METRIC,
            details=details,
        )
    return Fail(
        check=check,
        codes=(point.code,),
        diagnostic=_reason(point),
        confidence=point.confidence,
        evidence_refs=(point.claim.ref, *point.refs),
        metric=METRIC,
        details=details,
    )


def _grouped(group: _Group, points: Sequence[ClaimPoint], count: ReadCount) -> Verdict:
    reasons = listed([_reason(point) for point in points])
    common: VerdictFields = {
        "metric": METRIC,
        "weight": float(len(points)),
        "details": {
            "claims": [_row(point) for point in points[:_MAX_ROWS]],
            "reading": count.details,
        },
    }
    decided: VerdictFields = {
        **common,
        "confidence": DETERMINISTIC,
        "evidence_refs": _refs(points),
    }
    if group.stance is Stance.SUPPORTS:
        why = f"{len(points)} claims are supported by the evidence"
        if count.text:
            why = f"{why} ({count.text})"
        return Pass(check="supported", diagnostic=why, **decided)
    if group.code is not None:
        return Fail(
            check=group.code.value.lower(),
            codes=(group.code,),
            diagnostic=reasons,
            **decided,
        )
    if group.inaccessible:
        return inaccessible("evidence", reasons, **common)
    claims = "1 claim" if len(points) == 1 else f"{len(points)} claims"
    need = "needs" if len(points) == 1 else "need"
    why = f"{claims} that no rule could decide {need} a judge: {reasons}"
    return not_configured("open", why, **common)


def _beyond(beyond: int, checked: int) -> Abstain:
    return Abstain(
        check="claims_beyond",
        diagnostic=f"{beyond} claims beyond the first {checked} were not checked",
        metric=METRIC,
        weight=float(beyond),
    )


def _refs(points: Sequence[ClaimPoint]) -> tuple[str, ...]:
    """The places of the claims and of their evidence."""
    refs: dict[str, None] = {}
    for point in points:
        refs |= dict.fromkeys((point.claim.ref, *point.refs))
    return tuple(refs)[:_MAX_ROWS]


def _row(point: ClaimPoint) -> dict[str, object]:
    return {
        "claim": point.claim.text[:_SHOWN_CHARS],
        "ref": point.claim.ref,
        "cites": list(point.claim.citations[:_MAX_CITATIONS]),
        "stance": (point.stance or Stance.OPEN).value,
        "why": point.why,
        "evidence": list(point.refs),
    }


def _reason(point: ClaimPoint) -> str:
    text = point.claim.text
    if len(text) > _SHOWN_CHARS:
        text = f"{text[:_SHOWN_CHARS]}..."
    return f"{text!r}: {point.why}"
