"""What a trace reader is: a format's name, how to know it, and how to read it as a stream.

A reader is an object with the four members of `TraceReader`, named by an entry point of the group
`judgemesh.trace_readers` (a class is called without arguments to make one).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a trace: what one span, event or row says. `body` is plain JSON data, for it is kept on disk until
    every fragment of its trace has come; the fragments of a trace may come in any order, mixed with others.

    is_aside: it says something about the run and is no operation, so it is not counted.
    """

    trace_id: str
    body: JsonObject = field(default_factory=dict[str, Any])
    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something of the file that could not be used. `where` is `file:line` or `file: part`."""

    where: str
    problem: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.where}: {self.problem}"


ReaderOutput: TypeAlias = Trace | Fragment | Malformed


@runtime_checkable
class TraceReader(Protocol):
    """Reads one format."""

    name: str

    def matches(self, head: FileHead) -> bool:
        """Whether a file that begins like this is of the format. Must not raise."""
        ...

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """Everything in the file, in its order, in bounded memory.

        A format whose files hold whole runs gives `Trace`s; one whose files mix parts of runs gives `Fragment`s.

        Raises:
            InputError: the file cannot be read at all.
        """
        ...

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace out of all its fragments' bodies, whatever their order."""
        ...
