"""Public test doubles. The fake provider has its own module, `judgemesh.mesh.testing.fake_provider`."""

from judgemesh.mesh.judging.gateways.cassette import RecordingJudge, ReplayJudge
from judgemesh.mesh.testing.drive import Driven, drive
from judgemesh.mesh.testing.scripted import ScriptedJudge

__all__ = ["Driven", "RecordingJudge", "ReplayJudge", "ScriptedJudge", "drive"]
