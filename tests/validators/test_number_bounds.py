"""A number that is negated, bounded or in doubt is not the number that an answer states, in any of the languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer

from .helpers import kinds, verdicts

NOT_STATED = (
    "not {}", "no {}", "never {}", "less than {}", "at least {}", "{} or more", "{} or less", "{} at most",
    "not known, {} would be the maximum", "not available; {} would be the limit", "short of {}",
    "nicht {}", "keine {}", "nicht ganz {}", "weniger als {}", "mehr als {}", "mindestens {}", "höchstens {}", "unter {}",
    "über {}", "bis zu {}", "maximal {}", "knapp {}", "{} oder mehr", "nicht weniger als {}", "{} ist falsch",
    "pas {}", "moins de {}", "plus de {}", "au moins {}", "au plus {}", "jusqu'à {}", "{} ou plus", "près de moins de {}",
    "en menos de {}", "más de {}", "al menos {}", "como máximo {}", "hasta {}", "{} o más", "no más de {}",
    "non {}", "meno di {}", "più di {}", "almeno {}", "al massimo {}", "fino a {}", "oltre {}",
    "não {}", "menos de {}", "mais de {}", "pelo menos {}", "no máximo {}", "até {}",
    "niet {}", "geen {}", "minder dan {}", "meer dan {}", "minstens {}", "hoogstens {}", "maximaal {}",
    "ikke {}", "mindre end {}", "mere end {}", "mindst {}", "højst {}", "op til {}",
    "inte {}", "mindre än {}", "mer än {}", "minst {}", "högst {}", "upp till {}",
    "nie {}", "mniej niż {}", "ponad {}", "co najmniej {}", "najwyżej {}",
    "en az {}", "en fazla {}", "{} değil", "{}'dan az", "{} altında",
    "{}以上", "{}以下", "{}未満", "少なくとも{}", "最大{}", "{}ではない",
)  # fmt: skip
STATED = (
    "{}", "exactly {}", "genau {}", "exactement {}", "exactamente {}", "esattamente {}", "precies {}", "præcis {}",
    "exakt {}", "dokładnie {}", "tam {}", "ちょうど{}", "{} in total", "{} insgesamt", "{} au total", "{} en total",
    "{} in totale", "{} i alt", "{} totalt", "{} razem", "toplam {}", "es sind {}", "c'est {}", "son {}", "sono {}",
    "são {}", "it is {}", "das Fass wiegt {}", "le fût pèse {}", "el barril pesa {}", "{}, wie im Plan",
)  # fmt: skip


def _kinds(form: str, written: str) -> set[str]:
    contract = {"answer": {"equals": 640, "unit": ["kg"]}}
    result = {"output": {"final_answer": f"ANSWER: {form.format(written)}"}}
    return set(kinds(verdicts(expected_answer, contract, result)))


@pytest.mark.parametrize("form", NOT_STATED)
@pytest.mark.parametrize("written", ["640 kg", "640"])
def test_a_negated_or_bounded_number_is_not_stated(form: str, written: str) -> None:
    assert "pass" not in _kinds(form, written)


@pytest.mark.parametrize("form", STATED)
def test_a_number_that_is_stated_passes(form: str) -> None:
    assert _kinds(form, "640 kg") == {"pass"}


@given(st.sampled_from(NOT_STATED), st.sampled_from(STATED[:11]))
def test_a_bound_counts_whatever_stands_around(bound: str, around: str) -> None:
    assert "pass" not in _kinds(around.format(bound), "640 kg")
