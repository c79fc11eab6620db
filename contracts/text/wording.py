"""The words of a text without its typography, and the parts of a quote around ellipses and insertions. Pure.

A word is a run of letters (with apostrophes inside), a number with its sign, separators and exponent, or a sign that
changes the meaning: a currency, a percent sign, a comparison.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.text.cut_off import Tie
from judgemesh.contracts.text.limiting_words import is_limiting, is_negated_behind

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u2122\u00ae\u00a9"
    "\U000e0000-\U000e007f]"
)
"""Characters that change no word: zero-width ones, soft hyphens, direction marks, and the signs of trade marks."""
_SUPERSCRIPT = re.compile("[\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u207a\u207b]+")
_BEFORE_SUPERSCRIPT = re.compile(r"(?:[0-9)^]|(?<![^\W\d_])([^\W\d_]{1,3}))$")
_POWERED: Final = frozenset(
    {"m", "cm", "mm", "dm", "km", "nm", "ft", "in", "yd", "mi", "s", "sec", "min", "h", "kg", "r", "x", "p"}
)  # fmt: skip
"""Words that carry an exponent; a raised number behind any other word is a footnote."""
_VULGAR = re.compile("(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215e])")
_TAG = re.compile(
    r"</?(?:a|b|i|u|em|strong|span|sup|sub|mark|code|small|p|br|div|li|ul|ol|td|th|tr|table|h[1-6])(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,400})\]\([^()\s]{1,2000}\)")
_NOTE = re.compile(
    r"\[(?:\^?[0-9]{1,3}(?:\s?[,;-]\s?\^?[0-9]{1,3}){0,20}|\^[\w-]{1,20}|[a-z]|(?:note|nb|n|fn|footnote)\s?[0-9]{1,3}"
    r"|citation needed|sic!?|emphasis (?:added|mine|ours)|[x ])\]",
    re.IGNORECASE,
)
_LINE_MARK = re.compile(
    r"^[ \t]{0,12}(?:>[ \t]{0,4}){0,8}(?:#{1,6}[ \t]|[-*+\u2022][ \t])?[ \t]{0,4}(?:\[[ xX]\][ \t])?",
    re.MULTILINE,
)
_DASHES: Final = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u201b\u02bc\u0060\u00b4", "'")
)
_LINE_END_HYPHEN = re.compile(
    "(?<=[^\\W\\d_])(?:\u00ad|[-\u2010])[ \t]{0,4}\r?\n[ \t]{0,12}(?=[^\\W\\d_])"
)
_SOFT_LINE_END = re.compile("\u00ad[ \t]{0,4}\r?\n[ \t]{0,12}")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_RANGE = re.compile(r"(?<=[0-9]) - (?=[0-9])")
_COMPARED: Final = {"<=": "\u2264", ">=": "\u2265", "!=": "\u2260"}
# Scripts without spaces between words, and marks that belong to a letter: one character is one word.
_SINGLE: Final = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u9fff\uf900-\ufaff"
)
_TOKEN = re.compile(
    rf"[{_SINGLE}]"
    rf"|[^\W\d_{_SINGLE}]+(?:'[^\W\d_{_SINGLE}]+)*"
    r"|(?:(?<![\w)\]%'])[-+\u00b1])?(?:(?<!\w)\.)?\d+(?:[.,:/'\u2044-]\d+)*"
    r"|[%\u2030\u00b0$\u20ac\u00a3\u00a5\u20b9\u2264\u2265\u2260\u2248=^&\u2032\u2033]|[<>](?=\s?[\d$\u20ac\u00a3.-])"
    r"|~(?=\d)|(?<=[\w+])\+|(?<=\w)[#@](?!\s)|(?<=\d)[*\u00d7](?=\d)"
)
_SENTENCE_GAP = re.compile(
    r"[.!?][\"')\]\u201d\u2019*_]{0,3}\s|\n[ \t]{0,12}(?:\n|#|[-*+\u2022][ \t])"
)
_ACRONYMS: Final = frozenset(
    {"us", "it", "who", "aids", "pin", "ram", "cat", "led", "sat", "act", "can", "gap", "pet", "sars", "nice", "ice"}
)  # fmt: skip
"""Words that mean something else in capitals."""
_ELLIPSIS = re.compile(
    r"(?:(?<!\s)\s++)?(?:\[\s*(?:\.{3,6}|\u2026|(?:\.\s){2,3}\.)\s*\]|\(\s*(?:\.{3,6}|\u2026)\s*\)|\.{3,6}|\u2026|(?:\.\s){2}\.)\s*"
)
_INITIAL = re.compile(r"\[([^\W\d_]{1,2})\](?=[^\W\d_])")
_INSERTED = re.compile(r"(?:(?<!\s)\s++)?\[([^\[\]]{0,80})\]\s*")
_MAX_INSERTED_WORDS: Final = 6
_MAX_PARTS: Final = 60

_TIMES: Final = frozenset({"\u00d7", "\u00b7", "x"})
_JOINING: Final = frozenset({"-", "/"})
_OPENING: Final = frozenset({"(", "["})
_CLOSING: Final = frozenset({")", "]"})

_CLAUSE_MARKS: Final = frozenset(",;:(\u2013\u2014")

Word = tuple[str, bool, Tie | None, bool]
"""A word in normal form, whether it begins a sentence, how it is tied to a number right before it, and whether it
stands behind a comma or another mark that may begin a clause."""
Part = tuple[str, bool]
"""A part of a quote, and whether an insertion, not an ellipsis, stands before it."""


def sentences_and_words(text: str, *, joined: bool) -> Iterator[Word]:
    """The words of a text in normal form, each with whether it begins a sentence and how it is tied to a number.

    joined: a word with a hyphen is one word.
    """
    text = _prepared(text, joined=joined)
    shouted = text.isupper()
    end = 0
    previous = ""
    for match in _TOKEN.finditer(text):
        written = match[0]
        word = written.casefold()
        if word in _ACRONYMS and written.isupper() and not shouted:
            word = written
        begins = not previous
        if previous and match.start() - end > 1:
            begins = _begins_sentence(text, end, match, previous)
        tie = None
        if not begins and (previous[-1:].isdigit() or is_negated_behind((word,))):
            tie = _tie(text, end, match)
        clause = not begins and text[end : end + 1] in _CLAUSE_MARKS
        yield "and" if word == "&" else word, begins, tie, clause
        end = match.end()
        previous = written


def _tie(text: str, end: int, match: re.Match[str]) -> Tie | None:
    """How a word is tied to the number that ends at `end`. Where a sign of multiplication stands between, as glued."""
    between = text[end : match.start()].strip()
    if not between:
        return Tie.GLUED if end == match.start() else Tie.NEAR
    if between in _TIMES:
        return Tie.GLUED
    bracketed = between in _OPENING and text[match.end() : match.end() + 1] in _CLOSING
    return Tie.NEAR if between in _JOINING or bracketed else None


def _begins_sentence(text: str, end: int, match: re.Match[str], previous: str) -> bool:
    if _SENTENCE_GAP.search(text, end, match.start()) is None:
        return False
    if "\n" in text[end : match.start()]:
        return not match[0].islower() or "\n\n" in text[end : match.start()]
    return len(previous) > 1 and not match[0].islower()


def _prepared(text: str, *, joined: bool) -> str:
    """The text with one spelling for everything that has several, and without mark-up."""
    text = _SOFT_LINE_END.sub("", text)
    if "\n" in text:
        text = _LINE_END_HYPHEN.sub("-", text)
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = _SUPERSCRIPT.sub(_power_or_footnote, text)
        text = _INVISIBLE.sub("", _VULGAR.sub(" ", text))
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "[" in text:
        text = _NOTE.sub("", _LINK.sub(r"\1", text))
    text = _LINE_MARK.sub("", text).replace("*", "").replace("`", "")
    text = text.replace("--", " ")
    if joined:
        text = _HYPHEN.sub("", text)
    for written, sign in _COMPARED.items():
        text = text.replace(written, sign)
    return _RANGE.sub("-", text)


def _power_or_footnote(match: re.Match[str]) -> str:
    """A raised number: an exponent behind a digit or a unit, a footnote behind anything else."""
    before = _BEFORE_SUPERSCRIPT.search(
        match.string, max(0, match.start() - 4), match.start()
    )
    if before is None or (before[1] and before[1].casefold() not in _POWERED):
        return ""
    return f"^{unicodedata.normalize('NFKC', match[0])}"


def has_line_end_hyphens(text: str) -> bool:
    """Whether a word of the text may be hyphenated at a line end."""
    return _LINE_END_HYPHEN.search(text) is not None


def begins_sentence(passage: str) -> bool:
    """Whether a quote is written as a sentence from its start: with a capital letter, or behind an ellipsis."""
    start = passage.lstrip(" \t\r\n\"'\u201c\u2018\u00ab>*_`[(")
    if start.startswith(("...", "\u2026")):
        return True
    return start[:1].isupper() and not start[1:2].isupper()


def ends_sentence(passage: str) -> bool:
    """Whether a quote is written as a sentence to its end, with a full stop and no ellipsis."""
    end = passage.rstrip(" \t\r\n\"'\u201c\u201d\u2019\u00bb\u00ab*_`])")
    return end.endswith((".", "!", "?", "\u3002")) and not end.endswith("..")


def quoted_parts(quote: str) -> list[Part] | None:
    """The parts of a quote around its ellipses and insertions; None for an insertion that changes the meaning."""
    quote = _INITIAL.sub(r"\1", quote)
    parts: list[Part] = []
    for written in _ELLIPSIS.split(quote):
        pieces = _INSERTED.split(_NOTE.sub("", written))
        if not all(map(_is_harmless, pieces[1::2])):
            return None
        insertion = False
        for piece in pieces[::2]:
            if any(True for _ in sentences_and_words(piece, joined=False)):
                parts.append((piece, insertion))
            insertion = True
    return parts if len(parts) <= _MAX_PARTS else None


def _is_harmless(inserted: str) -> bool:
    """Whether an insertion explains and does not change: a few words, no number, no negation."""
    words = [word for word, *_ in sentences_and_words(inserted, joined=False)]
    if len(words) > _MAX_INSERTED_WORDS:
        return False
    return not is_limiting(words) and not any(map(str.isdigit, "".join(words)))
