"""Comparing a value with a contract's `Matcher`. All its conditions must hold; an absent value matches nothing."""

from __future__ import annotations

import operator
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

_MAX_DIGITS: Final = 60
_MARKS = re.compile(r"[\s,./\-_*^]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,4})?")

_Scalar = Callable[[object, object], bool]
"""Whether two scalars that are not equal count as equal."""


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
    for condition in matcher.model_fields_set:
        check = _CHECKS.get(condition)
        if check is not None and not check(matcher, value, loose):
            return False
    return True


def number(value: object, *, loose: bool = False) -> Decimal | None:
    """The exact number that `value` is (or, `loose`, that its text writes)."""
    if is_number(value):
        text = repr(value)
    elif loose and isinstance(value, str) and _writes_number(value):
        text = value.strip()
    else:
        return None
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return None
    return exact if exact.is_finite() else None


def _writes_number(text: str) -> bool:
    return len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text.strip()) is not None


def fold_text(text: str) -> str:
    """`text` without case, spaces and the marks that people set or leave out (`, . / - _ * ^`); one kind of quote."""
    folded = plain(text).casefold()
    return (_MARKS.sub("", folded) or folded.strip()).replace("'", '"')


def _scalar_rule(matcher: Matcher, *, loose: bool) -> _Scalar | None:
    """How scalars that are not equal are compared; None where they have to be equal."""
    has_tolerance = (
        matcher.tolerance is not None or matcher.relative_tolerance is not None
    )
    if matcher.strict or not (has_tolerance or loose or matcher.fold):
        return None

    def close(expected: object, actual: object) -> bool:
        if isinstance(expected, str) and isinstance(actual, str):
            return bool(matcher.fold) and fold_text(expected) == fold_text(actual)
        if loose and isinstance(expected, bool) and isinstance(actual, str):
            return actual.strip().casefold() == str(expected).casefold()
        return _close_numbers(matcher, expected, actual, loose=loose)

    return close


def _close_numbers(
    matcher: Matcher, expected: object, actual: object, *, loose: bool
) -> bool:
    """Whether two numbers are within the matcher's tolerance."""
    expected_number = number(expected, loose=loose)
    actual_number = number(actual, loose=loose)
    if expected_number is None or actual_number is None:
        return False
    absolute = Decimal(repr(matcher.tolerance or 0.0))
    share = Decimal(repr(matcher.relative_tolerance or 0.0))
    tolerance = max(absolute, share * abs(expected_number))
    return abs(expected_number - actual_number) <= tolerance


_Check = Callable[[Matcher, object, bool], bool]
"""Whether a value fulfils one condition of a matcher; the last argument is `loose`."""


def _equals(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    return _is_equal(matcher, matcher.equals, value, loose=loose)


def _not_equals(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    return not _is_equal(matcher, matcher.not_equals, value, loose=loose)


def _one_of(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    if matcher.one_of is None:
        return True
    return any(
        _is_equal(matcher, choice, value, loose=loose) for choice in matcher.one_of
    )


def _is_equal(
    matcher: Matcher, expected: object, value: object, *, loose: bool
) -> bool:
    rule = _scalar_rule(matcher, loose=loose)
    return json_equal(expected, value, rule, strict=matcher.strict)


def _pattern(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    if matcher.pattern is None:
        return True
    text = value if isinstance(value, str) else json_text(value)
    return search(matcher.pattern, text) is not None


def _contains(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    if matcher.contains is None:
        return True
    if isinstance(value, str):
        return matcher.contains in value
    mapping = as_mapping(value)
    if mapping is not None:
        return matcher.contains in mapping
    return any(
        json_equal(matcher.contains, element) for element in as_sequence(value) or ()
    )


def _any(matcher: Matcher, _value: object, _loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    return matcher.any is not False


def _schema(matcher: Matcher, value: object, _loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
    if matcher.json_schema is None:
        return True
    return schema_of(matcher.json_schema).is_valid(value)


def _bound(name: str, holds: Callable[[Decimal, Decimal], bool]) -> _Check:
    def check(matcher: Matcher, value: object, loose: bool) -> bool:  # noqa: FBT001 (one type for the table)
        limit = number(getattr(matcher, name))
        if limit is None:
            return True
        exact = number(value, loose=loose)
        return exact is not None and holds(exact, limit)

    return check


_CHECKS: Final[Mapping[str, _Check]] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "pattern": _pattern,
        "contains": _contains,
        "any": _any,
        "json_schema": _schema,
        "one_of": _one_of,
        "gt": _bound("gt", operator.gt),
        "ge": _bound("ge", operator.ge),
        "lt": _bound("lt", operator.lt),
        "le": _bound("le", operator.le),
    }
)
_PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "equals": "{}", "not_equals": "not {}", "pattern": "text like {}", "contains": "something that contains {}",
        "json_schema": "a value of schema {}", "one_of": "one of {}", "gt": "more than {}", "ge": "at least {}",
        "lt": "less than {}", "le": "at most {}", "tolerance": "within {}",
        "relative_tolerance": "within {} of its size",
    }
)  # fmt: skip


def describe(matcher: Matcher) -> str:
    """The condition in words, for diagnostics."""
    phrases = [
        phrase.format(show(getattr(matcher, name)))
        for name, phrase in _PHRASES.items()
        if name in matcher.model_fields_set
    ]
    return ", ".join(phrases) or "any value"
