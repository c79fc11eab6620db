"""Words of sentences that give a field a value, in other languages than English: parts of patterns, and rules."""

from __future__ import annotations

import re
from typing import Final

COPULAS: Final = (
    r"lautet|lauten|beträgt|betragen|heißt|ist|sind|s['\u2019]élève à"
    r"|est|sont|asciende a|corresponde a|es|son|ammonta a"
    r"|corrisponde a|è|sono|é|são|bedraagt|luidt|zijn|lyder|udgør|utgjør|er|lyder på|uppgår till|är"
    r"|wynosi|brzmi|jest"
)
PARTICLES: Final = "[はが]"
"""Particles behind a subject in Japanese."""
PREPOSITIONS: Final = (
    r"für|von|vom|der|des|im|am|zum|zur|pour|de|du|des|d['\u2019]"
    r"|del|de la|para|per|di|della|do|da|van|voor|til|för|av|dla"
)
NO_STATEMENT: Final = (
    r"wenn|sofern|sobald|ob|wie|welche[rsnm]?|wann|bitte|benötig\w{1,3}"
    r"|brauch\w{1,3}|nicht|kein\w{0,2}|comment"
    r"|quel(?:le)?s?|lorsque|veuillez|pas|cuál|cuáles|cuando|cuándo"
    r"|cómo|quale|quali|quando|qual|quais|wanneer|welke|hoe"
    r"|hvis|hvad"
    r"|hvilk\w{1,3}|hva|vad|vilke[nt]|ikke|inte|jeśli|jeżeli|jak[iae]|nie|eğer|hangi"
)
_VAGUE: Final = re.compile(
    r"\W*(?:Teil|Bestandteil|Gegenstand|\w{0,20}[Ss]ache|Thema|Pflicht|Geheimnis)\b"
)
_SPECIFIC: Final = re.compile(r"\d|[\"“„«`*「]|(?:様|さん|氏)$")
_ENDINGS: Final = re.compile(r"(?:です|である|でございます|になります|となります)$")
_MAX_NEGATED: Final = 3
_BEFORE_NAMES: Final = frozenset(
    {
        "am",
        "der",
        "die",
        "das",
        "le",
        "la",
        "el",
        "il",
        "lo",
        "o",
        "a",
        "de",
        "het",
        "den",
        "det",
    }
)


def stated_value(value: str) -> str:
    """A value without the verb that ends its sentence in Japanese."""
    return _ENDINGS.sub("", value)


def gives_value(value: str) -> bool:
    """Whether what stands behind a verb of another language is a value: with a figure, in quotes, or a name."""
    # Few answers have a verb of another language behind the name of a field.
    from judgemesh.contracts.text.limiting_words import is_negation

    if is_negation(value.casefold().split()[:_MAX_NEGATED]) or _VAGUE.match(value):
        return False
    first, second = (*value.split()[:2], "", "")[:2]
    named = first[:1].isupper() or (first in _BEFORE_NAMES and second[:1].isupper())
    return named or _SPECIFIC.search(value) is not None
