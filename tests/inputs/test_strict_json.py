"""Half a character in a JSON text is read as U+FFFD; everything else is strict."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.strict_json import from_json

CHARACTERS = st.characters() | st.sampled_from('\ud800\udbff\udc00\udfff\\"u')
TEXTS = st.text(CHARACTERS, max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=12,
)


def _whole(value: Any) -> Any:
    """The value in whole characters, by another way: UTF-16 joins what belongs together."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {_whole(key): _whole(item) for key, item in fields.items()}
    return value


@given(value=VALUES)
def test_it_reads_what_the_standard_library_writes(value: Any) -> None:
    assert from_json(json.dumps(value).encode(), unique_keys=False) == _whole(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"a \ud83d b"', "a \ufffd b"),
        (r'"\uDEB2"', "\ufffd"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
        (r'{"\ud83d": 1}', {"\ufffd": 1}),
    ],
)
def test_half_a_character(text: str, expected: object) -> None:
    assert from_json(text.encode()) == expected


@pytest.mark.parametrize(
    "text",
    ["", "NaN", '{"a": 1, "a": 2}', r'"\ud83', r'"\udxyz"', "[" * 500, '"\ud83d"'],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": NaN}', "NaN is no value of JSON (write null) at line 1 column 7"),
        ('{"a":nan}', "nan is no value of JSON (write null) at line 1 column 7"),
        (
            "[1, -Infinity]",
            "-Infinity is no value of JSON (write null) at line 1 column 6",
        ),
        (
            '{"a": [0,\nInfinity]}',
            "Infinity is no value of JSON (write null) at line 2 column 1",
        ),
        (
            '{"a": "\\ud83d", "b": NaN}',
            "NaN is no value of JSON (write null) at line 1 column 22",
        ),
        ('{"a": None}', "None is no value of JSON (write null) at line 1 column 7"),
        ('{"a": True}', "True is no value of JSON (write true) at line 1 column 7"),
        ('{"a": Nano}', "expected value at line 1 column 7"),
        ('{"NaN": x}', "expected value at line 1 column 9"),
    ],
)
def test_a_word_of_another_language_is_named(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(fault)}$"):
        from_json(text.encode())


def test_two_halves_are_one_key_twice() -> None:
    text = rb'{"\ud83d": 1, "\ud83e": 2}'
    with pytest.raises(ValueError, match=r"duplicate|Detected"):
        from_json(text)
    assert from_json(text, unique_keys=False) == {"\ufffd": 2}
