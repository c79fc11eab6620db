"""Finding trace readers by entry point, by name or by what a file begins with."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint
from typing import Final

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.inputs.entry_points import installed, load_instance, unknown
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.source import TraceFile

GROUP: Final = "judgemesh.trace_readers"
AUTO: Final = "auto"
_KIND: Final = "trace format"


def reader_names() -> tuple[str, ...]:
    """The names of all installed readers."""
    return tuple(sorted(installed(GROUP, _KIND)))


def plain_name(name: str) -> str:
    """A format's name with `_` for `-`, in small letters."""
    return name.casefold().replace("-", "_")


def reader_named(name: str) -> TraceReader:
    """The reader of one format; where none has the name, `-` and `_` are the same.

    Raises:
        ConfigError: there is none of that name, or it cannot be loaded.
    """
    points = installed(GROUP, _KIND)
    plain = {plain_name(known): point for known, point in points.items()}
    point = points.get(name) or plain.get(plain_name(name))
    if point is None:
        raise unknown(_KIND, name, (*reader_names(), AUTO))
    return _loaded(point)


def reader_for(source: TraceFile) -> TraceReader:
    """The reader of the format that a file's content shows.

    Readers of other packages are asked before the bundled ones.

    Raises:
        InputError: no reader knows it, or it is empty.
        ConfigError: a reader cannot be loaded.
    """
    head = source.head
    if not head.data.strip():
        raise InputError("is empty", where=source.name)
    for point in installed(GROUP, _KIND).values():
        reader = _loaded(point)
        if reader.matches(head):
            return reader
    raise InputError(
        "is of no known trace format",
        where=source.name,
        hint=f"name it with --format: {', '.join(reader_names())}",
    )


@cache
def _loaded(point: EntryPoint) -> TraceReader:
    reader = load_instance(point, _KIND)
    if not isinstance(reader, TraceReader):
        raise ConfigError(
            f"trace reader {point.name!r} ({point.value}) lacks name, matches, read or"
            " assemble"
        )
    return reader
