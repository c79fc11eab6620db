"""Quotations of a text that stand beside a citation: `"..." [3]`, `according to POL-7, "..."`, `> ... (POL-7)`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators.citations.quoted_blocks import Nearness, nearness, peeled

_MAX_QUOTATIONS: Final = 1_000
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab]((?:[^"\u201c\u201d\u201e\u00ab\u00bb\n]|\n(?!\\s*\n)){1,2000})["\u201d\u201c\u00bb]'
    "|(?<!\\w)[\u2018\u2019']((?:[^\u2018\u2019'\n]|(?<=\\w)['\u2019](?=\\w)){12,1000})[\u2019'](?!\\w)"
)
_BLOCK = re.compile(r"(?:^[ \t]{0,40}>[^\n]{0,2000}(?:\n|$)){1,60}", re.MULTILINE)
_BLOCK_MARK = re.compile(r"^[ \t]{0,40}(?:>[ \t]?){1,4}", re.MULTILINE)
_BEHIND = re.compile(
    r"[.,;:!?*_]{0,3}\s{0,3}(?:\n[ \t>]{0,4})?(?:[\u2014\u2013-]{1,2}\s?)?"
    r"(?:\(?\s?(?:see|source|sources|ref|from|in|per|cf\.?)\s?:?\s)?[(\[]?"
)
_MARKS = re.compile(r"[\[\u3010(][^\[\]()\u3010\u3011\n]{1,120}[\]\u3011)]")
_BEFORE = re.compile(
    r"[^.!?\n\"]{0,90}(?:says|states|stated|reads|specifies|provides|notes|noted|requires|explains|writes|wrote|defines"
    r"|puts it|confirms|reports|said|warns|adds|that|quote[sd]?)?[\s,:*_]{0,4}"
)
_SPEAKS = re.compile(
    r"[,:]\s{0,3}(?:\n\s{0,4})?$|\b(?:says|states|stated|reads|specifies|provides|notes|noted|requires|explains|writes|wrote|defines"
    r"|puts it|confirms|reports|said|warns|adds|that|quotes?|quoted)[\s,:*_]{0,4}$",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"(?:[\s\u2014\u2013-]{0,6}[\[\u3010(][^\[\]()\u3010\u3011\n]{1,120}[\]\u3011)]|\n\s{0,4}[\u2014\u2013-]{1,2}\s?[^\n]{2,80})"
    r"[\s.]{0,3}$"
)
_MAX_BEHIND: Final = 60
_MAX_BEFORE: Final = 120
_SOURCE_NOUN = re.compile(
    r"\b(?:polic(?:y|ies)|handbook|documents?|documentation|manual|guide(?:lines?|book)?|contract|report|article|study|page|faq"
    r"|terms|regulations?|rules?|section|file|protocol|leaflet|notice|agreement|source|sources|statute|paper|abstract|wiki"
    r"|brochure|standard|specification|bulletin|memo|minutes|clause)\b",
    re.IGNORECASE,
)
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
        found.append(
            Quotation(
                match.start(), match.start() + len(match[0].rstrip()), text, block=True
            )
        )
    for match in _QUOTED.finditer(body):
        found.append(Quotation(match.start(), match.end(), match[1] or match[2] or ""))
        if len(found) > _MAX_QUOTATIONS:
            break
    found.sort(key=lambda quotation: quotation.start)
    return found


def _says_something(text: str) -> bool:
    """Whether a quotation is more than one word, or has a number: a single word is often only a name."""
    return len(text.split()) > 1 or any(map(str.isdigit, text))


class QuotationIndex:
    """The quotations of a text by the citations beside them."""

    def __init__(self, body: str) -> None:
        body = peeled(body)
        self._body = body
        self._quotations = quotations_in(body)
        self._starts = [quotation.start for quotation in self._quotations]
        self._keys: dict[int, dict[str, None]] = {}
        self._nearness: dict[int, tuple[bool, Nearness]] = {}

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
                passages.append(self._quotations[number].passage)
        return tuple(passages)

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
