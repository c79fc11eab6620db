"""Wordings that stand for no value are looked for only in texts that have one of their words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators._shared.answer.placeholders import may_be_wording, wordings


@given(st.from_regex(wordings(), fullmatch=True))
def test_every_wording_has_one_of_the_words(folded: str) -> None:
    assert may_be_wording(folded)


def test_a_text_without_such_a_word_is_not_searched() -> None:
    assert not may_be_wording("tomorrow at six")
