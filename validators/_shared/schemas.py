"""JSON Schema: compiled once, without fetching anything; patterns run in linear time, and `format` is enforced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Protocol, cast
from urllib.parse import unquote

from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.values import SHOWN_CHARS


class SchemaValidator(Protocol):
    """A compiled schema."""

    def is_valid(self, instance: Any, /) -> bool:
        """Whether the instance fits."""
        ...

    def iter_errors(self, instance: Any, /) -> Iterator[Any]:
        """Every way in which it does not."""
        ...


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One way in which a value does not fit: the RFC 6901 pointer (empty for the whole value) and the message."""

    pointer: str
    message: str


def _refuse(uri: str) -> Any:
    raise ValueError(
        f"a schema may not fetch {uri}: write it out, or point inside with #/$defs/..."
    )


def _build(schema: Any) -> SchemaValidator:
    import jsonschema_rs

    circle = circular_reference(schema)
    if circle is not None:
        raise ValueError(
            f"the JSON Schema cannot be used: {circle} refers to itself and says nothing"
        )
    try:
        return jsonschema_rs.validator_for(
            schema,
            retriever=_refuse,
            pattern_options=jsonschema_rs.RegexOptions(),
            validate_formats=True,
        )
    except ValueError as fault:
        # The other lines of the library's message are about a schema of the schema.
        first_line, _, _ = str(fault).partition("\n")
        raise ValueError(f"the JSON Schema cannot be used: {first_line}") from None


_SAME_VALUE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_VALUE: Final = ("not", "if", "then", "else")
"""Keywords whose schemas are about the same value as the schema they stand in."""


def circular_reference(schema: Any) -> str | None:
    """A local reference that leads back to itself on the same value, such as `{"$ref": "#"}`; None where none does.

    Such a schema accepts everything, or has no meaning. A reference that goes into a part of the value first (a tree of
    nodes) is no circle.
    """
    finished: set[int] = set()
    for start in _schemas_in(schema):
        waiting = [(start, iter(_on_same_value(start, schema)))]
        open_ids = {id(start)}
        while waiting:
            current, others = waiting[-1]
            following = next(others, None)
            if following is None:
                waiting.pop()
                open_ids.discard(id(current))
                finished.add(id(current))
            elif id(following) in open_ids:
                return str(following.get("$ref", current.get("$ref", "#")))
            elif id(following) not in finished:
                waiting.append((following, iter(_on_same_value(following, schema))))
                open_ids.add(id(following))
    return None


def _schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in the schema: each may be one."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            mapping = cast("dict[str, Any]", value)
            yield mapping
            waiting.extend(mapping.values())
        elif isinstance(value, list):
            waiting.extend(cast("list[Any]", value))


def _on_same_value(schema: dict[str, Any], root: Any) -> Iterator[dict[str, Any]]:
    """The schemas that the value of a schema must, or may, fit too."""
    others: list[Any] = [schema.get(name) for name in _SAME_VALUE]
    for name in _SAME_VALUE_LISTS:
        listed = schema.get(name)
        if isinstance(listed, list):
            others += cast("list[Any]", listed)
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference[:1] == "#":
        others.append(_at(root, unquote(reference[1:])))
    for other in others:
        if isinstance(other, dict):
            yield cast("dict[str, Any]", other)


def _at(root: Any, pointer: str) -> Any:
    """The part of a schema at a pointer; None where there is none."""
    value = root
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(key)
        elif isinstance(value, list) and key.isdecimal() and len(key) < _MAX_DIGITS:
            items = cast("list[Any]", value)
            value = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return value


_MAX_DIGITS: Final = 9

_compiled_schema: ByIdentity[Any, SchemaValidator] = ByIdentity(_build)
_BOOLEAN_SCHEMAS: Final[dict[bool, dict[str, Any]]] = {True: {}, False: {"not": {}}}


def schema_of(schema: dict[str, Any] | bool) -> SchemaValidator:  # noqa: FBT001 (JSON Schema has boolean schemas)
    """The compiled schema; `true` fits everything, `false` nothing.

    Raises:
        ValueError: the schema is none, or points outside itself.
    """
    if isinstance(schema, bool):
        schema = _BOOLEAN_SCHEMAS[schema]
    return _compiled_schema(schema)


def faults(
    validator: SchemaValidator, instance: Any, limit: int = 5
) -> list[SchemaFault]:
    """The first `limit` faults of `instance`.

    Raises:
        ValueError: the instance cannot be walked (nested too deep, no JSON value).
    """
    errors = islice(validator.iter_errors(instance), limit)
    return [
        SchemaFault(_pointer_of(error.instance_path), clip(error.message))
        for error in errors
    ]


def _pointer_of(path: Iterable[str | int]) -> str:
    """The RFC 6901 pointer of a path."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return "".join(f"/{part}" for part in parts)


def clip(message: str, limit: int = 2 * SHOWN_CHARS) -> str:
    """`message` on one line, its middle cut out where it quotes a large value."""
    line = " ".join(message.split())
    if len(line) <= limit:
        return line
    return f"{line[: limit // 2]} ... {line[-limit // 2 :]}"
