"""BM25: worked by hand, and what holds for every index."""

from __future__ import annotations

from math import isclose, log

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.ranking import bm25_index

WORDS = st.sampled_from(["refund", "order", "mail", "seat", "fare"])
PASSAGES = st.lists(st.lists(WORDS, max_size=8), max_size=6)


def test_a_score_worked_by_hand() -> None:
    index = bm25_index([["refund", "refund", "order"], ["mail"]], length_weight=0.75)
    idf = log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    penalty = 1.2 * (1 - 0.75 + 0.75 * 3 / 2)
    first, second = index.scores({"refund": 2.0, "unseen": 5.0})
    assert isclose(first, 2.0 * idf * 2 * 2.2 / (2 + penalty))
    assert second == 0.0


def test_nothing_is_indexed_and_nothing_is_scored() -> None:
    assert bm25_index([], length_weight=0.4).scores({"refund": 1.0}) == []
    assert bm25_index([[], []], length_weight=0.4).scores({"refund": 1.0}) == [0.0, 0.0]


@given(PASSAGES, st.dictionaries(WORDS, st.floats(0.1, 3.0)))
def test_a_passage_scores_only_if_it_holds_a_term_of_the_query(
    passages: list[list[str]], query: dict[str, float]
) -> None:
    scores = bm25_index(passages, length_weight=0.4).scores(query)
    assert [score > 0 for score in scores] == [
        not query.keys().isdisjoint(passage) for passage in passages
    ]


@given(PASSAGES, WORDS)
def test_weights_scale_scores(passages: list[list[str]], term: str) -> None:
    index = bm25_index(passages, length_weight=0.75)
    once, twice = index.scores({term: 1.0}), index.scores({term: 2.0})
    assert all(isclose(2 * one, two) for one, two in zip(once, twice, strict=True))
