"""The run, the steps and the timed events of a recording: the context managers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextvars import ContextVar, Token
from itertools import count
from types import TracebackType
from typing import Final, Protocol, Self

from judgemesh.contracts.tracing import CONTEXT_SOURCES, EventType, StateType
from judgemesh.mesh.tracing.recording.encoding import plain


class EventWriter(Protocol):
    """What a run and its steps write events to."""

    def emit(
        self,
        trace_id: str,
        step_id: int,
        event_type: str,
        payload: Mapping[str, object],
    ) -> None:
        """Write one event. Never raises."""
        ...


CURRENT: ContextVar[RecordedRun | RecordedStep | None] = ContextVar(
    "judgemesh_here", default=None
)
"""The innermost run or step of this task.

A task that is started copies it, so the steps of parallel tasks keep their parents.
"""


class _Recorded:
    """What run and step have in common: they open, hold fields, and close."""

    def __init__(
        self,
        recorder: EventWriter,
        trace_id: str,
        step_id: int,
        fields: Mapping[str, object],
    ) -> None:
        self.recorder = recorder
        self.trace_id = trace_id
        self.step_id = step_id
        self.outer: RecordedRun | RecordedStep | None = None
        self._fields: dict[str, object] = dict(fields)
        self._last_fields: dict[str, object] = {}
        self._start_ns = 0
        self._token: Token[RecordedRun | RecordedStep | None] | None = None

    def set(self, **fields: object) -> None:
        """Set fields to write when this ends: anything that JSON can hold."""
        self._last_fields.update(fields)

    def _open(self, event_type: str, position: RecordedRun | RecordedStep) -> None:
        self.outer = CURRENT.get()
        self._token = CURRENT.set(position)
        self.recorder.emit(self.trace_id, self.step_id, event_type, self._fields)
        self._start_ns = time.perf_counter_ns()

    def release(self) -> None:
        """Stay open, but be no longer the step that this task is in."""
        if self._token is not None:
            _reset(self._token, self.outer)
            self._token = None

    def _close(self, event_type: str, error: BaseException | None) -> None:
        payload: dict[str, object] = {
            "latency_ms": _milliseconds_since(self._start_ns),
            "status": _status(error),
            **self._last_fields,
        }
        if error is not None:
            payload.setdefault("error_type", type(error).__name__)
            payload["status"] = _status(error)
        self.recorder.emit(self.trace_id, self.step_id, event_type, payload)
        self.release()


def _reset(
    token: Token[RecordedRun | RecordedStep | None],
    outer: RecordedRun | RecordedStep | None,
) -> None:
    try:
        CURRENT.reset(token)
    except ValueError:
        # Closed in another task than it was opened in, as async generators are.
        CURRENT.set(outer)


class RecordedRun(_Recorded):
    """A run that is being recorded. Made by `Recorder.run`.

    compiles_context: whether the runtime itself says where its input tokens come from.
    """

    def __init__(
        self, recorder: EventWriter, trace_id: str, fields: Mapping[str, object]
    ) -> None:
        super().__init__(recorder, trace_id, 0, fields)
        self.step_ids = count(1)
        self.compiles_context = False

    @property
    def run(self) -> RecordedRun:
        """The run itself."""
        return self

    def __enter__(self) -> Self:
        self._open(EventType.RUN_STARTED.value, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close(EventType.RUN_COMPLETED.value, error)


class RecordedStep(_Recorded):
    """A step that is being recorded. Made by `Recorder.step` and its short forms."""

    def __init__(
        self,
        position: RecordedRun | RecordedStep,
        state: StateType,
        fields: Mapping[str, object],
    ) -> None:
        self.run: RecordedRun = position.run
        self.state = state
        envelope: dict[str, object] = {"state_type": state.value}
        if isinstance(position, RecordedStep):
            envelope["parent_step_id"] = position.step_id
        envelope.update(fields)
        step_id = next(self.run.step_ids)
        super().__init__(self.run.recorder, self.run.trace_id, step_id, envelope)

    def __enter__(self) -> Self:
        self._open(EventType.STEP_STARTED.value, self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close(EventType.STEP_COMPLETED.value, error)

    def resume(self) -> None:
        """Be the step that this task is in, after `release`."""
        self._token = CURRENT.set(self)

    def emit(self, event_type: EventType | str, payload: Mapping[str, object]) -> None:
        """Write one event of this step."""
        kind = EventType(event_type)
        if kind is EventType.CONTEXT_COMPILED:
            self.run.compiles_context = True
        self.recorder.emit(self.trace_id, self.step_id, kind.value, payload)

    def model_called(self, *, usage: object = None, **fields: object) -> None:
        """A model answered. `usage` is what the provider reported, as it is.

        Known fields: model_name, provider, latency_ms, cost (an amount) with currency,
        price (the snapshot's fields).
        """
        self.emit(EventType.MODEL_CALLED, {"usage": plain(usage), **fields})

    def tool_called(self, tool_name: str, **fields: object) -> None:
        """A tool answered.

        Known fields: tool_type, request_tokens, response_tokens_raw,
        tokens_sent_to_next_llm, tool_cost...
        """
        self.emit(EventType.TOOL_CALLED, {"tool_name": tool_name, **fields})

    def context_compiled(
        self, breakdown: Mapping[str, int] | None = None, **fields: object
    ) -> None:
        """The next context is put together.

        Tokens by source: `skill_instruction=2600` or `skill_instruction_tokens=2600`.
        """
        tokens: dict[str, object] = {}
        for source, source_tokens in (breakdown or {}).items():
            tokens[_token_field(source)] = source_tokens
        payload: dict[str, object] = {"input_token_breakdown": tokens}
        for key, value in fields.items():
            if key in _SOURCE_FIELDS:
                tokens[_token_field(key)] = value
            else:
                payload[key] = value
        self.emit(EventType.CONTEXT_COMPILED, payload)

    def artifact_created(self, path: str, **fields: object) -> None:
        """A file or another artifact was made."""
        self.emit(EventType.ARTIFACT_CREATED, {"path": path, **fields})

    def artifact_modified(self, path: str, **fields: object) -> None:
        """A file or another artifact was changed."""
        self.emit(EventType.ARTIFACT_MODIFIED, {"path": path, **fields})

    def state_changed(self, path: str, **fields: object) -> None:
        """Something outside changed: `before` and `after`, if they may be recorded."""
        self.emit(EventType.STATE_CHANGED, {"path": path, **fields})

    def validator_called(self, validator_name: str, **fields: object) -> None:
        """A validator of the runtime ran.

        Known fields: score, confidence, issues_found, issues_fixed_later.
        """
        payload = {"validator_name": validator_name, **fields}
        self.emit(EventType.VALIDATOR_CALLED, payload)

    def timed(self, event_type: EventType | str, **fields: object) -> Timed:
        """Any event as a context manager that measures its latency and its failure."""
        return Timed(self, EventType(event_type), fields)

    def model_call(self, **fields: object) -> Timed:
        """`model.called` as a context manager; set the usage with `call.set(usage=...)`."""
        return self.timed(EventType.MODEL_CALLED, **fields)

    def tool_call(self, tool_name: str, **fields: object) -> Timed:
        """`tool.called` as a context manager."""
        return self.timed(EventType.TOOL_CALLED, tool_name=tool_name, **fields)


class Timed:
    """One event that takes time."""

    def __init__(
        self, step: RecordedStep, event_type: EventType, fields: Mapping[str, object]
    ) -> None:
        self._step = step
        self._event_type = event_type
        self._fields = dict(fields)
        self._start_ns = 0

    def set(self, **fields: object) -> None:
        """Set fields of the event."""
        if "usage" in fields:
            fields["usage"] = plain(fields["usage"])
        self._fields.update(fields)

    def __enter__(self) -> Self:
        self._start_ns = time.perf_counter_ns()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        is_tool = self._event_type is EventType.TOOL_CALLED
        latency_field = "tool_latency_ms" if is_tool else "latency_ms"
        self._fields.setdefault(latency_field, _milliseconds_since(self._start_ns))
        if error is not None:
            self._fields["error_type"] = type(error).__name__
        self._fields.setdefault("status", _status(error))
        self._step.emit(self._event_type, self._fields)


_SOURCE_FIELDS: Final = frozenset(CONTEXT_SOURCES).union(
    f"{source}_tokens" for source in CONTEXT_SOURCES
)
# By name: importing asyncio would cost a runtime without it 20 ms.
_CANCELLED: Final = frozenset({"CancelledError", "Cancelled", "KeyboardInterrupt"})


def _token_field(source: str) -> str:
    return source if source.endswith("_tokens") else f"{source}_tokens"


def _milliseconds_since(start_ns: int) -> float:
    return round((time.perf_counter_ns() - start_ns) / 1e6, 3)


def _status(error: BaseException | None) -> str:
    if error is None:
        return "success"
    if isinstance(error, TimeoutError):
        return "timeout"
    return "cancelled" if type(error).__name__ in _CANCELLED else "error"
