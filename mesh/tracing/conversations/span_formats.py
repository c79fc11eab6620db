"""Transcripts that are spans: read once, by the readers of the bill, and turned into conversations."""

from __future__ import annotations

from typing import Final

from judgemesh.mesh.tracing.conversations.formats import Format

SPAN_FORMATS: Final[tuple[Format, ...]] = ()
