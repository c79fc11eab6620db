"""English number words from zero to 999,999: `forty-two`, `one hundred and five`; and `half`, `a dozen`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

_SMALL: Final = {
    word: number
    for number, word in enumerate(
        (
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
            "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
        )
    )
}  # fmt: skip
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}  # fmt: skip
_NUMBER_WORD: Final = (
    "zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
)
NUMBER_WORDS: Final = re.compile(
    rf"\b(?:(?:one|a)[ -])?(?:{_NUMBER_WORD})(?:[ -](?:and )?(?:one|{_NUMBER_WORD}))*\b"
    r"|(?<![-\w])(?<!\bno )(?<!\bthis )(?<!\bthat )(?<!\bthe )"
    r"(?<!\bwhich )(?<!\beach )(?<!\bevery )(?<!\bany )(?<!\banother )"
    r"one(?= (?!(?:of|or|and|day|more|another|moment|can|could|should|must|may|might|is|was|has)\b)[a-z]{3})"
    r"|(?<=\bexactly )one\b",
    re.IGNORECASE,
)
"""Numbers in words; `one` only where it counts something."""
_IN_A_WORD: Final[Mapping[str, Decimal]] = MappingProxyType(
    {
        "there is none": Decimal(0), "there are none": Decimal(0), "there were none": Decimal(0),
        "half": Decimal("0.5"), "one half": Decimal("0.5"), "a half": Decimal("0.5"),
        "dozen": Decimal(12), "a dozen": Decimal(12), "one dozen": Decimal(12),
    }
)  # fmt: skip
_MAX_WORDS: Final = 12


def value_in_words(text: str) -> Decimal | None:
    """The number that a whole text is: `forty-two`, `a dozen`, `there are none`; None where it is none."""
    number = number_of_words(text)
    return _IN_A_WORD.get(text.casefold()) if number is None else Decimal(number)


def number_of_words(text: str) -> int | None:
    """The number that a text writes in words and nothing else; None where it does not."""
    words = text.casefold().replace("-", " ").split()
    if not words or len(words) > _MAX_WORDS:
        return None
    thousands, below = None, words
    if "thousand" in words:
        cut = words.index("thousand")
        thousands, below = _below_thousand(words[:cut]), words[cut + 1 :]
        if thousands is None:
            return None
        if not below:
            return thousands * 1_000
    rest = _below_thousand(below)
    if rest is None:
        return None
    return (thousands or 0) * 1_000 + rest


def _below_thousand(words: list[str]) -> int | None:
    hundreds = 0
    if "hundred" in words:
        cut = words.index("hundred")
        if cut != 1:
            return None
        first = _SMALL.get(words[0])
        if first is None or first == 0:
            return None
        hundreds, words = first * 100, words[cut + 1 :]
    if words[:1] == ["and"]:
        words = words[1:]
    if not words:
        return hundreds or None
    rest = _below_hundred(words)
    return None if rest is None else hundreds + rest


def _below_hundred(words: list[str]) -> int | None:
    match words:
        case [word]:
            return _SMALL.get(word, _TENS.get(word))
        case [tens, ones] if tens in _TENS and 1 <= _SMALL.get(ones, 0) <= 9:
            return _TENS[tens] + _SMALL[ones]
        case _:
            return None
