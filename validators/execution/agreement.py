"""Whether what is said about an execution agrees with its record: the values that both name, in any spelling."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.validators._shared.numbers.months import SHORT_MONTHS
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import (
    as_mapping,
    as_sequence,
    is_container,
    json_text,
)

_ABOUT: Final = frozenset(
    map(
        fold_name,
        (
            "status", "state", "outcome", "result", "confirmed", "confirmed_at", "confirmed_by", "approved_by", "at",
            "timestamp", "time", "created_at", "updated_at", "executed_at", "completed_at", "id", "uuid", "record_id",
            "row_id", "result_id", "task_id", "trace_id", "run_id", "idempotency_key", "request_id", "source", "system",
            "success", "ok", "error", "type", "reference", "ref", "seq", "sequence", "version", "attempt",
            "confirmation",
        ),
    )
)  # fmt: skip
"""Keys about the row and its writing, not about what was executed."""
_PROSE: Final = frozenset(
    map(
        fold_name,
        (
            "note", "notes", "description", "message", "body", "text", "content", "comment", "comments", "reason",
            "summary", "memo", "subject", "details", "title", "name", "label", "method", "channel",
        ),
    )
)  # fmt: skip
"""Keys of running text, which two writers word differently."""
_MAX_WORDS: Final = 6
_WORD = re.compile(r"[^\W_]+")
_LIST_MARK = re.compile(r"\s*[,;]\s*|\s+(?:and|&)\s+")
_CLOCK = re.compile(r"0?(\d{1,2})[:.](\d\d)(?::00)?\s*(am|pm)?")
_VERSION = re.compile(r"v\.?\s?(?=\d)")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\.? ([a-z]{3})[a-z]*\.?,? (\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_NOON: Final = 12
_SEPARATORS = re.compile(r"[\s_\-]+")
_NUMBER_PART = re.compile(r"[\d.,'\s\u2019+-]+")
CURRENCIES: Final = {
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "\u20ac": "eur", "eur": "eur",
    "euro": "eur", "euros": "eur", "\u00a3": "gbp", "gbp": "gbp", "pound": "gbp", "pounds": "gbp", "\u00a5": "jpy",
    "jpy": "jpy", "yen": "jpy", "chf": "chf", "franc": "chf", "francs": "chf",
    "franken": "chf", "inr": "inr", "\u20b9": "inr", "cad": "cad", "aud": "aud",
}  # fmt: skip


def fields_of(execution: Action | ExecutionRecord) -> dict[str, object]:
    """What an execution was done with, by folded name: its parameters, those inside them, and its further keys."""
    fields: dict[str, object] = {}
    extras = {
        key: value
        for key, value in (execution.model_extra or {}).items()
        if fold_name(key) not in _ABOUT
    }
    for group in (execution.parameters, extras):
        for key, value in _named_values(group):
            fields.setdefault(fold_name(key), value)
    return fields


def _named_values(root: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The keys and values of an object and of the objects in it, outer ones first; lists are values."""
    queue = deque([root])
    while queue:
        for key, value in queue.popleft().items():
            inner = as_mapping(value)
            if inner is None:
                yield key, value
            else:
                queue.append(inner)


def differences(
    claimed: Action, record: ExecutionRecord
) -> list[tuple[str, object, object]]:
    """The fields that claim and record both name with different values: name, claimed, recorded."""
    recorded = fields_of(record)
    found: list[tuple[str, object, object]] = []
    for name, value in fields_of(claimed).items():
        if name not in recorded or name in _PROSE:
            continue
        if not values_agree(value, recorded[name]):
            found.append((name, value, recorded[name]))
    return found


def same_content(left: ExecutionRecord, right: ExecutionRecord) -> bool:
    """Whether two records were done with the same values, ids and times of the rows left out."""
    first, second = fields_of(left), fields_of(right)
    names = {name for name in first.keys() | second.keys() if name not in _ABOUT}
    return all(
        name in first
        and name in second
        and values_agree(first[name], second[name], exact=True)
        for name in names
    )


def values_agree(left: object, right: object, *, exact: bool = False) -> bool:
    """Whether two values mean the same: 1200, `"1,200.00"` and `"EUR 1200"`; dates in any form; names in any case.

    With `exact`, a text that only says more than the other is another one.
    """
    if left is None or right is None:
        return not exact or left is right
    if is_container(left) or is_container(right):
        return _containers_agree(left, right, exact=exact)
    if isinstance(left, bool) or isinstance(right, bool):
        return str(left).strip().casefold() == str(right).strip().casefold()
    return _scalars_agree(str(left), str(right), exact=exact)


