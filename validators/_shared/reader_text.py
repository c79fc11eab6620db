"""Text as a reader sees it: without markup, entities, invisible characters and look-alike letters.

Forbidden text is looked for in this form, because Markdown, HTML and Unicode can spell one visible word in many ways.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from judgemesh.validators._shared.text import plain, typed

_BREAKS: Final = re.compile(
    r"</?(?:br|p|div|li|ul|ol|tr|td|th|table|h[1-6])\b[^<>]{0,200}/?>", re.IGNORECASE
)
_MOST_COMMENT: Final = 2_000
"""Characters of the longest text that counts as a comment."""
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_LINK: Final = re.compile(
    r"!?\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\[\]\n]{0,100}\])"
)
_ESCAPE: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!~|<>])")
_EMPHASIS: Final = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)|(?<=\w)__(?=\w)")
_HYPHENATED: Final = re.compile(r"(?<=[^\W\d_])[-\u2010\u2011]\n[ \t]*(?=[^\W\d_])")
_CODE_POINT: Final = re.compile(r"\\u(?!d[89a-f])([0-9a-f]{4})", re.IGNORECASE)
_LINE_MARKS: Final = re.compile(
    r"(?m)^[ \t]*(?:>[ \t]?)*(?:(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+)?"
)
_SPACED: Final = re.compile(r"(?<!\w)\w(?:[ \t.\-_\u00b7*]{1,3}\w){3,}(?!\w)")
_LOOK_ALIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u0432\u043a\u043c\u043d\u0442\u0410"
    "\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u03b1\u03bf\u03c1\u03bd\u03b9"
    "\u03ba\u03c4\u03c5\u03c7\u03b5\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5"
    "\u03a7\u0131\u0251\u0261\u217c",
    "aeopcyxijsdhbkmhtABEKMHOPCTXIJSaopvikTuxeABEZHIKMNOPTYXiagl".replace(
        "kTuxe", "ktuxe"
    ),
)
"""Cyrillic, Greek and other letters that look like Latin ones."""
_BASE64: Final = re.compile(r"(?<![\w+/-])[\w+/-]{11,4000}={0,2}(?![\w+/=-])", re.ASCII)
"""Long enough for eight characters."""
_WORD: Final = re.compile(r"[^\W\d_]+")


def reader_text(text: str) -> str:
    """`text` as it is read, line by line."""
    shown = plain(text).replace("\r\n", "\n")
    if "\\u" in shown:
        shown = _CODE_POINT.sub(lambda match: chr(int(match[1], 16)), shown)
    if "&" in shown:
        shown = plain(html.unescape(shown))
    if "<" in shown:
        shown = _BREAKS.sub(" ", _without_comments(shown))
        shown = _TAG.sub("", shown)
    shown = _LINE_MARKS.sub("", shown)
    shown = _ESCAPE.sub(r"\1", _LINK.sub(r"\1", shown))
    shown = _EMPHASIS.sub("", shown)
    shown = _HYPHENATED.sub("", shown)
    shown = typed(shown)
    return shown if shown.isascii() else _latin(_without_marks(shown))


def _without_comments(text: str) -> str:
    """The text without comments of HTML. One that has no end within its length stays."""
    kept, at = "", 0
    start = text.find("<!--")
    while start >= 0:
        inside = start + len("<!--")
        end = text.find("-->", inside, inside + _MOST_COMMENT + len("-->"))
        if end >= 0:
            kept += text[at:start]
            at = inside = end + len("-->")
        start = text.find("<!--", inside)
    return kept + text[at:]


def _without_marks(text: str) -> str:
    """The text without combining marks that no letter was composed with."""
    return "".join(char for char in text if unicodedata.category(char) != "Mn")


def _latin(text: str) -> str:
    """Look-alike letters as Latin ones, in mixed words, and in all words where most letters are Latin."""
    letters = [char for char in text if char.isalpha()]
    latin = sum(char.isascii() for char in letters)
    if 2 * latin >= len(letters):
        return text.translate(_LOOK_ALIKE)
    return _WORD.sub(_latin_if_mixed, text)


def _latin_if_mixed(match: re.Match[str]) -> str:
    word = match[0]
    has_latin = any(char.isascii() for char in word)
    return word.translate(_LOOK_ALIKE) if has_latin else word


def unpacked(text: str) -> Iterator[str]:
    """The texts that a text holds in Base64."""
    for match in _BASE64.finditer(text):
        packed = match[0].rstrip("=")
        if len(packed) % 4 == 1:
            continue
        padded = packed + "=" * (-len(packed) % 4)
        try:
            read = base64.b64decode(
                padded, altchars=b"-_" if "-" in packed or "_" in packed else None
            )
            shown = read.decode("utf-8")
        except ValueError:
            continue
        if shown.isprintable():
            yield shown


def spaced_words(text: str) -> Iterator[tuple[int, str]]:
    """Offset and letters of every run of single letters: `g u a r a n t e e d`."""
    for match in _SPACED.finditer(text):
        yield match.start(), "".join(filter(str.isalnum, match[0])).casefold()
