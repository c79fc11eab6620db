"""Patterns of texts that stand for no value are only tried on texts that have what all their matches have."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.answer.placeholders import (
    may_be_regret,
    may_be_request,
    regrets,
    requests,
)
from judgemesh.validators._shared.answer.placeholders.phrases import (
    date_masks,
    masks,
    may_be_date_mask,
    may_be_mask,
    may_be_wording,
    wordings,
)


@given(st.from_regex(wordings(), fullmatch=True))
def test_every_wording_has_one_of_the_words(folded: str) -> None:
    assert may_be_wording(folded)


def test_a_text_without_such_a_word_is_not_searched() -> None:
    assert not may_be_wording("tomorrow at six")


@given(st.from_regex(masks(), fullmatch=True).map(str.casefold))
def test_every_mask_has_one_of_the_signs(folded: str) -> None:
    assert may_be_mask(folded)


@given(st.from_regex(date_masks(), fullmatch=True))
def test_every_mask_of_a_date_has_one_of_the_signs(folded: str) -> None:
    assert may_be_date_mask(folded)


@given(st.from_regex(regrets()))
def test_every_regret_begins_with_one_of_the_words(folded: str) -> None:
    assert may_be_regret(folded)


@given(st.from_regex(requests()).filter(requests().match))
def test_every_request_begins_with_one_of_the_words(folded: str) -> None:
    assert may_be_request(folded)
