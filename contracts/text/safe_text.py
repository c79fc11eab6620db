"""Text from agents and models made safe to show: nothing in it controls a terminal, hides or turns the order."""

from __future__ import annotations

import re
from typing import Final

_NOT_TERMINAL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """`text` with everything that could control a terminal replaced by its code; line breaks and tabs stay."""
    return _NOT_TERMINAL.sub(written_out, text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 0) -> str:
    """`visible` text on one line, cut to `limit` characters (0: not cut)."""
    line = " ".join(visible(text).split())
    if limit and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return line


def written_out(match: re.Match[str]) -> str:
    r"""A character as its code: `\x1b`, `\u202e`, `\U000e0041`."""
    number = ord(match[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    if number < 0x10000:
        return f"\\u{number:04x}"
    return f"\\U{number:08x}"
