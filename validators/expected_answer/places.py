"""A field's expected value compared with every place that gives the field."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.validators._shared.answer.corpus import Corpus
from judgemesh.validators._shared.answer.expecting import (
    all_hold,
    fulfils,
    is_short_phrase,
)
from judgemesh.validators._shared.answer.fields import (
    STATEMENT,
    Candidate,
    NotPlaced,
    candidates_of,
    find,
)
from judgemesh.validators._shared.answer.stated import Stated, retracts
from judgemesh.validators._shared.equality import Truth
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.numbers.prose_numbers import numbers_in
from judgemesh.validators._shared.schemas import schema_of
from judgemesh.validators._shared.values import is_number, listed, show
from judgemesh.validators.expected_answer.comparison import Comparison, Finding
from judgemesh.validators.expected_answer.expectations import ExpectedField
from judgemesh.validators.expected_answer.units_read import asked_in, read_in

_ONE_VALUE: Final = frozenset(
    {"path", "key", "label", "row", STATEMENT, "group", "match"}
)
"""Forms that give a field one value; a heading has a section below it, a column many cells."""
_MAX_SHOWN: Final = 60


def compare_field(field: ExpectedField, corpus: Corpus) -> Comparison:
    """The expected value against the places where the ladder finds the field.

    The first rung that finds it decides: all its values must fulfil the condition. A later rung that states another
    value of the same sort contradicts it.
    """
    rungs = [
        _strongest(list(group))
        for _, group in groupby(
            candidates_of(field.query, corpus), key=lambda one: one.rung
        )
    ]
    if not rungs:
        return _missing(field, corpus)
    first, *later = rungs
    outcomes = [(one, _holds(field, one)) for one in first]
    truth = all_hold(outcome for _, outcome in outcomes)
    if truth is True:
        against = [one for group in later for one in group if _contradicts(field, one)]
        outcomes += [(one, False) for one in against]
        truth = not against
    found = listed(
        [
            f"{one.ref} has {show(one.value, _MAX_SHOWN)}"
            f"{read_in(one.value, field.query.spec.unit)}"
            for one, outcome in outcomes
            if outcome is not True
        ]
    )
    if truth is True:
        return _comparison(field, Finding.MET, refs=[one.ref for one in first])
    finding = Finding.WRONG if truth is False else Finding.UNCERTAIN
    code = FailureCode.WRONG_FACT
    if truth is False and _breaks_schema(field, outcomes):
        code = FailureCode.OUTPUT_FORMAT_INVALID
    refs = [one.ref for one, outcome in outcomes if outcome is not True]
    return _comparison(field, finding, why=found, refs=refs, code=code)


def _strongest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of one rung that say what the field is."""
    if candidates[0].rung == "key":
        depth = min(one.ref.count("/") for one in candidates)
        return [one for one in candidates if one.ref.count("/") == depth]
    strong = [one for one in candidates if one.form in _ONE_VALUE]
    if strong:
        return _last_cells(strong)
    headings = [one for one in candidates if one.form == "heading"]
    return headings[:1] or list(candidates)


def _last_cells(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of the cells of a row, the last one: the cells before it belong to other columns."""
    kept: dict[tuple[str, str], Candidate] = {}
    for number, one in enumerate(candidates):
        key = (one.form, one.ref) if one.form == "row" else (one.form, str(number))
        kept[key] = one
    return list(kept.values())


def _holds(field: ExpectedField, candidate: Candidate) -> Truth:
    value = candidate.value
    retracted = isinstance(value, str) and retracts(value)
    stated = Stated(value, candidate.ref, retracted=retracted)
    return fulfils(field.matcher, stated, field.query.spec.unit)


def _contradicts(field: ExpectedField, candidate: Candidate) -> bool:
    """Whether a later rung states a value of the same sort that is not the expected one."""
    if candidate.form not in _ONE_VALUE or candidate.rung == "key":
        return False
    if _holds(field, candidate) is not False:
        return False
    expected = field.matcher.equals
    if is_number(expected):
        value = candidate.value
        return is_number(value) or (isinstance(value, str) and bool(numbers_in(value)))
    if isinstance(expected, str) and not any(map(str.isdigit, expected)):
        return is_short_phrase(candidate.value)
    return False


def _breaks_schema(
    field: ExpectedField, outcomes: Sequence[tuple[Candidate, Truth]]
) -> bool:
    schema = field.matcher.json_schema
    if schema is None:
        return False
    compiled = schema_of(schema)
    return any(
        not compiled.is_valid(one.value)
        for one, outcome in outcomes
        if outcome is False
    )


def _missing(field: ExpectedField, corpus: Corpus) -> Comparison:
    placed = find(field.query, corpus)
    tried = placed.tried if isinstance(placed, NotPlaced) else "it has no value"
    if isinstance(placed, NotPlaced) and placed.hidden:
        return _comparison(field, Finding.HIDDEN, why=tried)
    if isinstance(placed, NotPlaced) and placed.unclear:
        return _comparison(field, Finding.UNCERTAIN, why=tried)
    empty = isinstance(placed, NotPlaced) and placed.empty
    code = FailureCode.MISSING_REQUIRED_FIELD
    return _comparison(field, Finding.MISSING, why=tried, code=code, empty=empty)


def _comparison(
    field: ExpectedField,
    finding: Finding,
    *,
    why: str = "",
    refs: Sequence[str] = (),
    code: FailureCode = FailureCode.WRONG_FACT,
    empty: bool = False,
) -> Comparison:
    query = field.query
    return Comparison(
        check=f"expected:{query.name}",
        subject=f"the field {query.name!r}",
        expected=asked_in(describe(field.matcher), field.matcher, query.spec.unit),
        finding=finding,
        why=why,
        refs=tuple(dict.fromkeys(refs)),
        code=code,
        weight=query.spec.weight,
        by_judge=query.by_judge,
        empty=empty,
    )
