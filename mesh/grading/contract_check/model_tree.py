"""All models of a contract, each with its keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from pydantic import BaseModel

from judgemesh.mesh.inputs.problems import KeyPath


def models_below(
    model: BaseModel, path: KeyPath = ()
) -> Iterator[tuple[BaseModel, KeyPath]]:
    """A model and all models below it, each with its keys as a contract file has them."""
    yield model, path
    fields = type(model).model_fields
    for name in model.model_fields_set & fields.keys():
        key = fields[name].alias or name
        for child, keys in _models(getattr(model, name)):
            yield from models_below(child, (*path, key, *keys))


def _models(value: Any) -> Iterator[tuple[BaseModel, KeyPath]]:
    """The models that a field holds: its value, or the items of a list or mapping."""
    if isinstance(value, BaseModel):
        yield value, ()
        return
    pairs: Any = ()
    if isinstance(value, list):
        pairs = enumerate(cast("list[Any]", value))
    elif isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
    for key, child in pairs:
        if isinstance(child, BaseModel):
            yield child, (key,)
