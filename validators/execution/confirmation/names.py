"""Names in a talk that share a word with a target and are another's: `Bo Krug`, for `Anna Krug`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.honorifics import TITLES
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.verbs import (
    ENDING,
    PAYMENTS,
    kind_words,
    stem,
    stems_of,
)
from judgemesh.validators.execution.confirmation.language.offer_words import (
    LIGHT_VERBS,
    OTHER_VERBS,
    with_spoken_verbs,
)
from judgemesh.validators.execution.confirmation.language.tongues import (
    HARMLESS_WORDS,
    language,
)
from judgemesh.validators.execution.confirmation.language.wording import (
    with_english_nouns,
)

_TITLES: Final = word_set(" ".join(TITLES)) | word_set("""
    st familie family firma company messrs dear hello hi
    gmbh ag kg ohg ug gbr ev e.v mbh co ltd limited inc incorporated llc llp plc corp corporation sa sas sarl srl spa bv
    nv oy ab as aps ek se the
""")
"""Titles and legal forms, which make no other name."""
_PARTICLES: Final = word_set("de du van von der den zu la le del di da and und et y")
_THINGS: Final = word_set("""
    rechnung zahlung überweisung konto empfänger kunde kundin lieferant betrag termin buchung bestellung auftrag miete
    mitglied vertrag euro iban invoice payment account order booking contract rent amount facture paiement commande
    compte factura pago pedido cuenta server konto abo abonnement
""")
"""Things that may stand before a name with a capital letter."""
_RUN: Final = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'-]*(?:(?: | ?& ?| (?:and|und|et|y) (?=[A-Z][a-z]+ (?:Ltd|GmbH|Inc|Co|AG|KG)\b)"
    r"| (?:de|du|van|von|der|den|zu|la|le|del|di|da) )[A-ZÀ-ÖØ-Þ][\w'-]*)*"
)
_SHORT: Final = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|Sr|Sra|Co|Inc|Ltd|M|Hr|Fr)\.(?= )")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SMALL: Final = re.compile(
    r"\b(?:to|for|an|f\u00fcr|von|pour|\u00e0|para|a|pay|send|refund) ((?:[^\W\d_][\w'-]+ ?){1,4})"
)
"""Words in small letters where the name of a recipient stands."""
_JOINED: Final = re.compile(r" ?[-/>\u2013\u2014\u2192] ?| (?:to|nach) ")
"""What stands between the places of a way."""
_FROM: Final = ("from", "von", "de", "desde", "ab")
_TO: Final = ("to", "nach", "à", "a", "hasta")
_START: Final = re.compile(r"(?:^|[.!?:;\n\"'(]\s*)$")
_EVERYDAY: Final = (
    OTHER_VERBS | LIGHT_VERBS | PAYMENTS | ENDING | stems_of("send book change order")
)
_ACRONYM: Final = 4


def names_another(texts: Iterable[str], record: ExecutionRecord) -> str:
    """The name of another that a text has in the place of the target's, in words; empty where there is none.

    A part of the target's name names it (`Krug`), and so do titles and legal forms around it; a name that shares a
    word with it and has others beside is another's.
    """
    target = record.target
    own = {word.casefold() for word in _WORD.findall(plain(target or ""))}
    own -= _TITLES | _PARTICLES
    if not own or any(map(str.isdigit, target or "")):
        return ""
    known = _TITLES | _PARTICLES | set(kind_words(record.kind))
    places = [place.casefold() for place in _JOINED.split(plain(target or ""))]
    for text in texts:
        shown = _SHORT.sub(r"\1", plain(text))
        runs = [_name(shown, found, known) for found in _RUN.finditer(shown)]
        runs += _small_names(shown, known)
        named = {word for run in runs if own.issuperset(run) for word in run}
        others = [run for run in runs if own & set(run) and not own.issuperset(run)]
        if len(places) < 2 or plain(target or "").casefold() in shown.casefold():
            # What it has in common with the target may stand elsewhere as the target's own.
            others = [run for run in others if not named.issuperset(own & set(run))]
        if others:
            return f"{' '.join(others[0]).title()!r} is another name than {target!r}"
        if _is_way_back(shown, places):
            return f"the way back is another than {target!r}"
    return ""


def _small_names(text: str, known: AbstractSet[str]) -> list[list[str]]:
    """The names that stand in small letters where a recipient is named: `to piotr nowak please`."""
    found: list[list[str]] = []
    for match in _SMALL.finditer(text):
        words = takewhile(lambda word: _is_name(word, known), _WORD.findall(match[1]))
        found.append(list(words))
    return found


def _is_name(word: str, known: AbstractSet[str]) -> bool:
    """Whether a word in small letters may be a name."""
    is_known = word in known or word in _THINGS or _opens(word)
    return word.islower() and not is_known and with_english_nouns(word) == word


def _is_way_back(text: str, places: Sequence[str]) -> bool:
    """Whether a text goes from a target's last place to its first: `from Craignure to Oban`, for `Oban-Craignure`."""
    if len(places) < 2:
        return False
    small = f" {' '.join(text.casefold().split())} "
    starts_last = any(f" {word} {places[-1]}" in small for word in _FROM)
    ends_first = any(f" {word} {places[0]}" in small for word in _TO)
    starts_first = any(f" {word} {places[0]}" in small for word in _FROM)
    return starts_last and ends_first and not starts_first


def _name(text: str, found: re.Match[str], known: AbstractSet[str]) -> Sequence[str]:
    """The words of a run of capitalised words that make a name, without those that are known to make none."""
    words = [word for word in _WORD.findall(found[0]) if not _is_acronym(word)]
    shown = [word.casefold() for word in words]
    if shown and _START.search(text[: found.start()]) and _opens(shown[0]):
        shown = shown[1:]
    return [
        word
        for word in shown
        if word not in known
        and word not in _THINGS
        and with_english_nouns(word) == word
    ]


def _is_acronym(word: str) -> bool:
    return word.isupper() and 1 < len(word) <= _ACRONYM


def _opens(word: str) -> bool:
    """Whether a capitalised word at the start of a sentence is no name: `Pay Anna Krug`."""
    return (
        word in HARMLESS_WORDS
        or stem(word) in _EVERYDAY
        or language(word) is not None
        or with_spoken_verbs(word) != word
    )
