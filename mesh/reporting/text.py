"""Text from agents and models made safe to show; amounts, counts, moments and durations as text.

Text that was read may be hostile: it may hold terminal escape sequences, control characters that XML forbids, or marks
that reverse the reading order of a line.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.text.safe_text import one_line, visible, written_out

__all__ = [
    "amount",
    "duration",
    "moment",
    "one_line",
    "plural",
    "visible",
    "xml_attribute",
    "xml_text",
]
_NOT_XML: Final = re.compile(
    r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_CENT: Final = Decimal("0.01")


def xml_text(text: str) -> str:
    """`text` as XML character data: what XML 1.0 cannot hold is written out, the rest is escaped."""
    safe = _NOT_XML.sub(written_out, text)
    return (
        safe.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\r", "&#13;")
    )


def xml_attribute(text: str) -> str:
    """`text` for an attribute in double quotes; line breaks and tabs survive the parser's normalisation."""
    return (
        xml_text(text)
        .replace('"', "&quot;")
        .replace("\n", "&#10;")
        .replace("\t", "&#9;")
    )


def amount(money: Money | None) -> str:
    """`0.0123 USD`, or `unknown`: unknown money is never shown as zero."""
    if money is None:
        return "unknown"
    exact = money.amount
    if abs(exact) >= 1:
        exact = exact.quantize(_CENT, ROUND_HALF_UP)
    elif exact != 0:
        fourth_digit = Decimal(1).scaleb(exact.adjusted() - 3)
        exact = exact.quantize(fourth_digit)
    return f"{_without_trailing_zeros(exact)} {money.currency}"


def _without_trailing_zeros(value: Decimal) -> str:
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text


def plural(count: int, noun: str, plural_noun: str | None = None) -> str:
    """`1 result`, `2 results`, `1,200 results`."""
    if count != 1:
        noun = plural_noun or f"{noun}s"
    return f"{count:,} {noun}"


def moment(value: datetime | str) -> str:
    """A moment, or its ISO 8601, as people read it: `2026-04-28 10:00 UTC`. Without a time zone it is named none.

    A text that is no moment is returned as it is.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return str(value)
    if value.tzinfo is None:
        return f"{value:%Y-%m-%d %H:%M}"
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, whole = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {whole:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
