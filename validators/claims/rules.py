"""What rules alone can tell about a claim and a piece of evidence. A rule that is not sure leaves the point open.

The rules decide only what they can hardly get wrong:

* *supports*: one sentence says everything the claim says, in its order, close together, with numbers and dates that
  agree, and nothing there negates, weakens or takes it back;
* *contradicts*: such a sentence gives another number for the same thing, or differs in one negation alone;
* *unrelated*: the evidence has no word in common with the claim that could carry it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.quantities import (
    Day,
    Figures,
    Quantity,
    agree,
    comparable,
    figures,
    same_day,
)
from judgemesh.validators._shared.sentences import (
    Sentence,
    Word,
    sentence_of,
    sentences_of,
)
from judgemesh.validators._shared.text import plain


class Stance(StrEnum):
    """What a piece of evidence does to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's word: the stance, why, and the sentence it rests on (its offset in the evidence)."""

    stance: Stance
    why: str = ""
    sentence: str = ""
    start: int = 0


_FEWEST_WORDS: Final = 3
_FEWEST_EVIDENCE_WORDS: Final = 6
_PREFIX: Final = 5
_MOST_WORDS: Final = 150
_MOST_FIGURES: Final = 200
"""A claim or sentence with more than this says more than one thing."""
_REACH: Final = 60
"""A date or number beside the words of a claim may stand so many characters beside those of the evidence."""
_SLACK: Final = 4
_BEFORE: Final = 8
_AFTER: Final = 6
"""So many words before and after a run still turn its meaning."""
_QUOTE = re.compile(
    r"[\"\u201c\u00ab](?P<quote>[^\"\u201c\u201d\u00ab\u00bb\n]{12,600})[\"\u201d\u00bb]"
)
_TAKES_BACK = re.compile(
    r"^(?:\W{0,4})(?:but|however|in fact|actually|yet|though|this is (?:not|false|wrong)|that is (?:not|false|wrong))\b"
    r"|\b(?:nonsense|false|untrue|incorrect|myth|debunked|hoax|not true|disputed|retracted)\b",
    re.IGNORECASE,
)


