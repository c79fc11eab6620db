"""Numbers in notation: what a text states does not depend on how the number is written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.answer.choices import chooses
from judgemesh.validators._shared.answer.expecting import fulfils
from judgemesh.validators._shared.answer.stated import Stated
from judgemesh.validators._shared.answer.yes_no import says
from judgemesh.validators._shared.json_answers import json_values
from judgemesh.validators._shared.numbers.numbers import readings

_RAISED = str.maketrans(
    "0123456789-",
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b",
)


def _states(text: str, number: float | str) -> bool | None:
    expected = Conditions.model_validate(
        {"equals": float(number), "relative_tolerance": 1e-9}
    )
    return fulfils(expected, Stated(text, "final_answer", whole=False))


@given(st.integers(2, 99), st.integers(0, 6))
def test_a_raised_figure_is_a_power(base: int, power: int) -> None:
    written = f"{base}{str(power).translate(_RAISED)}"
    assert readings(written) == (Decimal(base) ** power,)
    assert _states(f"The volume is {written}.", base**power) is True
    assert _states(f"The volume is {written}.", f"{base}{power}") is not True


@given(st.integers(1, 40), st.integers(2, 99))
def test_a_fraction_is_read_in_every_notation(above: int, below: int) -> None:
    for written in (
        f"{above}/{below}",
        rf"$\frac{{{above}}}{{{below}}}$",
        rf"\dfrac{{{above}}}{{{below}}}",
        f"$ {above}/{below} $",
    ):
        assert _states(f"We get {written}", above / below) is True
        assert _states(written, above / below) is True


@given(
    st.integers(1, 9999),
    st.sampled_from(
        ("more than {}", "log {}", "\u221a{}", "-({})", "half of {}", "anything but {}")
    ),
)
def test_another_number_is_not_the_one_shown(number: int, form: str) -> None:
    assert _states(form.format(number), number) is False


@given(st.integers(1, 999), st.integers(1, 999), st.integers(2000, 3000))
def test_an_equation_is_not_the_conclusion(left: int, right: int, other: int) -> None:
    text = f"{left} + {right} = {left + right}, so we order {other} boxes"
    assert _states(text, other) is True
    assert _states(text, left + right) is False
    assert _states(f"{left} + {right} = {left + right}", left + right) is True


@given(st.sampled_from("ABCDEFGH"), st.sampled_from("ABCDEFGH"))
def test_one_letter_is_the_choice(chosen: str, other: str) -> None:
    for form in (
        "{}",
        "({})",
        "Option {}",
        "It must be {}.",
        "I'd pick {}",
        "{}, not Z",
    ):
        assert chooses(chosen, form.format(chosen)) is True
        if other != chosen:
            assert chooses(other, form.format(chosen)) is False
    if other != chosen:
        assert chooses(chosen, f"{chosen} or {other}") is False


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("Yes, it was sent.", True, False),
        ("No, it was not.", False, True),
        ("No problem, it was sent.", None, False),
        ("No. 5", None, False),
        ("Yes and no", False, None),
        ("It was sent.", None, None),
    ],
)
def test_yes_and_no(text: str, yes: bool | None, no: bool | None) -> None:
    assert (says(True, text), says(False, text)) == (yes, no)


@given(
    st.recursive(
        st.integers() | st.text("abc", max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text("xyz", min_size=1, max_size=2), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_a_fragment_of_json_is_no_answer(value: object) -> None:
    import json

    written = json.dumps({"outer": value, "rest": {"a": 1}})
    assert json_values(written[:-1]) == []
    assert json_values(f"Here it is: {written} Done.") == [json.loads(written)]
