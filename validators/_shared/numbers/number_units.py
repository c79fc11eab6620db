"""Which unit a number in prose has, compared with the units that a contract names.

A number without a unit counts. One with a word behind it that is neither a unit nor a common word may be of another
unit (`60 loaves` for `rolls`), so that is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Final

from judgemesh.contracts.text.word_sets import word_set
from judgemesh.validators._shared.numbers.notation import in_plain_signs
from judgemesh.validators._shared.numbers.powers import with_plain_powers
from judgemesh.validators._shared.numbers.rate_units import Rate, rate_behind, rate_of

UNSPACED: Final = r"\u3040-\u9fff"
UNIT: Final = (
    rf"(?:[^\W\d_\u00b0{UNSPACED}]{{1,20}}|[{UNSPACED}]{{1,20}}|\u00b0[CF]?|[$\u00a2-\u00a5\u20a0-\u20bf](?!\s?\d))"
    r"(?:\^?-?[23](?!\d|\.\d))?"
)
"""A word or a sign behind a number that may be its unit: part of a pattern."""
_RANGE: Final = re.compile(
    rf"(?P<unit>\s?(?:%|{UNIT}(?:/{UNIT})?))??\s*,?\s*(?:(?:up|down)\s+)?(?:to|bis(?:\s+zu)?|\u00e0|a|tot|til|till|through|thru"
    r"|and|und|et|y|e|og|och|en|ve|or|oder|ou|o|u"
    r"|eller|lub|veya|ya da|hasta|at\u00e9|fino a|jusqu['\u2019]\u00e0"
    r"|do)\s+(?:about\s+|~)?",
    re.IGNORECASE,
)
"""What stands between the ends of a range, or between alternatives: `75 to 90`, `75 EUR oder 90 EUR`."""


class UnitFit(Enum):
    """How the unit of a number compares with those that are asked for."""

    SAME = "one of them"
    NONE = "no unit"
    OPEN = "a word that may be a unit"
    OTHER = "another unit"


_UNITS: Final = frozenset(
    {
        "mg", "g", "kg", "t", "lb", "lbs", "oz", "mm", "cm", "m", "km", "mi", "miles", "ft", "feet", "inch", "inches",
        "ml", "cl", "l", "ms", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "weeks", "months",
        "years", "day", "week", "month", "year", "hour", "hr", "hrs", "minute", "mins", "ha", "acres", "dl", "ug",
        "tb", "mbit", "mbps", "gbps", "hz", "khz", "mhz", "ghz", "mw", "gw", "ma", "ah", "mah", "kj", "kcal",
        "pa", "kpa", "hpa", "bar", "psi", "k", "kn", "mph", "kmh", "kph", "rpm", "fps", "dpi", "px", "pt", "db",
        "\u00b0", "\u00b0c", "\u00b0f", "am", "pm", "st", "nd", "rd", "th", "bn", "mn", "ct",
        "mol", "ppm", "ns", "wk", "wks", "yr", "yrs", "eur", "usd", "gbp", "chf",
        "dollars", "euros", "kb", "mb", "gb",
        "w", "kw", "kwh", "v", "mv", "%",
    }
)  # fmt: skip
"""Units: a number with one that the contract does not name is another quantity."""
_SPELLINGS: Final = """
    kg kilo kilos kilogram kilograms kilogramme kilogrammes kilogramm
    g gram grams gramme grammes gramm
    mg milligram milligrams milligramme milligrammes milligramm
    t ton tons tonne tonnes tonnen
    lb lbs pound pounds
    oz ounce ounces
    l liter liters litre litres
    ml milliliter milliliters millilitre millilitres
    m meter meters metre metres
    km kilometer kilometers kilometre kilometres
    cm centimeter centimeters centimetre centimetres
    mm millimeter millimeters millimetre millimetres
    mi mile miles
    ft foot feet
    in inch inches
    m2 sqm qm
    s sec secs second seconds sekunden secondes segundos
    min mins minute minutes minuten minutos minuti
    h hr hrs hour hours std stunde stunden heure heures hora horas ore uur
    d day days tag tage tagen jour jours dia dias día días giorno giorni dag dagen
    wk wks week weeks woche wochen semaine semaines semana semanas settimana
    mo month months monat monate monaten mois mes mese maand måned
    yr yrs year years annum jahr jahre jahren an ans année año anno ano jaar
    night nights nacht nächte nuit nuits noche noches notte noite natt
    eur euro euros €
    usd dollar dollars $ us$
    cad dollar dollars $ c$ ca$
    aud dollar dollars $ a$ au$
    nzd dollar dollars $ nz$
    gbp pound pounds sterling £
    jpy yen ¥
    cny yuan ¥
    inr rupee rupees ₹ rs
    chf franc francs franken
    % percent pct prozent
    °c celsius °
    °f fahrenheit °
    kw kilowatt kilowatts
    w watt watts
    v volt volts
    kmh km/h kph
    mph mi/h
    person persons people pax head kopf pers
    pallet pallets palette paletten palettes palé palés pallets
    pcs pieces piece stück
"""
"""The spellings of one unit in a line."""
_GOES_ON: Final = """
    about above according after again all alone altogether are as back because been before below beside between both but
    could currently during each either exactly exclusive from given had has have here if inclusive including instead
    just left less more must now once only or over overall please plus rather remain remains right shall should since so
    such than that their then there these they this those through today together total until upon were when where which
    while will with within would yet
    aber auch davon dazu derzeit durch gesamt heute insgesamt jeweils noch nur oder pro sind sowie und werden wird
    wurden zusammen zuzüglich
    alors avec chacun comme donc environ dont sont soit tout chaque
    como cada cuando desde entre están hasta pero porque sobre todo
    anche circa come ogni perché quindi sono totale agora mais quando
    dus maar samen totaal voor worden ialt sammen totalt tilsammen łącznie razem oraz toplam
