"""Whether what a claim cites leads to evidence at all; what leads nowhere supports nothing.

A passage that the agent brings counts after it was found in the contract's passages, in a source or in a tool's result,
and then the text found counts. A cited identifier that none of them holds, or a passage that none of them holds, leaves
the claim unsupported, unless another evidence text bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.validators._shared.values import listed
from judgemesh.validators.claims.answer.claim_sentences import StatedClaim
from judgemesh.validators.claims.deciding import decide_by_rules
from judgemesh.validators.claims.evidence.evidence import Library
from judgemesh.validators.claims.keyed_rules import decide_keyed
from judgemesh.validators.claims.named_sources import without_mark
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.rules import Stance

_SHOWN_CHARS: Final = 60
_IDENTIFIER = re.compile(
    r"(?=[^\s]*[A-Za-z])(?=[^\s]*\d)[^\s]+|https?://\S+|\S+\.(?:md|pdf|txt|html?|docx?)",
    re.IGNORECASE,
)
"""A name that means one document: letters with digits, an address, a file."""


def with_citations(claim: StatedClaim, library: Library) -> StatedClaim:
    """The claim with the sources it names, as `(POL-7)` or `According to POL-7`, where evidence has that name."""
    for citation, mark in claim.mentions.items():
        if library.is_name(citation):
            text = without_mark(claim.text, mark)
            cited = (*claim.citations, citation)
            claim = replace(claim, text=text, citations=cited)
    return claim


def decide_by_evidence(point: ClaimPoint, library: Library) -> None:
    """Settle the point by the evidence that it cites, or by all evidence where it cites nothing."""
    citations = point.claim.citations
    unread = library.unread(citations)
    if not citations and library.silent and not library.texts:
        point.inaccessible = library.silent
        point.settle(Stance.OPEN, library.silent)
    elif _leads_nowhere(citations, unread, library):
        _decide_unfound(point, unread, library)
    else:
        decide_by_rules(point, library)
    if point.stance is Stance.OPEN and not point.inaccessible:
        decide_keyed(point)


def _leads_nowhere(
    citations: Sequence[str], unread: Sequence[str], library: Library
) -> bool:
    """Whether nothing that is cited was found, and no source failed to answer."""
    if not citations or len(unread) < len(citations):
        return False
    return not any(citation in library.unreachable for citation in unread)


def _decide_unfound(point: ClaimPoint, unread: Sequence[str], library: Library) -> None:
    """What the claim cites was found nowhere: another evidence text may still bear it out."""
    shown = listed([repr(citation[:_SHOWN_CHARS]) for citation in unread])
    why = f"it cites {shown}, which no evidence passage, source or tool result holds"
    if not any(library.brought(citation) for citation in unread):
        if any(map(_IDENTIFIER.fullmatch, unread)):
            _settle_unfound(point, why)
            return
        # `[1]` or `[the handbook]` names no document that could be missing.
        _decide_uncited(point, library)
        return
    _decide_uncited(point, library)
    if point.stance not in (Stance.SUPPORTS, Stance.CONTRADICTS):
        _settle_unfound(point, why)


def _settle_unfound(point: ClaimPoint, why: str) -> None:
    code = FailureCode.CLAIM_EVIDENCE_MISMATCH
    point.settle(Stance.UNRELATED, why, code=code)


def _decide_uncited(point: ClaimPoint, library: Library) -> None:
    """Compare with all evidence, as for a claim that cites nothing."""
    claim = point.claim
    point.claim = replace(claim, citations=())
    decide_by_rules(point, library)
    point.claim = claim
