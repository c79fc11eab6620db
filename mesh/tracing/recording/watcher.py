"""The step and the event of each call of one watched function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.tracing import EventType
from judgemesh.mesh.tracing.recording.boundary import (
    Boundary,
    BoundaryCall,
    CountTokens,
    Describe,
    estimate_tokens,
)
from judgemesh.mesh.tracing.recording.model_boundary import sources_of
from judgemesh.mesh.tracing.recording.recorded import RecordedStep
from judgemesh.mesh.tracing.recording.recorder import Recorder
from judgemesh.mesh.tracing.recording.streams import (
    WatchedManager,
    is_stream,
    is_stream_manager,
    watched_stream,
)

_NAME_FIELDS: Final[Mapping[EventType, str]] = {
    EventType.TOOL_CALLED: "tool_name",
    EventType.VALIDATOR_CALLED: "validator_name",
}
"""The field of an event that holds the name of what was called."""


class Watcher:
    """Makes the step and the event of each call of one function.

    own: fields that every event of the function has.
    """

    def __init__(
        self,
        recorder: Recorder,
        boundary: Boundary,
        name: str,
        describe: Describe | None,
        count: CountTokens | None,
        own: Mapping[str, object],
    ) -> None:
        self._recorder = recorder
        self.boundary = boundary
        self._name = name
        self._describe = describe
        self._count = count
        self._own = own

    def begin(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> WatchedCall | None:
        """The call with its step open; None outside of a recorded run."""
        if not self._recorder.is_recording():
            return None
        call = self._call(args, kwargs, None)
        name = self._name
        if self.boundary.name_of is not None:
            name = self.boundary.name_of(call) or name
        fields = self.boundary.before(name)
        step = self._recorder.step(self.boundary.state, **fields)
        field = _NAME_FIELDS.get(self.boundary.event)
        named = {} if field is None else {field: name}
        return WatchedCall(self, step, {**named, **self._own}, args, kwargs)

    def _call(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: object
    ) -> BoundaryCall:
        count = self._count or estimate_tokens
        return BoundaryCall(self._name, args, kwargs, result, count)

    def fields(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: object
    ) -> dict[str, object]:
        """What a call that returned says. A description that fails never fails the call."""
        call = self._call(args, kwargs, result)
        fields: dict[str, object] = {}
        if self._count is None:
            fields["tokens_basis"] = "estimated"
        for read_fields in (self.boundary.after, self._describe):
            if read_fields is None:
                continue
            try:
                fields.update(read_fields(call))
            except Exception as error:  # noqa: BLE001 (a foreign function; recording must not fail the agent)
                fields["recorder_error"] = f"{type(error).__name__}: {error}"
        return fields


class WatchedCall:
    """One call: its step is open from the call until the result is there."""

    def __init__(
        self,
        watcher: Watcher,
        step: RecordedStep,
        fields: Mapping[str, object],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        self._watcher = watcher
        self._step = step
        self._args = args
        self._kwargs = kwargs
        self._is_over = False
        step.__enter__()
        self._event = step.timed(watcher.boundary.event, **fields)
        self._event.__enter__()

    def release(self) -> None:
        """Be no longer the step that this task is in."""
        self._step.release()

    def resume(self) -> None:
        """Be the step that this task is in."""
        self._step.resume()

    def fail(self, error: BaseException) -> None:
        """The call raised."""
        self.end({}, error)

    def end(
        self, fields: Mapping[str, object], error: BaseException | None = None
    ) -> None:
        """Write the event with these fields, and end its step."""
        if self._is_over:
            return
        self._is_over = True
        kind = None if error is None else type(error)
        if self._watcher.boundary.step_fields:
            self._step.set(**fields)
        else:
            self._event.set(**fields)
        self._set_sources(fields)
        self._event.__exit__(kind, error, None)
        self._step.__exit__(kind, error, None)

    def _set_sources(self, fields: Mapping[str, object]) -> None:
        """Where the input of a model call came from, unless the runtime says so itself."""
        if not self._watcher.boundary.streams or self._step.run.compiles_context:
            return
        usage = fields.get("usage")
        try:
            sources = sources_of(self._kwargs, _input_tokens(usage))
        except Exception as error:  # noqa: BLE001 (foreign messages; recording must not fail the agent)
            self._step.set(recorder_error=f"{type(error).__name__}: {error}")
            return
        if sources is not None:
            self._step.set(input_token_breakdown=sources, breakdown_basis="estimated")

    def conclude(self, result: object) -> object:
        """End with a result; a stream, or what gives one, ends when it has been read."""
        if self._watcher.boundary.streams:
            if is_stream(result):
                self.release()
                return watched_stream(result, self)
            if is_stream_manager(result):
                self.release()
                return WatchedManager(result, self.conclude, self)
        self.end(self._watcher.fields(self._args, self._kwargs, result))
        return result

    def conclude_or_wait(self, result: object) -> object:
        """End with a result that may have to be awaited first."""
        if not inspect.isawaitable(result):
            return self.conclude(result)
        self.release()
        add_done_callback = getattr(result, "add_done_callback", None)
        if callable(add_done_callback):
            add_done_callback(self._done)
            return cast("object", result)
        return self.waited_for(result)

    async def waited_for(self, awaitable: Awaitable[object]) -> object:
        """The result of an awaitable, in the step of the call."""
        self.resume()
        try:
            result = await awaitable
        except BaseException as error:
            self.fail(error)
            raise
        return self.conclude(result)

    def _done(self, future: Any) -> None:
        """End with the result of a future."""
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or error is not None:
            self.fail(error or TimeoutError("cancelled"))
        else:
            self.end(self._watcher.fields(self._args, self._kwargs, future.result()))


def _input_tokens(usage: object) -> int | None:
    """The input tokens of a usage object; None where it has none to be read."""
    from judgemesh.mesh.pricing.usage import read_usage

    counted = read_usage(usage).usage
    return None if counted is None else counted.input_total or None
