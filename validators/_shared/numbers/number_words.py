"""English number words from zero to 999,999: `forty-two`, `one hundred and five`."""

from __future__ import annotations

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
_MAX_WORDS: Final = 12


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
