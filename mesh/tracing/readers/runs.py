"""One run put together from the fragments of its trace id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from judgemesh.contracts.tracing import Trace, TracePart
from judgemesh.mesh.tracing.readers.packing import Packer, fullness_of
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.staging import loaded
from judgemesh.mesh.tracing.spans.json_values import JsonObject


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A trace with what it was put together from.

    readers: by family, of the fragments; none for a whole run.
    """

    trace: Trace
    parts: tuple[TracePart, ...] = ()
    is_whole: bool = False
    readers: Mapping[str, TraceReader] = field(default_factory=dict[str, TraceReader])


def assembled_run(
    trace_id: str,
    bodies: Mapping[str, Iterable[bytes]],
    readers: Mapping[str, TraceReader],
    on_dropped: Callable[[Trace], None],
    *,
    packs: bool,
) -> ReadRun:
    """The run of these fragments, given by family in the form of `staging.dumped`.

    Families do not mix: of several, the trace with most in it is kept.

    Args:
        trace_id: the trace.
        bodies: at least one family.
        readers: by family.
        on_dropped: called with each trace that is not kept.
        packs: whether the run keeps its parts.
    """
    traces: list[Trace] = []
    parts: list[TracePart] = []
    for family, own in bodies.items():
        packer = Packer(family) if packs else None
        fragments = _fragments(own, packer)
        traces.append(readers[family].assemble(trace_id, fragments))
        for _ in fragments:
            pass  # what the reader left is packed too
        if packer is not None:
            parts += packer.parts()
    if len(traces) > 1:
        traces.sort(key=fullness_of, reverse=True)
    for dropped in traces[1:]:
        on_dropped(dropped)
    own_readers = {family: readers[family] for family in bodies}
    return ReadRun(traces[0], tuple(parts), readers=own_readers)


def _fragments(bodies: Iterable[bytes], packer: Packer | None) -> Iterator[JsonObject]:
    return map(loaded, bodies) if packer is None else packer.tap(bodies)
