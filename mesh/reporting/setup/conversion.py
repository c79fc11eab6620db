"""What a conversion of transcripts has read, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.text import plural

if TYPE_CHECKING:
    from judgemesh.mesh.tracing.conversations.reading import ConversionCounts


def conversion_json(counts: ConversionCounts) -> dict[str, object]:
    """`{files, conversations, calls, unread, formats, not_in_the_files, problems}`."""
    return {
        "files": counts.files,
        "conversations": counts.conversations,
        "calls": counts.calls,
        "unread": counts.unread,
        "formats": counts.formats,
        "not_in_the_files": counts.lost,
        "problems": counts.problems,
    }


def conversion_line(counts: ConversionCounts) -> str:
    """`converted 2 conversations with 14 calls from 1 file (agno); not in the files: user turns (1)`."""
    found, calls = (
        plural(counts.conversations, "conversation"),
        plural(counts.calls, "call"),
    )
    line = f"converted {found} with {calls} from {plural(counts.files, 'file')}"
    formats = ", ".join(sorted(set(counts.formats.values())))
    if formats:
        line += f" ({formats})"
    if counts.unread:
        line += (
            f"; {plural(counts.unread, 'conversation')} with calls that cannot be read"
        )
    if counts.lost:
        lost = ", ".join(f"{what} ({count})" for what, count in counts.lost.items())
        line += f"; not in the files: {lost}"
    return line
