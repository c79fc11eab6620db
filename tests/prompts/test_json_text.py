"""Texts that know their JSON."""

from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.prompts.json_text import JsonText

# Halves of characters, too: two of them that meet at a seam stay two.
TEXTS = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from('"\\\n\x00\ud83d\ude00'))
)


@given(st.lists(TEXTS, max_size=5))
def test_the_json_of_the_parts_is_that_of_the_whole(parts: list[str]) -> None:
    text = JsonText.joined(parts)
    assert text == "".join(parts)
    assert text.json == json.dumps("".join(parts))


def test_copies_keep_it() -> None:
    text = JsonText.joined(["a", '"b"'])
    copies: list[JsonText] = [
        copy.deepcopy(text),
        pickle.loads(pickle.dumps(text)),  # noqa: S301
    ]
    assert copies == [text, text]
    assert [same.json for same in copies] == [text.json, text.json]
