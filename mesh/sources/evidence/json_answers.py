"""Reading the JSON answers of public interfaces without trusting their form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from judgemesh.contracts.references import year_of
from judgemesh.mesh.sources.protocols import SourceInaccessible


def mapping_at(data: object, *path: str) -> Mapping[str, object]:
    """The object at a path; an empty one where there is none.

    Raises:
        SourceInaccessible: the whole answer is no object.
    """
    if not isinstance(data, Mapping):
        raise SourceInaccessible("the answer does not have the expected form")
    value: object = cast("object", data)
    for name in path:
        if not isinstance(value, Mapping):
            return {}
        value = cast("Mapping[str, object]", value).get(name)
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def objects_at(data: object, *path: str) -> list[Mapping[str, object]]:
    """The objects of the list at a path; entries that are no objects are left out.

    Raises:
        SourceInaccessible: the whole answer is no object.
    """
    values = mapping_at(data, *path[:-1]).get(path[-1])
    if not isinstance(values, list):
        return []
    return [
        cast("Mapping[str, object]", value)
        for value in cast("list[object]", values)
        if isinstance(value, Mapping)
    ]


def years_of(dates: Iterable[object]) -> list[int]:
    """The distinct years of the dates that have one, ascending."""
    years = {year_of(date) for date in dates}
    return sorted(year for year in years if year)


def without_empty(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields that hold something: in the fields of `Found`, absent means unknown."""
    return {name: value for name, value in fields.items() if value}
