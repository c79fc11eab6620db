"""A sentence as the tokens that its meaning hangs on: words in one spelling, figures, dates, times, punctuation.

Two sentences with the same tokens state the same. What differs without changing a meaning differs no more here:
articles, plurals, contractions, number and date formats, Markdown, quotation marks around single words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.numbers.months import MONTHS
from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.language.dates import is_finer
from judgemesh.validators.claims.language.quantities import (
    Day,
    Quantity,
    figures,
    restates,
    same_day,
)
from judgemesh.validators.claims.language.vocabulary import (
    ARTICLES,
    CHANGES_MEANING,
    NUMBERED,
    PAST_FORMS,
    REPORTING,
    SAME_WORDS,
    singular,
)
from judgemesh.validators.claims.language.wording import reworded


class Kind(Enum):
    """What a token is."""

    WORD = auto()
    NUMBER = auto()
    DAY = auto()
    CLOCK = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its key (words of one key are the same word), as it is written, and the article before it."""

    kind: Kind
    key: str
    text: str = ""
    article: str = ""
    quantity: Quantity | None = None
    day: Day | None = None

    @property
    def is_capital(self) -> bool:
        """Whether it is written with a capital letter."""
        return self.text[:1].isupper()

    @property
    def is_time(self) -> bool:
        """Whether it is a date or a year."""
        return self.kind is Kind.DAY or (
            self.quantity is not None and self.quantity.is_year
        )


