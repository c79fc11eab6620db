"""Answers that say nothing: blank, a placeholder, or an opener without an answer."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from judgemesh.validators._shared.answer.placeholders import is_placeholder
from judgemesh.validators._shared.text import EDGES, fold_value, plain

_MAX_HOLLOW_CHARS: Final = 80
_MIN_STATED_WORDS: Final = 3

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


def is_hollow(answer: str) -> bool:
    """Whether a whole answer says nothing: blank, punctuation, a placeholder, or an opener without an answer."""
    if len(answer) > _MAX_HOLLOW_CHARS:
        return not plain(answer).strip(EDGES)
    if is_placeholder(answer):
        # What declares ignorance does not empty what is said beside it: all of it has to say nothing.
        sentences = _pieces(_sentence_end(), answer)
        clauses = _pieces(_but(), answer)
        return all(map(is_placeholder, sentences)) and not any(
            map(_states, clauses[1:])
        )
    return fold_value(answer).replace("\u2019", "'") in HOLLOW_ANSWERS


def _pieces(ends: re.Pattern[str], answer: str) -> list[str]:
    return [piece for piece in ends.split(answer) if piece.strip()]


def _states(clause: str) -> bool:
    """Whether a clause behind a `but` is more than a courtesy or another declaration of ignorance."""
    if len(clause.split()) < _MIN_STATED_WORDS or _courtesy().match(clause):
        return False
    return not is_placeholder(clause)


# Patterns that few texts need: compiling them takes longer than grading a result.


@cache
def _sentence_end() -> re.Pattern[str]:
    return re.compile(r"(?<=[.!?])\s+(?=\w)")


@cache
def _but() -> re.Pattern[str]:
    return re.compile(
        r"[,;]?\s+(?:but|however|though|yet|aber|pero|mais|però|mas|maar|men)\b,?\s+"
    )


@cache
def _courtesy() -> re.Pattern[str]:
    """How a sentence without content begins."""
    return re.compile(
        r"(?:thank|sorry|i\b|we\b|let\b|please|feel\b|happy|hope|you\b|maybe|perhaps|danke|bitte|gracias|merci)",
        re.IGNORECASE,
    )
