"""Whether a passage is cut off before what belongs to its last number: a unit, a magnitude, a rate, more digits. Pure.

Units are known by name in the languages of `unit_words`. Of other Latin words, one of three letters or fewer that is no
common short word is taken for the sign of a unit. A longer word that nothing knows is a word like any other.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from judgemesh.contracts.text.unit_words import (
    LABELS,
    RANGE_WORDS,
    RATE_WORDS,
    SHORT_WORDS,
    YEAR_WORDS,
    is_sign,
    is_unit,
)
from judgemesh.contracts.text.word_sets import word_set

_ATTACHED: Final = frozenset({"^", "%", "\u2030", "\u00b0", "+"})
_MAX_SIGN_LETTERS: Final = 3
_GROUP_DIGITS: Final = 3
_YEAR_DIGITS: Final = 4
_YEARS: Final = range(1_000, 2_200)
_BESIDE_NUMBERS: Final = frozenset(
    "\u7684\u548c\u4e0e\u8207\u53ca\u6216\u662f\u5728\u5230\u81f3\u4ee5\u7531\u7b49\uc740\ub294\uc774\uac00\uc744\ub97c\uc5d0"
    "\uc758\uc640\uacfc\ub3c4\ub85c"
)
"""Chinese and Korean characters that stand behind a number and count nothing."""
_COUNTERS: Final = (
    "\u3064",
    "\u304b \u6708",
    "\u304b \u6240",
    "\u304b \u56fd",
    "\u304b \u5e74",
)
"""Japanese counters that begin with a hiragana."""


class Tie(Enum):
    """How a word follows a number: with nothing between them, or with a space, a hyphen or a bracket around it."""

    GLUED = "glued"
    NEAR = "near"


def is_cut_off(before: str, following: str, tie: Tie | None) -> bool:
    """Whether the words `before` lose what belongs to their last number, which begins the words `following`.

    Both are words in normal form with one space between them. tie: how the first word of `following` is tied to a
    number before it; None where something separates them.
    """
    after, _, rest = following.strip().partition(" ")
    if after in _ATTACHED:
        return True
    words = before.rsplit(maxsplit=2)
    if tie is None or not words or not words[-1][-1:].isdigit():
        return False
    if _is_unspaced(after):
        return _is_counter(after, rest)
    if tie is Tie.GLUED or is_sign(after):
        return True
    if after[:1].isdigit():
        return "\u2044" in after or _are_groups(words[-1], after)
    label = words[-2] if len(words) > 1 else ""
    return _is_amount_of(label, words[-1], after, rest.partition(" ")[0])


def _is_amount_of(label: str, number: str, after: str, following: str) -> bool:
    """Whether a number is an amount of what stands `after` it, not a name (`page 12`) or a year, or begins a range."""
    is_year = (
        number.isdecimal() and len(number) == _YEAR_DIGITS and int(number) in _YEARS
    )
    if label in word_set(LABELS) or (is_year and label in word_set(YEAR_WORDS)):
        return False
    if is_unit(after) or (after in word_set(RATE_WORDS) and is_unit(following)):
        return True
    if after in word_set(RANGE_WORDS) and following[:1].isdigit():
        return True
    return not is_year and _may_be_sign(after)


def _is_unspaced(word: str) -> bool:
    """Whether a word begins with a Chinese, Japanese or Korean character."""
    return "\u3040" <= word[:1] <= "\u9fff" or "\uac00" <= word[:1] <= "\ud7af"


def _is_counter(character: str, following: str) -> bool:
    """Whether such a character counts something. Of the hiragana, few do: most of them are particles."""
    if "\u3040" <= character[:1] <= "\u309f":
        return f"{character} {following}".startswith(_COUNTERS)
    return character[:1] not in _BESIDE_NUMBERS


def _are_groups(first: str, second: str) -> bool:
    """Whether two numbers are the groups of one number that is written with spaces: `1 250`."""
    whole = second.replace(",", ".").partition(".")[0]
    digits = whole.isdecimal() and first.isdecimal()
    return digits and len(whole) == _GROUP_DIGITS and len(first) <= _GROUP_DIGITS


def _may_be_sign(word: str) -> bool:
    """Whether a word that is no known unit looks like one: a few Latin letters that are no common word."""
    short = len(word) <= _MAX_SIGN_LETTERS and word.isalpha() and word.isascii()
    return short and word not in word_set(SHORT_WORDS)
