"""Instrumentation: wrap a function, and each call of it is recorded.

    search = watch(recorder, RETRIEVAL, search, name="knowledge_base")
    chat = watch(recorder, MODEL_GATEWAY, client.chat.completions.create)

A wrapped function takes, returns and raises what it did before; `async def` stays `async
def`. Outside of a recorded run it is only called. Sizes are counted by `count_tokens`;
without one they are estimates and are marked so. Standard library only, like the
recorder.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, cast

from judgemesh.contracts.tracing import EventType
from judgemesh.mesh.tracing.recording.boundaries import (
    CONTEXT_COMPILER,
    DATABASE,
    FILE_READER,
    FILE_WRITER,
    MCP_TOOL,
    MODEL_GATEWAY,
    RETRIEVAL,
    STATE_DIFF,
    TOOL_ROUTER,
    VALIDATOR_RUNNER,
    arguments_digest,
)
from judgemesh.mesh.tracing.recording.boundary import (
    Boundary,
    BoundaryCall,
    CountTokens,
    Describe,
    estimate_tokens,
)
from judgemesh.mesh.tracing.recording.recorded import RecordedStep, Timed
from judgemesh.mesh.tracing.recording.recorder import Recorder

__all__ = [
    "CONTEXT_COMPILER",
    "DATABASE",
    "FILE_READER",
    "FILE_WRITER",
    "MCP_TOOL",
    "MODEL_GATEWAY",
    "RETRIEVAL",
    "STATE_DIFF",
    "TOOL_ROUTER",
    "VALIDATOR_RUNNER",
    "Boundary",
    "BoundaryCall",
    "CountTokens",
    "Describe",
    "arguments_digest",
    "estimate_tokens",
    "watch",
]

F = TypeVar("F", bound=Callable[..., Any])

_NAME_FIELDS: Final[Mapping[EventType, str]] = {
    EventType.TOOL_CALLED: "tool_name",
    EventType.VALIDATOR_CALLED: "validator_name",
}
"""The field of an event that holds the name of what was called."""


def watch(
    recorder: Recorder,
    boundary: Boundary,
    function: F,
    *,
    name: str | None = None,
    describe: Describe | None = None,
    count_tokens: CountTokens | None = None,
) -> F:
    """`function`, recorded at `boundary`.

    Args:
        recorder: the recorder of the runtime.
        boundary: one of this module's, or one of your own.
        function: a function or coroutine function.
        name: its name in the trace; by default its own name.
        describe: further fields of a call that returned (cost, top_k,
            tokens_sent_to_next_llm...); they win over the boundary's own.
        count_tokens: tokens of a value.
    """
    own_name = str(getattr(function, "__name__", type(function).__name__))
    watcher = _Watcher(recorder, boundary, name or own_name, describe, count_tokens)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def watched_coroutine(*args: Any, **kwargs: Any) -> Any:
            if not recorder.is_recording():
                return await function(*args, **kwargs)
            with watcher.step() as step, watcher.event(step) as event:
                result = await function(*args, **kwargs)
                watcher.describe(step, event, args, kwargs, result)
                return result

        return cast("F", watched_coroutine)

    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        if not recorder.is_recording():
            return function(*args, **kwargs)
        with watcher.step() as step, watcher.event(step) as event:
            result = function(*args, **kwargs)
            watcher.describe(step, event, args, kwargs, result)
            return result

    return cast("F", watched)


class _Watcher:
    """Makes the step and the event of each call of one function."""

    def __init__(
        self,
        recorder: Recorder,
        boundary: Boundary,
        name: str,
        describe: Describe | None,
        count: CountTokens | None,
    ) -> None:
        self._recorder = recorder
        self._boundary = boundary
        self._name = name
        self._describe = describe
        self._count = count

    def step(self) -> RecordedStep:
        """The step of a call."""
        fields = self._boundary.before(self._name)
        return self._recorder.step(self._boundary.state, **fields)

    def event(self, step: RecordedStep) -> Timed:
        """The event that a call writes."""
        field = _NAME_FIELDS.get(self._boundary.event)
        fields = {} if field is None else {field: self._name}
        return step.timed(self._boundary.event, **fields)

    def describe(
        self,
        step: RecordedStep,
        event: Timed,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        result: object,
    ) -> None:
        """Set the fields of a call. A description that fails never fails the call."""
        call = BoundaryCall(
            self._name, args, kwargs, result, self._count or estimate_tokens
        )
        fields: dict[str, object] = {}
        if self._count is None:
            fields["tokens_basis"] = "estimated"
        for read_fields in (self._boundary.after, self._describe):
            if read_fields is None:
                continue
            try:
                fields.update(read_fields(call))
            except Exception as error:  # noqa: BLE001 (a foreign function; recording must not fail the agent)
                fields["recorder_error"] = f"{type(error).__name__}: {error}"
        if self._boundary.step_fields:
            step.set(**fields)
        else:
            event.set(**fields)
