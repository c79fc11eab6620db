"""Quotations of a text that stand beside a citation: `"..." [3]`, `according to POL-7, "..."`, `> ... (POL-7)`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.text.limiting_words import is_negation
from judgemesh.contracts.text.passages import normal_text
from judgemesh.contracts.text.reversals import begins_with_none, is_reversed_by
from judgemesh.contracts.text.unit_words import is_unit
from judgemesh.validators.citations.quotation_marks import quoted_in
from judgemesh.validators.citations.quoted_blocks import Nearness, nearness, peeled
from judgemesh.validators.citations.quoting_words import REFERRING, SPOKEN, VERBS

_MAX_QUOTATIONS: Final = 1_000
_BLOCK = re.compile(r"(?:^[ \t]{0,40}>[^\n]{0,2000}(?:\n|$)){1,60}", re.MULTILINE)
_BLOCK_MARK = re.compile(r"^[ \t]{0,40}(?:>[ \t]?){1,4}", re.MULTILINE)
_UNSPACED: Final = "\u3041-\u30ff\u4e00-\u9fff"
_BEHIND = re.compile(
    r"[.,;:!?*_\u3001\u3002]{0,3}\s{0,3}(?:\n[ \t>]{0,4})?(?:[\u2014\u2013-]{1,2}\s?)?"
    rf"(?:[{_UNSPACED}]{{1,16}}\s?|(?:{SPOKEN})\s)?"
    rf"(?:\(?\s?(?:{REFERRING})\s?:?\s)?[(\[\uff08]?",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"[\[\u3010(\uff08][^\[\]()\u3010\u3011\uff08\uff09\n]{1,120}[\]\u3011)\uff09]"
)
_BEFORE = re.compile(
    rf"[^.!?\n\"\u3002]{{0,90}}(?:(?<!\w)(?:{VERBS}))?[\s,:*_\u3001\uff1a]{{0,4}}",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    rf"[,:\u3001\uff1a]\s{{0,3}}(?:\n\s{{0,4}})?$|(?<!\w)(?:{VERBS})[\s,:*_]{{0,4}}$"
    r"|(?:\u306b\u306f|\u306b\u3088\u308b\u3068|\u306b\u3088\u308c\u3070|\u306f)\s?$",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"(?:[\s\u2014\u2013-]{0,6}[\[\u3010(][^\[\]()\u3010\u3011\n]{1,120}[\]\u3011)]|\n\s{0,4}[\u2014\u2013-]{1,2}\s?[^\n]{2,80})"
    r"[\s.]{0,3}$"
)
_ENDS = re.compile(r"\s{0,3}(?:[\[(][^\[\]()\n]{1,120}[\])]\s{0,3}){0,3}(?:[.!?]|\n|$)")
"""Behind a quotation and its citation, the end of a sentence."""
_STOPS: Final = frozenset(".!?:;,\u2026\u3002")
_NEXT_WORD = re.compile(r"\s?([^\W\d_]{1,20}|[%\u20ac$\u00a3])")
_CHARACTER = re.compile(f"[{_UNSPACED}]")
_GRAMMAR = re.compile("[\u3041-\u309f\u3002\u7684\u662f\u4e0d\u4e86]")
_MIN_PHRASE_CHARS: Final = 6
_MIN_STATEMENT_CHARS: Final = 12
_MIN_SENTENCE_WORDS: Final = 3
_MAX_SENTENCE_WORDS: Final = 40
"""A longer passage may be cut off anywhere, as what a search returns is."""
_MAX_TURNING_WORDS: Final = 4
_MAX_BEHIND: Final = 60
_MAX_BEFORE: Final = 120
_SOURCE_NOUN = re.compile(
    r"\b(?:polic(?:y|ies)|handbook|documents?|documentation|manual|guide(?:lines?|book)?|contract|report|article|study|page|faq"
    r"|terms|regulations?|rules?|section|file|protocol|leaflet|notice|agreement|source|sources|statute|paper|abstract|wiki"
    r"|brochure|standard|specification|bulletin|memo|minutes|clause)\b",
    re.IGNORECASE,
)
_PREDICATES = re.compile(
    r"\b(?:must|may|can|should|shall|will|is|are|was|were|does|do|darf|d\u00fcrfen|muss|m\u00fcssen|kann|k\u00f6nnen|ist"
    r"|sind|doit|doivent|peut|peuvent|est|sont|debe|deben|puede|pueden|es|son)$",
    re.IGNORECASE,
)
"""Before a quote that goes on with what is said of the answer's own subject: `Lifts must "be used"`."""
_CLAUSE = re.compile(r"[^.!?\n\"]{1,80}$")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage in quotation marks, or a block quote, and where it is."""

    start: int
    end: int
    text: str
    block: bool = False

    @property
    def passage(self) -> str:
        """The words that are quoted: of a block, without the citation at its end."""
        return _AT_END.sub("", self.text) if self.block else self.text


def quotations_in(body: str) -> list[Quotation]:
    """The quotations of a text, in order."""
    found: list[Quotation] = []
    for match in _BLOCK.finditer(body):
        text = _BLOCK_MARK.sub("", match[0]).strip()
        if text[:1].isupper() and text[-1:].isalnum():
            # A block gives whole sentences.
            text = f"{text}."
        found.append(
            Quotation(
                match.start(), match.start() + len(match[0].rstrip()), text, block=True
            )
        )
    for start, end, text in quoted_in(body):
        quoted = _with_stop(body, start, end, text) + _unit_behind(body, end, text)
        found.append(Quotation(start, end, quoted))
        if len(found) > _MAX_QUOTATIONS:
            break
    found.sort(key=lambda quotation: quotation.start)
    return found


def _with_stop(body: str, start: int, end: int, text: str) -> str:
    """The words between marks, with a full stop where the answer gives them as the source's sentence to its end.

    That is where its own sentence ends with them, and begins with them or introduces them (`says "work is permitted"`).
    What turns or limits others may stand outside the marks: `No "work is permitted"`, `"Work is permitted" unless`.
    """
    if text[:1].islower():
        before = body[max(0, start - _MAX_BEFORE) : start].rstrip()
        speaks = (_SPEAKS.search(before) or _PREDICATES.search(before)) and not _turns(
            before
        )
        if not speaks or not _ENDS.match(body, end):
            return text.rstrip(".")
    elif not text[:1].isupper() or not _ENDS.match(body, end):
        return text
    return text if text[-1:] in _STOPS else f"{text}."


def _turns(before: str) -> bool:
    """Whether the answer itself turns the words of a source: `We deny that "the lift is broken"`."""
    clause = _CLAUSE.search(before)
    words = normal_text(clause[0]).words.split() if clause else []
    return (
        is_reversed_by(words)
        or begins_with_none(words, words)
        or is_negation(words[-_MAX_TURNING_WORDS:], words)
    )


def as_statement(passage: str) -> str:
    """A passage that a citation gives as the source's, with a full stop where it may be a sentence to its end."""
    count = len(passage.split())
    whole = _MIN_SENTENCE_WORDS <= count <= _MAX_SENTENCE_WORDS
    return f"{passage}." if whole and passage[-1:].isalpha() else passage


