"""What the points about claims come to: verdicts."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import unanswered_verdict
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.values import listed
from judgemesh.validators.claims.points import METRIC, Point
from judgemesh.validators.claims.rules import Stance

_MAX_ROWS: Final = 50
_SHOWN: Final = 160


def verdicts_of(points: list[Point], beyond: int) -> list[Verdict]:
    """One verdict for each judged claim; those that rules decided are grouped by what they say."""
    verdicts: list[Verdict] = []
    groups: dict[tuple[Stance, FailureCode | None, str], list[Point]] = {}
    for number, point in enumerate(points, start=1):
        if point.stance is None:
            continue
        if point.fault is not None:
            verdicts.append(
                unanswered_verdict(point.fault, check=f"claim:{number}", metric=METRIC)
            )
        elif point.judged:
            verdicts.append(_single(number, point))
        else:
            kind = "inaccessible" if point.inaccessible else ""
            groups.setdefault((point.stance, point.code, kind), []).append(point)
    verdicts += [
        _group(stance, code, kind, group)
        for (stance, code, kind), group in groups.items()
    ]
    if beyond > 0:
        message = f"{beyond} claims beyond the first {len(points)} were not looked at"
        verdicts.append(
            Abstain(
                check="claims_beyond",
                diagnostic=message,
                metric=METRIC,
                weight=float(beyond),
            )
        )
    return verdicts or [
        Skipped(
            check="claims",
            reason=Reason.NOT_CONFIGURED,
            diagnostic="no claim speaks of a known fact, and there is no evidence to hold the claims against",
            gating=False,
        )
    ]


def _single(number: int, point: Point) -> Verdict:
    check = f"claim:{number}"
    if point.stance is Stance.SUPPORTS:
        return Pass(
            check=check,
            diagnostic=point.why,
            confidence=point.confidence,
            evidence_refs=point.refs,
            metric=METRIC,
        )
    if point.code is None:
        return Abstain(
            check=check,
            diagnostic=f"{_shown(point)}: {point.why}",
            confidence=point.confidence,
            evidence_refs=point.refs,
            metric=METRIC,
        )
    return Fail(
        check=check,
        codes=(point.code,),
        diagnostic=f"{_shown(point)}: {point.why}",
        confidence=point.confidence,
        evidence_refs=(point.claim.ref, *point.refs),
        metric=METRIC,
    )


def _group(
    stance: Stance, code: FailureCode | None, kind: str, group: list[Point]
) -> Verdict:
    weight = float(len(group))
    words = [f"{_shown(point)}: {point.why}" for point in group]
    details: dict[str, object] = {
        "claims": [_row(point) for point in group[:_MAX_ROWS]]
    }
    refs = tuple(
        dict.fromkeys(ref for point in group for ref in (point.claim.ref, *point.refs))
    )[:_MAX_ROWS]
    if stance is Stance.SUPPORTS:
        return Pass(
            check="supported",
            diagnostic=f"{len(group)} claims stand in the evidence",
            metric=METRIC,
            weight=weight,
            confidence=DETERMINISTIC,
            evidence_refs=refs,
            details=details,
        )
    if code is not None:
        return Fail(
            check=code.value.lower(),
            codes=(code,),
            diagnostic=listed(words),
            metric=METRIC,
            weight=weight,
            confidence=DETERMINISTIC,
            evidence_refs=refs,
            details=details,
        )
    if kind:
        return Abstain(
            check="evidence",
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic=listed(words),
            metric=METRIC,
            weight=weight,
            details=details,
        )
    return Skipped(
        check="open",
        reason=Reason.NOT_CONFIGURED,
        diagnostic=f"{len(group)} claims that no rule could decide need a judge: {listed(words)}",
        metric=METRIC,
        weight=weight,
        details=details,
    )


def _row(point: Point) -> dict[str, object]:
    return {
        "claim": point.claim.text[:_SHOWN],
        "ref": point.claim.ref,
        "cites": list(point.claim.citations[:10]),
        "stance": (point.stance or Stance.OPEN).value,
        "why": point.why,
        "evidence": list(point.refs),
    }


def _shown(point: Point) -> str:
    text = point.claim.text
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
