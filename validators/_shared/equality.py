"""How a matcher's `equals`, `not_equals` and `one_of` compare: JSON equality, tolerances, folded text, any order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.text import plain, typed
from judgemesh.validators._shared.unordered import equal_in_any_order
from judgemesh.validators._shared.values import is_number, json_equal

Truth = bool | None
"""Whether a condition holds; None where nobody can tell."""
_MARKS = re.compile(r"(?!(?<=\d)(?:\.|,(?!\d{3}(?!\d)))\d)(?!^-\d)[\s,./\-_*^]")
"""Marks that people set or leave out. A point or comma between digits and a leading minus change the number."""
_ABBREVIATED = re.compile(r"\b[^\W\d_]\.(?:[^\W\d_]\b\.?)+")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-_](?=[^\W\d_])")
_ZERO_FIRST = re.compile(r"\s*-?0[0-9]")

Scalar = Callable[[object, object], bool]
"""Whether two scalars that are not equal count as equal."""


def number(value: object, *, loose: bool = False) -> Decimal | None:
    """The exact number that `value` is (or, `loose`, that its text usually means)."""
    if is_number(value) or (loose and isinstance(value, str)):
        return next(iter(readings(value)), None)
    return None


def fold_text(text: str) -> str:
    """`text` without case, spaces and the marks that people set or leave out (`, . / - _ * ^`); one kind of quote."""
    folded = _without_case(unicodedata.normalize("NFKC", plain(text))).strip()
    return (_MARKS.sub("", folded) or folded).replace("'", '"')


def fold_prose(text: str) -> str:
    """`text` without case and runs of white space; a hyphen or underscore between letters is a space.

    Words and figures are never joined: `was an aisle` does not hold `as an AI`, and `10/12` is not `1012`.
    """
    spelled = _ABBREVIATED.sub(lambda match: match[0].replace(".", ""), typed(text))
    return " ".join(_without_case(_HYPHEN.sub(" ", spelled)).split())


def _without_case(text: str) -> str:
    """`text` without case. In Turkish, I is the capital of a dotless i, so that the four of them fold to one letter."""
    return text.casefold().replace("i\u0307", "i").replace("\u0131", "i")


def scalar_rule(
    matcher: Conditions, *, loose: bool, fold: Callable[[str], str] = fold_text
) -> Scalar | None:
    """How scalars that are not equal are compared; None where they have to be equal."""
    has_tolerance = _has_tolerance(matcher)
    if matcher.strict or not (has_tolerance or loose or matcher.fold):
        return None

    def close(expected: object, actual: object) -> bool:
        if isinstance(expected, str) and isinstance(actual, str):
            return bool(matcher.fold) and fold(expected) == fold(actual)
        if loose and isinstance(expected, bool) and isinstance(actual, str):
            return actual.strip().casefold() == str(expected).casefold()
        if not (loose or has_tolerance):
            return False
        return _close_numbers(matcher, expected, actual, loose=loose)

    return close


def _has_tolerance(matcher: Conditions) -> bool:
    return matcher.tolerance is not None or matcher.relative_tolerance is not None


def _close_numbers(
    matcher: Conditions, expected: object, actual: object, *, loose: bool
) -> bool:
    """Whether two numbers are within the matcher's tolerance; a text counts as the number that it usually means."""
    if not is_number(expected) and not (loose and is_number(actual)):
        return False
    if not _has_tolerance(matcher) and (is_code(expected) or is_code(actual)):
        return False
    expected_number = number(expected, loose=True)
    actual_number = number(actual, loose=True)
    if expected_number is None or actual_number is None:
        return False
    return within(matcher, expected_number, actual_number)


def within(matcher: Conditions, expected: Decimal, actual: Decimal) -> bool:
    """Whether two numbers are equal, or within the matcher's tolerance."""
    absolute = Decimal(repr(matcher.tolerance or 0.0))
    share = Decimal(repr(matcher.relative_tolerance or 0.0))
    return abs(expected - actual) <= max(absolute, share * abs(expected))


def is_code(value: object) -> bool:
    """`00123` is an identifier: its zeros count."""
    return isinstance(value, str) and _ZERO_FIRST.match(value) is not None


def is_equal(
    matcher: Conditions,
    expected: object,
    value: object,
    *,
    loose: bool,
    fold: Callable[[str], str] = fold_text,
) -> Truth:
    """Whether a value equals what is expected, as the matcher compares; None where a text may write the number."""
    rule = scalar_rule(matcher, loose=loose, fold=fold)
    if matcher.unordered:
        return equal_in_any_order(expected, value, rule, strict=matcher.strict)
    if json_equal(expected, value, rule, strict=matcher.strict):
        return True
    return _doubtful_number(matcher, expected, value)


def _doubtful_number(matcher: Conditions, expected: object, value: object) -> Truth:
    """A number with a tolerance, against a text that may mean it: unknown. Anything else is unequal."""
    exact = number(expected)
    if exact is None or not _has_tolerance(matcher) or not isinstance(value, str):
        return False
    found = readings(value)
    if not found:
        return None if any(map(str.isdigit, value)) else False
    may_be = any(within(matcher, exact, reading) for reading in found)
    return None if may_be else False
