"""Text as people write it: names compared loosely, placeholders recognised, invisible characters ignored."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Zero-width characters, soft hyphens, direction marks, tags: they change no word that a reader sees.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_EDGES: Final = (
    " \t\r\n\v\f*_`\"'~.,:;!?|#=/\\<>[](){}-"
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2026\u00b7\u2022\u201c\u201d\u2018\u2019"
)
_BRACKETS: Final = "<[{("
_MAX_NAME: Final = 200
_MAX_REMEMBERED: Final = 20_000
_MAX_PLACEHOLDER: Final = 80

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

# Openers that sound like an answer and hold none; some judges reward them, so they never reach one.
HOLLOW_ANSWERS: Final = frozenset(
    {
        "thought process", "thinking process", "thoughts", "let me think", "let's think step by step",
        "let's solve this problem step by step", "let's solve this step by step", "step by step", "solution",
        "the solution", "answer", "the answer", "the answer is", "final answer", "the final answer is", "explanation",
        "reasoning", "conclusion", "result", "output", "response", "assistant", "here is the answer", "解", "答案",
        "かいせつ", "respuesta",
    }
)  # fmt: skip


def plain(text: str) -> str:
    """`text` in compatibility form (wide letters, ligatures, odd spaces) without invisible characters."""
    if text.isascii():
        return text
    return _short_plain(text) if len(text) <= _MAX_REMEMBERED else _plain(text)


def _plain(text: str) -> str:
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


# Values are compared with many others, and a text of thousands of combining marks takes a millisecond each time.
_short_plain = lru_cache(maxsize=1_024)(_plain)


@lru_cache(maxsize=16_384)
def _fold_name(name: str) -> str:
    shown = plain(name).strip(" \t\r\n*`\"'~").casefold()
    return _SEPARATORS.sub("", shown) or shown


def fold_name(name: str) -> str:
    """A name without case and separators: `drug_name`, `drugName`, `Drug-Name` and `drug name` are one."""
    return _fold_name(name) if len(name) <= _MAX_NAME else name


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
    return frozenset(
        {value.strip().casefold() for value in values}
        | {fold_value(value) for value in values}
    ) - {""}


def is_placeholder(
    text: str, allow: frozenset[str] = frozenset(), names: frozenset[str] = frozenset()
) -> bool:
    """Whether `text` only holds the place of a value: empty, punctuation, `N/A`, `TBD`, `<drug name>`.

    Args:
        text: what stands where the value should.
        allow: values the contract accepts (`allowed_values`).
        names: folded names of the field, for templates such as `{{drug_name}}`.
    """
    if len(text) > _MAX_PLACEHOLDER:
        return not text.strip(_EDGES)
    folded = fold_value(text)
    if allow and (folded in allow or text.strip().casefold() in allow):
        return False
    if not folded or folded in PLACEHOLDERS:
        return True
    return text.lstrip(" *_`\"'")[:1] in _BRACKETS and (
        folded.startswith(_TEMPLATE_OPENINGS) or fold_name(folded) in names
    )


def is_hollow(answer: str) -> bool:
    """Whether a whole answer says nothing: blank, punctuation, a placeholder, or an opener without an answer."""
    if len(answer) > _MAX_PLACEHOLDER:
        return not plain(answer).strip(_EDGES)
    return (
        is_placeholder(answer)
        or fold_value(answer).replace("\u2019", "'") in HOLLOW_ANSWERS
    )
