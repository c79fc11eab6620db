"""Text as people write it: names compared loosely, placeholders recognised, invisible characters ignored."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

_APOSTROPHES: Final = "\u2018\u2019\u201a\u201b\u02bc\u00b4\u2032"
_QUOTES: Final = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033"
_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_TYPOGRAPHY: Final = str.maketrans(
    dict.fromkeys(_APOSTROPHES, "'")
    | dict.fromkeys(_QUOTES, '"')
    | dict.fromkeys(_DASHES, "-")
)
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
EDGES: Final = (
    " \t\r\n\v\f*_`\"'~.,:;!?|#=/\\<>[](){}-"
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2026\u00b7\u2022\u201c\u201d\u2018\u2019"
)
_MAX_NAME_CHARS: Final = 200
_MAX_CACHED_CHARS: Final = 20_000


def plain(text: str) -> str:
    """`text` in compatibility form (wide letters, ligatures, odd spaces) without invisible characters.

    A raised figure, a lowered one behind a figure, and a fraction stay: 10\u00b3 is not 103, and 2\u00bd is not 21/2.
    """
    if text.isascii():
        return text
    if len(text) > _MAX_CACHED_CHARS:
        return _plain(text)
    return _cached_plain(text)


def _plain(text: str) -> str:
    if _figures().search(text) is None:
        folded = unicodedata.normalize("NFKC", text)
    else:
        parts = _figures().split(text)
        folded = "".join(
            part if number % 2 else unicodedata.normalize("NFKC", part)
            for number, part in enumerate(parts)
        )
    return _invisible().sub("", folded)


# A value is compared with many others, and a text of thousands of combining marks takes a millisecond each time.
_cached_plain = lru_cache(maxsize=1_024)(_plain)


def typed(text: str) -> str:
    """Plain `text` with the quotes, apostrophes and dashes of a keyboard."""
    shown = plain(text)
    return shown if shown.isascii() else shown.translate(_TYPOGRAPHY)


@lru_cache(maxsize=16_384)
def _fold_name(name: str) -> str:
    shown = plain(name).strip(" \t\r\n*`\"'~").casefold()
    return _SEPARATORS.sub("", shown) or shown


def fold_name(name: str) -> str:
    """A name without case and separators: `drug_name`, `drugName`, `Drug-Name` and `drug name` are one."""
    return _fold_name(name) if len(name) <= _MAX_NAME_CHARS else name


def seamless(text: str) -> str:
    """Plain `text` without Markdown emphasis inside a word: `**Hi**gh` reads as one word. Lines stay."""
    shown = plain(text)
    if "*" not in shown and "_" not in shown:
        return shown
    return _emphasis_in_word().sub(lambda match: match[2] or match[4], shown)


def blank(match: re.Match[str]) -> str:
    """Spaces in place of a match, so that the offsets of a text stay (a replacement for `re.sub`)."""
    return " " * len(match[0])


def line_number(text: str, offset: int) -> int:
    """The number, from 1, of the line at an offset of the text."""
    return text.count("\n", 0, offset) + 1


def compact(text: str) -> str:
    """Plain `text` without case and separators, so that the folded form of every name in it is a part of it."""
    folded = "".join(text.casefold().split()).replace("_", "").replace("-", "")
    return folded if folded.isascii() else _SEPARATORS.sub("", folded)


def fold_value(text: str) -> str:
    """A short value for comparison with placeholders: no case, no decoration, single spaces."""
    return " ".join(plain(text).strip(EDGES).casefold().split())


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def _invisible() -> re.Pattern[str]:
    """Zero-width characters, soft hyphens, direction marks, tags: they change no word that a reader sees."""
    return re.compile(
        "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
    )


@cache
def _figures() -> re.Pattern[str]:
    """Figures that lose their meaning in compatibility form."""
    return re.compile(
        "([\u00b2\u00b3\u00b9\u2070\u2074-\u207e\u00bc-\u00be\u2150-\u215f\u2189]+|(?<=\\d)[\u2080-\u2089]+)"
    )


@cache
def _emphasis_in_word() -> re.Pattern[str]:
    return re.compile(
        r"(?<![*\w])(\*{1,3}|_{2,3})([^\W_]+)\1(?=[^\W_])|(?<=[^\W_])(\*{1,3}|_{2,3})([^\W_]+)\3(?![*\w])"
    )
