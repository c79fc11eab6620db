# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Days as people write them: `2026-05-03`, `3 May 2026`, `May 3rd, 2026`, `13. Juli 2026`, `13.07.2026`, `07/13/2026`.

With slashes, the day or the month may stand first: `12/07/2026` is one of two days.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_FOREIGN: Final = (
    "januar janvier enero gennaio janeiro januari styczeń stycznia ocak",
    "februar février febrero febbraio fevereiro februari luty lutego şubat",
    "märz mars marzo março maart marts marzec marca mart",
    "april avril abril aprile kwiecień kwietnia nisan",
    "mai mayo maggio maio mei maj maja mayıs",
    "juni juin junio giugno junho czerwiec czerwca haziran",
    "juli juillet julio luglio julho lipiec lipca temmuz",
    "august août agosto augustus augusti sierpień sierpnia ağustos",
    "september septembre septiembre settembre setembro wrzesień września eylül",
    "oktober octobre octubre ottobre outubro październik października ekim",
    "november novembre noviembre novembro listopad listopada kasım",
    "dezember décembre diciembre dicembre dezembro december desember grudzień grudnia aralık",
)
"""Names of the months in other languages."""
_WEEKDAY: Final = (
    r"(?:(?:[a-z]+day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica"
    r"|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag),?\s+)?"
)
_FIGURES: Final = re.compile(_WEEKDAY + r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]00:00(?::00)?Z?)?")
_DAY_FIRST: Final = re.compile(
    _WEEKDAY
    + r"(?:(?:den|le|el)\s+)?(\d{1,2})(?:st|nd|rd|th|er|º)?\.?\s+(?:(?:of|de)\s+)?([^\W\d_]{3,12})\.?,?\s+"
    r"(?:de\s+)?(\d{4})"
)
_MONTH_FIRST: Final = re.compile(
    r"(?:[a-z]+day,?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})"
)


def dates_of(text: str) -> frozenset[date]:
    """The days that a whole text may name: none, one, or two."""
    folded = text.strip().casefold()
    figures = _FIGURES.fullmatch(folded)
    if figures is not None:
        first, second, year = int(figures[1]), int(figures[3]), int(figures[4])
        days = {_date(year, second, first)}
        if figures[2] != ".":
            days.add(_date(year, first, second))
        return frozenset(day for day in days if day is not None)
    day = _date_of(folded)
    return frozenset() if day is None else frozenset({day})


def _date_of(folded: str) -> date | None:
    """The day that a whole folded text names in words, or in the order of ISO 8601."""
    iso = _ISO.fullmatch(folded)
    if iso is not None:
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    first = _DAY_FIRST.fullmatch(folded)
    if first is not None:
        return _date(int(first[3]), _month(first[2]), int(first[1]))
    second = _MONTH_FIRST.fullmatch(folded)
    if second is not None:
        return _date(int(second[3]), _month(second[1]), int(second[2]))
    return None


def _month(word: str) -> int:
    """The number of a month by its name or the beginning of it; 0 for another word."""
    for number, name in enumerate(_MONTHS, start=1):
        if name.startswith(word) or word in _FOREIGN[number - 1].split():
            return number
    return 0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
