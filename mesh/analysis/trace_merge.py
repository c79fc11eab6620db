"""A run that was read, together with the parts of it that the ledger holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.tracing import Trace, TracePart
from judgemesh.mesh.tracing.readers.packing import Packer, fullness_in, unpacked
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.registry import reader_named, reader_names
from judgemesh.mesh.tracing.readers.runs import ReadRun, assembled_run


def merged(
    run: ReadRun,
    stored: Sequence[TracePart],
    on_dropped: Callable[[Trace], None],
    *,
    again: bool,
) -> ReadRun | None:
    """The run with the stored parts; None where they hold everything already.

    A run that one document holds is not put together with parts: of two, the one with
    most in it is kept.

    Args:
        run: the run that was read.
        stored: the parts of its trace in the ledger.
        on_dropped: called with what is left out because there is a trace with more in it.
        again: give the run also where the ledger holds everything already.

    Raises:
        ConfigError: the reader of a stored part is not installed any more.
    """
    known = fullness_in(stored)
    if run.is_whole:
        own = fullness_in(run.parts)
        if known is None or own is None or own > known:
            return run
        return run if again and own == known else None
    if known is not None:
        on_dropped(run.trace)
        return None
    new = tuple(_new_parts(run, stored))
    if not new and not again:
        return None
    if not stored:
        return run
    parts = (*stored, *new)
    families = sorted({part.family for part in parts})
    readers = {name: run.readers.get(name) or _reader_of(name) for name in families}
    bodies = {name: _bodies(parts, name) for name in families}
    trace_id = run.trace.trace_id
    together = assembled_run(trace_id, bodies, readers, on_dropped, packs=False)
    return replace(together, parts=parts)


def _new_parts(run: ReadRun, stored: Sequence[TracePart]) -> Iterator[TracePart]:
    """What the run has and the ledger has not."""
    if not stored:
        yield from run.parts
        return
    for family in run.readers:
        packer = Packer(family)
        packer.skip(_bodies(stored, family))
        for body in _bodies(run.parts, family):
            packer.add(body)
        yield from packer.parts()


def _bodies(parts: Sequence[TracePart], family: str) -> Iterator[bytes]:
    own = (part for part in parts if part.family == family)
    return chain.from_iterable(map(unpacked, own))


def _reader_of(family: str) -> TraceReader:
    """A reader that puts fragments of a family together."""
    for name in reader_names():
        reader = reader_named(name)
        if str(getattr(reader, "family", reader.name)) == family:
            return reader
    raise ConfigError(f"no trace reader of the family {family!r} is installed")
