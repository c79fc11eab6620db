"""Nested data <-> attributes with dotted names. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def flatten(key: str, value: object, attributes: dict[str, Any]) -> None:
    """Put a nested value into `attributes`, each part under its dotted name.

    Lists of objects are numbered: `messages.0.role`. Other lists stay whole.
    """
    if isinstance(value, dict):
        for inner_key, inner in cast("dict[str, Any]", value).items():
            flatten(f"{key}.{inner_key}", inner, attributes)
        return
    if isinstance(value, list):
        elements = cast("list[Any]", value)
        if elements and all(isinstance(element, dict) for element in elements):
            for index, element in enumerate(elements):
                flatten(f"{key}.{index}", element, attributes)
            return
    attributes[key] = value


def unflattened_list(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """`PREFIX0.role`, `PREFIX0.content`... as a list of nested data, by number."""
    root: dict[str, Any] = {}
    for key, value in attributes.items():
        if key.startswith(prefix):
            *path, last = key.removeprefix(prefix).split(".")
            _container(root, path)[last] = value
    nested = _with_lists(root)
    return cast("list[Any]", nested) if isinstance(nested, list) else []


def _container(root: dict[str, Any], path: list[str]) -> dict[str, Any]:
    """The dictionary at a path, made where there is none."""
    container = root
    for name in path:
        inner = container.setdefault(name, {})
        if not isinstance(inner, dict):
            # The name already has a value of its own: that keeps its key.
            inner = container.setdefault(f"{name}.", {})
        container = cast("dict[str, Any]", inner)
    return container


def _with_lists(value: object) -> object:
    """Objects whose keys are all numbers, as lists."""
    if not isinstance(value, dict):
        return value
    nested = cast("dict[str, Any]", value)
    if nested and all(key.isdecimal() for key in nested):
        return [_with_lists(nested[key]) for key in sorted(nested, key=int)]
    return {key: _with_lists(inner) for key, inner in nested.items()}
