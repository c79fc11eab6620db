"""Names of sources in running text: `[POL-7]`, `(see POL-7, p. 3)`, `Source: handbook.md`, `according to POL-7`.

Only what says that it is a citation must be found (`Standing`). A bracket around a letter, a word or a number of
something else cites nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from judgemesh.validators._shared.text import line_number
from judgemesh.validators.citations.cited import Cited, Standing
from judgemesh.validators.citations.hollow import is_hollow
from judgemesh.validators.citations.quoting_words import (
    ATTRIBUTED,
    ATTRIBUTING,
    ATTRIBUTING_UNSPACED,
    PAGES,
    REFERRING,
    SOURCE_LABELS,
)

_MAX_MENTIONS: Final = 1_000
"""Names of each form that are read in one answer."""
_BRACKETS = re.compile(
    r"(?<![A-Za-z0-9_\]!])[\[\u3010\uff3b]([^\[\]\u3010\u3011\uff3b\uff3d\n]{2,120})[\]\u3011\uff3d](?![(:A-Za-z0-9_])"
)
_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,200})\]\((?!https?:|mailto:|tel:|#)([^()\s]{1,300})\)"
)
_PARENTHESES = re.compile(r"[(\uff08]([^()\uff08\uff09\n]{2,120})[)\uff09]")
_SOURCE_LINE = re.compile(
    r"(?:^[ \t>*_#|\u2022-]{0,8}|(?<=[.!?;)\"\u201d])[ \t]{1,3}|[ \t][\u2014\u2013|-][ \t])[*_(\[]{0,3}"
    r"(?P<label>sources?|references?|refs?|citations?|cited|cited from|quoted from"
    rf"|documents?|{SOURCE_LABELS})(?P<end>[*_]{{0,3}}[ \t]?(?::[*_]{{0,3}}[ \t]|(?<=[\u3040-\u9fff]):|\uff1a))"
    r"[ \t]{0,4}(?P<names>[^\n]{2,600})",
    re.IGNORECASE | re.MULTILINE,
)
_ATTRIBUTION = re.compile(
    r"^[ \t>]{0,8}(?:\u2014|\u2013|--|-)[ \t]{0,3}(?P<name>[^\n]{2,120})$", re.MULTILINE
)
_DOCUMENT: Final = r"\.(?:md|markdown|txt|pdf|docx?|html?|rst)"
_FILE = re.compile(
    rf"(?<![\w/.@-])(?:[\w-]{{1,60}}/){{0,6}}[\w.-]{{1,80}}{_DOCUMENT}(?!\w)",
    re.IGNORECASE,
)
_ID: Final = r"[A-Za-z]{1,15}(?:[-_./][A-Za-z]{1,20}){0,4}[-_.]?[0-9][A-Za-z0-9]{0,20}(?:[-_./][A-Za-z0-9]{1,20}){0,6}"
_RUNNING_ID = re.compile(rf"(?<![A-Za-z0-9_/.@#-]){_ID}(?![A-Za-z0-9_/@])")
_WHOLE_ID = re.compile(_ID)
_FIRM_ID = re.compile(r"(?:[A-Za-z]{2,15}[-_./]|[A-Za-z]{3,15}(?=[0-9]))\S*")
_FIRM_CUE = re.compile(
    rf"(?:(?<!\w)(?:{ATTRIBUTING})\s(?:(?:the|our|dem|der|la|le|el|het|de)\s)?|(?:{ATTRIBUTING_UNSPACED}))"
    r"[\"'(\[*_`]{0,3}$",
    re.IGNORECASE,
)
_SOFT_CUE = re.compile(
    rf"(?<!\w)(?:under|of|by|{REFERRING})\s(?:the\s|our\s)?[\"'(\[*_`]{{0,3}}$",
    re.IGNORECASE,
)
_CUE_BEHIND = re.compile(rf"[\"')\]*_`]{{0,3}}(?:{ATTRIBUTED})", re.IGNORECASE)
_CUE_CHARS: Final = 40
_TITLE = re.compile(
    r"\b(?i:according to|as stated in|as set out in|based on|as per|under|per|see|in|from)\s(?:the\s|our\s|your\s)?"
    r"[\"\u201c*_]{0,2}(?P<name>[\w&/-]{2,30}(?:\s[\w&/-]{1,30}){0,6})"
)
_MAX_TITLE_WORDS: Final = 6
_SAYS: Final = (
    r"(?:says|states|stated|reads|specifies|provides|notes|noted|requires|explains|writes|wrote|defines|puts it|lists"
    r"|confirms|reports|said|warns|adds)"
)
_SAID = re.compile(
    rf"\b(?:the|our|your|this)\s(?P<name>[\w&/-]{{2,30}}(?:\s[\w&/-]{{1,30}}){{0,5}}?)\s{_SAYS}\b",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    rf"^(?P<firm>(?:sources?|refs?|references?|citations?|cited|quoted from|doc|document"
    rf"|{SOURCE_LABELS})\s?[:=\uff1a]\s?)"
    rf"|^(?P<soft>(?:see(?: also)?|via|under|source|ref|{REFERRING}|{ATTRIBUTING})\s)",
    re.IGNORECASE,
)
_LOCATOR_END = re.compile(
    r"[\s,;:]{1,3}(?:(?:pp?|pages?|sections?|sec|ch|chapter|para|paragraph|lines?|art|article|clause|item|row|table|step"
    rf"|point|rule|{PAGES})\b\.?\s?#?[\w.-]{{1,12}}|\u00a7{{1,2}}\s?[\w.-]{{1,12}})$",
    re.IGNORECASE,
)
_LOCATOR_ONLY = re.compile(
    r"\s*(?:(?:pp?|pages?|sections?|sec|ch|chapter|para|paragraph|lines?|art|article|clause|item|row|table|step|point|rule"
    rf"|{PAGES})\b"
    r"\.?|\u00a7{1,2})\s?#?[\w.\u2013-]{0,12}\s*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*[;,]\s+(?:and\s)?|\s+(?:and|&)\s+|\s*[;|]\s*")
_AT_END = re.compile(r"[ \t]{0,2}(?:[.,;:!?)\]\"\u201d*_|\u3002]|\[|\u3010|\(|$|\n)")
_NO_ID = re.compile(
    r"(?:v|ver|version|p|pp|page|step|table|fig|figure|section|chapter|q[1-4]|h[12]|day|week|item|row|line|part|phase|level"
    r"|covid|utc|gmt|iso|gpt|utf|sha|mp|rfc|a|b|h)[-_. +]?[0-9][\w.-]{0,10}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text: where it is with its brackets, and the citation that it is."""

    start: int
    end: int
    cited: Cited


