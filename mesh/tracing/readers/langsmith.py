"""LangSmith runs, as exports and the API give them: one run a line, a list, or `{"runs": [...]}`.

A chain's token figures are those of the runs below it, so only the lowest runs that report any are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    Fragment,
    JsonObject,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.context_sources import weight_of
from judgemesh.mesh.tracing.spans.counts import whole_number
from judgemesh.mesh.tracing.spans.messages import (
    calls_of,
    digest_of,
    parts_of,
    text_of,
)
from judgemesh.mesh.tracing.spans.span import Kind, Span, nanoseconds

_LIST: Final = StreamPlan(each=WHOLE_VALUE)
_WRAPPED: Final = StreamPlan(keys={"runs": _LIST}, each=WHOLE_VALUE)
_KINDS: Final[Mapping[str, Kind]] = {
    "llm": Kind.MODEL,
    "chat_model": Kind.MODEL,
    "embedding": Kind.EMBEDDING,
    "tool": Kind.TOOL,
    "retriever": Kind.RETRIEVER,
}
_OWN: Final = frozenset(
    {
        *(
            "id",
            "trace_id",
            "parent_run_id",
            "name",
            "run_type",
            "start_time",
            "end_time",
            "status",
            "error",
        ),
        *(
            "inputs",
            "outputs",
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "total_cost",
            "prompt_cost",
        ),
        *(
            "completion_cost",
            "prompt_token_details",
            "completion_token_details",
            "serialized",
            "manifest",
        ),
        *("inputs_preview", "outputs_preview", "messages", "child_runs"),
    }
)
_CACHED: Final = ("cache_read", "cached_tokens", "cache_read_input_tokens")
_WRITTEN: Final = ("cache_creation", "cache_write", "cache_creation_input_tokens")


class LangSmithReader:
    """Reads LangSmith runs."""

    name = "langsmith"

    def matches(self, head: FileHead) -> bool:
        """A run, or a document of runs."""
        runs = head.first.get("runs")
        listed = _list(runs)
        first: Mapping[str, Any] = (
            cast("JsonObject", listed[0])
            if listed and isinstance(listed[0], dict)
            else head.first
        )
        return "run_type" in first and "id" in first

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment a run."""
        plan = _WRAPPED if "runs" in source.head.first else _LIST
        with source.opened() as stream:
            for found in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{found.line}"
                if isinstance(found, StreamFault):
                    yield Malformed(where, found.problem)
                elif (
                    plan is _WRAPPED
                    and len(found.path) == 2
                    and isinstance(found.path[1], str)
                ):
                    continue  # what stands beside the runs of a page: cursors
                else:
                    yield from _fragments(found.value, where)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the runs."""
        return assemble_spans(trace_id, fragments)


def _fragments(
    value: object, where: str, above: str | None = None, trace: str | None = None
) -> Iterator[ReaderOutput]:
    given = cast("JsonObject", value) if isinstance(value, dict) else {}
    run_id = given.get("id")
    if not isinstance(run_id, str) or not run_id:
        yield Malformed(where, "the run has no id")
        return
    trace_id = text_of(given.get("trace_id")) or trace or run_id
    try:
        span = _span(given, run_id, trace_id, above)
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as fault:
        yield Malformed(where, f"run {run_id} cannot be read: {fault}")
        return
    yield Fragment(trace_id, span.body())
    children = given.get("child_runs")
    for child in cast("list[Any]", children) if isinstance(children, list) else []:
        yield from _fragments(child, where, run_id, trace_id)


def _span(given: JsonObject, run_id: str, trace_id: str, above: str | None) -> Span:
    extra = _part(given, "extra")
    metadata = _part(extra, "metadata")
    invocation = _part(extra, "invocation_params")
    kind = _KINDS.get(str(given.get("run_type")), Kind.CONTAINER)
    failed = bool(given.get("error")) or given.get("status") == "error"
    span = Span(
        trace_id=trace_id,
        span_id=run_id,
        parent_id=text_of(given.get("parent_run_id")) or above,
        kind=kind,
        name=text_of(given.get("name")),
        start_ns=nanoseconds(given.get("start_time")),
        end_ns=nanoseconds(given.get("end_time")),
        status="error" if failed else "success",
        error_type=text_of(given.get("error")).strip().split("\n")[0][:200] or "error"
        if failed
        else None,
        task_id=text_of(metadata.get("task_id") or given.get("reference_example_id"))
        or None,
        agent_id=text_of(metadata.get("lc_agent_name") or metadata.get("agent_name"))
        or None,
        provider=text_of(metadata.get("ls_provider")),
        model_name=text_of(
            metadata.get("ls_model_name")
            or invocation.get("model")
            or invocation.get("model_name")
        )
        or None,
        details={
            key: item
            for key, item in given.items()
            if key not in _OWN and item is not None
        },
    )
    span.counts = _counts(given, kind)
    span.cost = _cost(given)
    inputs, outputs = given.get("inputs"), given.get("outputs")
    if kind is Kind.MODEL:
        parts = parts_of(_messages(inputs))
        span.sent = [
            (part.role, part.weight, part.call_id, part.tool_name) for part in parts
        ]
        if invocation.get("tools"):
            span.sent.append(
                ("skill", weight_of(text_of(invocation["tools"])), None, None)
            )
        span.asks_tool = calls_of(_generated(outputs))
    elif kind in {Kind.TOOL, Kind.RETRIEVER}:
        _tool(span, inputs, outputs)
    return span


def _tool(span: Span, inputs: object, outputs: object) -> None:
    result: object = _part({"outputs": outputs}, "outputs").get("output", outputs)
    span.tool_name = span.name
    if isinstance(result, dict):
        called = cast("JsonObject", result)
        inner = _part(called, "kwargs")
        span.call_id = (
            text_of(called.get("tool_call_id") or inner.get("tool_call_id")) or None
        )
    span.arguments_digest = digest_of(inputs)
    span.arguments_weight = weight_of(text_of(inputs))
    listed: list[object] = [result]
    weight = sum(part.weight for part in parts_of(listed))
    span.result_weight = (
        None if result is None else weight or weight_of(text_of(outputs))
    )


def _counts(given: JsonObject, kind: Kind) -> JsonObject | None:
    usage = _usage_metadata(given.get("outputs")) if kind is Kind.MODEL else {}
    read, wrote = (
        _part(given, "prompt_token_details"),
        _part(given, "completion_token_details"),
    )
    read = (
        read
        or _part(usage, "input_token_details")
        or _part(usage, "prompt_tokens_details")
    )
    wrote = (
        wrote
        or _part(usage, "output_token_details")
        or _part(usage, "completion_tokens_details")
    )
    names = {
        "input": "prompt_tokens",
        "output": "completion_tokens",
        "total": "total_tokens",
    }
    other = {
        "input": "input_tokens",
        "output": "output_tokens",
        "total": "total_tokens",
    }
    figures = {
        name: _first({**usage, **_known(given, names.values())}, (key, other[name]))
        for name, key in names.items()
    }
    if not any(figures.values()):
        return None
    kept = (*names.values(), "prompt_token_details", "completion_token_details")
    return {
        **figures,
        "cached": _first(read, _CACHED),
        "cache_write": _first(read, _WRITTEN),
        "reasoning": _first(wrote, ("reasoning", "reasoning_tokens")),
        "raw": {key: given[key] for key in kept if given.get(key) is not None} or usage,
    }


def _known(given: JsonObject, keys: Iterable[str]) -> JsonObject:
    return {key: given[key] for key in keys if given.get(key) is not None}


def _usage_metadata(outputs: object) -> JsonObject:
    """Where the different versions of the library put the usage of a model call."""
    given = _part({"outputs": outputs}, "outputs")
    output = _part(given, "llm_output")
    for part in (
        given.get("usage_metadata"),
        output.get("token_usage"),
        output.get("usage"),
        given.get("usage"),
    ):
        if isinstance(part, dict):
            return cast("JsonObject", part)
    for message in _generated(outputs):
        opened = _part(message, "kwargs") or message
        for part in (
            opened.get("usage_metadata"),
            _part(opened, "response_metadata").get("token_usage"),
        ):
            if isinstance(part, dict):
                return cast("JsonObject", part)
    return {}


def _generated(outputs: object) -> list[JsonObject]:
    """The messages a model answered with."""
    given = _part({"outputs": outputs}, "outputs")
    groups = [_list(group) or [group] for group in _list(given.get("generations"))]
    wrapped = [
        *(one for group in groups for one in group),
        *_list(given.get("choices")),
    ]
    found = [
        cast("JsonObject", one).get("message")
        for one in wrapped
        if isinstance(one, dict)
    ]
    found += [*_list(given.get("messages")), given.get("message"), given.get("output")]
    if "role" in given:
        found.append(given)
    return [cast("JsonObject", one) for one in found if isinstance(one, dict)]


def _messages(inputs: object) -> object:
    given = _part({"inputs": inputs}, "inputs")
    return next(
        (
            given[key]
            for key in ("messages", "input", "prompts", "prompt")
            if given.get(key)
        ),
        inputs,
    )


def _cost(given: JsonObject) -> str | None:
    if given.get("total_cost") is not None:
        return str(given["total_cost"])
    parts = [
        str(given[key])
        for key in ("prompt_cost", "completion_cost")
        if given.get(key) is not None
    ]
    if not parts:
        return None
    from decimal import Decimal, InvalidOperation

    try:
        return str(sum((Decimal(part) for part in parts), Decimal(0)))
    except InvalidOperation:
        return None


def _part(given: Mapping[str, Any], key: str) -> JsonObject:
    part = given.get(key)
    return cast("JsonObject", part) if isinstance(part, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _first(given: Mapping[str, Any], keys: Iterable[str]) -> int | None:
    return next(
        (count for key in keys if (count := whole_number(given.get(key))) is not None),
        None,
    )
