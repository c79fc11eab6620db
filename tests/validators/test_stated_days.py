"""Days and times that a sentence states, amounts of one piece, values beside another one, and what says no."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer

from .helpers import kinds, verdicts

_DAYS = st.dates(date(1990, 1, 1), date(2040, 12, 31))
_FORMS = ("{:%-d %B %Y}", "{:%B %-d, %Y}", "{:%Y-%m-%d}", "{:%A, %-d %B %Y}")
_STATED = ("The hall opens on {}.", "The deadline is {}.")
_NOT_STATED = (
    "The hall opens before {}.", "It may open on {}, or later.", "The hall does not open on {}.",
    "It opens the week after {}.", "The hall opened originally on {}.", "The hall opens from {} until Easter.",
    "The hall opens on {}, provided that the roof is done.",
)  # fmt: skip


def found(spec: object, text: str) -> set[str]:
    """What is said of an answer."""
    return set(kinds(verdicts(expected_answer, {"answer": spec}, {"output": text})))


@given(_DAYS, st.sampled_from(_FORMS), st.sampled_from(_STATED))
def test_a_sentence_states_a_day(day: date, form: str, sentence: str) -> None:
    text = sentence.format(form.format(day))
    assert found({"equals": day.isoformat()}, text) == {"pass"}
    another = (day + timedelta(days=1)).isoformat()
    assert "pass" not in found({"equals": another}, text)


@given(_DAYS, st.sampled_from(_FORMS[:2]), st.sampled_from(_NOT_STATED))
def test_a_sentence_that_bounds_or_denies_it_does_not(day: date, form: str, sentence: str) -> None:  # fmt: skip
    assert found({"equals": day.isoformat()}, sentence.format(form.format(day))) == {"abstain"}  # fmt: skip


def test_two_days_are_open() -> None:
    text = "The hall opens on 3 July 2026 and shuts on 9 July 2026."
    assert found({"equals": "2026-07-03"}, text) == {"abstain"}


@given(st.integers(1, 12), st.integers(0, 59), st.booleans())
def test_a_time_in_two_halves_of_the_day(
    hour: int, minute: int, afternoon: bool
) -> None:
    shown = f"{hour}:{minute:02} {'pm' if afternoon else 'am'}"
    own, other = (hour % 12 + 12 * half for half in (afternoon, not afternoon))
    text = f"The gate opens at {shown}."
    assert found({"equals": f"{own:02}:{minute:02}"}, text) == {"pass"}
    assert found({"equals": f"{other:02}:{minute:02}"}, text) == {"fail"}


def test_hours_alone_and_fields() -> None:
    assert found({"equals": "14:00"}, "The gate opens at 2 pm.") == {"pass"}
    assert found({"equals": "02:00"}, "The gate opens at 2 pm.") == {"fail"}
    contract = {"fields": {"opens": {"equals": "14:20"}}}
    for shown, said in (("2:20 pm", "pass"), ("2:20 am", "fail"), ("14:20", "pass")):
        given = {"output": f"Opens: {shown}"}
        assert kinds(verdicts(expected_answer, contract, given)) == [said]


@given(st.integers(2, 999))
def test_the_amount_of_one_piece_is_not_that_of_all(amount: int) -> None:
    spec = {"equals": amount, "unit": ["EUR"]}
    for text in (
        f"Each ticket costs {amount} EUR.", f"A single pass is {amount} EUR, you need two.",
        f"Every guest pays {amount} EUR.", f"Jedes Boot kostet {amount} EUR.", f"Chaque place coûte {amount} EUR.",
    ):  # fmt: skip
        assert found(spec, text) == {"abstain"}
    assert found(spec, f"Each month you pay {amount} EUR.") == {"pass"}


@given(st.integers(2, 99), st.integers(2, 99))
def test_a_second_figure_without_a_unit_is_another_report(wanted: int, has: int) -> None:  # fmt: skip
    text = f"The target is {wanted} kg, the crate has {has}."
    expected = {"pass"} if wanted == has else {"abstain"}
    assert found({"equals": wanted, "unit": ["kg"]}, text) == expected
    plain = f"The crate has {wanted} kg; see crate {has} too."
    assert found({"equals": wanted, "unit": ["kg"]}, plain) == {"pass"}


@pytest.mark.parametrize("behind", ["less a rebate", "less the deposit", "minus a tenth", "abzüglich Skonto", "moins la remise"])  # fmt: skip
def test_an_amount_less_something_is_another(behind: str) -> None:
    assert found({"equals": 84, "unit": ["EUR"]}, f"You pay 84 EUR {behind}.") == {"abstain"}  # fmt: skip


@given(st.integers(2, 99), st.integers(2, 99))
def test_what_is_now_stands_against_what_was(was: int, now: int) -> None:
    text = f"It was {was} before; now it is {now}."
    assert found({"equals": now}, text) == {"pass"}
    if was != now:
        assert found({"equals": was}, text) == {"fail"}


@pytest.mark.parametrize("text", ["No ticket is needed.", "No dogs are allowed here.", "No such permit was issued."])  # fmt: skip
def test_no_before_a_noun_is_open(text: str) -> None:
    assert found({"equals": False}, text) == {"abstain"}


@pytest.mark.parametrize("text", ["No problem, it is free.", "No doubt it is free.", "No later than May."])  # fmt: skip
def test_an_idiom_is_not(text: str) -> None:
    assert found({"equals": False}, text) == {"fail"}
