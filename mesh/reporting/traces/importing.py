"""What an import of traces has read, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.text import plural

if TYPE_CHECKING:
    from judgemesh.contracts.tracing import SetAside
    from judgemesh.mesh.tracing.readers.ingest import ImportCounts


def reading_json(reading: ImportCounts) -> dict[str, object]:
    """`{files, formats, traces, steps, fragments, malformed}`, and the reconciliation.

    `spans_read = spans_counted + spans of set_aside + malformed`, and the same for
    their tokens, as far as they could be read.
    """
    return {
        "files": reading.files,
        "formats": reading.formats,
        "traces": reading.traces,
        "steps": reading.steps,
        "fragments": reading.fragments,
        "malformed": reading.malformed,
        "spans_read": reading.spans,
        "spans_counted": reading.counted,
        "tokens_read": reading.tokens,
        "tokens_counted": reading.tokens_counted,
        "set_aside": [
            {"reason": one.reason, "spans": one.spans, "tokens": one.tokens}
            for one in _largest_first(reading)
        ],
    }


def reconciliation(reading: ImportCounts) -> str:
    """`read 9 spans (1,200 tokens) = 6 counted (600) + 2 set aside (600) + 1 malformed`.

    Below it one line for each reason why something was set aside.
    """
    aside = _largest_first(reading)
    spans = sum(one.spans for one in aside)
    tokens = sum(one.tokens for one in aside)
    total = (
        f"read {plural(reading.spans, 'span')} ({reading.tokens:,} tokens)"
        f" = {reading.counted:,} counted ({reading.tokens_counted:,})"
        f" + {spans:,} set aside ({tokens:,})"
        f" + {reading.malformed:,} malformed"
    )
    lines = [total]
    for one in aside:
        lines.append(
            f"  set aside: {one.spans:,} ({one.tokens:,} tokens), {one.reason}"
        )
    return "\n".join(lines)


def _largest_first(reading: ImportCounts) -> list[SetAside]:
    return sorted(reading.set_aside.values(), key=lambda one: (-one.tokens, one.reason))


def reading_line(reading: ImportCounts) -> str:
    """`imported 2 traces with 14 steps from 1 file (otlp); 1 malformed`."""
    traces, steps = plural(reading.traces, "trace"), plural(reading.steps, "step")
    line = f"imported {traces} with {steps} from {plural(reading.files, 'file')}"
    formats = ", ".join(sorted(set(reading.formats.values())))
    if formats:
        line += f" ({formats})"
    if reading.malformed:
        line += f"; {reading.malformed} malformed"
    return f"{line}\n{reconciliation(reading)}"
