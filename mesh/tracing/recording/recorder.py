"""The recorder that an agent's runtime uses: context managers in, lines of JSON out.

Written for other people's processes: standard library only, no thread, no queue, no
buffer. Each event is one `write` of one whole line to a file opened for appending. So a
process that is killed leaves every event before it, and tasks, threads and processes can
share a file. A disk that fails never fails the agent: the event is counted as lost.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from judgemesh.contracts.tracing import StateType
from judgemesh.mesh.tracing.recording.encoding import event_line
from judgemesh.mesh.tracing.recording.recorded import (
    CURRENT,
    RecordedRun,
    RecordedStep,
)
from judgemesh.mesh.tracing.recording.rollback_gate import RollbackGate

_FILE_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
_FILE_MODE: Final = 0o644
_CLOSED: Final = -1
_PROCESS_DIGITS: Final = 16


class Recorder:
    """Writes the event streams of agent runs to one file.

        with Recorder("trace.jsonl") as recorder, recorder.run(task_id="t1"):
            with recorder.think(model_name="openai/gpt-4.1-mini") as step:
                step.model_called(usage=response.usage, latency_ms=812)
            with recorder.retrieve(retriever_name="kb") as step:
                step.set(top_k=20, raw_result_tokens=52_000)

    The same code works in coroutines: entering and leaving waits for the write only.

    Args:
        path: the file, appended to; its folder is made.
        clock: the time of events.
        fsync: whether every event also survives a power cut; costs milliseconds an
            event.

    Raises:
        OSError: the file cannot be opened. Later faults are counted in `lost`, with the
            last one in `fault`.
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
        self._file = os.open(file, _FILE_FLAGS, _FILE_MODE)
        self._clock = clock
        self._fsync = fsync
        self._gate = RollbackGate()
        self._pid = 0
        self._process_id = ""
        self._numbers = count(1)
        self.lost = 0
        self.fault: OSError | None = None
        self._end_torn_line()

    def _end_torn_line(self) -> None:
        """End the half line that a process left when it was killed inside a write."""
        size = os.fstat(self._file).st_size
        if size:
            os.lseek(self._file, size - 1, os.SEEK_SET)
            if os.read(self._file, 1) != b"\n":
                os.write(self._file, b"\n")

    def close(self) -> None:
        """Close the file; events after that are counted as lost."""
        if self._file != _CLOSED:
            os.close(self._file)
            self._file = _CLOSED
        self._gate.close()

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
        """A run, as a context manager.

        Known fields of `run.started`: task_id, agent_id, skill_id, currency...
        """
        return RecordedRun(self, trace_id or uuid.uuid4().hex, fields)

    def step(self, state: StateType | str, **fields: object) -> RecordedStep:
        """A step of this task's run, under this task's step; as a context manager.

        Raises:
            RuntimeError: this task is in no run of this recorder.
            ValueError: there is no such state.
        """
        position = self._innermost()
        if position is None:
            raise RuntimeError(
                "no run is being recorded here; wrap this in `with recorder.run(...)`"
            )
        return RecordedStep(position, StateType(state), fields)

    def _innermost(self) -> RecordedRun | RecordedStep | None:
        position = CURRENT.get()
        while position is not None and position.recorder is not self:
            position = position.outer
        return position

    def is_recording(self) -> bool:
        """Whether this task is in a run of this recorder."""
        return self._innermost() is not None

    def current(self) -> RecordedStep | None:
        """The step this task is in; None between steps and outside of runs."""
        position = self._innermost()
        return position if isinstance(position, RecordedStep) else None

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
        """DB_QUERY: queries a database."""
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
        """Write one event. Never raises: an event that is not written is in `lost`."""
        now = datetime.now(UTC) if self._clock is None else self._clock()
        if self._pid != os.getpid():  # the first event, or a process that was forked
            self._pid = os.getpid()
            self._process_id = uuid.uuid4().hex[:_PROCESS_DIGITS]
        event = {
            "trace_id": trace_id,
            "step_id": step_id,
            "event_type": event_type,
            "timestamp": now.isoformat(),
            "payload": payload,
            "event_id": f"{self._process_id}-{next(self._numbers)}",
            "process_id": self._process_id,
        }
        try:
            self._write(event_line(event))
        except OSError as error:
            self.lost += 1
            self.fault = error
        if self._gate.is_open:
            self._gate.wait()

    def _write(self, line: bytes) -> None:
        written = os.write(self._file, line)
        while written < len(line):  # only a full disk writes less
            written += os.write(self._file, line[written:])
        if self._fsync:
            os.fsync(self._file)
