"""What a trace reader is: a format's name, how to know it, and how to read it.

A reader is an object with the four members of `TraceReader`, named by an entry point of
the group `judgemesh.trace_readers`. A class is called without arguments to make one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.json_values import JsonObject

SPANS: Final = "spans"
"""The family of readers whose fragments are spans (`Span.body`): one trace may be put
together from files of several of them."""


FAULTS: Final = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    RecursionError,
)
"""What reading raises where a field is not what the format says."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a trace: what one span, event or row says.

    The fragments of a trace may come in any order, mixed with those of others.

    body: plain JSON data. It is kept on disk until all fragments of its trace have come.
    is_aside: it describes the run and is no operation, so it is not counted.
    """

    trace_id: str
    body: JsonObject = field(default_factory=dict[str, Any])
    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """A part of a file that cannot be used. `where` is `file:line` or `file: part`."""

    where: str
    problem: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.where}: {self.problem}"


ReaderOutput: TypeAlias = Trace | Fragment | Malformed


@runtime_checkable
class TraceReader(Protocol):
    """Reads one format.

    A reader may have a `family`: fragments of one family and trace id make one trace,
    whichever reader gave them. Without one, its name is its family.
    """

    name: str

    def matches(self, head: FileHead) -> bool:
        """Whether a file that begins like this is of the format. Must not raise."""
        ...

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """Everything in the file, in its order, in bounded memory.

        A format whose files hold whole runs gives `Trace`s. One whose files mix parts
        of runs gives `Fragment`s.

        Raises:
            InputError: the file cannot be read at all.
        """
        ...

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace from the bodies of all its fragments, whatever their order."""
        ...
