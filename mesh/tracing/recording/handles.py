"""Steps that begin and end in different callbacks of a framework."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.recorded import RecordedStep, Timed
from judgemesh.mesh.tracing.recording.recorder import Recorder


class Handles:
    """The open steps of a framework's calls, by the key that it knows each call by.

    A call that ends twice, or that never began, is left alone.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._open: dict[Hashable, list[tuple[RecordedStep, Timed]]] = {}

    def begin(
        self,
        key: Hashable,
        state: StateType,
        event: EventType,
        fields: Mapping[str, Any],
        *,
        step: Mapping[str, Any],
    ) -> None:
        """Open a step and its event. Outside of a recorded run nothing happens."""
        if not self._recorder.is_recording():
            return
        opened = self._recorder.step(state, **step)
        opened.__enter__()
        timed = opened.timed(event, **fields)
        timed.__enter__()
        # The framework goes on in other tasks: none of them is inside this step.
        opened.release()
        self._open.setdefault(key, []).append((opened, timed))

    def end(
        self,
        key: Hashable,
        fields: Mapping[str, Any],
        *,
        step: Mapping[str, Any] | None = None,
        error: BaseException | None = None,
    ) -> None:
        """Write the event with further fields, and close the step."""
        opened = self._open.get(key)
        if not opened:
            return
        recorded, timed = opened.pop()
        if not opened:
            del self._open[key]
        kind = None if error is None else type(error)
        timed.set(**fields)
        if step:
            recorded.set(**step)
        timed.__exit__(kind, error, None)
        recorded.__exit__(kind, error, None)
