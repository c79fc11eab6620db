"""What an import of traces has read, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.text import plural

if TYPE_CHECKING:
    from judgemesh.mesh.tracing.readers.ingest import ImportCounts


def reading_json(reading: ImportCounts) -> dict[str, object]:
    """`{files, formats, traces, steps, fragments, malformed}`."""
    return {
        "files": reading.files,
        "formats": reading.formats,
        "traces": reading.traces,
        "steps": reading.steps,
        "fragments": reading.fragments,
        "malformed": reading.malformed,
    }


def reading_line(reading: ImportCounts) -> str:
    """`imported 2 traces with 14 steps from 1 file (otlp); 1 malformed`."""
    traces, steps = plural(reading.traces, "trace"), plural(reading.steps, "step")
    line = f"imported {traces} with {steps} from {plural(reading.files, 'file')}"
    formats = ", ".join(sorted(set(reading.formats.values())))
    if formats:
        line += f" ({formats})"
    if reading.malformed:
        line += f"; {reading.malformed} malformed"
    return line