"""
"""Words behind a number that are no unit, beside the short ones."""
_CHANGING: Final = """
    working business trading half quarter square cubic nautical percentage basis light short long troy man person
    us mio mln mrd tsd million billion thousand
"""
"""Words that make another unit of the one behind them: `40 working days` are no 40 days."""
_WORD: Final = re.compile(r"\s?([^\W\d_]{1,20})(?:['\u2019]s?)?(?![\w/])")
_NAMING: Final = frozenset({"us", "mio"})
"""Common words that begin a unit: `40 US dollars`."""
_MAX_WORDS_BETWEEN: Final = 2
_HIRAGANA: Final = ("\u3040", "\u309f")


def unit_name(written: str) -> str:
    """A unit in one spelling: `m\u00b2`, `m^2`, `m2` and `square metres` are one."""
    plain = in_plain_signs(written.strip()).replace("^", "")
    return with_plain_powers(plain).casefold()


def is_unit(unit: str) -> bool:
    """Whether a word is a unit, alone, raised or over another."""
    return unit.split("/", maxsplit=1)[0].rstrip("-23") in _UNITS or "/" in unit


def makes_range(between: str, unit: str) -> bool:
    """Whether what stands between two numbers makes a range of them; `75 rolls to 90 guests` is none.

    unit: the word behind the second number, by `unit_name`, or nothing.
    """
    found = _RANGE.fullmatch(between)
    if found is None:
        return False
    first = unit_name(found["unit"] or "")
    return not (first and unit) or first == unit or is_common(unit)


def unit_fit(wanted: Sequence[str], money: str, unit: str, behind: str) -> UnitFit:
    """How the unit of a number compares with the wanted ones.

    Args:
        wanted: names of units, by `unit_name`.
        money: the sign or word of a currency in front of the number, or nothing.
        unit: the word right behind it, by `unit_name`, or nothing.
        behind: the text right behind the number.
    """
    shown = unit_name(behind[:60])
    rates = [rate for rate in map(_known_rate, wanted) if rate is not None]
    fit = None
    if rates:
        fit = _fit_of_rates(rates, rate_behind(shown, money), money or unit)
    if fit is UnitFit.SAME or (fit is not None and len(rates) == len(wanted)):
        return fit
    if any(_begins_with(shown, one) for one in wanted):
        return UnitFit.SAME
    for written in (money, unit):
        if written and any(are_one(written, one) for one in wanted):
            return UnitFit.SAME
    if money or (unit and is_unit(unit)):
        return UnitFit.OTHER
    return _fit_of_words(wanted, unit, shown) if unit else UnitFit.NONE


def _known_rate(unit: str) -> Rate | None:
    """A unit as a rate, also where another of its spellings is one: `kmh`."""
    spelt = (one for group in _spellings() if unit in group for one in sorted(group))
    return next(filter(None, map(rate_of, (unit, *spelt))), None)


def _fit_of_rates(
    wanted: Sequence[Rate], shown: Rate | None, unit: str
) -> UnitFit | None:
    """How what stands behind a number compares with rates; None where other rules decide.

    Without the rate (`75 EUR` for `EUR/pallet`), and with a word that may be the same in another language, it is open.
    """
    if shown is None:
        bare = any(are_one(unit, rate.over) for rate in wanted if unit)
        return UnitFit.OPEN if bare else None
    for rate in wanted:
        if shown.over and not are_one(shown.over, rate.over):
            continue
        if are_one(shown.under, rate.under):
            return UnitFit.SAME if shown.over else UnitFit.NONE
    over = [rate for rate in wanted if not shown.over or are_one(shown.over, rate.over)]
    if not over:
        return None
    known = _is_known(shown.under) and all(_is_known(rate.under) for rate in over)
    return UnitFit.OTHER if known else UnitFit.OPEN


def _is_known(unit: str) -> bool:
    return unit in _UNITS or any(unit in group for group in _spellings())


def _fit_of_words(wanted: Sequence[str], unit: str, shown: str) -> UnitFit:
    """How a word behind a number and those behind it compare: `60 fresh rolls` are rolls."""
    if is_common(unit):
        return UnitFit.NONE
    place = 0
    for number in range(_MAX_WORDS_BETWEEN + 1):
        word = _WORD.match(shown, place)
        if word is None or (number and is_common(word[1])):
            break
        if number and any(are_one(word[1], one) for one in wanted):
            return UnitFit.SAME
        if word[1] in word_set(_CHANGING):
            break
        place = word.end()
    return UnitFit.OPEN


def _begins_with(shown: str, unit: str) -> bool:
    rest = shown.removeprefix(unit)
    return rest != shown and not (rest[:1].isalnum() or rest[:1] in {"/", "_"})


def are_one(first: str, second: str) -> bool:
    """Whether two units, by `unit_name`, are spellings of one."""
    if first == second or _singular(first) == _singular(second):
        return True
    return any(first in group and second in group for group in _spellings())


@cache
def _spellings() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in _SPELLINGS.split("\n"))


def _singular(word: str) -> str:
    """A word without the ending of a plural, where it may have one."""
    return word.removesuffix("s").removesuffix("e") if len(word) > 3 else word


def is_common(word: str) -> bool:
    """Whether a word behind a number goes on with the sentence and is no unit."""
    from judgemesh.contracts.text.unit_words import SHORT_WORDS

    if _HIRAGANA[0] <= word[:1] <= _HIRAGANA[1]:
        return True
    if word in _NAMING:
        return False
    return word in word_set(_GOES_ON) or word in word_set(SHORT_WORDS)
