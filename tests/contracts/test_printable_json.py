from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.text.printable_json import printable_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_it_means_the_same_and_holds_nothing_odd(data: object) -> None:
    text = printable_json(data)
    assert json.loads(text) == data
    assert len(text.splitlines()) == 1
    text.encode()
    assert not any(0x7F <= ord(char) <= 0x9F for char in text)


@pytest.mark.parametrize(
    "char",
    ["\u009b", "\u202e", "\u2028", "\u2029", "\x7f", "\ufeff", "\U000e0041", "\ud800"],
)
def test_what_controls_a_terminal_is_an_escape(char: str) -> None:
    text = printable_json({char: f"a{char}b"}, indent=1)
    assert char not in text
    assert json.loads(text) == {char: f"a{char}b"}


def test_ordinary_letters_stay() -> None:
    assert printable_json("Zürich, 東京, 🙂") == '"Zürich, 東京, 🙂"'


def test_what_is_no_json_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        printable_json(float("nan"))
