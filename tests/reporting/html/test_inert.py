"""Data in a page: whatever a text holds, it cannot end its element, and it comes back as it was."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.reporting.html.inert import inert_json, packed_json

HOSTILE = st.sampled_from(
    [
        "</script>",
        "<!--",
        "<script>",
        "]]>",
        "\u2028",
        "\u2029",
        "&lt;",
        "\\u003c",
        "\\",
    ]
)
TEXTS = st.lists(st.one_of(HOSTILE, st.text(max_size=5)), max_size=6).map("".join)
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-(2**53), 2**53)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_inert_json_holds_nothing_that_ends_an_element_or_a_line(value: Any) -> None:
    text = inert_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


@given(VALUES)
def test_packed_json_is_base64_of_gzip(value: Any) -> None:
    packed = packed_json(value)
    assert packed.isascii()
    assert "<" not in packed
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == value


def test_the_same_data_is_packed_to_the_same_text() -> None:
    assert packed_json({"a": 1}) == packed_json({"a": 1})
