"""Instrumentation at the boundaries of article 002, section 41: wrap a function, and each call of it is recorded.

    search = watch(recorder, RETRIEVAL, search, name="knowledge_base")
    chat = watch(recorder, MODEL_GATEWAY, client.chat.completions.create)

A wrapped function takes, gives and raises what it did before; `async def` stays `async def`. Outside of a recorded run
it is only called. Sizes are counted by `count_tokens`; without one they are estimates and say so. Standard library
only, like the recorder.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.recorder import (
    RecordedStep,
    Recorder,
    Timed,
    plain,
)

F = TypeVar("F", bound=Callable[..., Any])
Count = Callable[[object], int]
Describe = Callable[["Call"], Mapping[str, object]]

_CHARS_A_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Call:
    """One call that came back: what went in, what came out, and how to count."""

    name: str
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    result: object
    count: Count


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a runtime is watched: the state a call is, the event it writes, and what is read off it.

    before: fields known when the call begins, from its name. after: fields known when it came back.
    step_fields: which of those `after` gives are the state's own (section 19) instead of the event's.
    """

    state: StateType
    event: EventType
    before: Callable[[str], Mapping[str, object]]
    after: Describe
    step_fields: bool = False


def estimate_tokens(value: object) -> int:
    """About how many tokens a value is as text: a quarter of its characters."""
    if value is None:
        return 0
    text = (
        value
        if isinstance(value, str)
        else json.dumps(plain(value), ensure_ascii=False, default=str)
    )
    return -(-len(text) // _CHARS_A_TOKEN)


def watch(
    recorder: Recorder,
    boundary: Boundary,
    function: F,
    *,
    name: str | None = None,
    describe: Describe | None = None,
    count_tokens: Count | None = None,
) -> F:
    """`function`, recorded at `boundary`.

    Args:
        recorder: the recorder of the runtime.
        boundary: one of this module's, or one of your own.
        function: a function or coroutine function.
        name: what it is called in the trace; by default its own name.
        describe: further fields of a call that came back (cost, top_k, tokens_sent_to_next_llm...); they go before
            the boundary's own.
        count_tokens: tokens of a value.
    """
    called: str = name or str(getattr(function, "__name__", type(function).__name__))
    watcher = _Watcher(recorder, boundary, called, describe, count_tokens)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            if not watcher.recording:
                return await function(*args, **kwargs)
            with watcher.step() as step, watcher.event(step) as event:
                result = await function(*args, **kwargs)
                watcher.tell(step, event, args, kwargs, result)
                return result

        return cast("F", awaited)

    @functools.wraps(function)
    def plainly(*args: Any, **kwargs: Any) -> Any:
        if not watcher.recording:
            return function(*args, **kwargs)
        with watcher.step() as step, watcher.event(step) as event:
            result = function(*args, **kwargs)
            watcher.tell(step, event, args, kwargs, result)
            return result

    return cast("F", plainly)


class _Watcher:
    def __init__(
        self,
        recorder: Recorder,
        boundary: Boundary,
        name: str,
        describe: Describe | None,
        count: Count | None,
    ) -> None:
        self._recorder, self._boundary, self._name = recorder, boundary, name
        self._describe, self._count = describe, count

    @property
    def recording(self) -> bool:
        """Whether this task is in a run."""
        return self._recorder.is_recording()

    def step(self) -> RecordedStep:
        """The step a call is."""
        return self._recorder.step(
            self._boundary.state, **self._boundary.before(self._name)
        )

    def event(self, step: RecordedStep) -> Timed:
        """The event a call writes."""
        return step.timed(
            self._boundary.event, **_EVENT_NAMES[self._boundary.event](self._name)
        )

    def tell(
        self,
        step: RecordedStep,
        event: Timed,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        result: object,
    ) -> None:
        """Read the call off; a description that fails is noted and never fails the call."""
        call = Call(self._name, args, kwargs, result, self._count or estimate_tokens)
        fields: dict[str, object] = (
            {} if self._count is not None else {"tokens_basis": "estimated"}
        )
        for read in (self._boundary.after, self._describe):
            try:
                fields.update({} if read is None else read(call))
            except Exception as error:  # noqa: BLE001 (somebody else's function; recording must not fail the agent)
                fields["recorder_error"] = f"{type(error).__name__}: {error}"
        if self._boundary.step_fields:
            step.set(**fields)
        else:
            event.set(**fields)


_EVENT_NAMES: Final[Mapping[EventType, Callable[[str], dict[str, object]]]] = {
    EventType.MODEL_CALLED: lambda _: {},
    EventType.TOOL_CALLED: lambda name: {"tool_name": name},
    EventType.CONTEXT_COMPILED: lambda _: {},
    EventType.ARTIFACT_CREATED: lambda _: {},
    EventType.ARTIFACT_MODIFIED: lambda _: {},
    EventType.STATE_CHANGED: lambda _: {},
    EventType.VALIDATOR_CALLED: lambda name: {"validator_name": name},
}


def _nothing(_: str) -> Mapping[str, object]:
    return {}


def _named(key: str) -> Callable[[str], Mapping[str, object]]:
    return lambda name: {key: name}


def _asked(call: Call) -> object:
    return [*call.args, *call.kwargs.values()] if call.args or call.kwargs else None


def arguments_digest(args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
    """A digest of a call's arguments: equal calls have equal digests, and nothing can be read out of it."""
    text = json.dumps(plain([list(args), dict(kwargs)]), sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _items(value: object) -> Sequence[object] | None:
    """The elements of a list or tuple; None for anything else."""
    if not isinstance(value, list | tuple):
        return None
    return cast("Sequence[object]", value)


def _get(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    found: object = getattr(value, name, None)
    return found


def _model(call: Call) -> Mapping[str, object]:
    """Usage and served model of a client library's response, object or mapping; cost where the response has one."""
    usage = (
        _get(call.result, "usage")
        or _get(call.result, "usage_metadata")
        or _get(call.result, "usageMetadata")
    )
    model = _get(call.result, "model") or call.kwargs.get("model")
    found: dict[str, object] = {"usage": plain(usage)} if usage is not None else {}
    if isinstance(model, str):
        found["model_name"] = model
    return found


def _tool(call: Call) -> Mapping[str, object]:
    return {
        "request_tokens": call.count(_asked(call)),
        "response_tokens_raw": call.count(call.result),
        "arguments_digest": arguments_digest(call.args, call.kwargs),
    }


def _retrieved(call: Call) -> Mapping[str, object]:
    chunks = _items(call.result)
    return {
        "query_count": 1,
        "query_tokens": call.count(_asked(call)),
        "returned_chunks": 1 if chunks is None else len(chunks),
        "raw_result_tokens": call.count(call.result),
    }


def _read_file(call: Call) -> Mapping[str, object]:
    path = str(call.args[0]) if call.args else str(call.kwargs.get("path", ""))
    return {
        "file_path": path,
        "file_type": _suffix(path),
        "raw_extracted_tokens": call.count(call.result),
    }


def _wrote_file(call: Call) -> Mapping[str, object]:
    path = str(call.args[0]) if call.args else str(call.kwargs.get("path", ""))
    content = call.args[1] if len(call.args) > 1 else call.kwargs.get("content")
    return {
        "path": path,
        "file_path": path,
        "file_type": _suffix(path),
        "content_tokens_written": call.count(content),
    }


def _suffix(path: str) -> str:
    return path.rsplit(".", 1)[-1].lower() if "." in path.rsplit("/", 1)[-1] else ""


def _queried(call: Call) -> Mapping[str, object]:
    rows = _items(call.result)
    return {
        "query_tokens": call.count(call.args[0] if call.args else _asked(call)),
        **({} if rows is None else {"rows_returned": len(rows)}),
        "raw_result_tokens": call.count(call.result),
    }


def _validated(call: Call) -> Mapping[str, object]:
    """Score, confidence and issues, where the validator's result has them."""
    issues = _items(_get(call.result, "issues"))
    found = {
        name: _get(call.result, name)
        for name in ("passed", "score", "confidence", "issues_found")
    }
    if found["issues_found"] is None and issues is not None:
        found["issues_found"] = len(issues)
    return {name: value for name, value in found.items() if value is not None}


def _changed(call: Call) -> Mapping[str, object]:
    """What a state diff found: its changes, counted; and the place, where the first argument names one."""
    changes = _items(call.result)
    path = call.args[0] if call.args and isinstance(call.args[0], str) else ""
    return {"path": path, **({} if changes is None else {"changes": len(changes)})}


def _compiled(call: Call) -> Mapping[str, object]:
    """The breakdown, where the compiler gives one, itself or as `input_token_breakdown`."""
    given = plain(_get(call.result, "input_token_breakdown") or call.result)
    return (
        {"input_token_breakdown": cast("object", given)}
        if isinstance(given, dict)
        else {}
    )


CONTEXT_COMPILER: Final = Boundary(
    StateType.OBSERVE, EventType.CONTEXT_COMPILED, _nothing, _compiled
)
MODEL_GATEWAY: Final = Boundary(
    StateType.THINK, EventType.MODEL_CALLED, _nothing, _model
)
TOOL_ROUTER: Final = Boundary(
    StateType.API_CALL, EventType.TOOL_CALLED, _named("api_name"), _tool
)
MCP_TOOL: Final = Boundary(
    StateType.MCP_CALL, EventType.TOOL_CALLED, _named("tool_name"), _tool
)
RETRIEVAL: Final = Boundary(
    StateType.RETRIEVE,
    EventType.TOOL_CALLED,
    _named("retriever_name"),
    _retrieved,
    step_fields=True,
)
FILE_READER: Final = Boundary(
    StateType.FILE_READ, EventType.TOOL_CALLED, _nothing, _read_file, step_fields=True
)
FILE_WRITER: Final = Boundary(
    StateType.FILE_WRITE,
    EventType.ARTIFACT_CREATED,
    _nothing,
    _wrote_file,
    step_fields=True,
)
DATABASE: Final = Boundary(
    StateType.DB_QUERY,
    EventType.TOOL_CALLED,
    _named("database_name"),
    _queried,
    step_fields=True,
)
VALIDATOR_RUNNER: Final = Boundary(
    StateType.VALIDATE, EventType.VALIDATOR_CALLED, _named("validator_name"), _validated
)
STATE_DIFF: Final = Boundary(
    StateType.OBSERVE, EventType.STATE_CHANGED, _nothing, _changed
)
