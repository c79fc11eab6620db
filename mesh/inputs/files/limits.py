"""What one file may cost to read, by its kind. The one table of limits for files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_KIB: Final = 2**10
_MIB: Final = 2**20
_GIB: Final = 2**30


@dataclass(frozen=True, slots=True)
class FileLimit:
    """max_bytes: of the content that is held in memory at once, after unpacking.

    max_values: of a JSON document. A value of two bytes (`[]`) takes about 60 in memory.
    """

    max_bytes: int
    max_values: int = 10_000_000


SETTINGS_FILE: Final = FileLimit(16 * _MIB)
"""Settings, price lists, templates."""
CONTRACT: Final = FileLimit(64 * _MIB)
"""One file of contracts."""
TABLE: Final = FileLimit(512 * _MIB)
"""Records, catalogues, labels, reports and recordings: rows that are held in memory."""
SOURCE_DOCUMENT: Final = FileLimit(64 * _MIB)
"""A document of an evidence source."""
RESULT_LINE: Final = FileLimit(8 * _MIB, max_values=1_000_000)
"""One line of a file of results."""
NAMED_BY_RESULT: Final = FileLimit(256 * _MIB, max_values=5_000_000)
"""A trace or a snapshot that a result names."""
SNAPSHOT: Final = FileLimit(_GIB)
"""A snapshot file that the user names."""
ARCHIVE_ENTRY: Final = FileLimit(256 * _MIB, max_values=5_000_000)
"""One entry of a zip archive, unpacked."""
OFFICE_FILE: Final = FileLimit(64 * _MIB)
"""All parts of a DOCX file, unpacked."""
STATUS: Final = FileLimit(64 * _KIB)
"""A short file of our own: a process's state, a list of what to put back."""

FREE_BYTES: Final = 16 * _MIB
MAX_RATIO: Final = 200
"""Above `FREE_BYTES`: how many times larger than packed the content may be. Logs of agents reach about 50."""

_VALUE_BYTES: Final = 100


def too_many_values(data: bytes, limit: FileLimit) -> bool:
    """Whether a JSON text has more values than the limit. Counts commas and brackets; those in texts count too."""
    return len(data) > limit.max_values and _values(data) > limit.max_values


def parsed_bytes(data: bytes) -> int:
    """About how much memory the value of a JSON text takes: an empty list of two bytes takes 72, and 8 in its list."""
    return len(data) + _VALUE_BYTES * _values(data)


def is_small(data: bytes, most_bytes: int) -> bool:
    """Whether the value of a JSON text takes at most so many bytes; a short text is not looked at."""
    if len(data) * (1 + _VALUE_BYTES) <= most_bytes:
        return True
    return parsed_bytes(data) <= most_bytes


def _values(data: bytes) -> int:
    return sum(map(data.count, (b",", b"[", b"{")))


def in_words(size_bytes: int) -> str:
    """A size, such as `64 MiB`."""
    for unit, name in ((_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes} bytes"
