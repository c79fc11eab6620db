"""Traces: record them in a runtime, read them, and turn them into a bill. Importing this loads the recorder alone."""

from __future__ import annotations

from judgemesh.mesh.tracing.recording.recorder import (
    RecordedRun,
    RecordedStep,
    Recorder,
    Timed,
)

__all__ = ["RecordedRun", "RecordedStep", "Recorder", "Timed"]