_CLOCK = re.compile(
    r"\b(?P<h>[01]?\d|2[0-3])(?:[:.](?P<m>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
    r"|(?<![\d:.])(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?![\d:])(?:\s?(?:h\b|o'clock))?"
    r"|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"[^\W_]+(?:[.'/&-][^\W_]+)*[+#]{0,2}|[%\u00b0]|[,;:()\u2014\"=<>/]|(?<=\s)[-\u2013](?=\s)"
)
_LOWER_COMPOUND = re.compile(
    r"[a-z]+(?:-[a-z]+)*-(?!(?:in|out|up|off|on|over|down)$)[a-z]+"
)
_MARKS: Final = frozenset(',;:()\u2014"=<>/-\u2013')


@lru_cache(maxsize=8_192)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a sentence."""
    shown = reworded(plain(text))
    return tuple(_joined(list(_raw_tokens(shown))))


def _raw_tokens(text: str) -> Iterator[Token]:
    """Figures, times, words and marks in order."""
    found: list[tuple[int, int, Token]] = []
    for match in _CLOCK.finditer(text):
        found.append((match.start(), match.end(), _clock(match)))
    rest = _CLOCK.sub(_spaces, text)
    stated = figures(rest)
    for day in stated.days:
        found.append((day.start, day.end, Token(Kind.DAY, "", day=day)))
    for number in stated.numbers:
        token = Token(Kind.NUMBER, "", number.text, quantity=number)
        found.append((number.start, number.end, token))
    found.sort(key=lambda item: item[0])
    place = 0
    for start, end, token in found:
        if start < place:
            continue
        yield from _words(rest, place, start)
        yield token
        place = end
    yield from _words(rest, place, len(rest))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _clock(match: re.Match[str]) -> Token:
    if match["word"]:
        minutes = 720 if match["word"].lower() == "noon" else 0
    elif match["h24"]:
        minutes = int(match["h24"]) * 60 + int(match["m24"])
    else:
        hour = int(match["h"]) % 12 + (12 if match["half"] in "pP" else 0)
        minutes = hour * 60 + int(match["m"] or 0)
    return Token(Kind.CLOCK, str(minutes), match[0])


def _words(text: str, start: int, end: int) -> Iterator[Token]:
    for match in _PIECE.finditer(text, start, end):
        piece = match[0]
        if piece in _MARKS:
            yield Token(Kind.MARK, "\u2014" if piece in "-\u2013" else piece)
        elif _LOWER_COMPOUND.fullmatch(piece):
            yield from (_word(part) for part in piece.split("-"))
        else:
            yield _word(piece)


_BRITISH: Final = (
    (re.compile(r"(?<=\w{3})our(?=(?:ed|s|ing|able|ite|hood)?$)"), "or"),
    (re.compile(r"(?<=\w{4})is(?=(?:e|ed|es|ing|ation|ations)$)"), "iz"),
    (re.compile(r"(?<=\w{3}[bt])re(?=s?$)"), "er"),
    (re.compile(r"(?<=\w{2}[ae])ll(?=(?:ed|ing)$)"), "l"),
)


def _american(word: str) -> str:
    """One spelling for `colour` and `color`, `organise` and `organize`, `centre` and `center`, `travelled`."""
    if len(word) >= 6:
        for pattern, replacement in _BRITISH:
            word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=16_384)
def _word(piece: str) -> Token:
    folded = piece.casefold()
    possessive = folded.endswith("'s") and len(folded) > 3
    folded = folded.removesuffix("'s").rstrip("'")
    folded = _american(folded)
    key = SAME_WORDS.get(folded) or PAST_FORMS.get(folded)
    if key is None:
        key = singular(folded)
        key = SAME_WORDS.get(key, key)
    if piece.isupper() and len(piece) > 1 and folded not in CHANGES_MEANING:
        # `US` is not `us`, and `WHO` is not `who`.
        key = piece if len(piece) <= 3 else key
    return Token(Kind.WORD, f"{key}'s" if possessive else key, piece)


def _joined(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens without articles (kept on the next word), and without `in` or `on` before a date."""
    article = ""
    for index, read in enumerate(tokens):
        token = read
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.key in ARTICLES and token.kind is Kind.WORD and following is not None:
            article = token.key
            continue
        if token.key in ("in", "on") and following is not None and _is_date(following):
            article = "in"
            continue
        if token.quantity is not None and index and tokens[index - 1].key in NUMBERED:
            token = _as_name(token)
        if token.key == "that" and index and tokens[index - 1].key in REPORTING:
            continue
        yield replace(token, article=article) if article else token
        article = ""


def _as_name(token: Token) -> Token:
    """A number that is a name: as it is written."""
    quantity = token.quantity
    if quantity is None or quantity.unit or quantity.approximate:
        return token
    return Token(Kind.WORD, token.text, token.text)


_DATE_WORDS: Final = frozenset(
    {
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", *MONTHS,
    }
)  # fmt: skip


def _is_date(token: Token) -> bool:
    if token.kind is Kind.WORD:
        return token.is_capital and token.key in _DATE_WORDS
    return token.is_time


def same_token(claimed: Token, stated: Token) -> bool:
    """Whether the stated token bears out the claimed one."""
    if claimed.is_time and stated.is_time:
        return same_time(claimed, stated)
    if claimed.kind is not stated.kind:
        return False
    if claimed.quantity is not None and stated.quantity is not None:
        return restates(claimed.quantity, stated.quantity)
    return claimed.key == stated.key and _same_name(claimed, stated)


def _same_name(claimed: Token, stated: Token) -> bool:
    """Names are not the same for their plurals: `Andrew` and `Andrews`."""
    if not (claimed.is_capital and stated.is_capital):
        return True
    return _bare(claimed) == _bare(stated)


def _bare(token: Token) -> str:
    return SAME_WORDS.get(token.text.casefold(), token.text.casefold())


def same_time(claimed: Token, stated: Token) -> bool:
    """Whether a date bears out another: the same, or a coarser one."""
    left, right = _as_day(claimed), _as_day(stated)
    for token in (claimed, stated):
        other = stated if token is claimed else claimed
        if token.quantity is not None and token.quantity.approximate:
            same = other.quantity
            return (
                same is not None
                and same.bound == token.quantity.bound
                and left == right
            )
    return same_day(left, right) and not is_finer(left, right)


def _as_day(token: Token) -> Day:
    if token.day is not None:
        return replace(token.day, start=0, end=0)
    year = int(token.quantity.value) if token.quantity is not None else None
    return Day(year, None, None, 0, 0)
