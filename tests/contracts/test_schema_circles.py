"""A schema that only refers to itself accepts everything; a contract must not pass by it."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.contracts.schemas.circles import circular_reference
from judgemesh.validators._shared.schemas import schema_of

CIRCLES: list[dict[str, Any]] = [
    {"$ref": "#"},
    {"allOf": [{"$ref": "#"}]},
    {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    {"properties": {"x": {"$ref": "#/properties/x"}}},
    {"anyOf": [{"type": "string"}, {"not": {"$ref": "#"}}]},
]
TREES: list[dict[str, Any]] = [
    {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
    },
    {"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}},
    {
        "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}],
        "$defs": {"a": {"type": "object"}},
    },
    {"properties": {"$ref": {"type": "string"}}},
]


@pytest.mark.parametrize("schema", CIRCLES)
def test_a_circle_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="refers to itself"):
        schema_of(schema)


@pytest.mark.parametrize("schema", TREES)
def test_a_tree_of_values_is_none(schema: dict[str, Any]) -> None:
    assert circular_reference(schema) is None
    schema_of(schema)


def test_a_long_chain_is_walked() -> None:
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(3_000)}
    schema: dict[str, Any] = {"$ref": "#/$defs/d0", "$defs": chain}
    assert circular_reference(schema) is None
