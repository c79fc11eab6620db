"""Contracts in JSON: a pair of escapes is one character, as JSON has it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ContractError
from judgemesh.mesh.inputs.yaml import documents


@given(st.text(alphabet="a\\\U0001f600\U00010348\u00e9\"' u", max_size=12))
def test_json_is_read_as_json(text: str) -> None:
    (document,) = documents(json.dumps({"question": text}), "contract.json")
    assert document.data == {"question": text}


@pytest.mark.parametrize("escape", [r"\ud83d", r"\ude00\ud83d", r"\ud83d \ude00"])
def test_half_a_pair_is_refused(escape: str) -> None:
    with pytest.raises(ContractError, match=r"contract\.json:1:"):
        list(documents(f'{{"question": "{escape}"}}', "contract.json"))
