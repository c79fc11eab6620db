"""Whether a text has nothing to do with a claim: not one word of it, under any name."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators.claims.support.reading import (
    ReadClaim,
    ReadEvidence,
    prefixes_of,
    values_of,
)

_MIN_EVIDENCE_WORDS: Final = 6
_ENGLISH = re.compile(
    r"\b(?:the|a|an|of|in|on|to|and|is|are|was|were|for|with|by|as|at)\b", re.IGNORECASE
)
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_CAPITAL = re.compile(r"\b([A-Z])[a-z]+")
_POINTS_BACK = re.compile(
    r"\W*(?:it|its|he|his|she|her|they|their|this|these|that|those)\b", re.IGNORECASE
)
_NOT_LATIN = re.compile(r"[\u0370-\u1fff\u3040-\uffdf]")


def is_unrelated(claim: ReadClaim, evidence: ReadEvidence) -> bool:
    """Whether no content word of the claim, not even by its beginning, occurs in the evidence."""
    if claim.is_short or evidence.word_count < _MIN_EVIDENCE_WORDS:
        return False
    if not prefixes_of(claim.stems).isdisjoint(evidence.prefixes):
        return False
    if claim.has_figures and not evidence.values.isdisjoint(values_of(claim.figures)):
        return False
    return _is_comparable(claim, evidence)


def _is_comparable(claim: ReadClaim, evidence: ReadEvidence) -> bool:
    """Whether the same thing would have the same name in both: one language, no acronym, somebody named."""
    for text in (claim.text, evidence.text):
        if _NOT_LATIN.search(text) or not _ENGLISH.search(text):
            return False
    if all(_POINTS_BACK.match(sentence.text) for sentence in evidence.sentences):
        return False
    return not (
        _has_acronym_of(claim.text, evidence.text)
        or _has_acronym_of(evidence.text, claim.text)
    )


def _has_acronym_of(short: str, long: str) -> bool:
    """Whether one text has the initials of names that the other one writes out."""
    initials = "".join(_CAPITAL.findall(long))
    return any(acronym in initials for acronym in _ACRONYM.findall(short))