def _containers_agree(left: object, right: object, *, exact: bool) -> bool:
    first, second = as_mapping(left), as_mapping(right)
    if first is not None and second is not None:
        return _mappings_agree(first, second, exact=exact)
    items, others = _items(left), _items(right)
    if items is None or others is None:
        single = items if items is not None else others
        other = right if items is not None else left
        return (
            single is not None
            and len(single) == 1
            and values_agree(single[0], other, exact=exact)
        )
    return _sequences_agree(items, others, exact=exact)


def _items(value: object) -> Sequence[object] | None:
    """The elements of a list, or of a text that lists some: `12A, 12B`."""
    if isinstance(value, str) and _LIST_MARK.search(value):
        return [part.strip() for part in _LIST_MARK.split(value)]
    return as_sequence(value)


def _mappings_agree(
    first: Mapping[str, object], second: Mapping[str, object], *, exact: bool
) -> bool:
    left = {fold_name(key): value for key, value in first.items()}
    right = {fold_name(key): value for key, value in second.items()}
    if exact and left.keys() != right.keys():
        return False
    return all(
        values_agree(left[key], right[key], exact=exact)
        for key in left.keys() & right.keys()
    )


def _sequences_agree(
    items: Sequence[object], others: Sequence[object], *, exact: bool
) -> bool:
    """The same elements in any order."""
    if len(items) != len(others):
        return False
    left, right = sorted(items, key=json_text), sorted(others, key=json_text)
    return all(
        values_agree(one, other, exact=exact)
        for one, other in zip(left, right, strict=True)
    )


@lru_cache(maxsize=4_096)
def _scalars_agree(left: str, right: str, *, exact: bool) -> bool:
    left, right = _iso(_folded(left)) or left, _iso(_folded(right)) or right
    first, second = _usual(_folded(left)), _usual(_folded(right))
    if first == second:
        return True
    numbers, others = readings(left), readings(right)
    if numbers and others:
        return not set(numbers).isdisjoint(others) and _same_currency(first, second)
    if _moment(left) is not None and _moment(right) is not None:
        return _same_moment(left, right)
    return not exact and _texts_agree(first, second)


def _iso(text: str) -> str | None:
    """A day written in words as `2031-06-01`; None for another text."""
    found = _DAY_FIRST.fullmatch(text)
    if found is not None:
        day, month, year = found[1], found[2], found[3]
    else:
        found = _MONTH_FIRST.fullmatch(text)
        if found is None:
            return None
        month, day, year = found[1], found[2], found[3]
    if month not in SHORT_MONTHS:
        return None
    return f"{year}-{SHORT_MONTHS.index(month) + 1:02}-{int(day):02}"


def _usual(text: str) -> str:
    """A folded text in one spelling: `9:00`, `09:00:00` and `9:00 am` are one; so are `v2.1` and `2.1`."""
    found = _CLOCK.fullmatch(text)
    if found is None or ("." in text and found[3] is None):
        return _VERSION.sub("", text, count=1) if _VERSION.match(text) else text
    hour = int(found[1])
    if found[3] is not None:
        hour = hour % _NOON + (_NOON if found[3] == "pm" else 0)
    return f"{hour}:{found[2]}"


def _texts_agree(left: str, right: str) -> bool:
    """Whether two folded texts name the same; running text is not compared."""
    if _SEPARATORS.sub("", left) == _SEPARATORS.sub("", right):
        return True
    words, others = set(_WORD.findall(left)), set(_WORD.findall(right))
    if not words or not others:
        return not words and not others
    return max(len(words), len(others)) > _MAX_WORDS or _names_agree(words, others)


def _names_agree(words: set[str], others: set[str]) -> bool:
    """Whether one says no other than the other: `Ann` and `Ann Fox`, `7b` and `class 7b`; never `7b` and `7b 2`."""
    if not (words <= others or others <= words):
        return False
    return not any(character.isdigit() for word in words ^ others for character in word)


def _same_currency(left: str, right: str) -> bool:
    first, second = _currency(left), _currency(right)
    return first is None or second is None or first == second


def _currency(text: str) -> str | None:
    unit = _NUMBER_PART.sub(" ", text).strip()
    return CURRENCIES.get(unit)


def _folded(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def _moment(text: str) -> datetime | None:
    if len(text) < len("2026-1-1") or not text[:4].isdigit():
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _same_moment(left: str, right: str) -> bool:
    first, second = _moment(left), _moment(right)
    if first is None or second is None:
        return False
    if ("T" not in left.upper() and ":" not in left) or (
        "T" not in right.upper() and ":" not in right
    ):
        return first.date() == second.date()
    if (first.tzinfo is None) != (second.tzinfo is None):
        return first.replace(tzinfo=None) == second.replace(tzinfo=None)
    return first.replace(tzinfo=first.tzinfo or UTC) == second.replace(
        tzinfo=second.tzinfo or UTC
    )
