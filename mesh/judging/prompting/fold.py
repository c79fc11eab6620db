"""The text as a reader sees it: escapes read, hidden characters dropped, styled letters as plain Latin. Pure.

Used for searching only. What a judge is shown is the text itself, made harmless by `sanitise`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from string import ascii_uppercase
from typing import Any, Final

from judgemesh.mesh.judging.prompting.escapes import Decoded, decoded

HIDDEN: Final = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters other than tab and line ends
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0"  # blank letters, soft hyphen, Arabic letter mark
    "\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, bidi, separators
    "\ud800-\udfff"  # lone surrogates: no encoder takes them
    "\U000e0000-\U000e0fff"  # tags and variation selectors that can carry a hidden message
    "]"
)
_DIRECTION: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Changes of writing direction: what follows one may be read apart, so it counts as a new line."""
JOINERS: Final = re.compile("[\u200c\u200d]")
_NOT_HIDDEN: Final = bytes(
    code for code in range(128) if HIDDEN.match(chr(code)) is None
)


def is_plain(text: str) -> bool:
    """Whether the text is ASCII without hidden characters: it has no disguised letter, and RE2 reads it like `re`."""
    return text.isascii() and not text.encode("ascii").translate(None, _NOT_HIDDEN)


@cache
def hostile() -> Mapping[str, Any]:
    """The data of `hostile.toml`: look-alikes, words, patterns."""
    path = files("judgemesh.mesh.judging.prompting") / "hostile.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def look_alikes() -> Mapping[str, str]:
    """Letters of other scripts that are drawn like a Latin letter, each with that letter."""
    rows: Mapping[str, str] = hostile()["look_alikes"]
    letters: dict[str, str] = {}
    for foreign, latin in rows.items():
        letters.update(zip(foreign, latin, strict=True))
    return letters


@dataclass(frozen=True, slots=True)
class Folded:
    """A text for searching: `text` is folded fully, `native` keeps letters of other scripts.

    decoded: the text with its escapes read.
    offsets: where each character of both stands in the decoded text; None where nothing moved.
    """

    text: str
    native: str
    decoded: Decoded
    offsets: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `[start, end)` of the folded text stands in the original."""
        if self.offsets is not None:
            start, end = self.offsets[start], self.offsets[end - 1] + 1
        return self.decoded.span(start, end)


def fold(text: str) -> Folded:
    """The folded view of a text: lower case, escapes read, hidden characters dropped, look-alikes as Latin."""
    plain = decoded(text)
    if is_plain(plain.text):
        lowered = plain.text.lower()
        return Folded(lowered, lowered, plain, None)
    visible: list[str] = []
    offsets: list[int] = []
    for offset, char in enumerate(plain.text):
        if _DIRECTION.match(char):
            visible.append("\n")
        elif HIDDEN.match(char) or JOINERS.match(char):
            continue
        else:
            visible.append(char)
        offsets.append(offset)
    latin = "".join(map(_latin, visible))
    native = "".join(map(_native, visible))
    return Folded(latin, native, plain, tuple(offsets))


@lru_cache(maxsize=8192)
def _latin(char: str) -> str:
    return look_alikes().get(_styled(char), _native(char)).lower()


@lru_cache(maxsize=8192)
def _native(char: str) -> str:
    lowered = _styled(char).lower()
    return lowered if len(lowered) == 1 else char


def _styled(char: str) -> str:
    """A bold, script, circled or full-width letter as the plain one; what would become several stays."""
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) != 1:
        plain = _ENCLOSED.get(char, char)
    base = unicodedata.normalize("NFD", plain)[0]
    if base.isascii() and unicodedata.category(plain).startswith("L"):
        return base
    return plain


_SQUARED_A: Final = 0x1F130
_REGIONAL_A: Final = 0x1F1E6
_ENCLOSED: Final = {
    chr(first + number): letter
    for first in (_SQUARED_A, _REGIONAL_A)
    for number, letter in enumerate(ascii_uppercase)
}
"""Enclosed letters that Unicode normalisation leaves as they are."""
