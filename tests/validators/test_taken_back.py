"""Notes behind a value that put another one in its place, and days with a note behind them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer

from .helpers import kinds, verdicts

TAKEN_BACK = (
    "{} (moved to the annexe)", "{}, since postponed", "{} - cancelled", "{} (corrected to 77)", "{} (now 77)",
    "{}; it has been replaced by another", "{} (no longer valid)", "{}, unless it rains", "{} (if the board agrees)",
    "{}, I believe", "{} (probably)", "{} (was withdrawn)", "{} (delayed, now 19:10)", "{} (stepped down in May)",
    "{} (verschoben)", "{}, jetzt 77", "{} (nicht mehr gültig)", "{}, sofern es trocken bleibt", "{}, vermutlich",
    "{} (reporté)", "{} (remplacé par un autre)", "{}, je crois", "{} (aplazado)", "{} (ya no vale)", "{}, creo",
    "{} (rinviato)", "{}, credo", "{} (adiado)", "{} (uitgesteld)", "{} (niet meer geldig)", "{} (aflyst)",
    "{} (inställd)", "{} (odwołany)", "{} (iptal)", "{}（変更）",
)  # fmt: skip
KEPT = (
    "{} (moved from the annexe)", "{} (upper floor)", "{}, next to the bakery", "{} - bring a coat", "{} (all day)",
    "{}, as every year", "{} (rescheduled from 9 June)", "{} (now paid)", "{} (bestätigt)", "{} (étage 2)",
    "{} (was 61 last year)", "{}, open to everybody",
)  # fmt: skip
VALUES = (
    ("Quay 12", "Quay 12"),
    ("Mara Lind", "Mara Lind"),
    ("17:25", "17:25"),
    (61, "61"),
    ("2026-06-08", "8 June 2026"),
)


def found(expected: object, text: str) -> list[str]:
    """What is said about a field with that value."""
    contract = {"fields": {"berth": {"equals": expected}}}
    output = {"final_answer": f"Berth: {text}"}
    return kinds(verdicts(expected_answer, contract, {"output": output}))


@pytest.mark.parametrize(("expected", "written"), VALUES)
@pytest.mark.parametrize("note", TAKEN_BACK)
def test_what_is_taken_back_is_open(expected: object, written: str, note: str) -> None:
    assert found(expected, note.format(written)) == ["abstain"]


@pytest.mark.parametrize(("expected", "written"), VALUES)
@pytest.mark.parametrize("note", KEPT)
def test_other_notes(expected: object, written: str, note: str) -> None:
    assert "fail" not in found(expected, note.format(written))
    if "61" not in note and "9 June" not in note:
        assert found(expected, note.format(written)) == ["pass"]


_DAYS = st.dates(date(2001, 1, 1), date(2079, 12, 31))
_WRITTEN = st.sampled_from(["%d %B %Y", "%B %d, %Y", "%d. %B %Y", "%Y-%m-%d", "%A, %d %B %Y", "%a %d %b %Y"])  # fmt: skip
_NOTES = st.sampled_from([" (harbour office)", ", Quay 3", " - first sailing", " (ab 9 Uhr)", "; bring a coat"])  # fmt: skip


@given(_DAYS, _WRITTEN, _NOTES, _DAYS)
def test_a_note_behind_a_day(day: date, written: str, note: str, other: date) -> None:
    shown = day.strftime(written)
    assert found(day.isoformat(), shown + note) == ["pass"]
    for between in (" to ", " \u2013 ", " (or ", ", not "):
        kept = found(day.isoformat(), f"{shown}{between}{other.strftime(written)}")
        assert "pass" not in kept or other == day
    if other != day:
        assert found(other.isoformat(), shown + note) == ["fail"]


@given(_DAYS, st.integers(1, 6))
def test_a_weekday_behind_a_day(day: date, shift: int) -> None:
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")  # fmt: skip
    shown = day.strftime("%d %B %Y")
    right, wrong = names[day.weekday()], names[(day.weekday() + shift) % 7]
    assert found(day.isoformat(), f"{shown} ({right})") == ["pass"]
    assert found(day.isoformat(), f"{shown} ({wrong})") == ["abstain"]
