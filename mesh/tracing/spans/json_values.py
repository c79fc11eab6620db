"""JSON data of unknown shape, read as objects and lists; anything else is empty."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

JsonObject: TypeAlias = dict[str, Any]


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether it is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether it is an array."""
    return isinstance(value, list)


def object_of(value: object) -> JsonObject:
    """An object; an empty one for anything else."""
    return value if is_object(value) else {}


def list_of(value: object) -> list[Any]:
    """An array; an empty one for anything else."""
    return value if is_list(value) else []


def objects_of(value: object) -> list[JsonObject]:
    """The objects in an array; none for anything else."""
    return [element for element in list_of(value) if is_object(element)]
