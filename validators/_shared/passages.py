"""The passages of a text that have most to do with a question: Okapi BM25 over runs of a few sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.sentences import Sentence

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
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
    """The `limit` passages that fit the query's stems best, in falling order; equal ones stay in the text's order."""
    if not pool:
        return []
    wanted = frozenset(query)
    counts = [
        Counter(stem for stem in passage.stems if stem in wanted) for passage in pool
    ]
    inside = Counter(stem for count in counts for stem in count)
    mean = sum(len(passage.stems) for passage in pool) / len(pool) or 1.0

    def score(index: int) -> float:
        length = _SATURATION * (1 - _LENGTH + _LENGTH * len(pool[index].stems) / mean)
        return sum(
            math.log(1 + (len(pool) - inside[stem] + 0.5) / (inside[stem] + 0.5))
            * (count * (_SATURATION + 1))
            / (count + length)
            for stem, count in counts[index].items()
        )

    order = sorted(range(len(pool)), key=lambda index: (-score(index), index))
    return [pool[index] for index in order[:limit]]
