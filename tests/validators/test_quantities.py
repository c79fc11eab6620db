"""Numbers with units, and dates, as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.claims.language.quantities import agree, comparable, figures
from judgemesh.validators.claims.language.sentences import split


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3,900 DKK", "3900", "dkk"),
        ("$1.81 million", "1810000", "usd"),
        ("$3m", "3000000", "usd"),
        ("904 m", "904", "m"),
        ("0.5 km", "500", "m"),
        ("5k runners", "5000", ""),
        ("a 65-billion-parameter model", "65000000000", ""),
        ("12 %", "12", "%"),
        ("twelve percent", "12", "%"),
        ("-5 \u00b0C", "-5", "\u00b0c"),
        ("380 mm", "0.380", "m"),
        ("2 hours", "7200", "s"),
        ("\u20ac20", "20", "eur"),
    ],
)
def test_one_number(text: str, value: str, unit: str) -> None:
    (number,) = figures(text).numbers
    assert (number.value, number.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    "text",
    ["COVID-19", "LLaMA-13B", "v2.0", "A-1001", "1.2.3.4", "12:30", "page", "\u2167"],
)
def test_parts_of_names_are_no_numbers(text: str) -> None:
    assert figures(text).numbers == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2021-05-03", (2021, 5, 3)),
        ("3 May 2021", (2021, 5, 3)),
        ("May 3rd, 2021", (2021, 5, 3)),
        ("the 3rd of Sept. 2021", (2021, 9, 3)),
        ("December 1999", (1999, 12, None)),
    ],
)
def test_one_date(text: str, parts: tuple[int, int, int | None]) -> None:
    stated = figures(text)
    assert [(day.year, day.month, day.day) for day in stated.days] == [parts]
    assert stated.numbers == ()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("4.4 kg", "4,400 g", True),
        ("4 million", "4.3 million", True),
        ("4.0 million", "4.3 million", False),
        ("about 100 people", "103 people", True),
        ("100 people", "103 people", False),
        ("about 100 people", "130 people", False),
        ("0 people", "0.4 people", False),
        ("5 EUR", "5 USD", False),
        ("-5 %", "5 %", False),
    ],
)
def test_agreement(first: str, second: str, same: bool) -> None:
    (left,), (right,) = figures(first).numbers, figures(second).numbers
    assert agree(left, right) is agree(right, left) is same


def test_what_can_be_compared() -> None:
    (people,), (euros,), (year,) = (
        figures(text).numbers for text in ("40 people", "40 EUR", "1940")
    )
    assert comparable(people, people)
    assert comparable(year, year)
    assert not comparable(people, euros)
    assert not comparable(people, year)


@given(
    st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False),
    st.text(max_size=20),
)
def test_a_number_is_read_back(value: Decimal, around: str) -> None:
    (number,) = figures(f"it costs {value} EUR").numbers
    assert (number.value, number.unit) == (value, "eur")
    assert agree(number, number)
    figures(around)


@given(st.text(alphabet="aB.!? \n1,-", max_size=200))
def test_sentences_cover_the_text(text: str) -> None:
    pieces = list(split(text))
    assert all(text[start : start + len(piece)] == piece for start, piece in pieces)
    assert sum(len("".join(piece.split())) for _, piece in pieces) == len(
        "".join(text.split())
    )
