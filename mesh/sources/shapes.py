"""Reading the answers of public interfaces, whatever they hold; and picking the nearest of several titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.identifiers import fold
from judgemesh.mesh.sources.protocol import SourceInaccessible

_NEAR: Final = 75.0


def text_option_or(options: Mapping[str, object], name: str, default: str) -> str:
    """A text option without its trailing slash.

    Raises:
        ConfigError: it is no text.
    """
    value = options.get(name, default)
    if not isinstance(value, str):
        raise ConfigError(f"{name}: expected text")
    return value.rstrip("/")


def mapping_at(data: object, *path: str) -> Mapping[str, object]:
    """The object at a path; an empty one where there is none.

    Raises:
        SourceInaccessible: the whole answer is no object.
    """
    if not isinstance(data, Mapping):
        raise SourceInaccessible("the answer has not the shape that was expected")
    here: object = cast("object", data)
    for name in path:
        here = (
            cast("Mapping[str, object]", here).get(name)
            if isinstance(here, Mapping)
            else None
        )
    return cast("Mapping[str, object]", here) if isinstance(here, Mapping) else {}


def items_at(data: object, *path: str) -> list[Mapping[str, object]]:
    """The objects of the list at a path."""
    found = mapping_at(data, *path[:-1]).get(path[-1])
    if not isinstance(found, list):
        return []
    items = cast("Sequence[object]", found)
    return [
        cast("Mapping[str, object]", item)
        for item in items
        if isinstance(item, Mapping)
    ]


def nearest(
    title: str, found: Sequence[Mapping[str, object]]
) -> Mapping[str, object] | None:
    """That of several results whose title is nearest; None when none is near."""
    from rapidfuzz import fuzz

    wanted = fold(title)
    held = [fold(str(fields.get("title", ""))) for fields in found]
    scored = [
        (_score(wanted, title, fuzz.ratio(wanted, title)), at)
        for at, title in enumerate(held)
    ]
    best = max(scored, default=(0.0, 0), key=lambda one: (one[0], -one[1]))
    return found[best[1]] if best[0] >= _NEAR else None


def _score(wanted: str, held: str, ratio: float) -> float:
    if not wanted or not held:
        return 0.0
    if wanted == held:
        return 100.0
    subtitle = held.startswith(f"{wanted} ") or wanted.startswith(f"{held} ")
    return (
        max(ratio, 95.0)
        if subtitle and min(len(wanted.split()), len(held.split())) > 3
        else ratio
    )
