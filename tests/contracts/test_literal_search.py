from __future__ import annotations

import re
import time
from fnmatch import translate

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.text.literal_search import fits_glob, stands_whole

FEW = st.text(alphabet="ab_-* ", max_size=12)


@given(FEW, st.text(alphabet="ab_-* ", max_size=14))
def test_a_glob_is_that_of_fnmatch(pattern: str, name: str) -> None:
    expected = re.compile(translate(pattern)).match(name) is not None
    assert fits_glob(pattern, name) is expected


@given(st.text(alphabet="ab_ -", min_size=1, max_size=5), FEW)
def test_a_whole_word_is_that_of_a_pattern(phrase: str, text: str) -> None:
    pattern = rf"(?<!\w){re.escape(phrase)}(?!\w)"
    assert stands_whole(phrase, text) is (re.search(pattern, text) is not None)


def test_an_empty_phrase_stands_nowhere() -> None:
    assert not stands_whole("", "a b")


def test_long_names_and_phrases_take_linear_time() -> None:
    started = time.thread_time()
    assert not fits_glob("*a*a*a*a*a*b", "a" * 200_000)
    assert not stands_whole("a " * 50_000 + "b", "a " * 100_000)
    assert not stands_whole("a" * 1_000, "a" * 200_000)
    assert time.thread_time() - started < 1.0
