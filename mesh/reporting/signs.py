"""The signs of tables and screens, for streams whose encoding does not have them. Pure."""

from __future__ import annotations

from typing import Final

_IN_ASCII: Final = str.maketrans(
    {
        "\N{HORIZONTAL ELLIPSIS}": "~",
        "\N{MIDDLE DOT}": "-",
        "\N{EN DASH}": "-",
        "\N{EM DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "\N{BOX DRAWINGS LIGHT VERTICAL}": "|",
        "\N{BOX DRAWINGS DOUBLE VERTICAL}": "|",
        "\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-",
        "\N{BOX DRAWINGS HEAVY HORIZONTAL}": "=",
        "\N{BOX DRAWINGS DOUBLE HORIZONTAL}": "=",
        "\N{FULL BLOCK}": "#",
        "\N{LEFT ONE EIGHTH BLOCK}": "|",
        "\N{BOX DRAWINGS LIGHT UP AND RIGHT}": "`",
        "\N{BOX DRAWINGS LIGHT VERTICAL AND RIGHT}": "|",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{RIGHTWARDS ARROW}": "->",
        "\N{LESS-THAN OR EQUAL TO}": "<=",
        "\N{GREATER-THAN OR EQUAL TO}": ">=",
        "\N{PLUS-MINUS SIGN}": "+-",
        "\N{ALMOST EQUAL TO}": "~",
        "\N{CHECK MARK}": "+",
        "\N{BALLOT X}": "x",
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    }
)


def can_show(text: str, encoding: str | None) -> bool:
    """Whether an encoding (UTF-8 if there is none) has all characters of `text`."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def in_ascii_signs(text: str) -> str:
    """`text` with the signs of our tables in ASCII; other characters stay as they are."""
    return text.translate(_IN_ASCII)
