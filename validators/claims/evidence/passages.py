"""The passages of a text that match a claim best: Okapi BM25 over runs of a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.ranking import bm25_index
from judgemesh.validators.claims.language.sentences import Sentence, stems_of

_LENGTH_WEIGHT: Final = 0.75
_SENTENCES: Final = 3
_OVERLAP: Final = 1


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A run of sentences and where it is."""

    ref: str
    text: str
    stems: list[str]


def passages_of(ref: str, sentences: Sequence[Sentence]) -> list[SourcePassage]:
    """A text in runs of three sentences, each sharing one with the next."""
    last_start = max(1, len(sentences) - _OVERLAP)
    starts = range(0, last_start, _SENTENCES - _OVERLAP)
    passages: list[SourcePassage] = []
    for start in starts:
        run = sentences[start : start + _SENTENCES]
        if run:
            passages.append(_passage(ref, run))
    return passages


def _passage(ref: str, run: Sequence[Sentence]) -> SourcePassage:
    stems: list[str] = []
    for sentence in run:
        stems += stems_of(sentence.words)
    text = " ".join(sentence.text for sentence in run)
    return SourcePassage(f"{ref}:{run[0].start}", text, stems)


def best(
    query: Iterable[str], pool: Sequence[SourcePassage], limit: int
) -> list[SourcePassage]:
    """The `limit` passages that match the query's stems best, best first; ties keep the order of the text."""
    index = bm25_index(
        (passage.stems for passage in pool), length_weight=_LENGTH_WEIGHT
    )
    scores = index.scores(dict.fromkeys(query, 1.0))
    ranking = sorted(range(len(pool)), key=lambda position: -scores[position])
    return [pool[position] for position in ranking[:limit]]
