"""Values that name nobody and nothing in particular are left open; a figure or a name beside them makes a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.required_fields import required_fields

from .helpers import kinds, verdicts

_VAGUE = (
    "someone suitable", "somebody from the board", "whoever is free", "one of the team", "any free one", "any",
    "a person who knows Polish", "somewhere cold", "soon", "depends", "a fair amount", "suitable size", "appropriate",
    "to be chosen by the members", "one that fits", "quite old", "a mild one", "some time next week",
    "jemand Passendes", "irgendein freier Platz", "irgendwer aus der Region", "quelqu'un de confiance", "n'importe qui",
    "alguien de confianza", "quien esté libre",
    "will be named by the board", "the board will pick one", "when the doors are open",
    "once the roof is dry", "a bit low", "slightly sweet", "strong enough for two", "sobald alle da sind",
    "à choisir", "quand tout sera prêt", "por elegir", "cuando llegue el barco",
)  # fmt: skip
_VALUES = (
    "Ewa Lis", "Someone Like You", "Any Given Sunday", "One", "A. Holm", "the blue valve", "16/32", "alto", "none required",
    "a van", "will.i.am", "When Harry Met Sally", "once weekly at 9", "Good Hope", "Strong Arm Ltd", "Zu den Linden", "a bit of chalk",
    "B, shelf 3", "Somewhere Over the Rainbow",
)  # fmt: skip


def found(name: str, text: str, allow: tuple[str, ...] = ()) -> list[str]:
    """What is said of a field under a label."""
    contract = {"success_criteria": {"must_include": [name]}, "fields": {name: {"allow": list(allow)}}}  # fmt: skip
    return kinds(verdicts(required_fields, contract, {"output": f"{name}: {text}"}))


@pytest.mark.parametrize("text", _VAGUE)
def test_what_names_nothing_is_left_open(text: str) -> None:
    assert found("conductor", text) == ["abstain"]
    assert found("conductor", f"**{text}**") == ["abstain"]


@pytest.mark.parametrize("text", _VALUES)
def test_a_value_that_begins_alike_is_found(text: str) -> None:
    assert found("conductor", text) == ["pass"]


@given(st.sampled_from(["one of our guides", "someone reliable", "a suitable person"]), st.sampled_from(["Ana Ruiz", "Mr Osei"]))  # fmt: skip
def test_a_name_beside_it_is_the_value(text: str, name: str) -> None:
    assert found("conductor", f"{text}, {name}") == ["pass"]


@given(st.sampled_from(_VAGUE))
def test_the_contract_may_allow_it(text: str) -> None:
    assert found("conductor", text, (text,)) == ["pass"]


@given(st.sampled_from(["reason", "target audience", "storage", "event description"]), st.sampled_from(_VAGUE[:4]))  # fmt: skip
def test_prose_may_be_about_anybody(name: str, text: str) -> None:
    assert found(name, text) == ["pass"]


@pytest.mark.parametrize("name", ["price", "entry fee", "net weight", "delivery date", "opening time", "telephone"])  # fmt: skip
def test_a_field_that_is_named_after_a_figure_wants_one(name: str) -> None:
    for text in ("cheap", "heavy", "next week", "after breakfast", "at the front desk", "nach Vereinbarung"):  # fmt: skip
        assert found(name, text) == ["abstain"]
        assert found(name, text, (text,)) == ["pass"]
        assert found(f"{name} note", text) == ["pass"]
    for text in ("4", "about 4 kg", "free of charge", "Monday", "noon", "two weeks", "Ask Jana Brill"):  # fmt: skip
        assert found(name, text) == ["pass"]


@pytest.mark.parametrize(
    "spec", [{"path": "/tickets/T-7/reply"}, {"aliases": ["reply"]}, {}]
)
@pytest.mark.parametrize(
    "text",
    [
        "The designers will be glad to read this.",
        "Until the export is mended, the PDF has all columns.",
        "See the handbook, page 4.",
    ],
)
def test_what_somebody_is_told_may_begin_with_any_word(
    spec: dict[str, Any], text: str
) -> None:
    name = "last_message" if not spec else "t7"
    contract = {
        "success_criteria": {"must_include": [name]},
        "fields": {name: spec},
    }
    key = {"tickets": {"T-7": {"reply": text}}} if "path" in spec else {name: text}
    found = verdicts(required_fields, contract, {"output": {"outputs": key}})
    assert kinds(found) == ["pass"]
