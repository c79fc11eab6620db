"""Comparing a value with a contract's `Matcher`. All given conditions must hold; an absent value matches nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.section import Matcher
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.schemas import schema_of
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import (
    ABSENT,
    as_mapping,
    as_sequence,
    is_number,
    json_equal,
    json_text,
    show,
)

_Check = Callable[[Matcher, object, bool], bool]
_MAX_DIGITS: Final = 60
_MARKS = re.compile(r"[\s,./\-_*^]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,4})?")


def matches(matcher: Matcher, value: object, *, loose: bool = False) -> bool:
    """Whether `value` fulfils the matcher.

    Args:
        matcher: the contract's condition.
        value: a JSON value, or ABSENT.
        loose: records come from CSV files and databases too: let a number equal the text that writes it.

    Raises:
        ValueError: the matcher's pattern or schema is none.
    """
    if value is ABSENT:
        return matcher.any is False
    return all(
        _CHECKS[name](matcher, value, loose)
        for name in matcher.model_fields_set
        if name in _CHECKS
    )


def number(value: object, *, loose: bool = False) -> Decimal | None:
    """The exact number that `value` is (or, `loose`, that its text writes)."""
    if is_number(value):
        text = repr(value)
    elif (
        loose
        and isinstance(value, str)
        and len(value) <= _MAX_DIGITS
        and _NUMBER.fullmatch(value.strip())
    ):
        text = value.strip()
    else:
        return None
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _equals(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001 (one row type for the table)
    return json_equal(
        matcher.equals, value, _scalar_rule(matcher, loose=loose), strict=matcher.strict
    )


def _scalar_rule(
    matcher: Matcher, *, loose: bool
) -> Callable[[object, object], bool] | None:
    absolute, relative, fold = (
        matcher.tolerance,
        matcher.relative_tolerance,
        matcher.fold,
    )
    if (
        absolute is None and relative is None and not loose and not fold
    ) or matcher.strict:
        return None

    def close(expected: object, found: object) -> bool:
        if fold and isinstance(expected, str) and isinstance(found, str):
            return fold_text(expected) == fold_text(found)
        if loose and isinstance(expected, bool) and isinstance(found, str):
            return found.strip().casefold() == str(expected).casefold()
        one, two = number(expected, loose=loose), number(found, loose=loose)
        if (
            one is None
            or two is None
            or (isinstance(expected, str) and isinstance(found, str))
        ):
            return False
        allowed = max(
            Decimal(repr(absolute or 0.0)), Decimal(repr(relative or 0.0)) * abs(one)
        )
        return abs(one - two) <= allowed

    return close


def fold_text(text: str) -> str:
    """`text` without case, spaces and the marks that people set or leave out (`, . / - _ * ^`); one kind of quote."""
    folded = plain(text).casefold()
    return (_MARKS.sub("", folded) or folded.strip()).replace("'", '"')


def _not_equals(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001
    return not json_equal(
        matcher.not_equals,
        value,
        _scalar_rule(matcher, loose=loose),
        strict=matcher.strict,
    )


def _pattern(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001
    return (
        matcher.pattern is None
        or search(
            matcher.pattern, value if isinstance(value, str) else json_text(value)
        )
        is not None
    )


def _contains(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001
    if matcher.contains is None:
        return True
    if isinstance(value, str):
        return matcher.contains in value
    mapping = as_mapping(value)
    return (
        matcher.contains in mapping
        if mapping is not None
        else any(
            json_equal(matcher.contains, item) for item in as_sequence(value) or ()
        )
    )


def _schema(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001
    return matcher.json_schema is None or schema_of(matcher.json_schema).is_valid(value)


def _one_of(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001
    if matcher.one_of is None:
        return True
    rule = _scalar_rule(matcher, loose=loose)
    return any(
        json_equal(choice, value, rule, strict=matcher.strict)
        for choice in matcher.one_of
    )


def _bound(name: str, holds: Callable[[Decimal, Decimal], bool]) -> _Check:
    def check(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001
        limit = number(getattr(matcher, name))
        if limit is None:
            return True
        found = number(value, loose=loose)
        return found is not None and holds(found, limit)

    return check


_CHECKS: Mapping[str, _Check] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "pattern": _pattern,
        "contains": _contains,
        "any": lambda matcher, _value, _loose: matcher.any is not False,
        "json_schema": _schema,
        "one_of": _one_of,
        "gt": _bound("gt", lambda found, limit: found > limit),
        "ge": _bound("ge", lambda found, limit: found >= limit),
        "lt": _bound("lt", lambda found, limit: found < limit),
        "le": _bound("le", lambda found, limit: found <= limit),
    }
)

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "equals": "{}", "not_equals": "not {}", "pattern": "text like {}", "contains": "something that contains {}",
        "json_schema": "a value of schema {}", "one_of": "one of {}", "gt": "more than {}", "ge": "at least {}",
        "lt": "less than {}", "le": "at most {}", "tolerance": "within {}",
        "relative_tolerance": "within {} of its size",
    }
)  # fmt: skip


def describe(matcher: Matcher) -> str:
    """The condition in words, for diagnostics."""
    parts = [
        words.format(show(getattr(matcher, name)))
        for name, words in _WORDS.items()
        if name in matcher.model_fields_set
    ]
    return ", ".join(parts) or "any value"