def _unit_behind(body: str, end: int, text: str) -> str:
    """The unit that stands behind the marks around a number: `"40" mg` quotes 40 mg."""
    if not text[-1:].isdigit():
        return ""
    match = _NEXT_WORD.match(body, end)
    return f" {match[1]}" if match and is_unit(match[1].casefold()) else ""


def _says_something(text: str) -> bool:
    """Whether a quotation is more than one word, or has a number: a single word is often only a name.

    In Chinese and Japanese, a text that has an ending of grammar or a stop, and some length, is more than one word.
    """
    if len(text.split()) > 1 or any(map(str.isdigit, text)):
        return True
    unspaced = len(_CHARACTER.findall(text))
    is_phrase = _GRAMMAR.search(text) is not None and unspaced >= _MIN_PHRASE_CHARS
    return is_phrase or unspaced >= _MIN_STATEMENT_CHARS


class QuotationIndex:
    """The quotations of a text by the citations beside them."""

    def __init__(self, body: str) -> None:
        body = peeled(body)
        self._body = body
        self._quotations = quotations_in(body)
        self._starts = [quotation.start for quotation in self._quotations]
        self._keys: dict[int, dict[str, None]] = {}
        self._nearness: dict[int, tuple[bool, Nearness]] = {}
        self._passages: dict[int, str] = {}

    def attach(self, key: str, start: int, end: int, *, firm: bool = True) -> None:
        """Attach the quotations that stand beside the citation `key`, from `start` to `end` of the text.

        firm: the citation is one for certain; others get a block quote only where no such one is beside it.
        """
        for number in self._near(start, end):
            quotation = self._quotations[number]
            if not _says_something(quotation.text):
                continue
            if quotation.block:
                span = (quotation.start, quotation.end)
                near = nearness(self._body, span, start, end)
                if near is not None:
                    self._attach_block(number, key, (not firm, near))
            elif self._text_for(quotation, start, end):
                self._keys.setdefault(number, {})[key] = None

    def _attach_block(self, number: int, key: str, rank: tuple[bool, Nearness]) -> None:
        """Attach a block quote to the firmest and nearest citations beside it."""
        best = self._nearness.get(number)
        if best is None or rank < best:
            self._nearness[number] = rank
            self._keys[number] = {}
        if best is None or rank <= best:
            self._keys[number][key] = None

    def passages_of(self, key: str) -> tuple[str, ...]:
        """The quotations that stand beside this citation alone."""
        passages: list[str] = []
        for number, keys in self._keys.items():
            if list(keys) == [key]:
                passages.append(self._passage(number))
        return tuple(passages)

    def _passage(self, number: int) -> str:
        """The passage of a quotation, worked out once: a source may be cited a thousand times."""
        if number not in self._passages:
            self._passages[number] = self._quotations[number].passage
        return self._passages[number]

    def shared(self) -> Iterator[Quotation]:
        """Quotations beside several citations, and those that a sentence gives as the words of an unnamed document."""
        for number, quotation in enumerate(self._quotations):
            if len(self._keys.get(number, ())) > 1 or (
                number not in self._keys and self._is_of_document(quotation)
            ):
                yield quotation

    def _is_of_document(self, quotation: Quotation) -> bool:
        if quotation.block:
            return False
        before = _CLAUSE.search(
            self._body[max(0, quotation.start - 80) : quotation.start]
        )
        if before is None or not _SOURCE_NOUN.search(before[0]):
            return False
        return _SPEAKS.search(before[0]) is not None

    def _near(self, start: int, end: int) -> Sequence[int]:
        middle = bisect_left(self._starts, start)
        following = bisect_left(self._starts, end)
        first = max(0, middle - 3)
        return range(first, min(len(self._quotations), following + 2))

    def _text_for(self, quotation: Quotation, start: int, end: int) -> str:
        if quotation.end <= start <= quotation.end + _MAX_BEHIND:
            between = _MARKS.sub("", self._body[quotation.end : start])
            return quotation.text if _BEHIND.fullmatch(between) else ""
        if end <= quotation.start <= end + _MAX_BEFORE:
            between = self._body[end : quotation.start]
            if "\n" in between and not between.rstrip(" \n>").endswith(":"):
                return ""
            fits = _BEFORE.fullmatch(between.replace("\n", " ")) and _SPEAKS.search(
                between
            )
            return quotation.text if fits else ""
        return ""
