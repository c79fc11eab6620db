"""Ranges, units, bounds, doubts, days and words: which number an answer or a field states."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer
from judgemesh.validators.required_fields import required_fields

from .helpers import kinds, verdicts


def _both(condition: dict[str, Any], written: str) -> set[str]:
    """The kinds for a text as the answer and as the value of a field."""
    found = verdicts(expected_answer, {"answer": condition}, {"output": written})
    fields = {"fields": {"level": condition}}
    value = {"output": f"Level: {written}"}
    return {*kinds(found), *kinds(verdicts(expected_answer, fields, value))}


def _unit(value: float, *units: str) -> dict[str, Any]:
    return {"equals": value, "unit": list(units)}


SAME_UNIT = (
    ("kg", "52 kg net"), ("kg", "52 kg of sand"), ("kg", "kg 52"), ("kg", "52kg"), ("kg", "52 kilograms"), ("kg", "52 in total"),
    ("kg", "52 kg, that is 115 lb"), ("kg", "52, as the slip says"), ("kg", "fifty-two kg"), ("kg", "52"), ("EUR", "\u20ac52"),
    ("EUR", "52 \u20ac"), ("EUR", "52 euros a week"), ("crates", "52 green crates"), ("crates", "52 crate"),
    ("crates", "52 farmer's crates"), ("m\u00b2", "52 m2"), ("crates", "52 crates to 90 shops"),
    ("m\u00b2", "52 square metres"), ("working days", "52 working days"),
)  # fmt: skip
OTHER_UNIT = (
    ("kg", "52 pounds"), ("kg", "52 tubs"), ("kg", "52 net tonnes"), ("kg", "fifty-two gallons"), ("EUR", "52 kEUR"),
    ("EUR", "$52"), ("EUR", "52 $"), ("EUR", "52 MEUR"), ("EUR", "52 CHF"), ("bar", "52 mbar"), ("bar", "52 pascals"),
    ("l", "52 gallons"), ("EUR", "52 US dollars"), ("EUR", "52 mio EUR"), ("crates", "52 barrels"), ("days", "52 working days"), ("%", "52 percentage points"),
)  # fmt: skip


@pytest.mark.parametrize(("unit", "written"), SAME_UNIT)
def test_a_number_with_the_unit_or_with_none_is_stated(unit: str, written: str) -> None:
    assert _both(_unit(52, unit), written) == {"pass"}


@pytest.mark.parametrize(("unit", "written"), OTHER_UNIT)
def test_a_number_with_another_unit_is_not_stated(unit: str, written: str) -> None:
    assert "pass" not in _both(_unit(52, unit), written)


RANGES = (
    "{} to {}", "{} up to {}", "from {} to {}", "{} bis {}", "{} bis zu {}", "de {} \u00e0 {}", "de {} a {}", "{} tot {}", "{} til {}",
    "{} through {}", "{} or {}", "{} oder {}", "{} ou {}", "{} o {}", "{} EUR to {} EUR", "\u20ac{} to \u20ac{}", "It weighs {} to {} kg.",
    "between {} and {}", "{} and {}",
)  # fmt: skip


@given(st.sampled_from(RANGES), st.integers(2, 400), st.integers(1, 400))
def test_no_range_passes_by_one_end(form: str, low: int, width: int) -> None:
    high = low + width
    written = form.format(low, high)
    limit = low + width / 2
    for condition in ({"equals": low}, {"equals": high}, {"le": limit}, {"ge": limit}):
        assert "pass" not in _both(condition, written), (condition, written)


@given(st.sampled_from(RANGES), st.integers(2, 400), st.integers(1, 400))
def test_a_range_keeps_a_bound_that_both_ends_keep(
    form: str, low: int, width: int
) -> None:
    written = form.format(low, low + width)
    if "up to" in form or "bis zu" in form:
        return
    assert "fail" not in _both({"ge": low, "le": low + width}, written), written


NOT_STATED = (
    "{}+", "{} upwards", "{} or more", "starting from {}", "starting at {}", "from {}", "{} litres minimum", "{} max", "min. {}",
    "{} tubs at most", "Nobody filled {} tubs.", "No one weighed {}", "None of the {} was full.", "Maybe {}", "Perhaps it is {}.",
    "{} litres?", "{}?", "almost {}", "nearly {}", "three times {}", "{} if it rains", "Niemand z\u00e4hlte {}.", "peut-\u00eatre {}",
    "It used to be {}.", "vanaf {}", "minus {}", "{} plus", "{} plus 4", "{} times two", "{} at the earliest", "I guess {}", "I am not sure it is {}",
)  # fmt: skip
STATED = (
    "{}", "about {}", "~{}", "It comes to {}, nobody objected.", "Maybe you know: it is {}.", "That would be {} EUR, please.",
    "The level rose to {}.", "It costs {} EUR; that takes 3 to 5 days.", "It takes {} litres (70 to 80 were planned).",
)  # fmt: skip


@given(st.sampled_from(NOT_STATED), st.integers(6, 999))
def test_a_bounded_negated_or_doubted_number_is_not_stated(form: str, n: int) -> None:
    assert "pass" not in _both({"equals": n}, form.format(n))


@given(st.sampled_from(STATED), st.integers(100, 999))
def test_what_stands_elsewhere_leaves_a_number_stated(form: str, n: int) -> None:
    found = verdicts(expected_answer, {"answer": n}, {"output": form.format(n)})
    assert kinds(found) == ["pass"]


@pytest.mark.parametrize("sign", ["about ", "~", "roughly ", "etwa ", "environ "])
def test_an_approximate_number_keeps_a_bound_with_a_tenth_to_spare(sign: str) -> None:
    assert _both({"le": 100}, f"{sign}90") == {"pass"}
    assert "pass" not in _both({"le": 100}, f"{sign}95")
    assert "pass" not in _both({"ge": 100}, f"{sign}105")
    assert _both({"le": 100}, f"{sign}120") == {"fail"}


@pytest.mark.parametrize(
    "written",
    ["17.09.2026", "17/09/2026", "09/17/2026", "17-09-2026", "17. September 2026", "Donnerstag, 17. September 2026",
     "17 septembre 2026", "17 de septiembre de 2026", "17 settembre 2026", "17 wrze\u015bnia 2026"],
)  # fmt: skip
def test_a_day_in_other_notations(written: str) -> None:
    assert _both({"equals": "2026-09-17"}, written) >= {"pass"}
    assert "pass" not in _both({"equals": "2026-10-17"}, written)


@given(st.integers(1, 12), st.integers(1, 12))
def test_figures_that_may_be_two_days_are_left_open(day: int, month: int) -> None:
    fields = {"fields": {"due": {"equals": f"2026-{month:02}-{day:02}"}}}
    found = verdicts(expected_answer, fields, {"output": f"Due: {day}/{month}/2026"})
    assert kinds(found) == (["pass"] if day == month else ["abstain"])


@pytest.mark.parametrize(
    ("expected", "written", "stated"),
    [
        (1, "There is one hut.", True),
        (1, "one hut", True),
        (1, "exactly one", True),
        (1, "No one came.", False),
        (1, "one of the huts", False),
        (1, "one hut with two beds", False),
        (-8, "minus 8", True),
        (-8, "It is minus 8 \u00b0C.", True),
        (-8, "30 minus 8", False),
        (12, "a dozen", True),
        (0.5, "one half", True),
    ],
)
def test_numbers_in_words(expected: float, written: str, *, stated: bool) -> None:
    assert ("pass" in _both({"equals": expected}, written)) is stated


@pytest.mark.parametrize(
    ("value", "given_there"),
    [
        ("ask the reception", False),
        ("please call our front desk", False),
        ("contact your insurer for it", False),
        ("ASK-1180", True),
        ("call sign Delta", True),
    ],
)
def test_who_is_to_be_asked_is_no_value(value: str, *, given_there: bool) -> None:
    contract = {"success_criteria": {"must_include": ["docket_number"]}}
    found = verdicts(required_fields, contract, {"output": f"Docket number: {value}"})
    assert (kinds(found) == ["pass"]) is given_there


def test_whom_to_ask_is_a_next_step() -> None:
    contract = {"success_criteria": {"must_include": ["next_step"]}}
    result = {"output": "Next step: call our support team"}
    assert kinds(verdicts(required_fields, contract, result)) == ["pass"]
