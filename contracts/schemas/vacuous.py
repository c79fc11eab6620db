"""Parts of a JSON Schema that no value, or no value of their type, can break."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.schemas.faults import FORMATS, SchemaFault
from judgemesh.contracts.schemas.keywords import CONSTRAINING, walk

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
_OF_TYPE: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset({"string"})),
    **dict.fromkeys(
        ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        frozenset({"number", "integer"}),
    ),
    **dict.fromkeys(
        ("items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"),
        frozenset({"array"}),
    ),
    **dict.fromkeys(
        ("properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties",
         "maxProperties", "dependencies", "dependentRequired", "dependentSchemas"),
        frozenset({"object"}),
    ),
}  # fmt: skip
"""The types of the values that a keyword is about (JSON Schema 2020-12, Core 7.6.1): values of other types fit."""
_OPEN_FORMATS: Final = frozenset(
    {"int32", "int64", "float", "double", "decimal", "byte", "binary", "password"}
)
"""Formats of OpenAPI that describe how a value is stored."""
_TELLS_TYPE: Final = frozenset(
    {"type", "enum", "const", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"}
)  # fmt: skip


def accepts_everything(schema: Any) -> bool:
    """Whether every JSON value fits; False where that is not plain to see.

    Keywords that are none do not count. A reference counts as a constraint.
    """
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict):
        return False
    mapping = cast("dict[str, Any]", schema)
    return all(
        _VACUOUS.get(name, _never)(value, mapping)
        for name, value in mapping.items()
        if name in CONSTRAINING
    )


_Test = Callable[[Any, Mapping[str, Any]], bool]


def _never(_: Any, __: Mapping[str, Any]) -> bool:
    return False


def _none_needed(value: Any, _: Mapping[str, Any]) -> bool:
    """Zero, an empty list or object, or false."""
    return not value


def _open(value: Any, _: Mapping[str, Any]) -> bool:
    return accepts_everything(value)


def _all_open(value: Any, _: Mapping[str, Any]) -> bool:
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    return all(map(accepts_everything, cast("list[Any]", value)))


def _open_items(value: Any, _: Mapping[str, Any]) -> bool:
    return _all_open(value if isinstance(value, list) else [value], _)


def _one_open(value: Any, _: Mapping[str, Any]) -> bool:
    return any(map(accepts_everything, cast("list[Any]", value)))


def _only_open(value: Any, _: Mapping[str, Any]) -> bool:
    return len(value) == 1 and accepts_everything(value[0])


def _every_type(value: Any, _: Mapping[str, Any]) -> bool:
    return isinstance(value, list) and {*TYPES} - {"integer"} <= {*value}


def _branches_open(_: Any, schema: Mapping[str, Any]) -> bool:
    return all(accepts_everything(schema.get(name, True)) for name in ("then", "else"))


_VACUOUS: Final[Mapping[str, _Test]] = {
    "type": _every_type,
    **dict.fromkeys(
        ("minLength", "minItems", "minProperties", "uniqueItems", "required", "dependentRequired"), _none_needed
    ),
    **dict.fromkeys(("additionalItems", "additionalProperties", "propertyNames"), _open),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _open),
    **dict.fromkeys(("prefixItems", "properties", "patternProperties", "dependentSchemas", "allOf"), _all_open),
    "items": _open_items,
    "anyOf": _one_open,
    "oneOf": _only_open,
    **dict.fromkeys(("if", "then", "else"), _branches_open),
}  # fmt: skip


def weak_parts(schema: Any) -> Iterator[SchemaFault]:
    """Parts that are read and hardly constrain: for another type, of a format that is not checked, for objects only."""
    for path, current in walk(schema):
        for name, message in _of_other_types(current):
            yield SchemaFault((*path, name), message)
        given = current.get("format")
        if isinstance(given, str) and given not in (*FORMATS, *_OPEN_FORMATS):
            message = f"the format {given!r} is not checked; write a `pattern`"
            yield SchemaFault((*path, "format"), message)
    if isinstance(schema, dict):
        types = _types_of_keywords(cast("dict[str, Any]", schema))
        if types:
            named = " or ".join(f"`type: {name}`" for name in sorted(types))
            yield SchemaFault(
                (), f"values of every other type fit; add {named} if none may"
            )


def _types_of_keywords(schema: Mapping[str, Any]) -> set[str]:
    """The types that the keywords of a schema are about, `number` for both of its kinds; none where it names types."""
    if not _TELLS_TYPE.isdisjoint(schema):
        return set()
    types: set[str] = set()
    for name in schema.keys() & _OF_TYPE.keys():
        types |= _OF_TYPE[name]
    if "number" in types:
        types.discard("integer")
    return types


def _of_other_types(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    given = schema.get("type")
    types = {given} if isinstance(given, str) else {*(given or ())}
    if not types:
        return
    for name in sorted(schema.keys() & _OF_TYPE.keys()):
        if types.isdisjoint(_OF_TYPE[name]):
            allowed = ", ".join(sorted(map(str, types)))
            about = " and ".join(sorted(_OF_TYPE[name]))
            yield name, f"{name!r} is about {about}; it constrains no {allowed}"
