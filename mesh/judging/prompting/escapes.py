r"""A text with its escapes read: what a value of JSON, HTML or a URL says once it is decoded. Pure.

A record or a tool result reaches the judge as JSON, in which a line break is `\n` and a letter may be `\u0065`. A
judge reads such text as easily as plain text, so what is searched is the decoded text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

_ESCAPES: Final = re.compile(
    # JSON, also inside JSON; first a character that takes two escapes
    r"(?P<pair>\\{1,8}u[dD][89abAB][0-9a-fA-F]{2}\\{1,8}u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|(?P<json>\\{1,8}(?:u[0-9a-fA-F]{4}|[nrtbf/\"']))"
    r"|(?P<entity>&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|lt|gt|amp|quot|apos|nbsp);)"
    # A single % stands in ordinary text; a letter or a blank in this form only in an encoded one.
    r"|(?P<percent>%(?:0[aAdD]|2[0-9a-fA-F]|3[a-fA-F0-9]|[4567][0-9a-fA-F]))"
)
_CODE: Final = re.compile(r"u([0-9a-fA-F]{4})")
_LETTERS: Final[Mapping[str, str]] = {"n": "\n", "r": "\n", "t": "\t", "b": "", "f": ""}


@dataclass(frozen=True, slots=True)
class Decoded:
    """The decoded text; `starts` and `ends` say where each of its characters stands in the original, if it moved."""

    text: str
    starts: tuple[int, ...] | None = None
    ends: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `[start, end)` of the decoded text stands in the original."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


def decoded(text: str) -> Decoded:
    """The text with the escapes of JSON, HTML and URLs read, once each."""
    if "\\" not in text and "&" not in text and "%" not in text:
        return Decoded(text)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for match in _ESCAPES.finditer(text):
        begin, end = match.span()
        pieces.append(text[at:begin])
        starts.extend(range(at, begin))
        ends.extend(range(at + 1, begin + 1))
        char = _READERS[match.lastgroup or ""](match[0])
        pieces.append(char)
        starts.extend([begin] * len(char))
        ends.extend([end] * len(char))
        at = end
    if at == 0:
        return Decoded(text)
    pieces.append(text[at:])
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    return Decoded("".join(pieces), tuple(starts), tuple(ends))


def _json_char(escape: str) -> str:
    body = escape.lstrip("\\")
    if len(body) > 1:
        return chr(int(body[1:], 16))
    return _LETTERS.get(body, body)


def _paired_char(escape: str) -> str:
    high, low = (int(code, 16) for code in _CODE.findall(escape))
    return chr(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))


def _percent_char(escape: str) -> str:
    return chr(int(escape[1:], 16))


_READERS: Final[Mapping[str, Callable[[str], str]]] = {
    "pair": _paired_char,
    "json": _json_char,
    "entity": html.unescape,
    "percent": _percent_char,
}
