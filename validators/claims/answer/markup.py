"""An answer as plain lines: Markdown and HTML marks taken off, so that they neither hide nor split words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.numbers.powers import with_plain_powers
from judgemesh.validators._shared.text import plain

_COMMENT = re.compile(r"<!--|-->")
_BREAK = re.compile(
    r"<\s*(?:br|/p|/div|/li|/tr|/h[1-6]|/table|/ul|/ol|/blockquote|hr)\b[^<>\n]{0,200}>",
    re.IGNORECASE,
)
_CELL = re.compile(r"<\s*/(?:td|th)\s*>", re.IGNORECASE)
_HTML_HEADING = re.compile(r"<\s*h[1-6]\b[^<>\n]{0,200}>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]{0,20}(?:\s[^<>\n]{0,500})?/?>")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-fA-F]{1,5}|[a-zA-Z]{2,10});")
_IMAGE = re.compile(r"!\[(?P<text>[^\]\n]{0,300})\]\([^()\s]{1,2000}\)")
_LINK = re.compile(r"\[(?P<text>[^\]\n]{1,300})\]\((?P<url>[^()\s]{1,2000})\)")
_STRUCK = re.compile(r"~~[^~\n]{1,1000}~~")
_ESCAPE = re.compile(r"\\(?=[\\`*_{}\[\]()#+.!|~>-])")
_EMPHASIS = re.compile(
    r"\*\*|__|~~|`|==|(?<!\w)[*_](?=\w)|(?<=[\w.!?,;:)%\"'])[*_](?!\w)"
    r"|(?<=[^\W\d_])\*(?=[^\W\d_])"
)
_SUPERSCRIPT = re.compile(r"(?<=[a-z.,;)])[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}")
_FOOTNOTE = re.compile(r"\[\^(?P<id>[\w-]{1,40})\]")
_FENCE = re.compile(r"^\s{0,12}(?:```|~~~)+\s*(?P<language>[\w+#-]{0,20})")
_QUOTED = re.compile(r"^\s{0,12}(?:>\s?)+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s*(?P<text>.*?)\s*#*$")
_BOLD_LINE = re.compile(
    r"^\s{0,3}(?P<mark>\*\*|__)(?![*_\s])[^*_.!?\n]{1,80}(?P=mark)\s*:?\s*$"
)
"""A line that is bold as a whole and no sentence is a heading."""
_UNDERLINE = re.compile(r"^\s{0,3}(?:=+|-{2,}|\*{3,}|_{3,})\s*$")
_ITEM = re.compile(
    r"^\s{0,40}(?:[-*+\u2022\u25cf\u25e6\u25aa\u2023\u2013\u2014\u2192\u2713\u2714\u2705\u27a1]\ufe0f?\s+"
    r"|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s+(?=\S))(?:\[[ xX]\]\s+)?"
)
_JOINED = re.compile(r"(?<=[a-z\d)%])(?P<end>[.!?])(?=[A-Z][a-z])")
_MARK_AFTER = re.compile(r"(?<=[.!?])(?=\[[^\[\]\n]{1,120}\])")
_SPACES: Final = " \t"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without marks. `start` is the offset of the line it comes from.

    `language` is that of the code fence it stands in, or None outside of one.
    """

    text: str
    start: int
    is_heading: bool = False
    is_item: bool = False
    language: str | None = None


def lines_of(answer: str) -> Iterator[Line]:
    """The lines of an answer; blank ones stay, because they end a paragraph."""
    language: str | None = None
    start = 0
    for raw in answer.split("\n"):
        fence = _FENCE.match(raw)
        if fence is not None:
            language = fence["language"].casefold() if language is None else None
            yield Line("", start)
        elif language is not None:
            yield Line(raw, start, language=language)
        else:
            yield from _plain_lines(raw, start)
        start += len(raw) + 1


def _plain_lines(raw: str, start: int) -> Iterator[Line]:
    """A line outside code; HTML may make several of it."""
    shown = _HTML_HEADING.sub("\n# ", _BREAK.sub("\n", _COMMENT.sub(" ", raw)))
    shown = _TAG.sub("", _CELL.sub(" | ", shown))
    shown = _ENTITY.sub(_entity, shown)
    for line in shown.split("\n"):
        yield _line(line, start)


def _entity(match: re.Match[str]) -> str:
    return html.unescape(match[0]).replace("\n", " ")


def _line(line: str, start: int) -> Line:
    line = _QUOTED.sub("", line)
    if _UNDERLINE.match(line):
        return Line("", start)
    heading = _HEADING.match(line)
    if heading is not None and heading["text"]:
        return Line(without_marks(heading["text"]), start, is_heading=True)
    if _BOLD_LINE.match(line):
        return Line(without_marks(line), start, is_heading=True)
    item = _ITEM.match(line)
    if item is not None:
        return Line(without_marks(line[item.end() :]), start, is_item=True)
    return Line(without_marks(line), start)


def without_marks(line: str) -> str:
    """A line without marks of emphasis, links and invisible characters; a link's address becomes a citation mark."""
    line = _SUPERSCRIPT.sub(_superscript, with_plain_powers(line))
    line = plain(line)
    line = _IMAGE.sub(r"\g<text>", line)
    line = _LINK.sub(r"\g<text> [\g<url>]", line)
    line = _FOOTNOTE.sub(r"[\g<id>]", line)
    line = _EMPHASIS.sub("", _STRUCK.sub("", line))
    line = _ESCAPE.sub("", line)
    line = _JOINED.sub(r"\g<end> ", line)
    return _MARK_AFTER.sub(" ", line).strip(_SPACES)


def _superscript(match: re.Match[str]) -> str:
    return f" [{plain(match[0])}]"
