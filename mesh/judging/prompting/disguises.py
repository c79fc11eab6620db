"""Simple codes that a judge can read: base64, hexadecimal, ROT13, text from right to left, digits for letters. Pure."""

from __future__ import annotations

import base64
import binascii
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from judgemesh.mesh.judging.prompting.fold import Folded
from judgemesh.mesh.judging.prompting.scan import Scan

_BLOB: Final = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{16,65536}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}){8,}")
_PRINTABLE: Final = frozenset(string.printable)
_MIN_READABLE: Final = 0.95
_MAX_BLOBS: Final = 200
_ROT13: Final = str.maketrans(
    string.ascii_lowercase, string.ascii_lowercase[13:] + string.ascii_lowercase[:13]
)
_DIGITS: Final = str.maketrans("0134578@$!", "oieastbasi")
_DIGIT_IN_WORD: Final = re.compile(
    r"[a-z][0134578@$!][a-z0134578@$!]|[0134578@$!][a-z][0134578@$!]"
)
_SPACED: Final = re.compile(r"(?<!\w)\w([ .\-_*])\w(?:\1\w){1,256}(?!\w)")
_BETWEEN_LETTERS: Final = re.compile(r"[ .\-_*]")
_HEX_PAIRS: Final = re.compile(
    r"(?<![0-9a-fA-F])[0-9a-fA-F]{2}(?:[ :,-][0-9a-fA-F]{2}){7,4096}(?![0-9a-fA-F])"
)
_BETWEEN_PAIRS: Final = re.compile(r"[ :,-]")
_SNAKE: Final = re.compile(r"(?<![a-z_])[a-z]++(?:_[a-z]++){3,64}(?![a-z_])")
_BLANKS: Final = re.compile(
    # White space of any kind, tags and comments, and what stands between the texts of a list.
    r"(?:\s++|<(?:!--[^<>]{0,80}--|[a-z/][^<>]{0,80})>|\"\s{0,4},\s{0,4}\")++"
)

_OTHER_BLANKS: Final = ("  ", "<", '"', *"\t\n\v\f\r\x1c\x1d\x1e\x1f")
"""One of these is in every ASCII text that has more than single spaces between its words."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """The text that the code stands for; `span` says where a part of it stands in the original."""

    text: str
    span: Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)  # one object for each
class Spelling:
    """A code that changes every text in the same way, and back.

    word: how a word is written in it. read: what a text says under it.
    """

    word: Callable[[str], str]
    read: Callable[[Folded], Disguise]


def _rot13(view: Folded) -> Disguise:
    return Disguise(view.text.translate(_ROT13), view.span)


def disguises(view: Folded) -> Iterator[Disguise]:
    """What the text says under each further code that it may be written in."""
    codes = _codes().found(view.text)
    if "digits" in codes:
        yield Disguise(view.text.translate(_DIGITS), view.span)
    if "spaced" in codes or not view.text.isascii():
        yield from _spaced(view)
    if "snake" in codes and _SNAKE.search(view.text):
        yield Disguise(_SNAKE.sub(_in_words, view.text), view.span)
    # Case matters in base64, so the text before folding is read. Where only that differs, its codes are the same.
    if view.offsets is not None:
        codes = _codes().found(view.decoded.text)
    if "blob" in codes:
        yield from _blobs(view)
    if "pairs" in codes:
        yield from _hex_pairs(view)


@cache
def _codes() -> Scan[str]:
    """What every match of a pattern above has in it, for RE2: it has no back-references and no look-around."""
    return Scan(
        [
            (_DIGIT_IN_WORD.pattern, "digits"),
            (r"\b\w[ .\-_*]\w[ .\-_*]\w", "spaced"),
            (r"[a-z]_[a-z]+_[a-z]+_[a-z]", "snake"),
            (r"[A-Za-z0-9+/_-]{16}", "blob"),
            (r"(?i)(?:[0-9a-f]{2}[ :,-]){7}[0-9a-f]{2}", "pairs"),
        ]
    )


def joined_words(text: str, view: Folded) -> Disguise | None:
    """A folded text with one blank for all that may stand for one; None where nothing else does."""
    if text.isascii() and not any(sign in text for sign in _OTHER_BLANKS):
        return None
    pieces: list[str] = []
    offsets: list[int] = []
    at = 0
    for match in _BLANKS.finditer(text):
        if match[0] == " ":
            continue
        start, end = match.span()
        pieces.append(text[at:start])
        offsets.extend(range(at, start))
        pieces.append(" ")
        offsets.append(start)
        at = end
    if not offsets:
        return None
    pieces.append(text[at:])
    offsets.extend(range(at, len(text)))

    def span(start: int, end: int) -> tuple[int, int]:
        return view.span(offsets[start], offsets[end - 1] + 1)

    return Disguise("".join(pieces), span)


def _in_words(name: re.Match[str]) -> str:
    return name[0].replace("_", " ")


def _mirrored(view: Folded) -> Disguise:
    many = len(view.text)

    def span(start: int, end: int) -> tuple[int, int]:
        return view.span(many - end, many - start)

    return Disguise(view.text[::-1], span)


SPELLINGS: Final = (
    Spelling(lambda word: word.translate(_ROT13), _rot13),
    Spelling(lambda word: word[::-1], _mirrored),
)


def _spaced(view: Folded) -> Iterator[Disguise]:
    """Words whose letters stand apart: `i g n o r e`. All of them as one text, because an order is several words."""
    found = list(_SPACED.finditer(view.text))
    if not found:
        return
    first, last = found[0].start(), found[-1].end()
    words = " ".join(_BETWEEN_LETTERS.sub("", match[0]) for match in found)
    yield Disguise(words, _always(view.span(first, last)))


def _blobs(view: Folded) -> Iterator[Disguise]:
    source = view.decoded
    for number, match in enumerate(_BLOB.finditer(source.text)):
        if number == _MAX_BLOBS:
            return
        plain = _plain(match[0])
        if plain is not None:
            yield Disguise(plain.lower(), _always(source.span(*match.span())))


def _hex_pairs(view: Folded) -> Iterator[Disguise]:
    """Bytes in hexadecimal, apart."""
    source = view.decoded
    for number, match in enumerate(_HEX_PAIRS.finditer(source.text)):
        if number == _MAX_BLOBS:
            return
        plain = _readable(bytes.fromhex(_BETWEEN_PAIRS.sub("", match[0])))
        if plain is not None:
            yield Disguise(plain.lower(), _always(source.span(*match.span())))


def _always(place: tuple[int, int]) -> Callable[[int, int], tuple[int, int]]:
    """The whole place, whatever part of it is asked for."""
    return lambda _start, _end: place


def _plain(blob: str) -> str | None:
    """The readable text in a blob; None where there is none."""
    if _HEX.fullmatch(blob):
        return _readable(bytes.fromhex(blob))
    body = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return None
    return _readable(data)


def _readable(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    readable = sum(char in _PRINTABLE or ord(char) > 127 for char in text)
    if not text or readable < _MIN_READABLE * len(text):
        return None
    return text
