"""Keywords of JSON Schema: which drafts know them, and where their values hold schemas.

The drafts are 4, 6, 7, 2019-09 and 2020-12 (https://json-schema.org/specification); `$schema` names one, and 2020-12 is
the one of a schema that names none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Any, Final, NamedTuple, cast


class Draft(Enum):
    """The drafts in their order; each value is the part of `$schema` that names it."""

    D4 = "draft-04"
    D6 = "draft-06"
    D7 = "draft-07"
    D2019 = "2019-09"
    D2020 = "2020-12"

    @classmethod
    def of(cls, schema: Any) -> Draft:
        """The draft that a schema names by `$schema`; the newest where it names none, or one that is not known."""
        named = ""
        if isinstance(schema, Mapping):
            named = str(cast("Mapping[str, Any]", schema).get("$schema", ""))
        for draft in cls:
            if draft.value in named:
                return draft
        return cls.D2020


_ORDER: Final = tuple(Draft)


class Holds(Enum):
    """What the value of a keyword is."""

    DATA = auto()
    SCHEMA = auto()
    LIST = auto()
    BY_NAME = auto()
    SCHEMA_OR_LIST = auto()
    BY_NAME_OR_NAMES = auto()


class Keyword(NamedTuple):
    """What the value of a keyword is, the first and the last draft that read it, and the keyword it needs beside it."""

    holds: Holds = Holds.DATA
    since: Draft = Draft.D4
    until: Draft = Draft.D2020
    beside: tuple[str, ...] = ()

    def is_read_by(self, draft: Draft) -> bool:
        """Whether the draft knows the keyword."""
        position = _ORDER.index(draft)
        return _ORDER.index(self.since) <= position <= _ORDER.index(self.until)


_IS_SCHEMA: Final = Keyword(Holds.SCHEMA)
_IS_LIST: Final = Keyword(Holds.LIST)
_IS_BY_NAME: Final = Keyword(Holds.BY_NAME)
_IS_DATA: Final = Keyword()

CONSTRAINING: Final[Mapping[str, Keyword]] = {
    "type": _IS_DATA,
    "enum": _IS_DATA,
    "const": Keyword(since=Draft.D6),
    "multipleOf": _IS_DATA,
    "maximum": _IS_DATA,
    "exclusiveMaximum": _IS_DATA,
    "minimum": _IS_DATA,
    "exclusiveMinimum": _IS_DATA,
    "maxLength": _IS_DATA,
    "minLength": _IS_DATA,
    "pattern": _IS_DATA,
    "format": _IS_DATA,
    "items": Keyword(Holds.SCHEMA_OR_LIST),
    "prefixItems": Keyword(Holds.LIST, since=Draft.D2020),
    "additionalItems": Keyword(Holds.SCHEMA, until=Draft.D2019, beside=("items",)),
    "maxItems": _IS_DATA,
    "minItems": _IS_DATA,
    "uniqueItems": _IS_DATA,
    "contains": Keyword(Holds.SCHEMA, since=Draft.D6),
    "maxContains": Keyword(since=Draft.D2019, beside=("contains",)),
    "minContains": Keyword(since=Draft.D2019, beside=("contains",)),
    "properties": _IS_BY_NAME,
    "patternProperties": _IS_BY_NAME,
    "additionalProperties": _IS_SCHEMA,
    "propertyNames": Keyword(Holds.SCHEMA, since=Draft.D6),
    "maxProperties": _IS_DATA,
    "minProperties": _IS_DATA,
    "required": _IS_DATA,
    "dependencies": Keyword(Holds.BY_NAME_OR_NAMES),
    "dependentRequired": Keyword(since=Draft.D2019),
    "dependentSchemas": Keyword(Holds.BY_NAME, since=Draft.D2019),
    "unevaluatedItems": Keyword(Holds.SCHEMA, since=Draft.D2019),
    "unevaluatedProperties": Keyword(Holds.SCHEMA, since=Draft.D2019),
    "allOf": _IS_LIST,
    "anyOf": _IS_LIST,
    "oneOf": _IS_LIST,
    "not": _IS_SCHEMA,
    "if": Keyword(Holds.SCHEMA, since=Draft.D7, beside=("then", "else")),
    "then": Keyword(Holds.SCHEMA, since=Draft.D7, beside=("if",)),
    "else": Keyword(Holds.SCHEMA, since=Draft.D7, beside=("if",)),
    "$ref": _IS_DATA,
    "$dynamicRef": Keyword(since=Draft.D2020),
    "$recursiveRef": Keyword(since=Draft.D2019, until=Draft.D2019),
}
"""The keywords that a value can break. `dependencies` is read by every draft here, also by those that renamed it."""

DESCRIBING: Final[Mapping[str, Keyword]] = {
    **dict.fromkeys(
        (
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly",
            "contentEncoding",
            "contentMediaType",
            "id",
        ),
        _IS_DATA,
    ),
    "contentSchema": _IS_SCHEMA,
    "definitions": _IS_BY_NAME,
    "$defs": _IS_BY_NAME,
    # OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0, Schema Object)
    **dict.fromkeys(("discriminator", "xml", "externalDocs", "example"), _IS_DATA),
}
"""The keywords that describe, name or define, and that no value can break."""

KEYWORDS: Final[Mapping[str, Keyword]] = {**CONSTRAINING, **DESCRIBING}


def subschemas(
    schema: Mapping[str, Any],
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly inside a schema, each with the keys that lead to it; values of other keys are data."""
    for name, value in schema.items():
        known = KEYWORDS.get(name)
        if known is None or known.holds is Holds.DATA:
            continue
        if known.holds is Holds.SCHEMA:
            yield (name,), value
        elif isinstance(value, list) and known.holds is not Holds.BY_NAME:
            for index, item in enumerate(cast("list[Any]", value)):
                yield (name, index), item
        elif isinstance(value, dict) and known.holds is Holds.SCHEMA_OR_LIST:
            yield (name,), value
        elif isinstance(value, dict):
            for key, item in cast("dict[str, Any]", value).items():
                yield (name, key), item


def walk(schema: Any) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Every schema that is an object, from the outside to the inside, each with the keys that lead to it."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), schema)]
    while waiting:
        path, current = waiting.pop()
        if not isinstance(current, dict):
            continue
        mapping = cast("dict[str, Any]", current)
        yield path, mapping
        below = [((*path, *keys), item) for keys, item in subschemas(mapping)]
        waiting.extend(reversed(below))