def mentions_in(body: str) -> list[Mention]:
    """The names of sources in a text without its reference list, in order."""
    found: list[Mention] = []
    for read in (
        _linked,
        _bracketed,
        _in_parentheses,
        _on_source_lines,
        _attributed,
        _running,
        _titled,
    ):
        found.extend(islice(read(body), _MAX_MENTIONS))
    found.sort(key=lambda mention: (mention.start, -mention.end))
    return found


def _mention(
    body: str, start: int, end: int, name: str, standing: Standing
) -> Iterator[Mention]:
    name = name.strip(" \t*_`\"'\u201c\u201d")
    if not name or name.isdigit():
        return
    if is_hollow(name):
        standing = Standing.NAMED
    ref = f"final_answer:L{line_number(body, start)}"
    yield Mention(start, end, Cited(ref=ref, names=(name,), standing=standing))


def looks_like_id(name: str) -> bool:
    """Whether a name may be the id of a document, or a file, whatever page or section follows it."""
    bare = _LOCATOR_END.sub("", name.strip())
    if re.fullmatch(_FILE, bare):
        return True
    return bool(_WHOLE_ID.fullmatch(bare)) and not _NO_ID.fullmatch(bare)


def _linked(body: str) -> Iterator[Mention]:
    """Markdown links to files."""
    for match in _LINK.finditer(body):
        standing = (
            Standing.CITED
            if _FILE.fullmatch(match[2].partition("#")[0].removeprefix("./"))
            else Standing.NAMED
        )
        yield from _mention(body, match.start(), match.end(), match[2], standing)


def _bracketed(body: str) -> Iterator[Mention]:
    for match in _BRACKETS.finditer(body):
        at_end = _AT_END.match(body, match.end()) is not None
        yield from _in_brackets(
            body, match, Standing.CITED if at_end else Standing.LIKELY
        )


