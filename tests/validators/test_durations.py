"""A duration is one in whatever spelling, and no other one; `1:30` alone may be two."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.validators.expected_answer import expected_answer

from .helpers import kinds, verdicts

_HOURS = st.sampled_from(["h", "hours", "hrs", "Std.", "heures", "horas", "uur"])
_MINUTES = st.sampled_from(["min", "minutes", "Min.", "minutos"])


def _kinds(text: str, expected: float, unit: str) -> list[str]:
    contract = {"fields": {"crossing": {"equals": expected, "unit": [unit]}}}
    return kinds(verdicts(expected_answer, contract, {"output": f"Crossing: {text}"}))


@given(st.integers(1, 40), st.integers(1, 59), _HOURS, _MINUTES)
def test_spellings_of_one_duration(hours: int, minutes: int, hour: str, minute: str) -> None:  # fmt: skip
    total = hours * 60 + minutes
    for text in (
        f"{hours}:{minutes:02d} {hour}",
        f"{hours} {hour} {minutes:02d}",
        f"{hours} {hour} {minutes} {minute}",
        f"{hours}h{minutes:02d}min",
    ):
        assert _kinds(text, total, "min") == ["pass"], text
        assert _kinds(text, total + 1, "min") == ["fail"], text
        assert _kinds(text, total, "s") != ["pass"], text


@given(st.integers(1, 9), st.integers(0, 59))
def test_a_clock_without_a_unit_may_be_either(first: int, second: int) -> None:
    text = f"{first}:{second:02d}"
    assert _kinds(text, first * 60 + second, "min") == ["abstain"]
    assert _kinds(text, first * 60 + second, "s") == ["abstain"]
    assert _kinds(text, (first + 20) * 60 + second, "min") == ["fail"]
    assert _kinds(f"{text} min", first * 60 + second, "s") == ["pass"]


def test_a_number_behind_hours_may_be_of_something_else() -> None:
    assert _kinds("2 h 30 km", 150, "min") == ["fail"]
    assert _kinds("2 h (30 km)", 120, "min") == ["pass"]
