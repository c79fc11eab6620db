"""The path of a claim: found, compared with the evidence, asked about, judged."""

from __future__ import annotations

from judgemesh.contracts.validator import Case, Judgement
from judgemesh.validators.claims.answer.claim_sentences import AnswerReading
from judgemesh.validators.claims.asked import (
    asks_for_support,
    names_evidence,
    spec_of,
)
from judgemesh.validators.claims.asking import ask_judge
from judgemesh.validators.claims.checking import decide_by_library, points_of
from judgemesh.validators.claims.counting import ReadCount
from judgemesh.validators.claims.evidence.collecting import (
    collect_evidence,
    fetch_evidence,
)
from judgemesh.validators.claims.finding import find_claims
from judgemesh.validators.claims.verdicts import no_evidence, verdicts_of


def check_claims(case: Case) -> Judgement:
    """Verdicts on the claims of an answer: those the agent lists, and those read from the text."""
    spec = spec_of(case.contract)
    reading = yield from find_claims(case, spec)
    if not isinstance(reading, AnswerReading):
        return [reading]
    library = collect_evidence(case, reading.references)
    yield from fetch_evidence(case, reading.claims, library)
    supported = asks_for_support(case.contract)
    points = points_of(reading.claims, spec, library if supported else None)
    checked = points[: spec.max_claims]
    if supported:
        is_unsettled = any(point.stance is None for point in checked)
        if is_unsettled and not (library.texts or names_evidence(case.contract)):
            return [no_evidence(case)]
        checked = decide_by_library(checked, library)
    if case.judge:
        yield from ask_judge([point for point in checked if point.is_open])
    count = ReadCount(reading, len(points), beyond=len(points) - spec.max_claims)
    return verdicts_of(checked, count, supported=supported)
