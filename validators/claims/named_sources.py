"""The sources that a sentence names: `(POL-7)`, `(see trips.md)`, `According to POL-7, ...`, `..., as POL-7 says`.

The names are read by the reader of the citations check, so that both checks take the same texts for citations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judgemesh.validators.citations.cited import Standing
from judgemesh.validators.citations.mentions import looks_like_id, mentions_in

_SAYS: Final = (
    r"(?:says?|states?|stated|reads|specifies|provides|notes?|noted|requires|explains|writes|defines|confirms|reports"
    r"|said|warns|adds|lists|shows|puts it|has it)"
)
_IN: Final = r"(?:stated|described|set out|laid down|defined|noted|explained|specified|required|given|written|recorded)"
_CUE: Final = (
    rf"(?:according to|as per|per|based on|in line with|following|under|see|in|from|as {_IN} (?:in|by)|sources?:?|ref:?"
    r"|as)"
)
_OPEN: Final = (
    r"(?:(?:the|our)\s(?:(?:file|document|page|policy|note|rule|guide|handbook|entry)\s)?)?"
    r"[\"'\u201c(\[*_`]*"
)
_CLOSE: Final = r"[\"'\u201d)\]*_`]*"
_AFTER: Final = (
    rf"{_CLOSE}\s?(?:[,:]|{_SAYS}(?:\s(?=that\b))?(?:\sthat\b)?[,:]?)\s+(?=\S)"
)
_BEHIND: Final = (
    rf"(?:\s?,?\s(?:[\u2014\u2013-]+\s?)?{_CUE}\s|\s[\u2014\u2013-]+\s){_OPEN}"
)
_END: Final = rf"{_CLOSE}(?:\s{_SAYS})?(?=\s?[.!]?$)"
_BARE: Final = r"(?<!\bin)(?<!\bof)(?<!\bby)(?<!\bto)(?<!\bfrom)(?<!\bper)(?<!\bsee)(?<!\bthe)(?<!\bis)(?<!\bfile)\s"


_NEAR_CHARS: Final = 200
_AT_START: Final = re.compile(rf"(?:{_CUE}\s)?{_OPEN}", re.IGNORECASE)
_AFTER_NAME: Final = re.compile(_AFTER, re.IGNORECASE)
_BEFORE_END: Final = re.compile(rf"{_BEHIND}\Z", re.IGNORECASE)
_AT_END: Final = re.compile(_END, re.IGNORECASE)
_BARE_BLANK: Final = re.compile(_BARE, re.IGNORECASE)
_LAST: Final = re.compile(r"(?=\s?[.!]?$)")
_MAX_NAME_CHARS: Final = 400
_MAX_MARKS: Final = 50
"""Names of one sentence whose words around them are looked for."""


def mentions_of(sentence: str) -> dict[str, str]:
    """The files and ids that a sentence names, each with the words that only say where it stands ("" for none)."""
    mentions: dict[str, str] = {}
    for mention in mentions_in(sentence):
        cited = mention.cited
        for name in (*cited.names, *cited.ids.values())[:1]:
            if cited.standing is not Standing.CITED and not looks_like_id(name):
                continue
            written = sentence[mention.start : mention.end]
            searched = len(mentions) < _MAX_MARKS
            mark = _mark(sentence, written) if searched else ""
            mentions[name] = mentions.get(name) or mark
    return mentions


def _mark(sentence: str, written: str) -> str:
    """The words around a name that a sentence can do without: `According to POL-7, `."""
    if written[:1] in "([\u3010":
        return written
    if len(written) > _MAX_NAME_CHARS:
        return ""
    places = [place.span() for place in _places(sentence, written)]
    for start, end in places:
        behind = _AFTER_NAME.match(sentence, end)
        if behind is not None and _AT_START.fullmatch(sentence, 0, start):
            return sentence[: behind.end()]
    for start, end in places:
        behind = _AT_END.match(sentence, end)
        before = _BEFORE_END.search(sentence, max(0, start - _NEAR_CHARS), start)
        if behind is not None and before is not None:
            return sentence[before.start() : behind.end()]
    for start, end in places:
        if (
            start
            and _LAST.match(sentence, end)
            and _BARE_BLANK.match(sentence, start - 1)
        ):
            return sentence[start - 1 : end]
    return ""


def _places(sentence: str, written: str) -> Iterator[re.Match[str]]:
    """Where a name stands near the beginning or the end of a sentence, in small or capital letters."""
    name = re.compile(re.escape(written), re.IGNORECASE)
    near = _NEAR_CHARS + len(written)
    yield from name.finditer(sentence, 0, near)
    yield from name.finditer(sentence, max(near, len(sentence) - near))


def without_mark(sentence: str, mark: str) -> str:
    """The sentence without the words that only say where it stands."""
    if not mark or mark not in sentence:
        return sentence
    rest = " ".join(sentence.replace(mark, " ", 1).split())
    rest = re.sub(r"\s+(?=[.,;:!?])", "", rest)
    return rest[:1].upper() + rest[1:] if sentence.startswith(mark) else rest