def _in_parentheses(body: str) -> Iterator[Mention]:
    for match in _PARENTHESES.finditer(body):
        yield from _in_brackets(body, match, Standing.LIKELY)


def _in_brackets(
    body: str, match: re.Match[str], standing: Standing
) -> Iterator[Mention]:
    inside = match[1].strip()
    prefix = _PREFIX.match(inside)
    names = inside
    firm = False
    if prefix:
        names = inside[prefix.end() :]
        firm = prefix["firm"] is not None
    pieces = _SEPARATOR.split(names)
    if not any(map(looks_like_id, pieces)):
        pieces = [names]
    for piece in pieces:
        if _LOCATOR_ONLY.fullmatch(piece):
            continue
        if firm:
            own = Standing.CITED
        elif not looks_like_id(piece):
            own = Standing.NAMED
        elif standing is Standing.CITED and not _FIRM_ID.match(piece):
            own = Standing.LIKELY
        else:
            own = standing
        if (
            own is Standing.NAMED
            and piece.islower()
            and " " not in piece
            and "-" not in piece
            and body[match.start()] == "("
        ):
            continue
        yield from _mention(body, match.start(), match.end(), piece, own)


def _on_source_lines(body: str) -> Iterator[Mention]:
    """`Source: POL-7`, `Sources: POL-7; handbook.md`. Addresses are read as identifiers."""
    for match in _SOURCE_LINE.finditer(body):
        label = match["label"].casefold()
        firm = label.startswith(("source", "cit", "quoted", "references", "refs"))
        foreign = not label.startswith(("source", "cit", "quoted", "ref", "document"))
        names = match["names"].strip().rstrip("*_)]. ")
        if "http" in names or re.match(r"[\[(]?\^?[0-9]{1,3}[\])]?(?:\W|$)", names):
            continue
        pieces = [piece for piece in re.split(r"\s*[;|]\s*", names) if piece]
        if len(pieces) == 1:
            by_comma = _SEPARATOR.split(names)
            pieces = by_comma if all(map(looks_like_id, by_comma)) else pieces
        for piece in pieces:
            standing = (
                Standing.CITED
                if firm or (foreign and looks_like_id(piece))
                else Standing.LIKELY
                if looks_like_id(piece)
                else Standing.NAMED
            )
            yield from _mention(
                body, match.start("label"), match.end(), piece, standing
            )


def _attributed(body: str) -> Iterator[Mention]:
    """A line `- POL-7` below a quotation; elsewhere it is an entry of a list, and cites only what is found."""
    for match in _ATTRIBUTION.finditer(body):
        name = match["name"].strip(" *_()[]")
        if looks_like_id(name) or len(name.split()) <= 8:
            yield from _mention(body, match.start(), match.end(), name, Standing.NAMED)


def _running(body: str) -> Iterator[Mention]:
    """Files and ids in sentences."""
    for pattern in (_FILE, _RUNNING_ID):
        for match in pattern.finditer(body):
            if pattern is _RUNNING_ID and _NO_ID.fullmatch(match[0]):
                continue
            before = body[max(0, match.start() - _CUE_CHARS) : match.start()]
            standing = Standing.NAMED
            if _FIRM_CUE.search(before) or _CUE_BEHIND.match(body, match.end()):
                standing = (
                    Standing.CITED
                    if _FIRM_ID.match(match[0]) or pattern is _FILE
                    else Standing.LIKELY
                )
            elif _SOFT_CUE.search(before):
                standing = Standing.LIKELY
            yield from _mention(
                body, match.start(), match.end(), match[0].rstrip("."), standing
            )


def _titled(body: str) -> Iterator[Mention]:
    """What may be a title in a sentence, however many words it has."""
    for pattern in (_TITLE, _SAID):
        for match in pattern.finditer(body):
            words = match["name"].split()[:_MAX_TITLE_WORDS]
            names = tuple(" ".join(words[:end]) for end in range(len(words), 1, -1))
            if words[0][:1].isupper():
                names = (*names, words[0])
            if not names:
                continue
            ref = f"final_answer:L{line_number(body, match.start())}"
            cited = Cited(ref=ref, names=names, standing=Standing.NAMED)
            yield Mention(match.start("name"), match.end("name"), cited)
