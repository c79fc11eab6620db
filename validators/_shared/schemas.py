"""JSON Schema: compiled once, never fetching anything, patterns in linear time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.values import SHOWN_CHARS


class _SchemaError(Protocol):
    message: str
    instance_path: list[str | int]


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
    """One way in which a value does not fit: where (RFC 6901 pointer, empty for the whole) and what."""

    pointer: str
    message: str


def _refuse(uri: str) -> Any:
    raise ValueError(
        f"a schema may not fetch {uri}: write it out, or point inside with #/$defs/..."
    )


def _build(schema: Any) -> SchemaValidator:
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for(
            schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions()
        )
    except ValueError as fault:
        # The library's message goes on for lines about a schema of the schema.
        raise ValueError(
            f"the JSON Schema cannot be used: {str(fault).partition(chr(10))[0]}"
        ) from None


compiled_schema: ByIdentity[Any, SchemaValidator] = ByIdentity(_build)
"""The compiled schema. Raises ValueError (or the library's subclass of it) for what is no usable schema."""

_ALWAYS: dict[bool, dict[str, Any]] = {True: {}, False: {"not": {}}}


def schema_of(schema: dict[str, Any] | bool) -> SchemaValidator:  # noqa: FBT001 (JSON Schema has boolean schemas)
    """The compiled schema; `true` fits everything, `false` nothing.

    Raises:
        ValueError: the schema is none, or points outside itself.
    """
    return compiled_schema(_ALWAYS[schema] if isinstance(schema, bool) else schema)


def faults(
    validator: SchemaValidator, instance: Any, limit: int = 5
) -> list[SchemaFault]:
    """The first `limit` faults of `instance`.

    Raises:
        ValueError: the instance cannot be walked (nested too deep, no JSON value).
    """
    found: list[_SchemaError] = list(islice(validator.iter_errors(instance), limit))
    return [
        SchemaFault(pointer_of(error.instance_path), clip(error.message))
        for error in found
    ]


def pointer_of(path: list[str | int]) -> str:
    """RFC 6901 pointer."""
    return "".join(
        "/" + str(part).replace("~", "~0").replace("/", "~1") for part in path
    )


def clip(message: str, limit: int = 2 * SHOWN_CHARS) -> str:
    """`message` on one line, its middle cut out where it quotes a large value."""
    line = " ".join(message.split())
    return (
        line
        if len(line) <= limit
        else f"{line[: limit // 2]} ... {line[-limit // 2 :]}"
    )
