"""The recorder that an agent's runtime uses: context managers in, one JSON line an event out.

Written for other people's processes: standard library only, no thread, no queue, nothing buffered. Each event is one
`write` of one whole line to a file opened for appending, so a process that is killed leaves every event before it, and
tasks, threads and processes can share a file. A disk that fails never fails the agent: the event is counted as lost.
Under `judgemesh rollback` ($JUDGEMESH_GATE) each event waits until it may go by: so an agent can be stopped at one.
"""

from __future__ import annotations

import json
import math
import os
import time
import uuid
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from judgemesh.contracts.tracing import CONTEXT_SOURCES, EventType, StateType

_MAX_DEPTH: Final = 20
_STARTED: Final = {
    "run": EventType.RUN_STARTED.value,
    "step": EventType.STEP_STARTED.value,
}

_here: ContextVar[RecordedRun | RecordedStep | None] = ContextVar(
    "judgemesh_here", default=None
)
"""Where this task is. A task that is started copies it, so the steps of parallel tasks keep their parents."""


class Recorder:
    """Writes the event streams of agent runs to one file.

    with Recorder("trace.jsonl") as recorder, recorder.run(task_id="t1", agent_id="searcher"):
        with recorder.think(model_name="openai/gpt-4.1-mini") as step:
            step.model_called(usage=response.usage, latency_ms=812)
        with recorder.retrieve(retriever_name="kb") as step:
            step.set(top_k=20, raw_result_tokens=52_000, tokens_sent_to_next_llm=5_000)

    The same code works in coroutines: entering and leaving never waits for anything but the write.

    Args:
        path: the file, appended to; its folder is made.
        clock: the time of events.
        fsync: whether every event also survives a power cut; costs milliseconds an event.

    Raises:
        OSError: the file cannot be opened. Later faults are counted in `lost`, with the last one in `fault`.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] | None = None,
        fsync: bool = False,
    ) -> None:
        file = Path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(
            file,
            os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0),
            0o644,
        )
        self._clock = clock
        self._fsync = fsync
        self.lost = 0
        self.fault: OSError | None = None
        self._gate = _gate()
        self._finish_torn_line()

    def _finish_torn_line(self) -> None:
        """A process that died inside a write left half a line: ours start on a new one."""
        size = os.fstat(self._file).st_size
        if size:
            os.lseek(self._file, size - 1, os.SEEK_SET)
            if os.read(self._file, 1) != b"\n":
                os.write(self._file, b"\n")

    def close(self) -> None:
        """Let go of the file; events after that are counted as lost."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._gate >= 0:
            os.close(self._gate)
            self._gate = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(self, *, trace_id: str | None = None, **fields: object) -> RecordedRun:
        """A run, as a context manager. `fields` (task_id, agent_id, skill_id, currency...) go with `run.started`."""
        return RecordedRun(self, trace_id or uuid.uuid4().hex, fields)

    def step(self, state: StateType | str, **fields: object) -> RecordedStep:
        """A step of the run this task is in, under the step it is in; as a context manager.

        Raises:
            RuntimeError: this task is in no run of this recorder.
            ValueError: there is no such state.
        """
        return RecordedStep(self._position(), StateType(state), fields)

    def _position(self) -> RecordedRun | RecordedStep:
        here = self._innermost()
        if here is None:
            raise RuntimeError(
                "no run is being recorded here; wrap this in `with recorder.run(...)`"
            )
        return here

    def _innermost(self) -> RecordedRun | RecordedStep | None:
        here = _here.get()
        while here is not None and here.recorder is not self:
            here = here.outer
        return here

    def is_recording(self) -> bool:
        """Whether this task is in a run of this recorder."""
        return self._innermost() is not None

    def current(self) -> RecordedStep | None:
        """The step this task is in; None between steps and outside of runs."""
        here = self._innermost()
        return here if isinstance(here, RecordedStep) else None

    def observe(self, **fields: object) -> RecordedStep:
        """OBSERVE: reads context, environment state, tool results or artifacts."""
        return self.step(StateType.OBSERVE, **fields)

    def think(self, **fields: object) -> RecordedStep:
        """THINK: plans, decides, or writes the arguments of a tool call."""
        return self.step(StateType.THINK, **fields)

    def retrieve(self, **fields: object) -> RecordedStep:
        """RETRIEVE: searches documents, a knowledge base or the web."""
        return self.step(StateType.RETRIEVE, **fields)

    def mcp_call(self, **fields: object) -> RecordedStep:
        """MCP_CALL: calls a tool of an MCP server."""
        return self.step(StateType.MCP_CALL, **fields)

    def api_call(self, **fields: object) -> RecordedStep:
        """API_CALL: calls an external API."""
        return self.step(StateType.API_CALL, **fields)

    def db_query(self, **fields: object) -> RecordedStep:
        """DB_QUERY: asks a database."""
        return self.step(StateType.DB_QUERY, **fields)

    def script_exec(self, **fields: object) -> RecordedStep:
        """SCRIPT_EXEC: runs code."""
        return self.step(StateType.SCRIPT_EXEC, **fields)

    def file_read(self, **fields: object) -> RecordedStep:
        """FILE_READ: reads or parses a file."""
        return self.step(StateType.FILE_READ, **fields)

    def file_write(self, **fields: object) -> RecordedStep:
        """FILE_WRITE: makes or changes a file."""
        return self.step(StateType.FILE_WRITE, **fields)

    def memory_read(self, **fields: object) -> RecordedStep:
        """MEMORY_READ: reads memory."""
        return self.step(StateType.MEMORY_READ, **fields)

    def memory_write(self, **fields: object) -> RecordedStep:
        """MEMORY_WRITE: writes memory."""
        return self.step(StateType.MEMORY_WRITE, **fields)

    def validate(self, **fields: object) -> RecordedStep:
        """VALIDATE: checks or reviews."""
        return self.step(StateType.VALIDATE, **fields)

    def refine(self, **fields: object) -> RecordedStep:
        """REFINE: revises after validation."""
        return self.step(StateType.REFINE, **fields)

    def finalize(self, **fields: object) -> RecordedStep:
        """FINALIZE: writes the final answer or hands over the artifact."""
        return self.step(StateType.FINALIZE, **fields)

    def emit(
        self,
        trace_id: str,
        step_id: int,
        event_type: str,
        payload: Mapping[str, object],
    ) -> None:
        """Write one event. Never raises: what cannot be written is counted in `lost`."""
        now = datetime.now(UTC) if self._clock is None else self._clock()
        event = {
            "trace_id": trace_id,
            "step_id": step_id,
            "event_type": event_type,
            "timestamp": now.isoformat(),
            "payload": payload,
        }
        try:
            line = _encode(event)
        except (ValueError, TypeError, RecursionError):
            line = _encode(_plain(event))
        try:
            self._write(line.encode("utf-8", "backslashreplace") + b"\n")
        except OSError as error:
            self.lost += 1
            self.fault = error
        if self._gate >= 0:
            self._wait_for_leave()

    def _wait_for_leave(self) -> None:
        """Stand still until the event may go by; go on at once when nobody keeps the gate any more."""
        try:
            left = os.read(self._gate, 1) == b""
        except OSError:
            left = True
        if left:
            os.close(self._gate)
            self._gate = -1

    def _write(self, line: bytes) -> None:
        written = os.write(self._file, line)
        while written < len(line):  # only a disk that is full writes less
            written += os.write(self._file, line[written:])
        if self._fsync:
            os.fsync(self._file)


