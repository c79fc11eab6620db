"""Which of several texts is most likely about a statement: the one that shares most of its telling words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.identifiers import fold

_STEM_CHARS: Final = 5
"""Words that begin alike are forms of one word."""
_MIN_SHARED: Final = 2
_MIN_SHARE: Final = 0.34
_SILENT: Final = frozenset(
    {
        "the", "and", "for", "are", "was", "were", "has", "have", "had", "with", "from", "that", "this",
        "these", "those", "its", "their", "our", "your", "you", "they", "not", "but", "can", "may", "must",
        "will", "would", "should", "than", "then", "per", "all", "any", "each", "into", "out", "about", "after",
        "before", "which", "who", "what", "when",
    }
)  # fmt: skip
"""Words that say nothing about what a text is about."""


def most_relevant(statement: str, texts: Sequence[str]) -> int | None:
    """The number of the text that shares most telling words with a statement, rare ones first; None where none does."""
    wanted = _telling(statement)
    if not wanted:
        return None
    shared = [wanted & _telling(text) for text in texts]
    spread = Counter(word for words in shared for word in words)
    best, best_score = None, 0.0
    needed = min(len(wanted), max(_MIN_SHARED, _MIN_SHARE * len(wanted)))
    for number, words in enumerate(shared):
        score = sum(1 / spread[word] for word in words)
        if len(words) >= needed and score > best_score:
            best, best_score = number, score
    return best


def _telling(text: str) -> frozenset[str]:
    words: set[str] = set()
    for line in text.split("\n"):
        words.update(fold(line).split())
    return frozenset(
        word[:_STEM_CHARS] for word in words if len(word) > 2 and word not in _SILENT
    )
