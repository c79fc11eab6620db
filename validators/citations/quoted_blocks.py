"""Which citation a block quote belongs to: one in the quote, or in the block before or behind it.

A block is what stands between blank lines; an item of a list and a heading are blocks too. A block in front of a quote
introduces it, whatever it says. A block behind it names where it is from and says nothing else: a paragraph that
answers a quoted question cites for itself.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

_NEW_BLOCK: Final = re.compile(
    r"[ \t]*(?:[-*+\u2022][ \t]|\(?(?:\d{1,3}|[a-z])[.)][ \t]|#{1,6}[ \t])",
    re.IGNORECASE,
)
_QUOTE_LINE: Final = re.compile(r"[ \t]*>")
_ITEM_OF_QUOTE: Final = re.compile(
    r"^([ \t]*)((?:(?:[-*+\u2022]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]{1,8}){1,3})(?=>)",
    re.MULTILINE | re.IGNORECASE,
)
_OUTER: Final = re.compile(r"^([ \t]*)>", re.MULTILINE)
_INNER: Final = re.compile(
    r"^[ \t]*(?:(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]{1,8}){0,3}>", re.MULTILINE
)
_MAX_DEPTH: Final = 3
_CALLOUT: Final = re.compile(
    r"[\s>*_]*(?:\[![a-z]+\]|[^\w\s\"'\u201c\u2018\u00ab\u201e(\[{*_>.\u2026$\u20ac\u00a3#+\u2013\u2014-]"
    r"|(?:please note|note|notes|tip|warning|important|caution|hint|info|remark|disclaimer|reminder|attention|nb|ps|"
    r"example)\b[*_]*\s*[:.!\u2014-])",
    re.IGNORECASE,
)
"""A quote that sets off a remark of the writer: `> **Note:** ...`, `> [!TIP]`."""
_WORDS_OF_ANOTHER: Final = re.compile(
    r"\b(?:you|your|customer|user|client|patient|guest|caller|they|he|she)\b[^.\n]{0,60}:[\s*_]*$",
    re.IGNORECASE,
)
"""`You asked:` gives the words of somebody, not of a source."""
_NAMING: Final = frozenset(
    {
        "a", "according", "adapted", "and", "are", "as", "at", "authority", "by", "cf", "chapter", "cited", "citation",
        "clause", "comes", "current", "document", "excerpt", "extract", "file", "found", "from", "given", "guide",
        "handbook", "here", "in", "is", "it", "line", "manual", "of", "on", "our", "p", "page", "paragraph", "passage",
        "per", "policy", "pp", "quote", "quoted", "quotation", "reads", "ref", "reference", "rule", "said", "says",
        "section", "see", "so", "source", "sources", "stands", "stated", "states", "taken", "text", "that", "the",
        "these", "this", "those", "to", "under", "verbatim", "via", "was", "we", "were", "wording", "words", "written",
    }
)  # fmt: skip
"""Words of a block that names a source and says nothing else."""
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_MARK: Final = re.compile(r"[\[\u3010(][^\[\]()\u3010\u3011\n]{1,120}[\]\u3011)]")
_MAX_BLOCK_CHARS: Final = 1_200
_MAX_NAME_CHARS: Final = 120
_EDGES: Final = " \t\r\n.>*_)]\u201d\"'"


class Nearness(IntEnum):
    """How near a citation is to a quote. The nearest one counts."""

    INSIDE = 0
    TOUCHING = 1
    NEXT = 2


def peeled(body: str) -> str:
    """The text with spaces for the list markers in front of quotes and for the marks of a quote around all of it."""
    for _ in range(_MAX_DEPTH):
        body = _ITEM_OF_QUOTE.sub(lambda item: item[1] + " " * len(item[2]), body)
        lines = [line for line in body.split("\n") if line.strip()]
        inside = _OUTER.sub(r"\1 ", body)
        if not all(map(_QUOTE_LINE.match, lines)) or not _INNER.search(inside):
            return body
        body = inside
    return body


def nearness(
    body: str, quote: tuple[int, int], start: int, end: int
) -> Nearness | None:
    """How near the citation at `start` to `end` of the text is to a block quote; None where it is not its own."""
    first, last = quote
    text = body[first:last]
    if first <= start and end <= last:
        behind = body[end:last].strip(_EDGES)
        is_last = bool(body[first:start].strip(_EDGES)) and not behind
        return Nearness.INSIDE if is_last else None
    if _CALLOUT.match(_QUOTE_LINE.sub("", text, count=1)):
        return None
    if end <= first:
        return _before(body, first, end, is_question=text.rstrip(_EDGES).endswith("?"))
    return _behind(body, last, start, end) if start >= last else None


def _before(body: str, first: int, end: int, *, is_question: bool) -> Nearness | None:
    """A citation in the block that stands in front of the quote."""
    between = body[end:first]
    if len(between) > _MAX_BLOCK_CHARS or _WORDS_OF_ANOTHER.search(between.rstrip()):
        return None
    lines = between.split("\n")
    inner = [line for line in lines[1:] if line.strip()]
    if any(map(_QUOTE_LINE.match, inner)) or any(map(_NEW_BLOCK.match, inner)):
        return None
    gap = re.search(r"\n[ \t\r]*\n", between.rstrip(" \t"))
    if gap is None:
        return Nearness.TOUCHING
    if between[gap.end() :].strip() or (is_question and ":" not in between):
        return None
    return (
        Nearness.TOUCHING
        if between[: gap.start()].rstrip(" *_").endswith(":")
        else Nearness.NEXT
    )


def _behind(body: str, last: int, start: int, end: int) -> Nearness | None:
    """A citation in the block behind the quote, if that block names where the quote is from and says nothing else."""
    between = body[last:start]
    if len(between) > _MAX_NAME_CHARS or len(between.strip("\n").split("\n")) > 3:
        return None
    if any(map(_QUOTE_LINE.match, between.split("\n"))):
        return None
    rest = body[end : end + _MAX_BLOCK_CHARS].split("\n", 1)[0]
    around = _MARK.sub(" ", f"{between} {rest}")
    words = {word.casefold() for word in _WORD.findall(around)}
    if words - _NAMING:
        return None
    blank = re.match(r"[ \t\r]*\n[ \t\r]*\n", between)
    return Nearness.TOUCHING if blank is None else Nearness.NEXT
