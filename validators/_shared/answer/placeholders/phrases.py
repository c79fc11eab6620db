"""Whole phrases that stand for no value: `unknown`, `to be confirmed`, `yyyy-mm-dd`, `xx-xx`, in any language.

A pattern is compiled when a text has what all that it matches has. Most texts have nothing of the kind, and compiling
takes longer than grading a result.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from judgemesh.validators._shared.answer.placeholders.words import (
    FOREIGN_MARKS,
    MARKS,
    PLACEHOLDERS,
    TURKISH_ENDINGS,
    WORDINGS,
)

_MASK_SIGNS: Final = ("xx", "##", "__", "??")
"""Every mask holds one of these."""
_DATE_SIGNS: Final = ("yy", "dd", "hh")
"""Every mask of a date holds one of these."""
_REPEATED: Final = frozenset(
    {"null", "none", "nil", "nan", "undefined", "unknown", "tbd", "tba", "tbc", "n/a", "xxx", "missing", "todo"}
)  # fmt: skip
"""Placeholders that are none the less where they stand twice."""
_SEPARATED: Final = re.compile(r"[\s,;]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=16_384)
def is_empty_phrase(folded: str) -> bool:
    """Whether a whole folded text stands for no value."""
    if folded in PLACEHOLDERS or is_mask(folded):
        return True
    if len(words := set(_SEPARATED.split(folded))) == 1 and words <= _REPEATED:
        return True
    if _is_date_mask(folded):
        return True
    if may_be_wording(folded) and wordings().fullmatch(folded) is not None:
        return True
    return _may_be_foreign(folded) and _says_absent(folded)


def is_mask(folded: str) -> bool:
    """Whether a folded text is a mask: `xx-xx`, `____`, `??`."""
    return may_be_mask(folded) and masks().fullmatch(folded) is not None


def may_be_mask(folded: str) -> bool:
    """Whether a text has what every mask has."""
    return any(sign in folded for sign in _MASK_SIGNS)


def _is_date_mask(folded: str) -> bool:
    return may_be_date_mask(folded) and date_masks().fullmatch(folded) is not None


def may_be_date_mask(folded: str) -> bool:
    """Whether a text has what every mask of a date has."""
    return any(sign in folded for sign in _DATE_SIGNS)


def _may_be_foreign(folded: str) -> bool:
    """Whether a text has what every wording of another language has."""
    words = _LETTERS.findall(folded)
    if not FOREIGN_MARKS.isdisjoint(words):
        return True
    if any(word.endswith(TURKISH_ENDINGS) for word in words):
        return True
    return not folded.isascii() and any("\u3040" <= sign <= "\u9fff" for sign in folded)


def _says_absent(folded: str) -> bool:
    # Wordings of other languages are many, and few answers hold one of their words.
    from judgemesh.validators._shared.answer.placeholders.absent_words import (
        says_absent,
    )

    return says_absent(folded)


def may_be_wording(folded: str) -> bool:
    """Whether a text has a word that every wording has one of."""
    return not MARKS.isdisjoint(_LETTERS.findall(folded))


@cache
def wordings() -> re.Pattern[str]:
    """The families of wordings as one pattern over a whole folded text."""
    return re.compile("|".join(WORDINGS))


@cache
def masks() -> re.Pattern[str]:
    """Masks as a pattern over a whole folded text."""
    return re.compile(r"(?=.*(?:xx|##|__|\?\?))[x#_?\W]+(?:[a-z]{3})?", re.IGNORECASE)


@cache
def date_masks() -> re.Pattern[str]:
    """Masks of dates and times, `dd/mm/yyyy`, as a pattern over a whole folded text."""
    return re.compile(
        r"(?=.*(?:yy|dd|hh))(?>y{2,4}|m{1,4}|d{1,2}|h{2}|s{2})(?:[-/.: t]*+(?>y{2,4}|m{1,4}|d{1,2}|h{2}|s{2}))++"
    )
