"""Whether a stated value equals the expected one, by the type of the expected one.

White space, quotes, Markdown and a final full stop never count; letter case does, unless `fold` is set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.answer.choices import chooses, is_choice
from judgemesh.validators._shared.answer.expected_numbers import numbers_of, same_number
from judgemesh.validators._shared.answer.stated import Stated, tidy
from judgemesh.validators._shared.answer.yes_no import YES_WORDS, says
from judgemesh.validators._shared.equality import Truth, fold_prose, is_code, is_equal
from judgemesh.validators._shared.honorifics import Address, without_title
from judgemesh.validators._shared.json_answers import json_values
from judgemesh.validators._shared.numbers.dates import (
    date_before_note,
    dates_of,
    has_year,
)
from judgemesh.validators._shared.numbers.doubt_notes import is_noted
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.values import as_sequence, is_container, is_number

_STOPS: Final = re.compile(
    r"[\s*_\"'\u201d]*(?:$|[,;:.(!\u2013\u2014\n]|\s-\s|(?:and|with|which|who|where|on|for|in|at|from|to|by|as|but|so|while|"
    r"because|per|including|since|after|before|until|via|this|that|it|is|was)\b)",
    re.IGNORECASE,
)
_LIST_MARKS: Final = re.compile(r"\s*(?:\n|,|;|\band\b|&)\s*(?:and\s+)?")
_ITEM: Final = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,3}[.)])\s+")


def same_value(
    conditions: Conditions, expected: object, stated: Stated, units: Sequence[str]
) -> Truth:
    """Whether the stated value equals the expected one; None where nobody can tell."""
    value = stated.value
    if not isinstance(value, str):
        return _same_data(conditions, expected, value)
    if is_container(expected):
        return _same_container(conditions, expected, value)
    if expected is None:
        return tidy(value).casefold() in {"null", "none", "nil"}
    if isinstance(expected, bool):
        return says(expected, value)
    if is_number(expected):
        return same_number(conditions, readings(expected), stated, units)
    return _same_text(conditions, str(expected), stated, units)


def _same_data(conditions: Conditions, expected: object, value: object) -> Truth:
    """Against a JSON value that is no text: a number also equals the text that writes it."""
    if isinstance(expected, str) and not isinstance(value, bool) and is_number(value):
        return readings(expected)[:1] == readings(value) and not is_code(expected)
    return is_equal(
        conditions, expected, value, loose=not conditions.strict, fold=fold_prose
    )


def _same_container(conditions: Conditions, expected: object, text: str) -> Truth:
    values = json_values(text)
    if values and is_container(values[-1]):
        return is_equal(conditions, expected, values[-1], loose=False, fold=fold_prose)
    listed = as_sequence(expected)
    if listed is None:
        return False
    body = text if ":" not in text.split("\n", 1)[0] else text.split(":", 1)[1]
    parts = [_ITEM.sub("", part) for part in _LIST_MARKS.split(body.strip())]
    items = [tidy(part) for part in parts if tidy(part)]
    wanted = [str(item) if is_number(item) else item for item in listed]
    return is_equal(conditions, wanted, items, loose=False, fold=fold_prose)


def _same_text(
    conditions: Conditions, expected: str, stated: Stated, units: Sequence[str]
) -> Truth:
    """Whether a stated text is the expected one; a title before a name is compared by whom it addresses."""
    text = str(stated.value)
    if conditions.strict:
        return text.strip() == expected.strip()
    shown, wanted = without_title(tidy(text)), without_title(tidy(expected))
    is_name = not is_choice(wanted.name) and wanted.name.casefold() not in YES_WORDS
    if shown.address is wanted.address is None or not is_name:
        return _same_wording(conditions, expected, stated, units)
    bare = replace(stated, value=shown.name)
    same = _same_wording(conditions, wanted.name, bare, units)
    if same is not True or wanted.address is None or wanted.address is shown.address:
        return same
    addresses = {wanted.address, shown.address or Address.EITHER}
    return None if Address.EITHER in addresses else False


def _same_wording(
    conditions: Conditions, expected: str, stated: Stated, units: Sequence[str]
) -> Truth:
    shown, wanted = tidy(str(stated.value)), tidy(expected)
    if shown == wanted or (conditions.fold and fold_prose(shown) == fold_prose(wanted)):
        return None if stated.retracted else True
    part = stated.ref != "final_answer" and not stated.retracted
    rules: tuple[tuple[bool, Callable[[], Truth]], ...] = (
        (is_choice(wanted), lambda: chooses(wanted, shown)),
        (wanted.casefold() in YES_WORDS, lambda: says(YES_WORDS[wanted.casefold()], shown)),
        (bool(dates_of(wanted) and dates_of(shown)), lambda: _same_day(wanted, shown)),
        (part and bool(dates_of(wanted)) and bool(date_before_note(shown)[0]), lambda: _same_day_noted(wanted, shown)),
        (not part and bool(dates_of(wanted)), lambda: _stated_day(wanted, shown)),
        (":" in wanted and (not part or shown[-1:] in "mM."), lambda: _same_time(wanted, shown, alone=part)),
        (_is_number(wanted), lambda: _same_written(conditions, wanted, stated, units)),
        (part, lambda: _begins_with(conditions, wanted, shown)),
    )  # fmt: skip
    for applies, outcome in rules:
        if applies:
            return outcome()
    return False


def _stated_day(wanted: str, shown: str) -> Truth:
    """Whether a sentence states a day, where one is wanted."""
    from judgemesh.validators._shared.answer.clock_times import states_day

    return states_day(dates_of(wanted), shown)


def _same_time(wanted: str, shown: str, *, alone: bool) -> Truth:
    """Whether a sentence states a time of day, where one is wanted; `alone`, where the text is the value of a field."""
    from judgemesh.validators._shared.answer.clock_times import (
        is_clock_time,
        states_time,
    )

    sentence = f"at {shown}" if alone else shown
    return states_time(wanted, sentence) if is_clock_time(wanted) else False


def _same_day(wanted: str, shown: str) -> Truth:
    """Whether two texts name one day; None where one of them may name another."""
    days, others = dates_of(wanted), dates_of(shown)
    if days.isdisjoint(others):
        return False
    return True if len(days | others) == 1 else None


def _same_day_noted(wanted: str, shown: str) -> Truth:
    """Whether a text with a note behind its day names the wanted one; unknown where the note may name another."""
    days, note = date_before_note(shown)
    expected = dates_of(wanted)
    if expected.isdisjoint(days):
        return False
    is_open = len(days | expected) > 1 or has_year(note) or is_noted(note)
    return None if is_open else True


def _is_number(text: str) -> bool:
    return bool(readings(text)) and not is_code(text)


def _same_written(
    conditions: Conditions, expected: str, stated: Stated, units: Sequence[str]
) -> Truth:
    """A number that the contract writes as text. A percentage is no number with another unit."""
    if expected.endswith("%"):
        numbers, _ = numbers_of(stated, units)
        if any(number.unit and not number.percent for number in numbers):
            return False
    return same_number(conditions, readings(expected)[:1], stated, units)


def _begins_with(conditions: Conditions, wanted: str, shown: str) -> Truth:
    """The expected text, and then something else begins: `Ann Fox` against `Ann Fox, who travels alone`.

    Unknown where what follows says that it is not settled: `Ann Fox (not confirmed)`.
    """
    head, text = (
        (wanted.casefold(), shown.casefold()) if conditions.fold else (wanted, shown)
    )
    if not wanted or not text.startswith(head):
        return False
    rest = text[len(head) :]
    if is_noted(shown[len(head) :] if len(text) == len(shown) else rest):
        return None
    return _STOPS.match(rest) is not None
