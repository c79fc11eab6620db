"""Text from outside cannot command a terminal, and amounts read well."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.money import Money
from judgemesh.mesh.reporting.text import (
    amount,
    duration,
    moment,
    one_line,
    plural,
    visible,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\x9bb", "a\\x9bb"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("over\rwritten", "over\\x0dwritten"),
        ("dos\r\nline", "dos\nline"),
        ("\ud800", "\\ud800"),
        ("naïve 日本 🛩", "naïve 日本 🛩"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()), st.integers(min_value=0, max_value=30))
def test_one_line_is_one_short_printable_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert "\x1b" not in line
    assert "\n" not in line
    assert not limit or len(line) <= limit
    line.encode()


@pytest.mark.parametrize(
    ("money", "shown"),
    [
        (None, "unknown"),
        (Money(Decimal(0)), "0 USD"),
        (Money(Decimal("0.00012345678")), "0.0001235 USD"),
        (Money(Decimal("0.5")), "0.5 USD"),
        (Money(Decimal("12.345"), "EUR"), "12.35 EUR"),
        (Money(Decimal("1E+3")), "1000 USD"),
        (Money(Decimal("0.99999")), "1 USD"),
    ],
)
def test_amount(money: Money | None, shown: str) -> None:
    assert amount(money) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7620, "2 h 07 min"),
    ],
)
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_plural() -> None:
    assert [plural(1, "line"), plural(1200, "line"), plural(0, "match", "matches")] == [
        "1 line",
        "1,200 lines",
        "0 matches",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2026-04-28T10:00:31.250000+00:00", "2026-04-28 10:00 UTC"),
        ("2026-04-28T10:00:00+02:00", "2026-04-28 08:00 UTC"),
        ("2026-04-28T10:00:00Z", "2026-04-28 10:00 UTC"),
        ("2026-04-28T10:00:00", "2026-04-28 10:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_a_moment_is_shown_to_people(text: str, shown: str) -> None:
    assert moment(text) == shown
