"""Comparing a value with a contract's `Matcher`. All its conditions must hold; an absent value matches nothing.

A comparison has three outcomes: it holds, it does not, or nobody can tell (`"about 900"` against `gt: 500`, or
`"1.200"`, which is 1.2 or 1200). `matches` takes the third for "does not hold"; a rule that forbids something asks
`matches_or_unknown` and abstains.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.section import Matcher
from judgemesh.validators._shared.equality import (
    Truth,
    fold_text,
    is_equal,
    number,
    scalar_rule,
)
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.schemas import schema_of
from judgemesh.validators._shared.values import (
    ABSENT,
    UNKNOWN,
    as_mapping,
    as_sequence,
    json_equal,
    json_text,
    show,
)


def matches(matcher: Matcher, value: object, *, loose: bool = False) -> bool:
    """Whether `value` fulfils the matcher for certain.

    Args:
        matcher: the contract's condition.
        value: a JSON value, or ABSENT.
        loose: records come from CSV files and databases too: let a number equal the text that writes it.

    Raises:
        ValueError: the matcher's pattern or schema is none.
    """
    return matches_or_unknown(matcher, value, loose=loose) is True


def matches_or_unknown(
    matcher: Matcher, value: object, *, loose: bool = False
) -> bool | None:
    """Whether `value` fulfils the matcher; None where the value cannot be read as the condition needs it.

    Bounds and tolerances are about numbers. A text that writes no number (`"about 900"`, `"all of it"`), a text that
    can be read as two numbers on both sides of the bound, and a container are unknown to them.

    Raises:
        ValueError: the matcher's pattern or schema is none.
    """
    if value is UNKNOWN:
        return None
    if value is ABSENT:
        return matcher.any is False
    certain = True
    for condition in matcher.model_fields_set:
        check = _CHECKS.get(condition)
        holds = True if check is None else check(matcher, value, loose)
        if holds is False:
            return False
        certain = certain and holds is True
    return True if certain else None


_Check = Callable[[Matcher, object, bool], Truth]
"""Whether a value fulfils one condition of a matcher; the last argument is `loose`."""


def _equals(matcher: Matcher, value: object, loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    return is_equal(matcher, matcher.equals, value, loose=loose)


def _not_equals(matcher: Matcher, value: object, loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    return _negated(is_equal(matcher, matcher.not_equals, value, loose=loose))


def _one_of(matcher: Matcher, value: object, loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.one_of is None:
        return True
    return _any_holds(
        is_equal(matcher, choice, value, loose=loose) for choice in matcher.one_of
    )


def _negated(holds: Truth) -> Truth:
    return None if holds is None else not holds


def _any_holds(outcomes: Iterable[Truth]) -> Truth:
    unknown = False
    for holds in outcomes:
        if holds:
            return True
        unknown = unknown or holds is None
    return None if unknown else False


def _pattern(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.pattern is None:
        return True
    text = value if isinstance(value, str) else json_text(value)
    return search(matcher.pattern, text) is not None


def _contains(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.contains is None:
        return True
    return _has_part(matcher, matcher.contains, value)


def _contains_all(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    parts = matcher.contains_all or ()
    return all(_has_part(matcher, part, value) for part in parts)


def _contains_any(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.contains_any is None:
        return True
    return any(_has_part(matcher, part, value) for part in matcher.contains_any)


def _has_part(matcher: Matcher, part: object, value: object) -> bool:
    """Whether a text, an object or an array holds a part: a piece of text, a key, an element."""
    if isinstance(value, str):
        text = part if isinstance(part, str) else json_text(part)
        if matcher.fold:
            return fold_text(text) in fold_text(value)
        return text in value
    mapping = as_mapping(value)
    if mapping is not None:
        return isinstance(part, str) and part in mapping
    rule = scalar_rule(matcher, loose=False)
    elements = as_sequence(value) or ()
    return any(
        json_equal(part, element, rule, strict=matcher.strict) for element in elements
    )


def _not(matcher: Matcher, value: object, loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.not_ is None:
        return True
    return _negated(matches_or_unknown(matcher.not_, value, loose=loose))


def _any(matcher: Matcher, _value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    return matcher.any is not False


def _schema(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
    if matcher.json_schema is None:
        return True
    return schema_of(matcher.json_schema).is_valid(value)


BOUNDS: Final[Mapping[str, Callable[[Decimal, Decimal], bool]]] = MappingProxyType(
    {"gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le}
)
"""The bounds, and how each compares a number with its limit."""


def _bound(name: str, holds: Callable[[Decimal, Decimal], bool]) -> _Check:
    def check(matcher: Matcher, value: object, _loose: bool) -> Truth:  # noqa: FBT001 (one type for the table)
        limit = number(getattr(matcher, name))
        if limit is None:
            return True
        if value is None or isinstance(value, bool):
            return False
        outcomes = {holds(reading, limit) for reading in readings(value)}
        return outcomes.pop() if len(outcomes) == 1 else None

    return check


_CHECKS: Final[Mapping[str, _Check]] = MappingProxyType(
    {
        "equals": _equals,
        "not_equals": _not_equals,
        "pattern": _pattern,
        "contains": _contains,
        "contains_all": _contains_all,
        "contains_any": _contains_any,
        "not_": _not,
        "any": _any,
        "json_schema": _schema,
        "one_of": _one_of,
        **{name: _bound(name, holds) for name, holds in BOUNDS.items()},
    }
)
_PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "equals": "{}", "not_equals": "not {}", "pattern": "text like {}", "contains": "something that contains {}",
        "contains_all": "something that contains all of {}", "contains_any": "something that contains one of {}",
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
    if matcher.not_ is not None:
        phrases.append(f"not ({describe(matcher.not_)})")
    return ", ".join(phrases) or "any value"
