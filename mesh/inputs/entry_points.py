"""Plug-ins by entry point: which ones a group has, each name once, and what they hold."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import cache
from importlib.metadata import (
    Distribution,
    EntryPoint,
    EntryPoints,
    distributions,
    entry_points,
)
from typing import Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.spelling import nearest

_OWN_PREFIX: Final = "judgemesh."
_MAX_REASON_CHARS: Final = 300


def installed(group: str, kind: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; those of other packages come before ours.

    Args:
        group: the group, such as `judgemesh.sources`.
        kind: what one is called in messages, such as `source type`.

    Raises:
        ConfigError: two packages use the same name.
    """
    return by_name(_of_group(group, tuple(sys.path)), kind)


@cache  # reading the metadata of all packages takes 15 ms
def _of_group(group: str, _path: tuple[str, ...]) -> EntryPoints:
    """The entry points of a group, of all packages on the path.

    What the packages offer to others is not parsed where only this one has something of the group.
    """
    naming = [package for package in distributions() if _may_offer(package, group)]
    if len(naming) == 1:
        points = naming[0].entry_points.select(group=group)
        if all(map(is_own, points)):
            return points
    return entry_points(group=group)


def _may_offer(package: Distribution, group: str) -> bool:
    """Whether the group is named in what a package offers."""
    return group in (package.read_text("entry_points.txt") or "")


def by_name(points: Iterable[EntryPoint], kind: str) -> dict[str, EntryPoint]:
    """As `installed`, for the given entry points."""
    named: dict[str, EntryPoint] = {}
    for point in sorted(points, key=_order):
        if point.name in named:
            first, second = sorted([origin_of(named[point.name]), origin_of(point)])
            raise ConfigError(
                f"two installed packages offer a {kind} {point.name!r}: {first} and {second}",
                hint="uninstall or rename one of them",
            )
        named[point.name] = point
    return named


def _order(point: EntryPoint) -> tuple[bool, str]:
    return (is_own(point), point.name)


def is_own(point: EntryPoint) -> bool:
    """Whether an entry point holds something of this package."""
    return point.value.startswith(_OWN_PREFIX)


def load(point: EntryPoint, kind: str) -> object:
    """What an entry point holds.

    Raises:
        ConfigError: it cannot be loaded; the message names the entry point and the reason.
    """
    with _naming(point, kind):
        return point.load()


def load_instance(point: EntryPoint, kind: str) -> object:
    """As `load`; a class is called without arguments."""
    loaded = load(point, kind)
    if not isinstance(loaded, type):
        return loaded
    with _naming(point, kind):
        return cast("object", loaded())


@contextmanager
def _naming(point: EntryPoint, kind: str) -> Generator[None]:
    """Turn whatever a plug-in raises into a ConfigError that names it."""
    try:
        yield
    except (Exception, SystemExit) as error:
        message = f"{kind} {point.name!r} cannot be loaded ({reason(point, error)})"
        raise ConfigError(message) from error


def reason(point: EntryPoint, error: BaseException) -> str:
    """Why an entry point cannot be used, in one line."""
    message = str(error).strip() or "no message"
    line = message.split("\n", 1)[0][:_MAX_REASON_CHARS]
    return f"{point.value}: {type(error).__name__}: {line}"


def unknown(kind: str, name: str, known: Iterable[str]) -> ConfigError:
    """The error for a name that no entry point has, with the nearest known name."""
    names = list(known)
    near = nearest(name, names)
    hint = f"there are: {', '.join(names)}"
    if near:
        hint = f"did you mean {near!r}?"
    return ConfigError(f"there is no {kind} {name!r}", hint=hint)


def origin_of(point: EntryPoint) -> str:
    """Name and version of the package that an entry point comes from."""
    return "unknown package" if point.dist is None else _package(point.dist)


@cache  # all entry points of a package share one distribution object, whose metadata is parsed at each access
def _package(distribution: Distribution) -> str:
    metadata = distribution.metadata
    return f"{metadata['Name']} {metadata['Version']}"
