"""Which fields of a contract have an expected value."""

from __future__ import annotations

from typing import Final, NamedTuple

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.sections.section import Matcher
from judgemesh.validators._shared.answer.field_query import FieldQuery, query
from judgemesh.validators._shared.memo import ByIdentity


class ExpectedField(NamedTuple):
    """A field and the condition on its value."""

    query: FieldQuery
    matcher: Matcher


def _compile(contract: EvalContract) -> tuple[ExpectedField, ...]:
    expected: list[ExpectedField] = []
    for name, spec in contract.fields.items():
        matcher = spec.matcher()
        if matcher is not None:
            expected.append(ExpectedField(query(name, spec), matcher))
    return tuple(expected)


expected_fields: Final = ByIdentity(_compile)
"""The fields of a contract that have an expected value."""
