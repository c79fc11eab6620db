"""Traces: record them in a runtime, read them, and bill them.

Importing this loads the recorder alone.
"""

from __future__ import annotations

from judgemesh.mesh.tracing.recording.recorded import RecordedRun, RecordedStep, Timed
from judgemesh.mesh.tracing.recording.recorder import Recorder

__all__ = ["RecordedRun", "RecordedStep", "Recorder", "Timed"]