def _gate() -> int:
    """The pipe at which `judgemesh rollback` holds an agent after each event, to kill it at a certain one; else -1."""
    path = os.environ.get("JUDGEMESH_GATE")
    if not path:
        return -1
    try:
        # Opened without waiting, so that an agent also starts when the keeper of the gate is gone.
        gate = os.open(
            path,
            os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0),
        )
        os.set_blocking(gate, True)
    except OSError:
        return -1
    return gate


class _Span:
    """What run and step have in common: they open, they hold fields, they close with a status."""

    def __init__(
        self,
        recorder: Recorder,
        trace_id: str,
        step_id: int,
        fields: Mapping[str, object],
    ) -> None:
        self.recorder = recorder
        self.trace_id = trace_id
        self.step_id = step_id
        self._fields: dict[str, object] = dict(fields)
        self._later: dict[str, object] = {}
        self._began = 0
        self.outer: RecordedRun | RecordedStep | None = None
        self._token: Token[RecordedRun | RecordedStep | None] | None = None

    def set(self, **fields: object) -> None:
        """Fields to write when this ends: numbers of the state, results, anything JSON can hold."""
        self._later.update(fields)

    def _open(self, kind: str, here: RecordedRun | RecordedStep) -> None:
        self.outer = _here.get()
        self._token = _here.set(here)
        self.recorder.emit(self.trace_id, self.step_id, _STARTED[kind], self._fields)
        self._began = time.perf_counter_ns()

    def _close(self, event_type: str, error: BaseException | None) -> None:
        latency_ms = round((time.perf_counter_ns() - self._began) / 1e6, 3)
        payload: dict[str, object] = {
            "latency_ms": latency_ms,
            "status": _status(error),
            **self._later,
        }
        if error is not None:
            payload.setdefault("error_type", type(error).__name__)
            payload["status"] = _status(error)
        self.recorder.emit(self.trace_id, self.step_id, event_type, payload)
        if self._token is not None:
            try:
                _here.reset(self._token)
            except ValueError:  # closed in another task than it was opened in: an async generator does that
                _here.set(self.outer)
            self._token = None


