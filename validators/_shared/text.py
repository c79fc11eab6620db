"""Text as people write it: names compared loosely, placeholders recognised, invisible characters ignored."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
"""Zero-width characters, soft hyphens, direction marks, tags: they change no word that a reader sees."""
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_EDGES: Final = (
    " \t\r\n\v\f*_`\"'~.,:;!?|#=/\\<>[](){}-"
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2026\u00b7\u2022\u201c\u201d\u2018\u2019"
)
_BRACKETS: Final = "<[{("
_MAX_NAME_CHARS: Final = 200
_MAX_CACHED_CHARS: Final = 20_000
_MAX_PLACEHOLDER_CHARS: Final = 80

PLACEHOLDERS: Final = frozenset(
    {
        "n/a", "na", "n.a", "none", "null", "nil", "nan", "undefined", "unknown", "unspecified", "undetermined",
        "tbd", "tba", "tbc", "todo", "to do", "fixme", "xxx", "placeholder", "lorem ipsum", "to be determined",
        "to be decided", "to be defined", "to be announced", "to be confirmed", "to be added", "to be completed",
        "to be provided", "not available", "not applicable", "not specified", "not provided", "not known",
        "not given", "not determined", "no data", "no value", "empty", "blank",
    }
)  # fmt: skip
_TEMPLATE_OPENINGS: Final = (
    "insert ",
    "enter ",
    "your ",
    "fill ",
    "add ",
    "put ",
    "name of ",
    "placeholder",
    "todo",
    "tbd",
)

HOLLOW_ANSWERS: Final = frozenset(
    {
        "thought process", "thinking process", "thoughts", "let me think", "let's think step by step",
        "let's solve this problem step by step", "let's solve this step by step", "step by step", "solution",
        "the solution", "answer", "the answer", "the answer is", "final answer", "the final answer is", "explanation",
        "reasoning", "conclusion", "result", "output", "response", "assistant", "here is the answer", "解", "答案",
        "かいせつ", "respuesta",
    }
)  # fmt: skip
"""Openers that sound like an answer and hold none. Some judges reward them, so they are never shown to one."""


def plain(text: str) -> str:
    """`text` in compatibility form (wide letters, ligatures, odd spaces) without invisible characters."""
    if text.isascii():
        return text
    if len(text) > _MAX_CACHED_CHARS:
        return _plain(text)
    return _cached_plain(text)


def _plain(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


# A value is compared with many others, and a text of thousands of combining marks takes a millisecond each time.
_cached_plain = lru_cache(maxsize=1_024)(_plain)


@lru_cache(maxsize=16_384)
def _fold_name(name: str) -> str:
    shown = plain(name).strip(" \t\r\n*`\"'~").casefold()
    return _SEPARATORS.sub("", shown) or shown


def fold_name(name: str) -> str:
    """A name without case and separators: `drug_name`, `drugName`, `Drug-Name` and `drug name` are one."""
    return _fold_name(name) if len(name) <= _MAX_NAME_CHARS else name


def blank(match: re.Match[str]) -> str:
    """Spaces in place of a match, so that the offsets of a text stay (a replacement for `re.sub`)."""
    return " " * len(match[0])


def line_number(text: str, offset: int) -> int:
    """The number, from 1, of the line at an offset of the text."""
    return text.count("\n", 0, offset) + 1


def compact(text: str) -> str:
    """Plain `text` without case and separators, so that the folded form of every name in it is a part of it."""
    folded = "".join(text.casefold().split()).replace("_", "").replace("-", "")
    return folded if folded.isascii() else _SEPARATORS.sub("", folded)


def fold_value(text: str) -> str:
    """A short value for comparison with placeholders: no case, no decoration, single spaces."""
    return " ".join(plain(text).strip(_EDGES).casefold().split())


def allowed_values(values: list[str]) -> frozenset[str]:
    """What a contract accepts although it looks like a placeholder."""
    as_written = {value.strip().casefold() for value in values}
    folded = set(map(fold_value, values))
    return frozenset(as_written | folded) - {""}


def is_placeholder(
    text: str, allow: frozenset[str] = frozenset(), names: frozenset[str] = frozenset()
) -> bool:
    """Whether `text` is no value: empty, punctuation, `N/A`, `TBD`, `<drug name>`.

    Args:
        text: the text in place of the value.
        allow: values the contract accepts (`allowed_values`).
        names: folded names of the field, for templates such as `{{drug_name}}`.
    """
    if len(text) > _MAX_PLACEHOLDER_CHARS:
        return not text.strip(_EDGES)
    folded = fold_value(text)
    if allow and (folded in allow or text.strip().casefold() in allow):
        return False
    if not folded or folded in PLACEHOLDERS:
        return True
    if text.lstrip(" *_`\"'")[:1] not in _BRACKETS:
        return False
    return folded.startswith(_TEMPLATE_OPENINGS) or fold_name(folded) in names


def is_hollow(answer: str) -> bool:
    """Whether a whole answer says nothing: blank, punctuation, a placeholder, or an opener without an answer."""
    if len(answer) > _MAX_PLACEHOLDER_CHARS:
        return not plain(answer).strip(_EDGES)
    if is_placeholder(answer):
        return True
    return fold_value(answer).replace("\u2019", "'") in HOLLOW_ANSWERS
