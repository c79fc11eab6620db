"""The passages of a text that have most to do with a question: Okapi BM25 over runs of a few sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.ranking import bm25_index
from judgemesh.validators._shared.sentences import Sentence

_LENGTH_WEIGHT: Final = 0.75
_SENTENCES: Final = 3
_OVERLAP: Final = 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of sentences and where it stands."""

    ref: str
    text: str
    stems: tuple[str, ...]


def passages(ref: str, sentences: Sequence[Sentence]) -> list[Passage]:
    """A text in runs of three sentences, each sharing one with the next."""
    found: list[Passage] = []
    for first in range(0, len(sentences), _SENTENCES - _OVERLAP):
        run = sentences[first : first + _SENTENCES]
        stems = tuple(word.stem for sentence in run for word in sentence.words)
        found.append(
            Passage(
                f"{ref}:{run[0].start}",
                " ".join(sentence.text for sentence in run),
                stems,
            )
        )
        if first + _SENTENCES >= len(sentences):
            break
    return found


def best(query: Iterable[str], pool: Sequence[Passage], limit: int) -> list[Passage]:
    """The `limit` passages that match the query's stems best, best first; ties keep the order of the text."""
    index = bm25_index(
        (passage.stems for passage in pool), length_weight=_LENGTH_WEIGHT
    )
    scores = index.scores(dict.fromkeys(query, 1.0))
    ranking = sorted(range(len(pool)), key=lambda position: -scores[position])
    return [pool[position] for position in ranking[:limit]]
