"""One figure in several spellings is one figure to the claims check, and never a contradiction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.claims import claims

from .helpers import kinds, verdicts


def stance(evidence: str, answer: str, **outputs: Any) -> set[str]:
    """What is said of an answer beside one text of evidence."""
    output: dict[str, Any] = {"final_answer": answer, "outputs": outputs}
    contract = {"claims": {"evidence": [{"id": "e", "text": evidence}]}}
    return set(kinds(verdicts(claims, contract, {"output": output})))


_THINGS = st.sampled_from(["Room", "Turbine", "Pump", "Gate", "Berth"])
_NUMBERS = st.integers(1, 99)
_NAMED = ("{thing} {n}", "{thing} no. {n}", "{thing} No. {n}", "{thing} nr. {n}", "{thing} number {n}", "{thing} №{n}")  # fmt: skip


@given(_THINGS, _NUMBERS, st.sampled_from(_NAMED), st.sampled_from(_NAMED))
def test_a_thing_with_a_number(thing: str, number: int, one: str, other: str) -> None:
    forms = [form.format(thing=thing, n=number) for form in (one, other)]
    sentences = [f"{form} was painted in 2019." for form in forms]
    assert stance(*sentences) == {"pass"}
    wrong = other.format(thing=thing, n=number + 1)
    assert "pass" not in stance(sentences[0], f"{wrong} was painted in 2019.")


_SIGNS = ("-", "\u2013", "\u2212", "minus ")


@given(st.integers(1, 60), st.sampled_from(_SIGNS), st.sampled_from(_SIGNS))
def test_a_sign_in_any_spelling(number: int, one: str, other: str) -> None:
    said = "The temperature of the store was {} °C on 4 June 2024."
    evidence = said.format(f"{one}{number}")
    assert stance(evidence, said.format(f"{other}{number}")) == {"pass"}
    assert "pass" not in stance(evidence, said.format(number))
    assert "pass" not in stance(evidence, said.format(f"{other}{number + 1}"))


@pytest.mark.parametrize(("word", "figure"), [("second", "2nd"), ("third", "3rd"), ("fifth", "5th"), ("twelfth", "12th")])  # fmt: skip
def test_an_ordinal_in_words(word: str, figure: str) -> None:
    said = "The {} bus leaves at 7:40."
    assert stance(said.format(word), said.format(figure)) == {"pass"}
    assert stance(said.format(figure), said.format(word)) == {"pass"}


@given(st.sampled_from(["kg", "g"]), st.integers(2, 90))
def test_a_unit_at_the_end_of_a_key(unit: str, amount: int) -> None:
    evidence = (
        f"Bella weighs {amount} {unit}. The weight of Bella was taken on 3 May 2024."
    )
    key = f"weight_{unit}"
    assert "fail" not in stance(evidence, "", bella={key: amount})
    assert "fail" in stance(evidence, "", bella={key: amount + 1})
    assert "fail" not in stance(evidence, "", bella={"weight": amount})
