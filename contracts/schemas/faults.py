"""Parts of a JSON Schema that are read by nobody: unknown keywords, and known ones where they have no effect.

JSON Schema ignores what it does not know, so a misspelt keyword accepts everything without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from judgemesh.contracts.schemas.keywords import (
    CONSTRAINING,
    KEYWORDS,
    Draft,
    walk,
)
from judgemesh.contracts.text.spelling import nearest

_OTHER_NAMES: Final[Mapping[str, str]] = {
    "mustinclude": "required",
    "mandatory": "required",
    "require": "required",
    "requires": "required",
    "requiredfields": "required",
    "requiredproperties": "required",
    "fields": "properties",
    "props": "properties",
    "attributes": "properties",
    "keys": "properties",
    "schema": "properties",
    "optionalproperties": "properties",
    "values": "enum",
    "options": "enum",
    "choices": "enum",
    "allowed": "enum",
    "allowedvalues": "enum",
    "in": "enum",
    "equals": "const",
    "eq": "const",
    "value": "const",
    "elements": "items",
    "min": "minimum",
    "ge": "minimum",
    "gte": "minimum",
    "max": "maximum",
    "le": "maximum",
    "lte": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "regex": "pattern",
    "regexp": "pattern",
    "match": "pattern",
    "divisibleby": "multipleOf",
    "extends": "allOf",
    "disallow": "not",
    "kind": "type",
    "datatype": "type",
    "ref": "$ref",
    "defs": "$defs",
    "forbidden": "not",
}
"""What other languages call a keyword, in small letters and without `_` and `-`."""
_REMEDIES: Final[Mapping[str, str]] = {
    "nullable": "write `type: [..., 'null']`",
    "optional": "leave the property out of `required`",
    "length": "write `minLength` and `maxLength`, or `minItems` and `maxItems`",
    "range": "write `minimum` and `maximum`",
    "strict": "write `additionalProperties: false`",
}
_TYPES: Final = frozenset(
    {"string", "number", "integer", "boolean", "object", "array", "null"}
)
FORMATS: Final = (
    "date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "regex", "json-pointer", "relative-json-pointer",
)  # fmt: skip
"""The formats that are enforced (JSON Schema 2020-12, Validation, section 7.3)."""
_CUTOFF: Final = 0.7
_NEAR_FORMAT: Final = 0.75
_FOLDED: Final = {name.casefold(): name for name in KEYWORDS}


class SchemaFault(NamedTuple):
    """A part of a schema without effect: the keys that lead to it, and what to write in its place."""

    path: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        """The pointer and the message."""
        where = "/".join(map(str, self.path))
        return f"/{where}: {self.message}"


def schema_faults(schema: Any) -> Iterator[SchemaFault]:
    """Every part of a JSON Schema that constrains nothing because nobody reads it.

    Names that begin with `x-` are annotations. Values of `enum`, `const`, `default` and `examples` are data and may
    have any keys.
    """
    draft = Draft.of(schema)
    for path, current in walk(schema):
        for find in _FINDERS:
            for name, message in find(current, draft):
                yield SchemaFault((*path, name), message)


def _unknown(schema: Mapping[str, Any], _: Draft) -> Iterator[tuple[str, str]]:
    for name, value in schema.items():
        if name in KEYWORDS or name.startswith("x-"):
            continue
        if name.startswith("$"):
            near = nearest(name, _DOLLAR, cutoff=_CUTOFF)
            if near and name not in _NAMING:
                message = (
                    f"{name!r} is no keyword of JSON Schema; did you mean {near!r}?"
                )
                yield name, message
            continue
        yield (
            name,
            f"{name!r} is no keyword of JSON Schema, and constrains nothing; {_remedy(name, value)}",
        )


_NAMING: Final = frozenset(
    {"$schema", "$id", "$anchor", "$comment", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor"}
)  # fmt: skip
_DOLLAR: Final = (
    *(name for name in KEYWORDS if name.startswith("$")),
    *sorted(_NAMING),
)


def _remedy(name: str, value: Any) -> str:
    folded = name.casefold().replace("_", "").replace("-", "")
    if folded in _REMEDIES:
        return _REMEDIES[folded]
    meant = _FOLDED.get(folded) or _OTHER_NAMES.get(folded)
    if meant is None:
        near = nearest(folded, _FOLDED, cutoff=_CUTOFF)
        meant = _FOLDED[near] if near else None
    if meant is not None:
        return f"did you mean {meant!r}?"
    if isinstance(value, dict) or value in _TYPES:
        return f"a property is written `properties: {{{name}: ...}}`; an annotation begins with `x-`"
    return "an annotation begins with `x-`"


def _of_another_draft(
    schema: Mapping[str, Any], draft: Draft
) -> Iterator[tuple[str, str]]:
    for name in schema.keys() & CONSTRAINING.keys():
        if not CONSTRAINING[name].is_read_by(draft):
            message = (
                f"draft {draft.value} does not know {name!r}, so it constrains nothing; "
                "change `$schema`, or write what that draft knows"
            )
            yield name, message


def _alone(schema: Mapping[str, Any], _: Draft) -> Iterator[tuple[str, str]]:
    for name in schema.keys() & CONSTRAINING.keys():
        beside = CONSTRAINING[name].beside
        if beside and schema.keys().isdisjoint(beside):
            wanted = " or ".join(map(repr, beside))
            yield name, f"{name!r} constrains nothing without {wanted} beside it"


def _beside_reference(
    schema: Mapping[str, Any], draft: Draft
) -> Iterator[tuple[str, str]]:
    """Until draft 7 nothing beside `$ref` is read."""
    if "$ref" not in schema or draft in (Draft.D2019, Draft.D2020):
        return
    for name in schema.keys() & CONSTRAINING.keys() - {"$ref"}:
        message = f"draft {draft.value} does not read {name!r} beside `$ref`; put both into `allOf`"
        yield name, message


def _misspelt_format(schema: Mapping[str, Any], _: Draft) -> Iterator[tuple[str, str]]:
    value = schema.get("format")
    if not isinstance(value, str) or value in FORMATS:
        return
    near = nearest(value.casefold(), FORMATS, cutoff=_NEAR_FORMAT)
    if near:
        yield (
            "format",
            f"{value!r} is no format that is checked; did you mean {near!r}?",
        )


_FINDERS: Final[
    tuple[Callable[[Mapping[str, Any], Draft], Iterator[tuple[str, str]]], ...]
] = (_unknown, _of_another_draft, _alone, _beside_reference, _misspelt_format)
