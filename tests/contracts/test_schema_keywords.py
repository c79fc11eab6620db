"""Parts of a JSON Schema that nobody reads are found; what is found, and what is not, is compared with jsonschema-rs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.schemas.faults import FORMATS, schema_faults
from judgemesh.contracts.schemas.keywords import CONSTRAINING, Draft
from judgemesh.contracts.schemas.vacuous import accepts_everything, weak_parts

DIALECTS = {
    Draft.D4: "http://json-schema.org/draft-04/schema#",
    Draft.D6: "http://json-schema.org/draft-06/schema#",
    Draft.D7: "http://json-schema.org/draft-07/schema#",
    Draft.D2019: "https://json-schema.org/draft/2019-09/schema",
    Draft.D2020: "https://json-schema.org/draft/2020-12/schema",
}
BROKEN: dict[str, tuple[dict[str, Any], Any]] = {
    "type": ({"type": "string"}, 1),
    "enum": ({"enum": [1]}, 2),
    "const": ({"const": 1}, 2),
    "multipleOf": ({"multipleOf": 2}, 3),
    "maximum": ({"maximum": 2}, 3),
    "exclusiveMaximum": ({"maximum": 2, "exclusiveMaximum": True}, 2),
    "minimum": ({"minimum": 2}, 1),
    "exclusiveMinimum": ({"minimum": 2, "exclusiveMinimum": True}, 2),
    "maxLength": ({"maxLength": 1}, "ab"),
    "minLength": ({"minLength": 1}, ""),
    "pattern": ({"pattern": "^a"}, "b"),
    "format": ({"format": "email"}, "b"),
    "items": ({"items": {"type": "string"}}, [1]),
    "prefixItems": ({"prefixItems": [{"type": "string"}]}, [1]),
    "additionalItems": ({"items": [{}], "additionalItems": False}, [1, 2]),
    "maxItems": ({"maxItems": 0}, [1]),
    "minItems": ({"minItems": 1}, []),
    "uniqueItems": ({"uniqueItems": True}, [1, 1]),
    "contains": ({"contains": {"type": "string"}}, [1]),
    "maxContains": ({"contains": {"type": "integer"}, "maxContains": 1}, [1, 2]),
    "minContains": ({"contains": {"type": "integer"}, "minContains": 2}, [1]),
    "properties": ({"properties": {"a": {"type": "string"}}}, {"a": 1}),
    "patternProperties": ({"patternProperties": {"^a": {"type": "string"}}}, {"a": 1}),
    "additionalProperties": ({"additionalProperties": False}, {"a": 1}),
    "propertyNames": ({"propertyNames": {"maxLength": 1}}, {"ab": 1}),
    "maxProperties": ({"maxProperties": 0}, {"a": 1}),
    "minProperties": ({"minProperties": 1}, {}),
    "required": ({"required": ["a"]}, {}),
    "dependencies": ({"dependencies": {"a": ["b"]}}, {"a": 1}),
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    "dependentSchemas": ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}),
    "unevaluatedItems": ({"unevaluatedItems": False}, [1]),
    "unevaluatedProperties": ({"unevaluatedProperties": False}, {"a": 1}),
    "allOf": ({"allOf": [{"type": "string"}]}, 1),
    "anyOf": ({"anyOf": [{"type": "string"}]}, 1),
    "oneOf": ({"oneOf": [{"type": "string"}]}, 1),
    "not": ({"not": {"type": "string"}}, "a"),
    "if": ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a"),
    "then": ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a"),
    "else": ({"if": {"type": "string"}, "else": {"minimum": 2}}, 1),
    "$ref": ({"$ref": "#/definitions/a", "definitions": {"a": {"type": "string"}}}, 1),
}
"""For each keyword a schema in which it stands, and a value that breaks it."""
NOT_TRIED = {"$dynamicRef", "$recursiveRef"}  # need a second schema
NEW_BOUNDS = {"exclusiveMaximum": 2, "exclusiveMinimum": 2}


def _schema(name: str, draft: Draft) -> dict[str, Any]:
    schema = {"$schema": DIALECTS[draft], **BROKEN[name][0]}
    if name in NEW_BOUNDS and draft is not Draft.D4:
        schema[name] = NEW_BOUNDS[name]
    return schema


def test_every_keyword_is_tried() -> None:
    assert BROKEN.keys() | NOT_TRIED == CONSTRAINING.keys()


@pytest.mark.parametrize("draft", DIALECTS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_keyword_is_a_fault_where_the_library_does_not_read_it(
    name: str, draft: Draft
) -> None:
    if name == "additionalItems" and draft is Draft.D2020:
        pytest.skip("a list under `items` is no schema of this draft")
    schema = _schema(name, draft)
    is_read = not jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(
        BROKEN[name][1]
    )
    reported = {fault.path[-1] for fault in schema_faults(schema)}
    assert (name not in reported) is is_read
    assert not (is_read and accepts_everything(schema))


MISSPELT: dict[str, tuple[dict[str, Any], tuple[str | int, ...], str]] = {
    "must_include": ({"must_include": ["room"]}, ("must_include",), "'required'"),
    "case": ({"minlength": 3}, ("minlength",), "'minLength'"),
    "snake": ({"additional_properties": False}, ("additional_properties",), "'additionalProperties'"),
    "letters": ({"propertys": {}}, ("propertys",), "'properties'"),
    "deep": ({"properties": {"a": {"items": {"anyOf": [{"typ": "x"}]}}}}, ("properties", "a", "items", "anyOf", 0, "typ"), "'type'"),
    "in definitions": ({"$defs": {"a": {"requird": ["x"]}}}, ("$defs", "a", "requird"), "'required'"),
    "in dependencies": ({"dependencies": {"a": ["b"], "c": {"mini": 1}}}, ("dependencies", "c", "mini"), "'minimum'"),
    "bare properties": ({"serial": "string"}, ("serial",), "`properties: {serial: ...}`"),
    "openapi": ({"type": "string", "nullable": True}, ("nullable",), "'null'"),
    "reference": ({"$reff": "#/$defs/a"}, ("$reff",), "'$ref'"),
    "format": ({"format": "datetime"}, ("format",), "'date-time'"),
    "alone": ({"if": {"type": "string"}}, ("if",), "'then' or 'else'"),
    "beside a reference": ({"$schema": DIALECTS[Draft.D7], "$ref": "#/definitions/a", "definitions": {"a": {}}, "minLength": 3}, ("minLength",), "`allOf`"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSPELT)
def test_what_was_meant_is_named(name: str) -> None:
    schema, path, hint = MISSPELT[name]
    (fault,) = schema_faults(schema)
    assert fault.path == path
    assert hint in fault.message


HARMLESS: list[Any] = [
    True,
    {"x-order": 3, "title": "a", "$comment": "b", "$id": "urn:a", "default": {"typ": 1}},
    {"enum": [{"must_include": 1}], "examples": [{"typ": 1}], "const": {"typ": 1}},
    {"properties": {"must_include": {"type": "string"}, "$reff": {}, "if": {}}},
    {"patternProperties": {"^typ": {"type": "string"}}, "required": ["typ"]},
    {"format": "int64"},
    {"oneOf": [{"type": "string"}], "discriminator": {"propertyName": "kind"}},
]  # fmt: skip


@pytest.mark.parametrize("schema", HARMLESS)
def test_annotations_and_data_are_no_faults(schema: Any) -> None:
    assert list(schema_faults(schema)) == []


@pytest.mark.parametrize("dialect", DIALECTS.values())
def test_the_schemas_of_the_drafts_have_no_fault(dialect: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.validators.validator_for({"$schema": dialect}).META_SCHEMA
    assert list(schema_faults(schema)) == []


def test_the_schema_of_a_model_has_no_fault() -> None:
    assert list(schema_faults(EvalContract.model_json_schema())) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_of_the_table_is_checked(name: str) -> None:
    validator = jsonschema_rs.validator_for({"format": name}, validate_formats=True)
    assert not validator.is_valid("\x01 ((/~9 {")


OPEN: list[Any] = [
    True,
    {},
    {"title": "a"},
    {"anyOf": [{"type": "string"}, {}]},
    {"allOf": [{}, True]},
    {"properties": {"a": {"title": "a"}}, "additionalProperties": True},
    {"type": ["string", "number", "boolean", "object", "array", "null"]},
    {"minLength": 0, "required": [], "uniqueItems": False},
    {"if": {"type": "string"}, "then": {}},
]


@pytest.mark.parametrize("schema", OPEN)
def test_a_schema_for_everything_is_seen(schema: Any) -> None:
    assert accepts_everything(schema)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


def _schemas() -> st.SearchStrategy[Any]:
    leaves = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "object", "array", "null"]),
            "minLength": st.integers(0, 2),
            "required": st.lists(st.sampled_from("ab"), max_size=2, unique=True),
            "uniqueItems": st.booleans(),
            "title": st.just("t"),
        },
    )

    def above(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        some = st.lists(inner, min_size=1, max_size=2)
        return st.fixed_dictionaries(
            {},
            optional={
                "anyOf": some,
                "allOf": some,
                "oneOf": some,
                "items": inner,
                "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
                "additionalProperties": inner,
                "not": inner,
                "if": inner,
                "then": inner,
                "else": inner,
            },
        )

    return st.recursive(leaves | st.booleans(), above, max_leaves=5)


@given(_schemas(), st.lists(_VALUES, min_size=1, max_size=5))
def test_no_value_breaks_a_schema_for_everything(
    schema: Any, values: list[Any]
) -> None:
    if accepts_everything(schema):
        compiled = jsonschema_rs.validator_for(schema)
        assert all(map(compiled.is_valid, values))


def _messages(schema: Any) -> Iterator[str]:
    for part in weak_parts(schema):
        yield f"{'/'.join(map(str, part.path))}: {part.message}"


def test_weak_parts_are_named() -> None:
    assert list(_messages({"type": "object", "minLength": 3})) == [
        "minLength: 'minLength' is about string; it constrains no object"
    ]
    assert list(_messages({"type": "string", "format": "phone"})) == [
        "format: the format 'phone' is not checked; write a `pattern`"
    ]
    assert list(_messages({"required": ["a"]})) == [
        ": values of every other type fit; add `type: object` if none may"
    ]
    assert list(_messages({"type": ["integer", "null"], "minimum": 3})) == []
