"""What the readers of documents of spans have in common.

A file is one document, a list of documents, a page with a list of them, or one document
a line; a document holds rows, each of which is a span.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    FAULTS,
    SPANS,
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, is_object
from judgemesh.mesh.tracing.spans.span import Span

_LIST: Final = StreamPlan(each=WHOLE_VALUE)


class SpanRowsReader(ABC):
    """Reads documents of rows. A subclass says where the rows are and what they mean.

    lists: the keys of a page under which its documents are.
    """

    family = SPANS
    lists: tuple[str, ...] = ()

    @abstractmethod
    def rows(self, document: JsonObject) -> Iterator[object]:
        """The rows of a document; none for one that holds none."""

    @abstractmethod
    def span(self, row: JsonObject, document: JsonObject) -> Span | None:
        """The span of a row; None for a row that describes no operation.

        Raises:
            ValueError: what is wrong with the row.
        """

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each row."""
        keys = [key for key in self.lists if is_list(source.head.first.get(key))]
        plan = StreamPlan(keys=dict.fromkeys(keys, _LIST), each=WHOLE_VALUE)
        with source.opened() as stream:
            for value in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                elif keys and isinstance(value.path[-1], str):
                    continue  # beside the documents of a page: cursors
                elif not is_object(value.value):
                    yield Malformed(where, "expected an object")
                else:
                    yield from self._fragments(value.value, where, source)

    def _fragments(
        self, document: JsonObject, where: str, source: TraceFile
    ) -> Iterator[ReaderOutput]:
        for number, row in enumerate(self.rows(document), start=1):
            if not is_object(row):
                yield Malformed(where, f"span {number}: a span is an object")
                continue
            try:
                span = self.span(row, document)
                if span is not None:
                    body = span.body(content=source.keeps_content)
                    yield Fragment(span.trace_id, body)
            except FAULTS as error:
                yield Malformed(where, f"span {number} cannot be read: {error}")

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the spans."""
        return assemble_spans(trace_id, fragments)


def needed_text(row: JsonObject, *keys: str) -> str:
    """The first of these fields that holds text.

    Raises:
        ValueError: none does.
    """
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value:
            return value
    raise ValueError(f"{keys[0]} is missing")


def text_or_none(row: JsonObject, key: str) -> str | None:
    """The text of a field that may be left out.

    Raises:
        ValueError: it holds something else.
    """
    value = row.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    raise ValueError(f"{key} is {type(value).__name__}, not text")
