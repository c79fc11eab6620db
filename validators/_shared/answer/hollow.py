"""Answers that say nothing: blank, a placeholder, or an opener without an answer."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.answer.placeholders import is_placeholder
from judgemesh.validators._shared.text import EDGES, fold_value, plain

_MAX_HOLLOW_CHARS: Final = 80
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=\w)")

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
        # A sentence that declares ignorance does not empty the others: all of them have to say nothing.
        pieces = [piece for piece in _SENTENCE_END.split(answer) if piece.strip()]
        return all(map(is_placeholder, pieces))
    return fold_value(answer).replace("\u2019", "'") in HOLLOW_ANSWERS
