"""Finding works by title: whether a query asks for that, and which of several results is the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from judgemesh.contracts.identifiers import fold

_MIN_SCORE: Final = 75.0
_SUBTITLE_SCORE: Final = 95.0
_MIN_SUBTITLE_WORDS: Final = 4
_IDENTIFIERS: Final = ("doi", "arxiv", "pmid", "nct", "isbn", "url")


def title_alone(query: Mapping[str, str]) -> str | None:
    """The title of a query that has no identifier; None for any other query."""
    if any(query.get(scheme) for scheme in _IDENTIFIERS):
        return None
    return query.get("title")


def nearest_by_title(
    title: str, works: Sequence[Mapping[str, object]]
) -> Mapping[str, object] | None:
    """The work whose title is nearest, the first of equals; None when none is near."""
    wanted_title = fold(title)
    best: Mapping[str, object] | None = None
    best_score = 0.0
    for work in works:
        score = _similarity(wanted_title, fold(str(work.get("title", ""))))
        if score > best_score:
            best, best_score = work, score
    return best if best_score >= _MIN_SCORE else None


def _similarity(left: str, right: str) -> float:
    """Similarity of two folded titles, 0..100. A title with and without its subtitle counts as 95 at least."""
    from rapidfuzz import fuzz

    if not left or not right:
        return 0.0
    if left == right:
        return 100.0
    score = fuzz.ratio(left, right)
    if left.startswith(f"{right} ") or right.startswith(f"{left} "):
        shorter_words = min(len(left.split()), len(right.split()))
        if shorter_words >= _MIN_SUBTITLE_WORDS:
            return max(score, _SUBTITLE_SCORE)
    return score
