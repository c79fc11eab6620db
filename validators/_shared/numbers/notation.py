r"""Numbers in mathematical notation as plain text: `$\frac{1}{2}$`, `2½`, `10³`, `1.5 \times 10^3`, `15{,}000`.

`in_plain_signs` writes them in plain signs (`1/2`, `2 1/2`, `10^3`, `15,000`; a sign for times stays), and `value_of`
reads what a fraction or power is worth.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Final

_SUPERSCRIPTS: Final = {
    ord(high): low
    for high, low in zip(
        "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b",
        "0123456789+-",
        strict=True,
    )
}
_SUPERSCRIPT: Final = re.compile(
    "[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+"
)
_VULGAR: Final = re.compile("(?:(\\d)\\s?)?([\u00bc-\u00be\u2150-\u215e\u2189])")
_FRACTION_SLASH: Final = re.compile("(?<=\\d)\\s?\u2044\\s?(?=\\d)")
_MINUS: Final = re.compile("[\u2212\u2013\ufe63\uff0d](?=\\s?[$\\\\]?[\\d.])")
_LATEX_FRACTION: Final = re.compile(
    r"(\d\s*)?\\?[dtc]?frac\s*(?:\{\s*(-?\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))"
)
_BRACED_MARK: Final = re.compile(r"(?<=\d)\{([.,])\}(?=\d)")
_LATEX_SPACE: Final = re.compile(r"(?<=[\d,.])\\[,!;: ](?=\d)")
_COMMANDS: Final = (
    (re.compile(r"\\(?:times|cdot)\b|\u22c5|\u00b7(?=\s?10)"), "\u00d7"),
    (re.compile(r"\\([%$#&_])"), r"\1"),
    (re.compile(r"(?<=\d)\s?\^\s?\{\s?([-+]?\d{1,3})\s?\}"), r"^\1"),
    (re.compile(r"(?<=\d)\s?\^\s?([-+]?\d{1,3})(?!\d|\.\d)"), r"^\1"),
    (re.compile(r"\\approx\b"), "\u2248"),
)
_WRITTEN_MINUS: Final = re.compile(
    r"(?:(?<=\A)|(?<=[.!?\n:=] )|(?<=\n)|(?<=\bis )|(?<=\bwas )|(?<=\bof )|(?<=\bat )|(?<=\bto ))"
    r"(?:minus|negative)\s+(?=\d)",
    re.IGNORECASE,
)
"""`minus` with no number in front of it that it is taken from."""
_DELIMITED: Final = re.compile(
    r"\$\$([^$\n]{1,80})\$\$|\\\[([^\n]{1,80}?)\\\]|\\\(([^\n]{1,80}?)\\\)"
    r"|(?<![\w$\\])\$(?=[^$\n]{0,78}[^$\s\n]?\s?\$(?!\d))([^$\n]{1,80}?)\$(?!\d)"
)
_IN_WORDS: Final = re.compile(r"(?<!\\)\b[a-z]{3,}\b", re.IGNORECASE)
_MAX_POWER: Final = 40
_MAX_DIGITS: Final = 12

POWER: Final = r"(?:\^[-+]?\d{1,3}(?!\d|\.\d))"
TIMES_TEN: Final = r"(?:\s?[\u00d7xX*]\s?10\^[-+]?\d{1,3}(?!\d))"
FRACTION: Final = r"(?:(?:\d{1,6}[ \u2064]{1,2})?\d{1,6}/\d{1,6}(?![\d/]))"
_POWER: Final = re.compile(r"(?<![\d.,])(?P<base>\d[\d.,]*+)\^(?P<power>[-+]?\d{1,3})")
_TIMES_TEN: Final = re.compile(
    r"(?<![\d.,])(?P<base>[-+]?\d[\d.,]*+)\s?[\u00d7xX*]\s?10\^(?P<power>[-+]?\d{1,3})"
)
_FRACTION: Final = re.compile(
    r"(?:(?P<whole>\d{1,6})[ \u2064]{1,2})?(?P<above>\d{1,6})/(?P<below>\d{1,6})"
)


def in_plain_signs(text: str) -> str:
    """`text` with its mathematical notation in plain signs. Text without such notation stays as it is."""
    if not text.isascii():
        text = _VULGAR.sub(_vulgar, text)
        text = _FRACTION_SLASH.sub("/", text)
        text = _SUPERSCRIPT.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text)
        text = _MINUS.sub("-", text)
    if "$" in text or "\\" in text:
        text = _DELIMITED.sub(_undelimited, text)
    if "frac" in text:
        text = _LATEX_FRACTION.sub(_fraction, text)
    if "\\" in text or "{" in text or "^" in text or "\u00d7" in text:
        text = _LATEX_SPACE.sub("", _BRACED_MARK.sub(r"\1", text))
        for pattern, plain_sign in _COMMANDS:
            text = pattern.sub(plain_sign, text)
    return text


def _vulgar(match: re.Match[str]) -> str:
    written = unicodedata.normalize("NFKC", match[2]).replace("\u2044", "/")
    return f"{match[1]} {written}" if match[1] else written


def _fraction(match: re.Match[str]) -> str:
    whole = (match[1] or "").strip()
    above, below = match[2] or match[3], match[4] or match[5]
    return f"{whole} {above}/{below}" if whole else f"{above}/{below}"


def _undelimited(match: re.Match[str]) -> str:
    """What stands between the delimiters of a formula; running text between two dollar signs is none."""
    inner = next(group for group in match.groups() if group is not None)
    if not re.search(r"\d", inner) or (match[4] and _IN_WORDS.search(inner)):
        return match[0]
    return f" {inner.strip()} "


def value_of(text: str) -> Decimal | None:
    """The number that a fraction or a power is worth, written in plain signs; None where it is neither."""
    fraction = _FRACTION.fullmatch(text)
    if fraction is not None:
        return _quotient(fraction)
    for form in (_TIMES_TEN, _POWER):
        power = form.fullmatch(text)
        if power is not None:
            return _power(power, times_ten=form is _TIMES_TEN)
    return None


def _quotient(match: re.Match[str]) -> Decimal | None:
    below = int(match["below"])
    above = int(match["above"])
    if below == 0 or (match["whole"] and above >= below):
        return None
    return int(match["whole"] or 0) + Decimal(above) / Decimal(below)


def _power(match: re.Match[str], *, times_ten: bool) -> Decimal | None:
    digits = match["base"].replace(",", "").rstrip(".")
    power = int(match["power"])
    if digits.count(".") > 1 or len(digits) > _MAX_DIGITS or abs(power) > _MAX_POWER:
        return None
    base = Decimal(digits)
    if times_ten:
        return base.scaleb(power)
    if base == 0:
        return None
    return base**power


def in_signs(text: str) -> str:
    """The text with a sign for the word `minus` in front of a number, of the same length."""
    return _WRITTEN_MINUS.sub(lambda found: " " * (len(found[0]) - 1) + "-", text)
