"""JSON Schema: compiled once, without fetching anything; patterns run in linear time, and `format` is enforced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Protocol

from judgemesh.contracts.schemas.circles import circular_reference
from judgemesh.contracts.schemas.faults import schema_faults
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
    unread = next(schema_faults(schema), None)
    if unread is not None:
        raise ValueError(f"the JSON Schema cannot be used: {unread}")
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