_IS_A = re.compile(r"\b(?:is|are|was|were) (?:an?|the)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\W*(?:it|its|he|his|she|her|they|their|this|that|these|those|both|such)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, read once. `stems` are its content words without numbers, in order."""

    text: str
    sentence: Sentence
    figures: Figures
    stems: tuple[str, ...]
    names: frozenset[str]
    quotes: tuple[str, ...]

    @property
    def has_figures(self) -> bool:
        """Whether it states a number or a date."""
        return bool(self.figures.numbers or self.figures.days)


@lru_cache(maxsize=1_024)
def read_claim(text: str) -> Claim:
    """Read a claim of at most 3,000 characters."""
    sentence, given = sentence_of(text), figures(text)
    stems = tuple(word.stem for word in sentence_of(_without(plain(text), given)).words)
    names = frozenset(word.stem for word in sentence.words if word.name)
    quotes = tuple(match["quote"] for match in _QUOTE.finditer(text))
    return Claim(text, sentence, given, stems, names, quotes)


def _without(text: str, given: Figures) -> str:
    """A text with its figures blanked out: they are compared as figures, not as words."""
    places = [(day.start, day.end) for day in given.days] + [
        (number.start, number.end) for number in given.numbers
    ]
    for start, end in places:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


@dataclass(slots=True)
class Reading:
    """An evidence text, read once: its sentences, the beginnings of its words, and how many words it has."""

    text: str
    sentences: tuple[Sentence, ...]
    starts: frozenset[str]
    words: int
    _values: frozenset[Decimal] | None = field(default=None, repr=False)

    @property
    def values(self) -> frozenset[Decimal]:
        """Every number in it, years of dates among them; worked out when it is asked for."""
        if self._values is None:
            self._values = frozenset(
                value
                for sentence in self.sentences
                for value in _values(figures(sentence.text))
            )
        return self._values


def read_evidence(text: str) -> Reading:
    """Read an evidence text."""
    found = sentences_of(text)
    starts = frozenset(_start(stem) for sentence in found for stem in sentence.stems)
    return Reading(text, found, starts, sum(len(sentence.words) for sentence in found))


def weigh(claim: Claim, evidence: Reading) -> Finding:
    """What the evidence does to the claim, as far as rules can tell."""
    found = evidence.sentences
    if _PRONOUN.match(claim.text):
        return Finding(Stance.OPEN, "what it speaks of stands elsewhere")
    if (missing := _missing_quote(claim, evidence.text)) is not None:
        return missing
    decided: list[Finding] = []
    for index, sentence in enumerate(found):
        following = found[index + 1].text if index + 1 < len(found) else ""
        finding = _weigh_sentence(claim, sentence, following)
        if finding is not None:
            decided.append(finding)
    stances = {finding.stance for finding in decided}
    if len(stances) > 1:
        return Finding(Stance.OPEN, "one sentence says so, another contradicts it")
    if decided:
        return decided[0]
    if _unrelated(claim, evidence):
        return Finding(
            Stance.UNRELATED,
            "no word of the claim that carries it stands in the evidence",
        )
    return Finding(Stance.OPEN)


def _missing_quote(claim: Claim, evidence: str) -> Finding | None:
    """A quotation that the evidence words in another way leaves everything else open."""
    if not claim.quotes:
        return None
    text = _bare(evidence)
    missing = [quote for quote in claim.quotes if _bare(quote) not in text]
    return (
        Finding(
            Stance.OPEN,
            f"the quotation {missing[0][:80]!r} does not stand in the evidence",
        )
        if missing
        else None
    )


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", plain(text).casefold()))


def _weigh_sentence(claim: Claim, sentence: Sentence, following: str) -> Finding | None:
    """What one sentence does to the claim; None where it does not say all of it, plainly and close together."""
    if len(set(claim.stems)) + claim.has_figures < _FEWEST_WORDS or sentence.question:
        return None
    if (
        len(claim.stems) > _MOST_WORDS
        or not sentence.stems.issuperset(claim.stems)
        or _TAKES_BACK.search(following[:200])
    ):
        return None
    span = _span(claim.stems, sentence.words)
    own = _span(claim.stems, claim.sentence.words)
    if span is None or own is None or _weakened(claim, sentence, span):
        return None
    if _relations(claim, span.relations(sentence)) != _relations(
        claim, own.relations(claim.sentence)
    ):
        return None
    return _said(claim, own, sentence, span)


def _relations(claim: Claim, words: list[str]) -> list[str]:
    """Who does what to whom; where the claim only says what something is, `from` and `by` are one."""
    return (
        ["by" if word == "from" else word for word in words]
        if _IS_A.search(claim.text)
        else words
    )


def _said(claim: Claim, own: _Span, sentence: Sentence, span: _Span) -> Finding | None:
    """What a sentence with all words of the claim does to it, by its negations and figures."""
    negations = sum(map(span.near, sentence.negators))
    negated = abs(negations - len(claim.sentence.negators))
    numbers = _numbers(claim, own, sentence, span)
    if negated == 0 and numbers is None:
        return Finding(
            Stance.SUPPORTS,
            "one sentence says all of it",
            sentence.text,
            sentence.start,
        )
    if negated == 0 and numbers:
        return Finding(Stance.CONTRADICTS, numbers, sentence.text, sentence.start)
    one_sided = negated == 1 and 0 in (negations, len(claim.sentence.negators))
    tight = (
        span.words <= len(claim.stems) + 1
        and len(sentence.words) <= len(claim.sentence.words) + _SLACK
    )
    if one_sided and numbers is None and tight:
        return Finding(
            Stance.CONTRADICTS,
            "the sentence differs in a negation",
            sentence.text,
            sentence.start,
        )
    return None


@dataclass(frozen=True, slots=True)
class _Span:
    """A run of a sentence: how many content words it has, its first and its last one."""

    words: int
    first: Word
    last: Word

    def near(self, place: int) -> bool:
        """Whether what stands there can still turn what the run says."""
        return self.first.place - _BEFORE <= place <= self.last.place + _AFTER

    def relations(self, sentence: Sentence) -> list[str]:
        """The words inside that say who does what to whom."""
        return [
            word
            for word, place in sentence.relations
            if self.first.place < place < self.last.place
        ]


def _weakened(claim: Claim, sentence: Sentence, span: _Span) -> bool:
    """Whether something near the run weakens what it says, and does not weaken the claim too."""
    own = {word for word, _ in claim.sentence.hedges}
    return any(word not in own and span.near(place) for word, place in sentence.hedges)


def _span(wanted: Sequence[str], words: Sequence[Word]) -> _Span | None:
    """The shortest run of the sentence that holds the wanted words in order; None where none is short enough."""
    best: _Span | None = None
    longest = 2 * len(wanted) + _SLACK
    for start, word in enumerate(words):
        if word.stem != wanted[0]:
            continue
        position = 0
        for end in range(start, min(start + longest, len(words))):
            if words[end].stem == wanted[position]:
                position += 1
                if position == len(wanted):
                    if best is None or end - start + 1 < best.words:
                        best = _Span(end - start + 1, word, words[end])
                    break
    return best


def _numbers(claim: Claim, own: _Span, sentence: Sentence, span: _Span) -> str | None:
    """None: every figure of the claim stands in the sentence. Text: another one does instead. "": cannot tell."""
    mine, given = claim.figures, figures(sentence.text)
    if (
        len(mine.numbers) + len(given.numbers) + len(mine.days) + len(given.days)
        > _MOST_FIGURES
    ):
        return ""
    inside, around = (
        _placed(given, span, sentence, 0),
        _placed(given, span, sentence, _REACH),
    )
    said = [
        _day(day, mine, inside if _within(day, own) else around) for day in mine.days
    ]
    said += [
        _number(number, mine, inside if _within(number, own) else around, given)
        for number in mine.numbers
    ]
    found = [one for one in said if one is not None]
    return next((one for one in found if one), "") if found else None


def _within(figure: Quantity | Day, span: _Span) -> bool:
    return span.first.start <= figure.start < span.last.end


def _placed(given: Figures, span: _Span, sentence: Sentence, reach: int) -> Figures:
    """The figures inside a run, or at most `reach` characters beside it in the same clause."""
    text = plain(sentence.text)
    first, last = max(0, span.first.start - reach), span.last.end + reach
    first += text[first : span.first.start].rfind(";") + 1
    stop = text.find(";", span.last.end, last)
    last = stop if stop >= 0 else last
    return Figures(
        tuple(number for number in given.numbers if first <= number.start < last),
        tuple(day for day in given.days if first <= day.start < last),
    )


def _day(day: Day, mine: Figures, here: Figures) -> str | None:
    if any(same_day(day, other) for other in here.days):
        return None
    only = len(here.days) == len(mine.days) == 1 and not (mine.numbers or here.numbers)
    return "the evidence gives another date" if only else ""


def _number(
    number: Quantity, mine: Figures, here: Figures, given: Figures
) -> str | None:
    same = [other for other in here.numbers if agree(number, other)]
    if any(comparable(number, other) for other in same):
        return None
    if same:
        # The same figure, counting something that has another name: the same thing, or something else.
        return (
            ""
            if any(number.noun and other.noun for other in same)
            or number.year != same[0].year
            else None
        )
    rivals = [other for other in given.numbers if comparable(number, other)]
    sure = len(rivals) == len(mine.numbers) == 1 and not (
        number.approximate or rivals[0].approximate
    )
    return (
        f"the evidence says {rivals[0].text}, the claim {number.text}" if sure else ""
    )


def _unrelated(claim: Claim, evidence: Reading) -> bool:
    """Whether no content word of the claim, not even by its beginning, stands in the evidence."""
    if (
        len(set(claim.stems)) + claim.has_figures < _FEWEST_WORDS
        or evidence.words < _FEWEST_EVIDENCE_WORDS
    ):
        return False
    if any(_start(stem) in evidence.starts for stem in claim.stems):
        return False
    return not claim.has_figures or evidence.values.isdisjoint(_values(claim.figures))


def _values(given: Figures) -> Iterator[Decimal]:
    yield from (Decimal(day.year) for day in given.days)
    yield from (number.value for number in given.numbers)


def _start(stem: str) -> str:
    return stem[:_PREFIX]
