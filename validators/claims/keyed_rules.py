"""What rules can tell about a value under a key (`employees: 900`): its own words are too few for a sentence's rules.

A sentence of the evidence bears it out that has the words of the key and of what it is about, and the value. It
contradicts it where it has all of them and one other figure of the same kind in place of the value. Everything else
stays open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.validators.claims.answer.keyed import Keyed
from judgemesh.validators.claims.evidence.evidence import EvidenceText
from judgemesh.validators.claims.language.quantities import (
    Figures,
    Quantity,
    agree,
    figures,
    same_day,
)
from judgemesh.validators.claims.language.sentences import Sentence, sentence_of
from judgemesh.validators.claims.language.words import words_only
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.reading import prefixes_of
from judgemesh.validators.claims.support.rules import Stance

_SHOWN_CHARS: Final = 160
_NO_HEDGES: Final = frozenset({"once", "until", "before", "used", "certain"})
"""Words that weaken a statement of one sort and not a value: `once daily`, `until 21:00`."""


class _Said(NamedTuple):
    """A sentence that speaks about the key, and whether it gives the value, another one, or neither."""

    text: EvidenceText
    sentence: Sentence
    agrees: bool | None

    @property
    def ref(self) -> str:
        return f"{self.text.ref}:{self.sentence.start}"


def decide_keyed(point: ClaimPoint) -> None:
    """Settle a value under a key where the evidence gives it, or another one."""
    keyed = point.claim.keyed
    if keyed is None:
        return
    said = list(_said(keyed, point))
    right = [one for one in said if one.agrees]
    wrong = [one for one in said if one.agrees is False]
    if right and not wrong:
        why = f"the evidence gives {keyed.key}: {keyed.value}"
        point.settle(Stance.SUPPORTS, why, refs=[one.ref for one in right[:1]])
    elif wrong and not right and keyed.about and not _is_foreign_id(keyed.about, point):
        shown = wrong[0].sentence.text[:_SHOWN_CHARS]
        why = f"the evidence gives another {keyed.key}: {shown!r}"
        code = FailureCode.CONTRADICTED_BY_EVIDENCE
        point.settle(Stance.CONTRADICTS, why, code=code, refs=[wrong[0].ref])


def _said(keyed: Keyed, point: ClaimPoint) -> Iterator[_Said]:
    """The plain sentences that speak about the key of the thing."""
    key = _prefixes(keyed.key)
    about = _prefixes(keyed.about)
    if _is_foreign_id(keyed.about, point):
        # The id of a ticket says nothing to evidence that knows no tickets.
        about = frozenset[str]()
    if not key:
        return
    value = figures(keyed.value)
    in_names = figures(keyed.about)
    for text in point.evidence:
        for sentence in text.read.sentences:
            said = prefixes_of(sentence.stems)
            if not key | about <= said or sentence.is_question:
                continue
            if _is_weakened(sentence):
                continue
            yield _Said(text, sentence, _agrees(keyed, value, in_names, sentence))


def _is_weakened(sentence: Sentence) -> bool:
    """Whether a sentence negates or weakens something; `20 mg once daily` does not."""
    if sentence.negators:
        return True
    return any(word not in _NO_HEDGES for word, _ in sentence.hedges)


def _is_foreign_id(about: str, point: ClaimPoint) -> bool:
    """Whether what a value is said of has a number, and no evidence has a word of it."""
    if not any(character.isdigit() for character in about):
        return False
    words = _prefixes(about)
    return all(words.isdisjoint(text.read.prefixes) for text in point.evidence)


def _prefixes(text: str) -> frozenset[str]:
    return prefixes_of(sentence_of(text).stems)


def _agrees(
    keyed: Keyed, value: Figures, names: Figures, sentence: Sentence
) -> bool | None:
    """Whether a sentence gives the value (True), one other figure of the kind (False), or is silent about it (None)."""
    stated = figures(sentence.text)
    if value.days:
        return _gives_day(value, stated)
    if len(value.numbers) == 1:
        return _gives_number(keyed.key, value.numbers[0], names, stated)
    if words_only(keyed.value) in words_only(sentence.text):
        return True
    return None


def _gives_day(value: Figures, stated: Figures) -> bool | None:
    if any(same_day(value.days[0], day) for day in stated.days):
        return True
    return False if len(stated.days) == 1 else None


def _gives_number(
    key: str, number: Quantity, names: Figures, stated: Figures
) -> bool | None:
    """Compare with the figures of a sentence; those in the name of the thing are no values.

    A figure that counts what the key names (`640 pupils`) comes before all others.
    """
    named = {other.value for other in names.numbers}
    rivals = [
        other
        for other in stated.numbers
        if other.value not in named and _same_kind(number, other)
    ]
    counted = [other for other in rivals if _counts(other, key)]
    rivals = counted or rivals
    if len(rivals) != 1:
        return None
    return agree(number, rivals[0]) or _is_written(number, rivals[0])


def _is_written(number: Quantity, other: Quantity) -> bool:
    """Whether a bare number is the figure that stands before the unit of the other: `12.4` of `12.4 kg`."""
    figure = figures(other.text).numbers
    return bool(other.unit and not number.unit and figure) and agree(number, figure[0])


def _counts(number: Quantity, key: str) -> bool:
    return bool(number.noun) and prefixes_of([number.noun]) <= _prefixes(key)


def _same_kind(number: Quantity, other: Quantity) -> bool:
    """Whether two figures may be values of one key: neither unit says otherwise."""
    if number.unit and other.unit:
        return number.unit == other.unit
    return number.is_year == other.is_year or not (number.unit or other.unit)
