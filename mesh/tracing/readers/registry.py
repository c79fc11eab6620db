"""Finding trace readers by entry point, by name or by what a file begins with."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.source import TraceFile

GROUP: Final = "judgemesh.trace_readers"
AUTO: Final = "auto"


def reader_names() -> tuple[str, ...]:
    """The names of all installed readers."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def reader_named(name: str) -> TraceReader:
    """The reader of one format.

    Raises:
        ConfigError: there is none of that name, or it cannot be loaded.
    """
    points = sorted(entry_points(group=GROUP, name=name), key=lambda point: point.value)
    if not points:
        close = get_close_matches(name, (*reader_names(), AUTO), n=1)
        hint = (
            f"did you mean {close[0]!r}?"
            if close
            else f"there are: {', '.join(reader_names())}"
        )
        raise ConfigError(f"there is no trace format {name!r}", hint=hint)
    return _loaded(points[0])


def reader_for(source: TraceFile) -> TraceReader:
    """The reader of the format that a file's content shows. Installed ones of others are asked before ours.

    Raises:
        InputError: no reader knows it, or it is empty.
        ConfigError: a reader cannot be loaded.
    """
    head = source.head
    if not head.data.strip():
        raise InputError("is empty", where=source.name)
    for point in sorted(entry_points(group=GROUP), key=_foreign_first):
        reader = _loaded(point)
        if reader.matches(head):
            return reader
    raise InputError(
        "is of no known trace format",
        where=source.name,
        hint=f"name it with --format: {', '.join(reader_names())}",
    )


def _foreign_first(point: EntryPoint) -> tuple[bool, str]:
    return (point.value.startswith("judgemesh."), point.name)


@cache
def _loaded(point: EntryPoint) -> TraceReader:
    try:
        found: object = point.load()
        reader = found() if isinstance(found, type) else found
    except Exception as fault:  # a plug-in may fail in any way when imported; that is a fault of the set-up
        raise ConfigError(
            f"trace reader {point.name!r} ({point.value}) cannot be loaded: {type(fault).__name__}: {fault}"
        ) from fault
    if not isinstance(reader, TraceReader):
        raise ConfigError(
            f"trace reader {point.name!r} ({point.value}) lacks name, matches, read or assemble"
        )
    return reader
