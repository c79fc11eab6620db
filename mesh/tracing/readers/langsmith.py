"""LangSmith runs, as exports and the API give them.

One run a line, a list, `{"runs": [...]}`, or the bodies that the SDK posts
(`{"post": [...], "patch": [...]}`), where a run may come in two parts. A chain's token figures are those of the
runs below it, so only the lowest runs that report any are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.langsmith_run import run_span
from judgemesh.mesh.tracing.readers.protocol import (
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.messages import text_of

_LIST: Final = StreamPlan(each=WHOLE_VALUE)
_LISTS: Final = ("runs", "post", "patch")
_BODY: Final = StreamPlan(keys=dict.fromkeys(_LISTS, _LIST))
_WRAPPED: Final = StreamPlan(keys=dict.fromkeys(_LISTS, _LIST), each=_BODY)


class LangSmithReader:
    """Reads LangSmith runs."""

    name = "langsmith"

    def matches(self, head: FileHead) -> bool:
        """A run, or a document of runs."""
        run = next(_runs_in(head.first), head.first)
        is_patch = "patch" in head.first and "dotted_order" in run
        return "id" in run and ("run_type" in run or is_patch)

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each run."""
        is_wrapped = any(key in source.head.first for key in _LISTS)
        # The trace of each run: a later patch may not name it.
        posts: dict[str, str] = {}
        plan = _WRAPPED if is_wrapped else _LIST
        with source.opened() as stream:
            for value in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                    continue
                if is_wrapped and isinstance(value.path[-1], str):
                    continue  # beside the runs of a page: cursors
                run = object_of(value.value)
                run_id = text_of(run.get("id"))
                for part in _fragments(
                    run,
                    where,
                    parent_trace_id=posts.get(run_id),
                    content=source.keeps_content,
                ):
                    if is_wrapped and isinstance(part, Fragment):
                        posts.setdefault(run_id, part.trace_id)
                    yield part

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the runs."""
        return assemble_spans(trace_id, fragments)


def _runs_in(first: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The runs in the lists of a document's first object."""
    for key in _LISTS:
        for run in list_of(first.get(key)):
            if is_object(run):
                yield run


def _outermost(dotted_order: object) -> str:
    """The id of the outermost run: `dotted_order` is `<time>Z<id>.<time>Z<id>`, outermost first."""
    first = text_of(dotted_order).split(".")[0]
    return first.partition("Z")[2]


def _fragments(
    run: JsonObject,
    where: str,
    parent_id: str | None = None,
    parent_trace_id: str | None = None,
    *,
    content: bool = False,
) -> Iterator[ReaderOutput]:
    """A fragment for a run, and one for each run inside it."""
    run_id = run.get("id")
    if not isinstance(run_id, str) or not run_id:
        yield Malformed(where, "the run has no id")
        return
    stated = text_of(run.get("trace_id")) or _outermost(run.get("dotted_order"))
    trace_id = stated or parent_trace_id or run_id
    try:
        span = run_span(run, run_id, trace_id, parent_id)
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        yield Malformed(where, f"run {run_id} cannot be read: {error}")
        return
    yield Fragment(trace_id, span.body(content=content))
    for child in list_of(run.get("child_runs")):
        inner = object_of(child)
        yield from _fragments(inner, where, run_id, trace_id, content=content)
