"""Reports of plain counts, and of objects of plain counts: read by what all reports of their form have in common. Pure.

A provider reports the same fields with every call. Where each figure stands among them is found once for a form, by
the tables of `usage_shapes.py` and `usage_table.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from operator import itemgetter, methodcaller
from typing import Any, Final, NamedTuple, TypeAlias

from judgemesh.mesh.pricing.usage_shapes import (
    MAX_COUNT,
    TokenCounts,
    UsageShape,
    by_path,
    present_figures,
    tier_paths,
)
from judgemesh.mesh.pricing.usage_table import row_of

_Names: TypeAlias = tuple[str, ...]
_COUNTS: Final = frozenset({int})
_VALUES: Final = methodcaller("values")
_ADDED: Final = "input_beside"
_FEWEST: Final = 2  # itemgetter returns a tuple


class _Form(NamedTuple):
    """`pick` takes the figures out of the values of a report, those of its objects behind its own."""

    row: UsageShape
    figures: _Names
    pick: Callable[[tuple[Any, ...]], tuple[int, ...]]


def plain_counts(
    raw: Mapping[str, Any], *, provider: str
) -> tuple[TokenCounts, UsageShape] | None:
    """The counts of a report and the row that reads it; None for a report that has to be read path by path."""
    whole: type = type(raw)
    if whole is not dict:
        return None
    own = tuple(raw.values())
    kinds = tuple(map(type, own))
    objects: list[dict[str, Any]] = [
        value for value, kind in zip(own, kinds, strict=True) if kind is dict
    ]
    inner = tuple(chain.from_iterable(map(_VALUES, objects)))
    if not _COUNTS.issuperset(map(type, inner)):
        return None
    names = tuple([tuple(each.keys()) for each in objects])
    form = _form(tuple(raw), kinds, names, provider)
    if form is None:
        return None
    picked = form.pick(own + inner)
    if min(picked) < 0 or max(picked) >= MAX_COUNT:
        return None
    beside = True if form.row.cache_is_beside else None
    counts: dict[str, Any] = dict(zip(form.figures, picked, strict=True))
    return TokenCounts(**counts, cache_is_beside=beside, raw=raw), form.row


@lru_cache(maxsize=256)
def _form(
    names: _Names, types: tuple[type, ...], objects: tuple[_Names, ...], provider: str
) -> _Form | None:
    """The form of reports with these names, types of their values, and names in their objects.

    None: a value is neither a count nor an object, or a figure is more than one value as it stands.
    """
    if not {int, dict}.issuperset(types):
        return None
    left = iter(objects)
    report: dict[str, Any] = {}
    for name, kind in zip(names, types, strict=True):
        report[name] = 1 if kind is int else dict.fromkeys(next(left), 1)
    values = by_path(report)
    row = row_of(values, provider=provider)
    if row is None or tier_paths(row, tuple(values)):
        return None
    if not values.keys().isdisjoint(row.cache_write_parts):
        return None
    paths = chain(names, *_inner_paths(report))
    places = {path: place for place, path in enumerate(paths)}
    figures: dict[str, int] = {}
    for figure, (path, *others) in present_figures(row, tuple(values)):
        if figure == _ADDED or others or values[path] != 1:
            return None
        figures[figure] = places[path]
    if len(figures) < _FEWEST or "input" not in figures:
        return None
    return _Form(row, tuple(figures), itemgetter(*figures.values()))


def _inner_paths(report: Mapping[str, Any]) -> Iterator[list[str]]:
    for name, held in report.items():
        if held != 1:
            yield [f"{name}/{key}" for key in held]
