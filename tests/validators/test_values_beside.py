"""What stands beside a value: notes that leave it open, rates, units of one kind, weekdays and times beside a day."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer
from judgemesh.validators.required_fields import required_fields

from .helpers import kinds, verdicts

DOUBTS = (
    "{} (estimate)", "{} (guess)", "{} (not confirmed)", "{} - unconfirmed", "{} (provisional)", "est. {}",
    "{}, but I'm not sure", "{} (to be confirmed)", "{} (previous declaration)", "{} (rough estimate)", "{} (last year)",
    "estimated {}", "{} (could not be verified)", "{} (geschätzt)", "{} (vorläufig)", "{} (noch nicht bestätigt)",
    "{} (estimation)", "{} (à confirmer)", "{} (non confirmé)", "{} (estimado)", "{} (por confirmar)", "{} (stima)",
    "{} (da confermare)", "{} (estimativa)", "{} (a confirmar)", "{} (schatting)", "{} (niet bevestigd)", "{} (skøn)",
    "{} (ikke bekræftet)", "{} (uppskattning)", "{} (ej bekräftat)", "{} (szacunkowo)", "{} expected", "{} \u2014 subject to approval", "{} pending", "{} (geplant)", "{} (niepotwierdzone)",
    "{} (tahmini)", "{}（推定）",
)  # fmt: skip
PLAIN = (
    "{}", "{} (certified)", "{} (excl. VAT)", "{} (invoice 4411)", "{} in total", "{}, as agreed", "{} (see page 3)",
    "{} (geprüft)", "{} (TTC)", "{} - paid by card", "exactly {}", "{}, confirmed by the bank",
)  # fmt: skip


def found(spec: dict[str, Any], text: object, name: str = "customs_value") -> set[str]:
    """What is said about a field with that value."""
    output: dict[str, Any] = {"final_answer": "See the data.", "outputs": {name: text}}
    if isinstance(text, str):
        output = {"final_answer": f"{name.replace('_', ' ')}: {text}"}
    return set(
        kinds(verdicts(expected_answer, {"fields": {name: spec}}, {"output": output}))
    )


@pytest.mark.parametrize("form", DOUBTS)
@pytest.mark.parametrize(
    ("spec", "written"),
    [({"equals": 75, "unit": ["EUR"]}, "75 EUR"), ({"equals": 75}, "75"), ({"equals": "Port of Lome"}, "Port of Lome")],
)  # fmt: skip
def test_a_value_in_doubt_never_passes(
    form: str, spec: dict[str, Any], written: str
) -> None:
    assert "pass" not in found(spec, form.format(written))


@pytest.mark.parametrize("form", PLAIN)
def test_a_harmless_note_changes_nothing(form: str) -> None:
    assert found({"equals": 75, "unit": ["EUR"]}, form.format("75 EUR")) == {"pass"}


@pytest.mark.parametrize(
    "text",
    ["75 EUR per pallet", "75 EUR each", "75 EUR apiece", "75 EUR pro Palette", "75 EUR twice a week", "75 EUR of 90 EUR"],
)  # fmt: skip
def test_a_rate_or_a_share_is_not_the_amount(text: str) -> None:
    assert "pass" not in found({"equals": 75, "unit": ["EUR"]}, text)


@pytest.mark.parametrize("text", ["75 EUR per month", "75 EUR a week", "75 EUR as per our agreement", "75 EUR per invoice 12"])  # fmt: skip
def test_a_period_and_a_reference_make_no_rate(text: str) -> None:
    assert found({"equals": 75, "unit": ["EUR"]}, text) == {"pass"}


_UNITS = st.sampled_from(
    [("kg", "g", 1000), ("t", "kg", 1000), ("m", "cm", 100), ("km", "m", 1000), ("l", "ml", 1000), ("kW", "W", 1000),
     ("hours", "minutes", 60), ("min", "seconds", 60)]
)  # fmt: skip


@given(_UNITS, st.integers(1, 900))
def test_units_of_one_kind_are_one(units: tuple[str, str, int], amount: int) -> None:
    large, small, factor = units
    spec = {"equals": amount, "unit": [large]}
    assert found(spec, f"{amount * factor} {small}") == {"pass"}
    assert found(spec, f"{amount} {small}") == {"fail"}
    assert found(spec, {"value": amount, "unit": large}) == {"pass"}
    assert found(spec, {"value": amount + 1, "unit": large}) == {"fail"}
    assert found(spec, {"value": amount, "unit": "lb"}) == {"fail"}


@given(st.integers(1, 40), st.integers(1, 59), st.sampled_from([" ", " and ", ", "]))
def test_an_amount_in_two_units(hours: int, minutes: int, between: str) -> None:
    spec = {"equals": 60 * hours + minutes, "unit": ["min"]}
    assert found(spec, f"{hours} h{between}{minutes} min") == {"pass"}
    assert "pass" not in found(spec, f"{hours + 1} h{between}{minutes} min")
    assert "pass" not in found(spec, f"{minutes} min")


@given(st.decimals(Decimal("0.1"), Decimal(999), places=1))
def test_magnitudes_in_words(amount: Decimal) -> None:
    for word, factor in (("Mio.", 10**6), ("million", 10**6), ("Mrd.", 10**9), ("Tsd.", 10**3)):  # fmt: skip
        shown = f"{amount} {word}"
        assert found({"equals": float(amount * factor)}, shown) == {"pass"}


_DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%A, %d %B %Y", "%a, %b %d, %Y", "%Y-%m-%d 09:30",
          "%d %B %Y, 09:30", "on %d %B %Y", "%d %b %Y (%a)", "%d %B %Y at 9:30 am", "%Y-%m-%dT14:05")  # fmt: skip


@given(_DAYS, st.sampled_from(_FORMS))
def test_a_day_in_any_spelling(day: date, form: str) -> None:
    spec = {"equals": day.isoformat()}
    assert found(spec, day.strftime(form), "arrival") == {"pass"}
    other = day + timedelta(days=1)
    assert "pass" not in found(spec, other.strftime(form), "arrival")


@given(_DAYS, st.integers(1, 6))
def test_a_wrong_weekday_and_a_zone_leave_the_day_open(day: date, off: int) -> None:
    spec = {"equals": day.isoformat()}
    weekday = (day + timedelta(days=off)).strftime("%A")
    assert found(spec, f"{weekday}, {day:%d %B %Y}", "arrival") == {"abstain"}
    assert found(spec, f"{day:%Y-%m-%d}T09:30:00Z", "arrival") == {"abstain"}
    assert found(spec, f"{day:%d.%m.%y}", "arrival") == {"abstain"}


@pytest.mark.parametrize(
    "text",
    ["Error: register unreachable", "ERROR", "lookup failed", "HTTP 503 Service Unavailable", "n/k", "978-X-XXXX-XXXX-X",
     "Number goes here"],
)  # fmt: skip
@pytest.mark.parametrize("is_object", [False, True])
def test_an_error_or_a_mask_is_no_value(text: str, *, is_object: bool) -> None:
    contract = {"success_criteria": {"must_include": ["chip_number"]}}
    value = {"value": text, "source": "register"} if is_object else text
    result = {"output": {"final_answer": "x", "outputs": {"chip_number": value}}}
    assert kinds(verdicts(required_fields, contract, result)) == ["fail"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("author", "Null, Henry"), ("inspection", "Failed: worn tyres"), ("error", "Error: stuck"), ("isbn", "978-X"),
     ("finding", "search failed"), ("chip_number", {"value": "2760", "source": "n/a"}), ("size", "XXL")],
)  # fmt: skip
def test_what_looks_like_one_is_a_value(name: str, value: Any) -> None:
    contract = {"success_criteria": {"must_include": [name]}}
    result = {"output": {"final_answer": "x", "outputs": {name: value}}}
    assert kinds(verdicts(required_fields, contract, result)) == ["pass"]


@pytest.mark.parametrize("text", ["Yes, unless the donor objects.", "Yes, if it rains.", "Yes, but only if Ann agrees."])  # fmt: skip
def test_a_conditional_yes_is_open(text: str) -> None:
    result = {"output": text}
    assert kinds(verdicts(expected_answer, {"answer": True}, result)) == ["abstain"]
