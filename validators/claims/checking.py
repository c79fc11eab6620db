"""From what an answer states to decided points: facts first, then evidence."""

from __future__ import annotations

from collections.abc import Sequence

from judgemesh.contracts.sections.evidence import ClaimsSpec
from judgemesh.validators.claims.answer.claim_sentences import StatedClaim
from judgemesh.validators.claims.asides import is_about, is_borne_out
from judgemesh.validators.claims.attributing import (
    decide_by_evidence,
    with_citations,
)
from judgemesh.validators.claims.deciding import decide_by_facts
from judgemesh.validators.claims.elliptic import decide_elliptic
from judgemesh.validators.claims.evidence.evidence import Library
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.reading import read_claim


def points_of(
    claims: Sequence[StatedClaim], spec: ClaimsSpec, library: Library | None
) -> list[ClaimPoint]:
    """The claims as points, settled where they state a known fact.

    Args:
        claims: what was read.
        spec: the section `claims`.
        library: the evidence; None where the contract does not ask for support.
    """
    points: list[ClaimPoint] = []
    for claim in claims:
        cited = with_citations(claim, library) if library else claim
        point = ClaimPoint(cited, read_claim(cited.text))
        decide_by_facts(point, spec.facts, alone=library is None)
        if point.stance is None:
            decide_elliptic(point, spec.facts)
        if point.stance is not None or _counts(point, library):
            points.append(point)
    return points


def _counts(point: ClaimPoint, library: Library | None) -> bool:
    """Whether a claim counts that states no known fact: an aside does where the evidence speaks about the same."""
    if not point.claim.aside:
        return True
    return library is not None and is_about(point, library)


def decide_by_library(
    points: Sequence[ClaimPoint], library: Library
) -> list[ClaimPoint]:
    """Settle what no fact settled by the evidence; asides that say nothing else than the evidence are left out."""
    decided: list[ClaimPoint] = []
    for point in points:
        if point.stance is None:
            decide_by_evidence(point, library)
        if not is_borne_out(point, library):
            decided.append(point)
    return decided
