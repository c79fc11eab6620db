"""An upper estimate of how many tokens a text takes, without a tokenizer. Pure.

ASCII text is cut into pieces such as byte-pair tokenizers make: short runs of letters,
two digits, two punctuation marks. Every other character has the weight of its script.
`benchmarks/judging/packer.py` compares the estimate with the tokenizers of litellm.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from math import ceil
from typing import Final

_PIECES: Final = (
    r"[A-Z]?[a-z]{1,%d}|[A-Z]{1,2}|[0-9]{1,2}|[!-/:-@\[-`{-~]{1,2}"
    r"|\n+|[ \t]{2,12}|[\x00-\x08\x0b-\x1f\x7f]"
)
_ENGLISH: Final = re.compile(_PIECES % 5)
# Languages with accents have longer words and shorter pieces.
_ACCENTED: Final = re.compile(_PIECES % 3)
# Base64 and the like: hardly any piece of it is in a tokenizer's vocabulary.
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/=_-]{60,}")
_CHARS_A_TOKEN_ENCODED: Final = 5
_CHARS_AN_ACCENT: Final = 200
"""A text with more than one accented letter in 200 is of a language with accents."""

# From this code point on, a character takes about so many tokens.
_SCRIPTS: Final[tuple[tuple[int, float], ...]] = (
    (0x80, 1.6),  # accents and Latin beyond ASCII, marks
    (0x370, 1.35),  # Greek
    (0x400, 0.75),  # Cyrillic
    (0x530, 2.2),  # Armenian
    (0x590, 1.35),  # Hebrew, Arabic
    (0x700, 2.2),
    (0x900, 1.75),  # the scripts of India
    (0xE00, 2.3),  # Thai, Lao, Tibetan and onwards
    (0x1E00, 1.6),  # Latin with two marks, Greek with breathings
    (0x2000, 1.2),  # punctuation, arrows, mathematics
    (0x2500, 1.6),
    (0x3040, 1.3),  # kana
    (0x3100, 1.6),
    (0x4E00, 1.6),  # ideographs
    (0xAC00, 1.7),  # Hangul
    (0xD7B0, 2.0),
    (0xF900, 2.0),
    (0xFF00, 1.8),  # full width
    (0x10000, 3.0),  # emoji, rare ideographs, everything else
)
_TOKENS_A_CHAR: Final = 4
"""More than any script, and a character of a long word counted twice."""
_STARTS: Final = [start for start, _ in _SCRIPTS]


def at_most(text: str) -> int:
    """What `estimate` cannot be above, known without reading the text."""
    return _TOKENS_A_CHAR * len(text)


# A result's texts are estimated once for each question about it.
@lru_cache(maxsize=256)
def estimate(text: str) -> int:
    """Tokens that `text` takes at most, for the common tokenizers; 0 for no text."""
    encoded_chars = sum(map(len, _ENCODED.findall(text)))
    encoded = encoded_chars // _CHARS_A_TOKEN_ENCODED
    if text.isascii():
        return len(_ENGLISH.findall(text)) + encoded
    accents = 0
    weight = 0.0
    for char, count in Counter(text).items():
        if char <= "\x7f":
            continue
        weight += count * _weight(char)
        if char < "\u0370" and char.isalpha():
            accents += count
    pieces = _ACCENTED if accents * _CHARS_AN_ACCENT > len(text) else _ENGLISH
    return len(pieces.findall(text)) + encoded + ceil(weight)


def _weight(char: str) -> float:
    """About how many tokens a character beyond ASCII takes."""
    _, tokens = _SCRIPTS[bisect_right(_STARTS, ord(char)) - 1]
    return tokens
