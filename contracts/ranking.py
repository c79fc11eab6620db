"""Okapi BM25: how well each passage of a text matches a query. Pure.

    score(passage) = sum over terms of weight * idf * n * (k1 + 1) / (n + k1 * (1 - b + b * length / mean length))
    idf = log(1 + (N - df + 0.5) / (df + 0.5))

n: occurrences of the term in the passage; df: passages that contain it; N: passages
(Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

_K1: Final = 1.2


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """The term counts of every passage. `length_weight` is b in 0..1: 0 ignores how long a passage is."""

    counts: tuple[Mapping[str, int], ...]
    lengths: tuple[int, ...]
    document_frequency: Mapping[str, int]
    length_weight: float

    def scores(self, query: Mapping[str, float]) -> list[float]:
        """The score of every passage for weighted terms, in order; 0 where no term occurs."""
        if not self.counts:
            return []
        weights = self._idf_weights(query)
        mean_length = sum(self.lengths) / len(self.lengths) or 1.0
        return [
            self._score(weights, counts, length / mean_length)
            for counts, length in zip(self.counts, self.lengths, strict=True)
        ]

    def _idf_weights(self, query: Mapping[str, float]) -> dict[str, float]:
        total = len(self.counts)
        weights: dict[str, float] = {}
        for term, weight in query.items():
            frequency = self.document_frequency.get(term, 0)
            if frequency:
                idf = log(1 + (total - frequency + 0.5) / (frequency + 0.5))
                weights[term] = weight * idf
        return weights

    def _score(
        self,
        weights: Mapping[str, float],
        counts: Mapping[str, int],
        relative_length: float,
    ) -> float:
        penalty = _K1 * (1 - self.length_weight + self.length_weight * relative_length)
        score = 0.0
        for term, weight in weights.items():
            occurrences = counts.get(term, 0)
            if occurrences:
                score += weight * occurrences * (_K1 + 1) / (occurrences + penalty)
        return score


def bm25_index(passages: Iterable[Sequence[str]], *, length_weight: float) -> Bm25Index:
    """Index passages, each given as its terms."""
    counts = tuple(Counter(terms) for terms in passages)
    document_frequency = Counter(term for count in counts for term in count)
    lengths = tuple(count.total() for count in counts)
    return Bm25Index(counts, lengths, document_frequency, length_weight)
