"""Whether a value that an agent wrote is the one that a contract expects.

The value may be JSON or a piece of text: `42`, `"$42.00"`, `42 km (26 miles)`, `Paris.`. White space, quotes, Markdown
and a final full stop never count; letter case does, unless `fold` is set. Outcomes are as for matchers: it holds, it
does not, or nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.section import Conditions, Matcher
from judgemesh.validators._shared.answer.choices import chooses, is_choice
from judgemesh.validators._shared.answer.expected_numbers import (
    keeps_bound,
    numbers_of,
    same_number,
)
from judgemesh.validators._shared.answer.measured import measured
from judgemesh.validators._shared.answer.stated import Stated, tidy
from judgemesh.validators._shared.answer.yes_no import YES_WORDS, says
from judgemesh.validators._shared.equality import (
    Truth,
    fold_prose,
    is_code,
    is_equal,
)
from judgemesh.validators._shared.json_answers import json_values
from judgemesh.validators._shared.matching import BOUNDS, matches
from judgemesh.validators._shared.numbers.dates import (
    date_before_note,
    dates_of,
    has_year,
)
from judgemesh.validators._shared.numbers.doubt_notes import is_noted
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.schemas import schema_of
from judgemesh.validators._shared.text import typed
from judgemesh.validators._shared.values import (
    as_sequence,
    is_container,
    is_number,
    json_text,
)

_STOPS: Final = re.compile(
    r"[\s*_\"'\u201d]*(?:$|[,;:.(!\u2013\u2014\n]|\s-\s|(?:and|with|which|who|where|on|for|in|at|from|to|by|as|but|so|while|"
    r"because|per|including|since|after|before|until|via|this|that|it|is|was)\b)",
    re.IGNORECASE,
)
_EMPHASIS: Final = re.compile(
    r"`+|\*\*|(?<!\w)[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,3}(?!\w)"
)
_LIST_MARKS: Final = re.compile(r"\s*(?:\n|,|;|\band\b|&)\s*(?:and\s+)?")
_ITEM: Final = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,3}[.)])\s+")
_MAX_PHRASE_WORDS: Final = 4


def fulfils(conditions: Conditions, stated: Stated, units: Sequence[str] = ()) -> Truth:
    """Whether a stated value fulfils all conditions.

    Raises:
        ValueError: a pattern or schema of the contract is none.
    """
    stated = measured(conditions, stated)
    certain = True
    for name in conditions.model_fields_set:
        check = _CHECKS.get(name)
        if check is None:
            continue
        holds = check(conditions, stated, units)
        if holds is False:
            return False
        certain = certain and holds is True
    return True if certain else None


_Check = Callable[[Conditions, Stated, Sequence[str]], Truth]


def _equals(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    return _same(conditions, conditions.equals, stated, units)


def _not_equals(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    return _negated(_same(conditions, conditions.not_equals, stated, units))


def _one_of(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    outcomes = {
        _same(conditions, choice, stated, units) for choice in conditions.one_of or ()
    }
    if True in outcomes:
        return True
    return None if None in outcomes else False


def _not(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
    if conditions.not_ is None:
        return True
    return _negated(fulfils(conditions.not_, stated, units))


def _negated(holds: Truth) -> Truth:
    return None if holds is None else not holds


def _pattern(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    pattern: str | None = getattr(conditions, "pattern", None)
    return pattern is None or search(pattern, _text_of(stated.value)) is not None


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _contains(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    return conditions.contains is None or _holds_part(
        conditions, conditions.contains, stated.searched
    )


def _contains_all(
    conditions: Conditions, stated: Stated, _units: Sequence[str]
) -> Truth:
    return all(
        _holds_part(conditions, part, stated.searched)
        for part in conditions.contains_all or ()
    )


def _contains_any(
    conditions: Conditions, stated: Stated, _units: Sequence[str]
) -> Truth:
    if conditions.contains_any is None:
        return True
    return any(
        _holds_part(conditions, part, stated.value) for part in conditions.contains_any
    )


def _holds_part(conditions: Conditions, part: object, value: object) -> bool:
    """Whether a text holds a part (its digits whole), or JSON an element or key."""
    if not isinstance(value, str):
        single = Matcher.model_validate(
            {"contains_all": [part], "fold": conditions.fold}
        )
        return matches(single, value)
    wanted = _spaced(_text_of(part))
    if conditions.fold:
        return any(
            _has_phrase(fold_prose(wanted), fold_prose(text))
            for text in _renderings(value)
        )
    return any(_digits_whole(wanted, text) for text in _renderings(value))


def _spaced(text: str) -> str:
    return " ".join(typed(text).split())


def _renderings(text: str) -> Iterator[str]:
    """A text as it is written, and as a reader sees it."""
    yield _spaced(text)
    yield _spaced(_EMPHASIS.sub("", text))


def _has_phrase(phrase: str, text: str) -> bool:
    """Whether folded text holds a phrase; one of several words is met in whole words."""
    if " " not in phrase:
        return _digits_whole(phrase, text)
    before = r"(?<!\w)" if phrase[:1].isalnum() else ""
    after = r"(?:e?s)?(?!\w)" if phrase[-1:].isalnum() else ""
    return re.search(before + re.escape(phrase) + after, text) is not None


def _digits_whole(part: str, text: str) -> bool:
    """Whether the part occurs without cutting a number: `42` is not in `142`, `42.5` or `1,420`."""
    before = r"(?<!\d)(?<!\d[.,])" if part[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if part[-1:].isdigit() else ""
    return re.search(before + re.escape(part) + after, text) is not None


def _schema(conditions: Conditions, stated: Stated, _units: Sequence[str]) -> Truth:
    if conditions.json_schema is None:
        return True
    compiled = schema_of(conditions.json_schema)
    if not isinstance(stated.value, str):
        return compiled.is_valid(stated.value)
    values = json_values(stated.value)
    if values:
        return compiled.is_valid(values[-1])
    return compiled.is_valid(tidy(stated.value))


def _bound(name: str) -> _Check:
    def check(conditions: Conditions, stated: Stated, units: Sequence[str]) -> Truth:
        limit = getattr(conditions, name)
        return limit is None or keeps_bound(name, limit, stated, units)

    return check


_CHECKS: Final[Mapping[str, _Check]] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "one_of": _one_of,
        "not_": _not,
        "pattern": _pattern,
        "contains": _contains,
        "contains_all": _contains_all,
        "contains_any": _contains_any,
        "json_schema": _schema,
        **{name: _bound(name) for name in BOUNDS},
    }
)


# --- equality ---------------------------------------------------------------------


def _same(
    conditions: Conditions, expected: object, stated: Stated, units: Sequence[str]
) -> Truth:
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
    text = str(stated.value)
    if conditions.strict:
        return text.strip() == expected.strip()
    shown, wanted = tidy(text), tidy(expected)
    if shown == wanted or (conditions.fold and fold_prose(shown) == fold_prose(wanted)):
        return None if stated.retracted else True
    part = stated.ref != "final_answer" and not stated.retracted
    rules: tuple[tuple[bool, Callable[[], Truth]], ...] = (
        (is_choice(wanted), lambda: chooses(wanted, shown)),
        (wanted.casefold() in YES_WORDS, lambda: says(YES_WORDS[wanted.casefold()], shown)),
        (bool(dates_of(wanted) and dates_of(shown)), lambda: _same_day(wanted, shown)),
        (part and bool(dates_of(wanted)) and bool(date_before_note(shown)[0]), lambda: _same_day_noted(wanted, shown)),
        (_is_number(wanted), lambda: _same_written(conditions, wanted, stated, units)),
        (part, lambda: _begins_with(conditions, wanted, shown)),
    )  # fmt: skip
    for applies, outcome in rules:
        if applies:
            return outcome()
    return False


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


def is_short_phrase(value: object) -> bool:
    """Whether a text is a few words without figures, so that another such text says something else."""
    if not isinstance(value, str) or any(map(str.isdigit, value)):
        return False
    return 0 < len(tidy(value).split()) <= _MAX_PHRASE_WORDS


def all_hold(outcomes: Iterable[Truth]) -> Truth:
    """True where all hold, False where one does not, else unknown."""
    found = set(outcomes)
    if False in found:
        return False
    return None if None in found else True
