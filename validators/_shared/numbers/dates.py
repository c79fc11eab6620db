# ruff: noqa: RUF001 (Turkish has a dotless i)
"""Days as people write them: `2026-05-03`, `3 May 2026`, `May 3rd, 2026`, `13. Juli 2026`, `13.07.2026`, `07/13/2026`.

With slashes, the day or the month may stand first: `12/07/2026` is one of two days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from judgemesh.validators._shared.numbers.months import MONTHS

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
_WEEKDAYS: Final = (
    "monday mon montag mo lundi lunes lunedì maandag mandag måndag poniedziałek pazartesi segunda-feira",
    "tuesday tue tues dienstag di mardi martes martedì dinsdag tirsdag tisdag wtorek salı terça-feira",
    "wednesday wed weds mittwoch mi mercredi miércoles mercoledì woensdag onsdag środa çarşamba quarta-feira",
    "thursday thu thur thurs donnerstag do jeudi jueves giovedì donderdag torsdag czwartek perşembe quinta-feira",
    "friday fri freitag fr vendredi viernes venerdì vrijdag fredag piątek cuma sexta-feira",
    "saturday sat samstag sonnabend sa samedi sábado sabato zaterdag lørdag lördag sobota cumartesi",
    "sunday sun sonntag so dimanche domingo domenica zondag søndag söndag niedziela pazar",
)
"""Names of the days of the week, from Monday."""
_WEEKDAY: Final = (
    r"(?:(?P<weekday>[^\W\d_]{2,13}(?:-feira)?)\.?,?\s+)?(?:(?:den|le|el|the|on)\s+)?"
)
_FIGURES: Final = re.compile(
    _WEEKDAY
    + r"(?P<first>\d{1,2})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})"
)
_ISO: Final = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
)
_DAY_FIRST: Final = re.compile(
    _WEEKDAY
    + r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º)?\.?\s+(?:(?:of|de)\s+)?(?P<month>[^\W\d_]{3,12})\.?,?\s+"
    r"(?:de\s+)?(?P<year>\d{4})"
)
_MONTH_FIRST: Final = re.compile(
    r"(?:(?P<weekday>[a-z]{2,9})\.?,?\s+)?(?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})"
)
_TIME: Final = re.compile(
    r"(?:t|,?\s+(?:at\s+|um\s+|à\s+)?)(?P<time>\d{1,2}[:.h]\d{2}(?:[:.]\d{2}(?:\.\d{1,9})?)?(?:\s?(?:am|pm|uhr|h))?)"
    r"\s?(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})?$"
)
_ON: Final = re.compile(r"^(?:on|am|le|el|il|op|den)\s+(?=\d|[^\W\d_]{3,13}[\s,.])")
_WEEKDAY_BEHIND: Final = re.compile(r"^(.{6,40}?)\s*\(([^\W\d_]{2,13})\.?\)$")
_NOTE_BEGINS: Final = re.compile(
    r"\s*(?:[(\[,;\u2013\u2014]|\s-\s|\s(?:to|and|or|until|till|bis|und|oder|au|al?|y|e|o|et|ou|tot|til|till|do)\s)"
)
_MAX_HEAD_CHARS: Final = 60
_FOUR_FIGURES: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
DAY_IN_WORDS: Final = (
    r"\d{1,2}(?:st|nd|rd|th|er|\.)?\s(?:of\s|de\s)?[^\W\d_]{3,12}\.?,?\s(?:de\s)?\d{4}"
    r"|[^\W\d_]{3,9}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}"
)
"""A pattern for a day with a year whose month may be a word: `3 July 2026`, `July 3, 2026`."""
_DAY: Final = timedelta(days=1)


def dates_of(text: str) -> frozenset[date]:
    """The days that a whole text may name: none, one, or several.

    A weekday that is not that of the day, a year of two digits, and a time in a zone leave open which day is meant.
    """
    folded = _ON.sub("", text.strip().casefold())
    folded = _WEEKDAY_BEHIND.sub(r"\2 \1", folded)
    time = _TIME.search(folded)
    if time is None:
        return _days(folded)
    days = _days(folded[: time.start()])
    if time["zone"] is None or set(time["time"]) <= set("0:."):
        return days
    return frozenset(day + shift for day in days for shift in (-_DAY, 0 * _DAY, _DAY))


def date_before_note(text: str) -> tuple[frozenset[date], str]:
    """The days that the beginning of a text may name, and the note behind it: `4 May 2026 (Hall 4)`."""
    ends = [found.start() for found in _NOTE_BEGINS.finditer(text, 0, _MAX_HEAD_CHARS)]
    for end in reversed(ends):
        days = dates_of(text[:end])
        if days:
            return days, text[end:]
    return frozenset(), ""


def has_year(text: str) -> bool:
    """Whether a text has a number of four figures, which may be the year of another day."""
    return _FOUR_FIGURES.search(text) is not None


def _days(folded: str) -> frozenset[date]:
    """The days that a whole folded text without a time may name."""
    figures = _FIGURES.fullmatch(folded)
    if figures is not None:
        return frozenset(_in_figures(figures))
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        found = pattern.fullmatch(folded)
        if found is not None:
            month = found["month"]
            number = int(month) if month.isdecimal() else _month(month)
            day = _date(int(found["year"]), number, int(found["day"]))
            return frozenset(_on_weekday(day, found.groupdict().get("weekday")))
    return frozenset()


def _in_figures(found: re.Match[str]) -> Iterator[date]:
    first, second, year = int(found["first"]), int(found["second"]), int(found["year"])
    years = [year] if len(found["year"]) > 2 else [1900 + year, 2000 + year]
    for one in years:
        yield from _on_weekday(_date(one, second, first), found["weekday"])
        if found["mark"] != ".":
            yield from _on_weekday(_date(one, first, second), found["weekday"])


def _on_weekday(day: date | None, name: str | None) -> Iterator[date]:
    """The day, and the nearest one of that weekday; nothing for a word that names no weekday."""
    if day is None:
        return
    if not name:
        yield day
        return
    for number, names in enumerate(_WEEKDAYS):
        if name in names.split():
            yield day
            yield day + ((number - day.weekday() + 3) % 7 - 3) * _DAY


def _month(word: str) -> int:
    """The number of a month by its name or the beginning of it; 0 for another word."""
    for number, name in enumerate(MONTHS, start=1):
        if name.startswith(word) or word in _FOREIGN[number - 1].split():
            return number
    return 0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
