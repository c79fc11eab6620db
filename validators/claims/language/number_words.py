"""Numbers written in words: `twelve`, `twenty-five`, `one hundred and twenty`, `a dozen`."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators.claims.language.units import NUMBER_WORDS

_TENS = "|".join(word for word, value in NUMBER_WORDS.items() if value >= 20)
_DIGITS = "|".join(word for word, value in NUMBER_WORDS.items() if 1 <= value <= 9)
_SINGLE = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_BELOW_100 = rf"(?:(?:{_TENS})[\s-](?:{_DIGITS})|(?:{_SINGLE}))\b"
_HUNDREDS = rf"(?:{_DIGITS}|a)[\s-]hundred\b(?:\s(?:and\s)?{_BELOW_100}(?![\s-](?:hundred|thousand|million)))?"
NUMBER_IN_WORDS: Final = rf"\b(?:{_HUNDREDS}|{_BELOW_100}|(?:a\s)?dozen\b|a(?=\s(?:thousand|million|billion)\b))"
"""A pattern for numbers in words; `million` and the like stand behind them."""
_WORD = re.compile(r"[a-z]+")


def value_in_words(words: str) -> int:
    """The value of what `NUMBER_IN_WORDS` matched."""
    total = 0
    for word in _WORD.findall(words.lower()):
        if word == "hundred":
            total = max(total, 1) * 100
        elif word == "dozen":
            total = 12
        else:
            total += NUMBER_WORDS.get(word, 0)
    # `a` stands alone before `thousand` and `million`.
    return total if total or words.lower() != "a" else 1
