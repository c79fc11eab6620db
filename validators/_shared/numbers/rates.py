# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Rates: `75 EUR per pallet` and `75 EUR each` are no 75 EUR. `950 EUR per month` is an amount and when it is due."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.contracts.text.unit_words import RATE_WORDS
from judgemesh.contracts.text.unit_words import is_unit as is_unit_word
from judgemesh.contracts.text.word_sets import word_set

_EACH: Final = re.compile(
    r"\s*(?:\w{1,20}\s)?(?:(?:each|apiece|jeweils|chacune?|cada un[oa]|ciascun[oa])(?!\w)"
    r"|(?:once|twice|thrice|\w{2,6} times)\s\w)",
    re.IGNORECASE,
)
_OF_EACH: Final = re.compile(
    r"\b(?:each|every|(?:a|one|per) single|jede[rsn]?|chaque|cada)\s(?P<of>[^\W\d_]{1,20})\b[^.,;:!?\n\d]*$",
    re.IGNORECASE,
)
"""Before a number: what it is the amount of one of."""
_PER: Final = re.compile(
    r"\s*(?P<word>[^\W\d_]{1,6})\s+(?P<of>[^\W\d_]{1,20})(?!\s*\d)(?!\w)",
    re.IGNORECASE,
)
_OF_ANYTHING: Final = frozenset({"per", "pro"})
_NO_THING: Final = """
    our your my their his her its the this that invoice bill agreement contract request il lo la i gli le un una se rata
"""
"""What `per` and `pro` stand before where they make no rate: `as per our agreement`, `per il trasporto`."""
_PERIODS: Final = """
    second minute hour day night week weekend fortnight month quarter season term semester year annum shift
    sekunde stunde tag nacht woche monat quartal saison jahr seconde heure jour nuit semaine mois trimestre an année
    día noche semana mes año hora giorno notte settimana mese anno ora dia noite mês ano dag maand jaar uur
    nat uge måned år time natt vecka månad dzień tydzień miesiąc rok gün hafta ay yıl
"""


def is_of_each(before: str) -> bool:
    """Whether what stands before a number makes it that of one of several things: `each form costs`."""
    found = _OF_EACH.search(before)
    return found is not None and found["of"].casefold() not in word_set(_PERIODS)


def is_price_of_one(behind: str) -> bool:
    """Whether what stands behind an amount of money makes it the price of one thing: `310 EUR a pallet`."""
    found = _A_THING.match(behind)
    if found is None:
        return False
    of = found["of"]
    return of not in word_set(_PERIODS) and of not in _NO_PIECE


# `61 EUR an Harbour` is German, `61 EUR a mi casero` Spanish: a recipient, who has a capital letter or an article.
_A_THING: Final = re.compile(
    r"\s*(?:a\s+(?![aeiou])|an\s+(?=[aeioh]))(?P<of>[a-z]{2,20})(?!\w)"
)
_NO_PIECE: Final = frozenset(
    {"bit", "little", "few", "lot", "while", "total", "second", "la", "las", "lo", "los", "le", "mi", "mis", "mio",
     "tu", "tus", "su", "sus", "tuo", "suo", "mia", "tua", "sua", "nuestro", "nuestra", "ihn", "ihr", "ihre", "ihren",
     "einen", "eine", "ein"}
)  # fmt: skip


def makes_rate(behind: str) -> bool:
    """Whether what stands behind a number and its unit makes a rate of them: `per pallet`, `each`, `twice a day`.

    A period alone makes none.
    """
    if _EACH.match(behind):
        return True
    found = _PER.match(behind)
    if found is None:
        return False
    word, of = found["word"].casefold(), found["of"].casefold()
    if of in word_set(_PERIODS):
        return False
    if word in _OF_ANYTHING:
        return of not in word_set(_NO_THING)
    return word in word_set(RATE_WORDS) and is_unit_word(of)
