"""Whether a sentence gives the figures of a claim beside its words, or other figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.quantities import (
    Day,
    Figures,
    Quantity,
    agree,
    comparable,
    figures,
    same_day,
)
from judgemesh.validators.claims.reading import ReadClaim
from judgemesh.validators.claims.sentences import Sentence
from judgemesh.validators.claims.spans import TextSpan

_MAX_FIGURES: Final = 200
"""A claim or sentence with more than this says more than one thing."""
_REACH_CHARS: Final = 60
"""How far beside the words of a claim the evidence may give a figure that is beside them in the claim."""


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """Whether the figures agree; where they do not, `conflict` is the reason if a rule is sure of it."""

    agree: bool
    conflict: str = ""


_AGREE: Final = FigureComparison(agree=True)
_UNCLEAR: Final = FigureComparison(agree=False)


def compare_figures(
    claim: ReadClaim, claim_span: TextSpan, sentence: Sentence, span: TextSpan
) -> FigureComparison:
    """Compare every figure of the claim with those at the same place of the sentence.

    Args:
        claim: the claim.
        claim_span: its words in the claim.
        sentence: a sentence with all words of the claim.
        span: these words in the sentence.
    """
    claimed, stated = claim.figures, figures(sentence.text)
    if claimed.count + stated.count > _MAX_FIGURES:
        return _UNCLEAR
    comparisons = list(_comparisons(claimed, claim_span, stated, sentence, span))
    if all(comparison.agree for comparison in comparisons):
        return _AGREE
    for comparison in comparisons:
        if comparison.conflict:
            return comparison
    return _UNCLEAR


def _comparisons(
    claimed: Figures,
    claim_span: TextSpan,
    stated: Figures,
    sentence: Sentence,
    span: TextSpan,
) -> Iterator[FigureComparison]:
    text = plain(sentence.text)
    inside = _figures_near(stated, text, span, 0)
    around = _figures_near(stated, text, span, _REACH_CHARS)
    for day in claimed.days:
        near = inside if claim_span.contains(day.start) else around
        yield _compare_day(day, claimed, near)
    for number in claimed.numbers:
        near = inside if claim_span.contains(number.start) else around
        yield _compare_number(number, claimed, near, stated)


def _figures_near(stated: Figures, text: str, span: TextSpan, reach: int) -> Figures:
    """The figures inside a run, or at most `reach` characters beside it in the same clause."""
    start, end = max(0, span.first.start - reach), span.last.end + reach
    start += text[start : span.first.start].rfind(";") + 1
    clause_end = text.find(";", span.last.end, end)
    if clause_end >= 0:
        end = clause_end
    numbers = (number for number in stated.numbers if start <= number.start < end)
    days = (day for day in stated.days if start <= day.start < end)
    return Figures(tuple(numbers), tuple(days))


def _compare_day(day: Day, claimed: Figures, near: Figures) -> FigureComparison:
    if any(same_day(day, other) for other in near.days):
        return _AGREE
    only_dates = not claimed.numbers and not near.numbers
    if only_dates and len(near.days) == len(claimed.days) == 1:
        return FigureComparison(agree=False, conflict="the evidence gives another date")
    return _UNCLEAR


def _compare_number(
    number: Quantity, claimed: Figures, near: Figures, stated: Figures
) -> FigureComparison:
    same = [other for other in near.numbers if agree(number, other)]
    if any(comparable(number, other) for other in same):
        return _AGREE
    if same:
        # The same figure, counting something that has another name: the same thing, or something else.
        both_named = number.noun and any(other.noun for other in same)
        unclear = both_named or number.is_year != same[0].is_year
        return _UNCLEAR if unclear else _AGREE
    rivals = [other for other in stated.numbers if comparable(number, other)]
    if len(rivals) != 1 or len(claimed.numbers) != 1:
        return _UNCLEAR
    (rival,) = rivals
    if number.approximate or rival.approximate:
        return _UNCLEAR
    conflict = f"the evidence says {rival.text}, the claim {number.text}"
    return FigureComparison(agree=False, conflict=conflict)
