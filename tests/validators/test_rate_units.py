"""Units that a contract names as rates, in the ways in which people write them, and what a diagnostic says of units."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer

from .helpers import diagnostics, kinds, verdicts

OVER = {
    "EUR": ("EUR", "€", "euros"),
    "CHF": ("CHF", "francs"),
    "kg": ("kg", "kilograms"),
    "l": ("l", "litres"),
}
UNDER = {
    "hour": ("hour", "h", "hr"),
    "day": ("day", "d"),
    "crate": ("crate",),
    "person": ("person",),
    "week": ("week", "wk"),
}
JOINED = ("{}/{}", "{} / {}", "{} per {}", "{} a {}", "{} (per {})", "{} each {}")


def found(units: list[str], text: str, expected: float = 32) -> list[Any]:
    """The verdicts on a field with that value."""
    spec = {"equals": expected, "unit": units}
    contract = {"fields": {"moorage": spec}}
    output = {"final_answer": f"Moorage: {text}"}
    return verdicts(expected_answer, contract, {"output": output})


@given(
    st.sampled_from(sorted(OVER)), st.sampled_from(sorted(UNDER)), st.sampled_from(JOINED), st.sampled_from(JOINED[:3]),
    st.data(),
)  # fmt: skip
def test_spellings_of_one_rate(
    over: str, under: str, written: str, named: str, data: st.DataObject
) -> None:
    spelt = (
        data.draw(st.sampled_from(OVER[over])),
        data.draw(st.sampled_from(UNDER[under])),
    )
    text = f"32 {written.format(*spelt)}"
    assert kinds(found([named.format(over, under)], text)) == ["pass"], text
    assert kinds(found([named.format(over, under)], text, 33)) == ["fail"], text
    # Another one behind it makes another rate of it, and so does another period.
    assert kinds(found([named.format(over, under)], f"{text} per boat")) == ["abstain"]
    other = "month" if under != "crate" else "barrel"
    text = f"32 {written.format(spelt[0], other)}"
    assert "pass" not in kinds(found([named.format(over, under)], text)), text


@pytest.mark.parametrize(
    ("unit", "text", "kind"),
    [
        ("EUR/hour", "€32 an hour", "pass"),
        ("EUR/hour", "32", "pass"),
        ("EUR/hour", "32 per hour", "pass"),
        ("EUR/hour", "32 € de l'heure", "pass"),
        ("EUR/hour", "32 EUR pro Stunde", "pass"),
        ("km/h", "32 kilometres per hour", "pass"),
        ("km/h", "32 km per hour", "pass"),
        ("kmh", "32 km per hour", "pass"),
        ("kg/m2", "32 kg per square metre", "pass"),
        ("mg/kg/day", "32 mg/kg per day", "pass"),
        ("EUR/hour", "32 EUR", "abstain"),
        ("EUR/hour", "32 USD per hour", "fail"),
        ("EUR/hour", "32 EUR per month", "fail"),
        ("EUR/crate", "32 EUR pro Kiste", "abstain"),
        ("EUR/crate", "32 EUR per crate (estimate)", "abstain"),
        ("EUR", "32 EUR per crate", "abstain"),
    ],
)
def test_rates(unit: str, text: str, kind: str) -> None:
    assert kinds(found([unit], text)) == [kind]


def test_the_diagnostic_names_both_units() -> None:
    said = diagnostics(found(["EUR/hour"], "32 EUR per month"))
    assert "must be 32 EUR/hour" in said
    assert "read in 'EUR per month'" in said
    said = diagnostics(found(["kg"], "31 barrels"))
    assert "must be 32 kg" in said
    assert "read in 'barrels'" in said
    assert "read without a unit" in diagnostics(found(["kg"], "31"))
