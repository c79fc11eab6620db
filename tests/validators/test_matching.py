"""Matchers and JSON equality."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.sections.effects import ExpectedChange
from judgemesh.contracts.sections.section import Matcher
from judgemesh.validators._shared.matching import describe, matches, matches_or_unknown
from judgemesh.validators._shared.values import ABSENT, json_equal, show

from .helpers import nested

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        ([True], [1], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": None}, {}, False),
        ("1", 1, False),
        ([], {}, False),
        ([1, 2], [2, 1], False),
        (None, 0, False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_json_equality(left: object, right: object, *, equal: bool) -> None:
    assert json_equal(left, right) is equal
    assert json_equal(right, left) is equal


@given(json_values)
def test_equality_and_matching_are_reflexive(value: Any) -> None:
    assert json_equal(value, value)
    assert matches(Matcher(equals=value), value)
    assert not matches(Matcher(not_equals=value), value)
    assert matches(Matcher(one_of=[value]), value)


@given(json_values, json_values)
def test_equality_is_symmetric(left: Any, right: Any) -> None:
    assert json_equal(left, right) is json_equal(right, left)


def test_deep_values_do_not_recurse() -> None:
    assert json_equal(nested(50_000), nested(50_000))
    assert not json_equal(nested(50_000), nested(50_001))
    assert "deep" in show(nested(50_000))


@pytest.mark.parametrize(
    ("matcher", "value", "fits"),
    [
        ({"equals": 10, "tolerance": 0.1}, 10.1, True),
        ({"equals": 1.0, "tolerance": 0.1}, 1.1, True),
        ({"equals": 10, "tolerance": 0.1}, 10.11, False),
        ({"equals": 200, "relative_tolerance": 0.01}, 202, True),
        ({"equals": 200, "relative_tolerance": 0.01}, 202.1, False),
        ({"equals": [1, {"x": 2}], "tolerance": 0.5}, [1.4, {"x": 2.5}], True),
        ({"equals": 1, "tolerance": 5}, True, False),
        ({"equals": None}, None, True),
        ({"equals": None}, 0, False),
        ({"pattern": "^ab+$"}, "abbb", True),
        ({"pattern": "^ab+$"}, "xabbb", False),
        ({"pattern": "12"}, 512, True),
        ({"pattern": "^true$"}, True, True),
        ({"contains": "ell"}, "hello", True),
        ({"contains": "b"}, ["a", "b"], True),
        ({"contains": "k"}, {"k": 1}, True),
        ({"contains": "k"}, 5, False),
        ({"one_of": ["a", 2]}, 2.0, True),
        ({"one_of": []}, 2, False),
        ({"gt": 5, "le": 7}, 7, True),
        ({"gt": 5, "le": 7}, 5, False),
        ({"ge": 1}, True, False),
        ({"ge": 1}, "3", True),
        ({"gt": 500}, "$1,200", True),
        ({"gt": 500}, "1 200,50 EUR", True),
        ({"gt": 500}, "1,20", False),
        ({"gt": 500}, "about 900", False),
        ({"equals": 24.9, "tolerance": 0.01}, "24.90 USD", True),
        ({"equals": [1, 2, 2], "unordered": True}, [2, 1, 2], True),
        ({"equals": [1, 2, 2], "unordered": True}, [2, 1, 1], False),
        ({"equals": [{"a": [1, 2]}], "unordered": True}, [{"a": [2, 1.0]}], True),
        ({"contains_all": ["kettle", "blue"]}, "a blue kettle", True),
        ({"contains_all": ["kettle", "red"]}, "a blue kettle", False),
        ({"contains_any": ["red", "BLUE"], "fold": True}, "a blue kettle", True),
        ({"contains_any": []}, "a blue kettle", False),
        ({"not": {"contains": "red"}}, "a blue kettle", True),
        ({"not": {"gt": 500}}, "900", False),
        ({"not": {"gt": 500}}, "about 900", False),
        ({"lt": 0.3}, 0.30000000000000004, False),
        ({"schema": {"type": "string", "minLength": 2}}, "ab", True),
        ({"schema": {"type": "string", "minLength": 2}}, "a", False),
        ({"schema": False}, "a", False),
        ({"any": True}, None, True),
        ({"any": False}, 1, False),
        ({"not_equals": 3}, 4, True),
        ({"gt": 1, "not_equals": 4}, 4, False),
    ],
)
def test_matchers(matcher: dict[str, Any], value: object, *, fits: bool) -> None:
    compiled = ExpectedChange.model_validate({"path": "/x", "match": matcher}).match
    assert compiled is not None
    assert matches(compiled, value) is fits
    assert describe(compiled)


@pytest.mark.parametrize(
    ("matcher", "value", "holds"),
    [
        ({"gt": 500}, 900, True),
        ({"gt": 500}, "900.00", True),
        ({"gt": 500}, "1,20", False),
        ({"gt": 500}, "1.200", None),
        ({"gt": 1}, "1.200", True),
        ({"gt": 500}, "about 900", None),
        ({"gt": 500}, "all of it", None),
        ({"gt": 500}, {"value": 900}, None),
        ({"gt": 500}, None, False),
        ({"gt": 500}, True, False),
        ({"gt": 500, "equals": "x"}, "about 900", False),
        ({"not": {"gt": 500}}, "about 900", None),
        ({"equals": 1200, "tolerance": 1}, "1.200", None),
        ({"equals": 1200, "tolerance": 1}, "1,200", True),
        ({"equals": 1200, "tolerance": 1}, "about 1200", None),
        ({"equals": 1200, "tolerance": 1}, "red", False),
    ],
)
def test_what_cannot_be_read_as_a_number_is_unknown(
    matcher: dict[str, Any], value: object, *, holds: bool | None
) -> None:
    compiled = Matcher.model_validate(matcher)
    assert matches_or_unknown(compiled, value) is holds
    assert matches(compiled, value) is (holds is True)


@given(st.integers(1, 999_999_999), st.integers(0, 99), st.integers(1, 10**9))
def test_every_way_to_write_a_number_meets_the_same_bounds(
    whole: int, cents: int, limit: int
) -> None:
    exact = whole + cents / 100
    grouped = f"{whole:,}.{cents:02d}"
    swapped = grouped.translate(str.maketrans(",.", ".,"))
    spaced = grouped.replace(",", "\u202f")
    ways = [
        f"{whole}.{cents:02d}",
        grouped,
        f"${grouped}",
        f"{spaced} EUR",
        f"USD {grouped}",
    ]
    if whole >= 1_000:
        ways.append(swapped)
    for text in ways:
        for name in ("gt", "ge", "lt", "le"):
            matcher = Matcher.model_validate({name: limit})
            assert matches(matcher, text) is matches(matcher, exact), text


@pytest.mark.parametrize(
    "matcher",
    [
        {"any": True},
        {"equals": None},
        {"not_equals": 1},
        {"pattern": ""},
        {"schema": True},
    ],
)
def test_an_absent_value_matches_nothing_but_its_absence(
    matcher: dict[str, Any],
) -> None:
    assert not matches(Matcher.model_validate(matcher), ABSENT)
    assert matches(Matcher(any=False), ABSENT)


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [(42, "42", True), (42, "42.0", True), ("10001", 10001, True), (True, "TRUE", True), (123, "00123", False), (1000, "1_000", False),
     (1, "NaN", False), ("a", "b", False), ("01", "1", False), (42, "42 apples", False)],
)  # fmt: skip
def test_loose_equality_reads_numbers_written_as_text(
    expected: object, actual: object, *, fits: bool
) -> None:
    assert matches(Matcher(equals=expected), actual, loose=True) is fits
    if type(expected) is not type(actual):
        assert not matches(Matcher(equals=expected), actual)


def test_a_catastrophic_pattern_is_linear() -> None:
    assert not matches(Matcher(pattern="^(a+)+$"), "a" * 200_000 + "!")


@pytest.mark.parametrize("pattern", ["(", "(?=a)", "\\1", "a{1,99999}"])
def test_a_bad_pattern_is_a_clear_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="no RE2 pattern"):
        matches(Matcher(pattern=pattern), "text")


@pytest.mark.parametrize(
    "ref", ["http://example.invalid/schema.json", "file:///etc/hostname", "other.json"]
)
def test_a_schema_never_leaves_itself(ref: str) -> None:
    with pytest.raises(ValueError, match="JSON Schema cannot be used"):
        matches(Matcher.model_validate({"schema": {"$ref": ref}}), "text")


def test_a_lone_surrogate_is_only_a_character() -> None:
    assert matches(Matcher(pattern="^a.b$"), "a\ud800b")


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        ("New York, NY", "new-york ny", True),
        (["A.B", {"k": "c d"}], ["ab", {"k": "CD"}], True),
        ("it's", 'it"s', True),
        ("\uff21bc", "abc", True),
        ("-", "*", False),
        ("", " ", True),
        ("C#", "C", False),
        ("3.5", "35", False),
        ("-5", "5", False),
        ("3,5", "35", False),
        ("1,200", "1200", True),
        ("2026-05-01", "2026/05/01", True),
        ("1", 1, False),
    ],
)
def test_folded_text_ignores_case_spaces_and_marks(
    expected: object, actual: object, *, fits: bool
) -> None:
    assert matches(Matcher(equals=expected, fold=True), actual) is fits
    assert matches(Matcher(one_of=["x y z", expected], fold=True), actual) is fits
    assert not matches(Matcher(equals=expected), actual)


@pytest.mark.parametrize(
    ("matcher", "value", "fits"),
    [
        ({"equals": 250, "strict": True}, 250, True),
        ({"equals": 250, "strict": True}, 250.0, False),
        ({"equals": 250.0, "strict": True}, 250.0, True),
        ({"equals": {"a": [1, {"b": 2}]}, "strict": True}, {"a": [1, {"b": 2}]}, True),
        (
            {"equals": {"a": [1, {"b": 2}]}, "strict": True},
            {"a": [1, {"b": 2.0}]},
            False,
        ),
        ({"equals": "250", "strict": True}, 250, False),
        ({"not_equals": 250, "strict": True}, 250.0, True),
        ({"one_of": [1, 2], "strict": True}, 2.0, False),
        ({"equals": 250, "strict": False}, 250.0, True),
    ],
)
def test_strict_compares_the_type_of_numbers(
    matcher: dict[str, Any], value: object, *, fits: bool
) -> None:
    assert matches(Matcher.model_validate(matcher), value) is fits
    assert matches(Matcher.model_validate(matcher), value, loose=True) is fits


@pytest.mark.parametrize(
    "bad",
    [
        {"equals": 1, "strict": True, "tolerance": 0.1},
        {"strict": True},
        {"gt": 1, "strict": True},
    ],
)
def test_strict_needs_something_to_compare_exactly(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"strict"):
        Matcher.model_validate(bad)
