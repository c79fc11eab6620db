"""OTLP JSON, as SDKs and collectors write it, of any size.

A file is one document, or one export request a line. Spans of any instrumentation are
kept; those that follow the GenAI conventions or OpenInference are understood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    Path,
    StreamFault,
    StreamPlan,
    StreamValue,
    walk,
)
from judgemesh.mesh.tracing.readers.otlp_span import (
    attributes_of,
    span_id_of,
    span_of,
    trace_id_of,
)
from judgemesh.mesh.tracing.readers.protocol import (
    SPANS,
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    object_of,
)

_SPANS: Final = StreamPlan(keys={"spans": StreamPlan(each=WHOLE_VALUE)})
_GROUP: Final = StreamPlan(
    keys={
        "scopeSpans": StreamPlan(each=_SPANS),
        "scope_spans": StreamPlan(each=_SPANS),
        "instrumentationLibrarySpans": StreamPlan(each=_SPANS),
    }
)
_REQUEST: Final = {
    "resourceSpans": StreamPlan(each=_GROUP),
    "resource_spans": StreamPlan(each=_GROUP),
}
_PLAN: Final = StreamPlan(keys=_REQUEST, each=StreamPlan(keys=_REQUEST))
_SCOPE: Final = ("scope", "instrumentationLibrary")
_SPAN_IDS: Final = frozenset({"spanId", "span_id"})
_LEVELS_OF_A_SPAN: Final = 4
"""A span's path is that of its resource group and four more: scopes, n, `spans`, n."""


class OtlpReader:
    """Reads OTLP JSON."""

    name = "otlp"
    family = SPANS

    def matches(self, head: FileHead) -> bool:
        """A document with `resourceSpans`."""
        return "resourceSpans" in head.first or "resource_spans" in head.first

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each span, and one for each resource of a trace's spans."""
        resources = _Resources()
        scope: tuple[Path, str] = ((), "")
        misplaced: set[Path] = set()
        with source.opened() as stream:
            for value in walk(stream, _PLAN, lines=source.head.is_lines):
                if isinstance(value, StreamFault):
                    yield _malformed(value, source.name)
                elif value.path[-1] == "resource":
                    yield from resources.add_resource(value)
                elif value.path[-1] in _SCOPE:
                    scope = (value.path[:-1], _scope_name(value.value))
                elif _is_misplaced(value):
                    if value.path[:-1] not in misplaced:
                        misplaced.add(value.path[:-1])
                        yield _misplaced(value, source.name)
                elif len(value.path) >= 2 and value.path[-2] == "spans":
                    name = scope[1] if scope[0] == value.path[:-2] else ""
                    fragment = _fragment(value, name, source)
                    yield fragment
                    if isinstance(fragment, Fragment):
                        yield from resources.add_span(value, fragment.trace_id)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the spans. Its details hold their resources as `resources`."""
        return assemble_spans(trace_id, fragments)


class _Resources:
    """Gives each trace each of its resources once.

    A group of spans has its resource before its spans, or behind them.
    """

    def __init__(self) -> None:
        self._group: Path = ()
        self._resource: JsonObject = {}
        self._digest = 0
        self._waiting: set[str] = set()
        self._given: set[tuple[str, int]] = set()

    def add_resource(self, value: StreamValue) -> Iterator[Fragment]:
        """The group's resource: for the traces of its spans so far."""
        self._enter(value.path[:-1])
        self._resource = attributes_of(object_of(value.value).get("attributes"))
        self._digest = hash(_sorted_text(self._resource))
        waiting = sorted(self._waiting)
        self._waiting = set()
        for trace_id in waiting:
            yield from self._give(trace_id)

    def add_span(self, value: StreamValue, trace_id: str) -> Iterator[Fragment]:
        """A span of the group: its trace gets the resource."""
        self._enter(value.path[:-_LEVELS_OF_A_SPAN])
        if self._resource:
            yield from self._give(trace_id)
        else:
            self._waiting.add(trace_id)

    def _enter(self, group: Path) -> None:
        if group != self._group:
            self._group = group
            self._resource = {}
            self._waiting = set()

    def _give(self, trace_id: str) -> Iterator[Fragment]:
        key = (trace_id, self._digest)
        if self._resource and key not in self._given:
            self._given.add(key)
            yield Fragment(trace_id, {"resource": self._resource}, is_aside=True)


def _scope_name(scope: object) -> str:
    """The name of the instrumentation that wrote the spans."""
    return str(object_of(scope).get("name") or "")


def _fragment(
    value: StreamValue, scope: str, source: TraceFile
) -> Fragment | Malformed:
    where = f"{source.name}:{value.line}"
    prefix = _path_prefix(value.path)
    if not is_object(value.value):
        return Malformed(where, f"{prefix}a span is an object")
    fields = value.value
    trace_id, span_id = trace_id_of(fields), span_id_of(fields)
    if trace_id is None:
        return Malformed(where, f"{prefix}traceId is missing or no id")
    if span_id is None:
        return Malformed(where, f"{prefix}spanId is missing or no id")
    try:
        span = span_of(fields, trace_id, span_id)
        span.scope = scope
        return Fragment(trace_id, span.body(content=source.keeps_content))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        # A span of a shape that nobody foresaw is reported, and the rest is read.
        return Malformed(where, f"{prefix}cannot be read as a span: {error}")


def _malformed(fault: StreamFault, name: str) -> Malformed:
    rest = "; the rest of the file cannot be read" if fault.final else ""
    problem = f"{_path_prefix(fault.path)}{fault.problem}{rest}"
    return Malformed(f"{name}:{fault.line}", problem)


def _is_misplaced(value: StreamValue) -> bool:
    """Whether a value below a resource holds spans, and does not stand where spans are expected."""
    *above, last = value.path
    if not any(part in _REQUEST for part in above):
        return False
    if isinstance(last, int):
        return above[-1] != "spans" and value.value is not None
    return last in _SPAN_IDS or _holds_span(value.value)


def _holds_span(value: object) -> bool:
    """Whether a value is a span, or one is anywhere inside it."""
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if is_list(held):
            waiting += held
        elif is_object(held):
            if not _SPAN_IDS.isdisjoint(held):
                return True
            waiting += held.values()
    return False


def _misplaced(value: StreamValue, name: str) -> Malformed:
    problem = (
        "not read: spans are expected in the list `spans` of a scope in `scopeSpans`"
    )
    return Malformed(f"{name}:{value.line}", f"{_path_prefix(value.path)}{problem}")


def _path_prefix(path: Path) -> str:
    """`resourceSpans[0].scopeSpans[2].spans[7]: `, without the number of the document."""
    text = ""
    for part in path[1:]:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    text = text.removeprefix(".")
    return f"{text}: " if text else ""


def _sorted_text(resource: JsonObject) -> str:
    """The same text for equal resources. Not orjson: resources may hold huge integers."""
    return json.dumps(resource, sort_keys=True, default=str)
