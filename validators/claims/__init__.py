"""Claims: whether the evidence supports what the answer states."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import Metric, Skipped
from judgemesh.validators.claims.asked import (
    CODES,
    asks_about_claims,
    asks_for_support,
    covered_codes,
    names_evidence,
    spec_of,
)
from judgemesh.validators.claims.asking import ask_judge
from judgemesh.validators.claims.attributing import decide_by_evidence
from judgemesh.validators.claims.collecting import collect_evidence, fetch_evidence
from judgemesh.validators.claims.deciding import decide_by_facts
from judgemesh.validators.claims.finding import find_claims
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.reading import read_claim
from judgemesh.validators.claims.verdicts import no_evidence, verdicts_of

_NO_CLAIMS: Final = Skipped(
    check="claims",
    reason="no_claims",
    diagnostic="the answer states no claim",
    gating=False,
)


@validator(
    name="claims",
    version="1",
    metric=Metric.EVIDENCE_CONSISTENCY,
    codes=CODES,
    applies=asks_about_claims,
    covers=covered_codes,
    stage=Stage.MODEL,
    timeout_s=900.0,
)
def claims(case: Case) -> Judgement:
    """The evidence supports what the answer states, and nothing contradicts a known fact.

    Claims are those the agent lists, or the sentences that state something. Rules decide first, and only what they can
    hardly get wrong; what they leave open is asked: does the cited evidence support the claim, and if not, does it
    contradict it. Without a judge an open point is skipped, never passed.
    """
    spec = spec_of(case.contract)
    stated = yield from find_claims(case, spec)
    if not isinstance(stated, list):
        return [stated]
    if not stated:
        return [_NO_CLAIMS]
    checked = stated[: spec.max_claims]
    points = [ClaimPoint(claim, read_claim(claim.text)) for claim in checked]
    library = collect_evidence(case)
    yield from fetch_evidence(case, checked, library)
    supported = asks_for_support(case.contract)
    for point in points:
        decide_by_facts(point, spec.facts, alone=not supported)
    if supported:
        unsettled = [point for point in points if point.stance is None]
        if unsettled and not (library.texts or names_evidence(case.contract)):
            return [no_evidence(case)]
        for point in unsettled:
            decide_by_evidence(point, library)
    if case.judge:
        yield from ask_judge([point for point in points if point.is_open])
    return verdicts_of(points, beyond=len(stated) - spec.max_claims)
