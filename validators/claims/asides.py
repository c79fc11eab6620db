"""Asides: advice, offers and what the speaker did. They are claims where the evidence speaks about the same.

`You can cancel within 90 days.` is advice in form and a statement in fact where the evidence says within how many days.
`Call us within 5 minutes.` states nothing that the evidence is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.validators.claims.answer.claim_sentences import StatedClaim
from judgemesh.validators.claims.evidence.evidence import Library
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.language.sentences import Sentence, sentence_of
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.reading import prefixes_of, values_of
from judgemesh.validators.claims.support.rules import Stance

_MIN_SHARED: Final = 2


def is_about(point: ClaimPoint, library: Library) -> bool:
    """Whether the evidence speaks about what an aside says, or lacks the words of one that tells by itself."""
    if any(True for _ in _touched(point, library)):
        return True
    return point.claim.telling and not _is_known(point.claim, library)


def _is_known(claim: StatedClaim, library: Library) -> bool:
    """Whether a sentence of the evidence has all words of a value."""
    value = claim.text if claim.keyed is None else claim.keyed.value
    stems = prefixes_of(sentence_of(value).stems)
    return any(
        stems <= prefixes_of(sentence.stems)
        for text in library.texts
        for sentence in text.read.sentences
    )


def is_borne_out(point: ClaimPoint, library: Library) -> bool:
    """Whether an aside that rules leave open gives no figure but those that the evidence gives beside its words."""
    claim = point.claim
    if not claim.aside or point.stance is not Stance.OPEN or not point.read.has_figures:
        return False
    stated = set(values_of(point.read.figures))
    return any(
        stated <= set(values_of(figures(sentence.text)))
        and len(sentence.negators) == len(point.read.sentence.negators)
        for sentence in _touched(point, library)
    )


def _touched(point: ClaimPoint, library: Library) -> Iterator[Sentence]:
    """The sentences of the evidence that share most words of an aside, or the key of a value."""
    stems = _subject_stems(point.claim) or prefixes_of(point.read.stems)
    if not stems:
        return
    needed = min(len(stems), max(_MIN_SHARED, (len(stems) + 1) // 2))
    for text in library.texts:
        for sentence in text.read.sentences:
            if len(stems & prefixes_of(sentence.stems)) >= needed:
                yield sentence


def _subject_stems(claim: StatedClaim) -> frozenset[str]:
    if claim.keyed is None:
        return frozenset()
    return prefixes_of(sentence_of(claim.keyed.key).stems)