class RecordedRun(_Span):
    """A run that is being recorded. Made by `Recorder.run`."""

    def __init__(
        self, recorder: Recorder, trace_id: str, fields: Mapping[str, object]
    ) -> None:
        super().__init__(recorder, trace_id, 0, fields)
        self.step_ids = count(1)

    @property
    def run(self) -> RecordedRun:
        """The run itself."""
        return self

    def __enter__(self) -> Self:
        self._open("run", self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close(EventType.RUN_COMPLETED.value, error)


class RecordedStep(_Span):
    """A step that is being recorded. Made by `Recorder.step` and its fourteen short forms."""

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
        super().__init__(
            self.run.recorder,
            self.run.trace_id,
            next(self.run.step_ids),
            {**envelope, **fields},
        )

    def __enter__(self) -> Self:
        self._open("step", self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close(EventType.STEP_COMPLETED.value, error)

    def emit(self, event_type: EventType | str, payload: Mapping[str, object]) -> None:
        """Write one event of this step."""
        self.recorder.emit(
            self.trace_id, self.step_id, EventType(event_type).value, payload
        )

    def model_called(self, *, usage: object = None, **fields: object) -> None:
        """A model answered. `usage` is what the provider reported, in the provider's own words.

        Known fields: model_name, provider, latency_ms, cost (an amount) with currency, price (the snapshot's fields).
        """
        self.emit(EventType.MODEL_CALLED, {"usage": plain(usage), **fields})

    def tool_called(self, tool_name: str, **fields: object) -> None:
        """A tool answered: tool_type, request_tokens, response_tokens_raw, tokens_sent_to_next_llm, tool_cost..."""
        self.emit(EventType.TOOL_CALLED, {"tool_name": tool_name, **fields})

    def context_compiled(
        self, breakdown: Mapping[str, int] | None = None, **fields: object
    ) -> None:
        """The next context is put together: tokens by source, as `skill_instruction=2600` or with `_tokens`."""
        tokens = {_token_key(key): value for key, value in (breakdown or {}).items()}
        given = {
            _token_key(key): value for key, value in fields.items() if _is_source(key)
        }
        rest = {key: value for key, value in fields.items() if not _is_source(key)}
        self.emit(
            EventType.CONTEXT_COMPILED,
            {"input_token_breakdown": {**tokens, **given}, **rest},
        )

    def artifact_created(self, path: str, **fields: object) -> None:
        """A file or another artifact was made."""
        self.emit(EventType.ARTIFACT_CREATED, {"path": path, **fields})

    def artifact_modified(self, path: str, **fields: object) -> None:
        """A file or another artifact was changed."""
        self.emit(EventType.ARTIFACT_MODIFIED, {"path": path, **fields})

    def state_changed(self, path: str, **fields: object) -> None:
        """Something outside was changed: `before` and `after`, if they may be recorded."""
        self.emit(EventType.STATE_CHANGED, {"path": path, **fields})

    def validator_called(self, validator_name: str, **fields: object) -> None:
        """A validator of the runtime ran: score, confidence, issues_found, issues_fixed_later."""
        self.emit(
            EventType.VALIDATOR_CALLED, {"validator_name": validator_name, **fields}
        )

    def timed(self, event_type: EventType | str, **fields: object) -> Timed:
        """Any event of a step as a context manager: its latency and its failure are measured."""
        return Timed(self, EventType(event_type), fields)

    def model_call(self, **fields: object) -> Timed:
        """`model.called` as a context manager; give it the usage with `call.set(usage=...)`."""
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
        self._began = 0

    def set(self, **fields: object) -> None:
        """Fields of the event."""
        if "usage" in fields:
            fields["usage"] = plain(fields["usage"])
        self._fields.update(fields)

    def __enter__(self) -> Self:
        self._began = time.perf_counter_ns()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        key = (
            "tool_latency_ms"
            if self._event_type is EventType.TOOL_CALLED
            else "latency_ms"
        )
        self._fields.setdefault(
            key, round((time.perf_counter_ns() - self._began) / 1e6, 3)
        )
        if error is not None:
            self._fields["error_type"] = type(error).__name__
        self._fields.setdefault("status", _status(error))
        self._step.emit(self._event_type, self._fields)


def _status(error: BaseException | None) -> str:
    if error is None:
        return "success"
    if isinstance(error, TimeoutError):
        return "timeout"
    # Asked by name: importing asyncio would cost a runtime without it 20 ms.
    return (
        "cancelled"
        if type(error).__name__ in {"CancelledError", "Cancelled", "KeyboardInterrupt"}
        else "error"
    )


_SOURCES: Final = frozenset(
    {*CONTEXT_SOURCES, *(f"{source}_tokens" for source in CONTEXT_SOURCES)}
)


def _is_source(key: str) -> bool:
    return key in _SOURCES


def _token_key(key: str) -> str:
    return key if key.endswith("_tokens") else f"{key}_tokens"


def plain(value: object) -> object:
    """What a client library calls usage, as JSON data: a mapping, or an object that can be asked for one."""
    for name in ("model_dump", "to_dict", "dict"):
        method = getattr(value, name, None)
        if callable(method):
            return _plain(method())
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return _plain(
            {key: item for key, item in vars(value).items() if not key.startswith("_")}
        )
    return _plain(value)


def _plain(value: object, depth: int = 0) -> object:
    """Any value as plain JSON data, whatever it is; the slow way."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case _ if depth >= _MAX_DEPTH:
            return "..."
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return {str(key): _plain(item, depth + 1) for key, item in items}
        case list() | tuple() | set() | frozenset():
            return [_plain(item, depth + 1) for item in cast("list[object]", value)]
        case _:
            return _text(value)


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 (the runtime's own object; recording must not fail the run)
        return f"<{type(value).__name__}: {type(error).__name__}>"


_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_text
).encode
