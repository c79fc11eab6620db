"""What can be said of a document without understanding it: whether it opens, its text, headings and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.text.document_text import (
    DocumentContent,
    NotExamined,
    Unreadable,
)
from judgemesh.mesh.isolation.workers import WORKERS, WorkFailed
from judgemesh.mesh.state.office_readers import read_docx, read_pdf
from judgemesh.mesh.state.text_readers import (
    read_csv,
    read_html,
    read_json,
    read_markdown,
    read_text,
)

MAX_BYTES: Final = 32 * 2**20
_MAX_TEXT_CHARS: Final = 65_536
_MAX_LISTED: Final = 200
_MAX_CHARS: Final = 200
_READING_S: Final = 20.0
_FORMATS_WITH_TEXT: Final = frozenset({"docx", "pdf", "html"})


def format_of(name: str) -> str | None:
    """The format that a file's name says, or None for a file that is no document."""
    return _FORMATS.get(PurePosixPath(name.casefold()).suffix)


def profile(
    name: str, data: bytes, kind: str | None = None
) -> dict[str, object] | None:
    """What the document is like, JSON-ready; None for a file that is no document.

    `opens` is null when the document was not examined, with the reason in `error`. Otherwise `chars`, `headings`,
    `tables` (their number), `columns` (the first row of each table) and, for formats that are no plain text, the
    `text`, cut at 65,536 characters.

    Args:
        name: the file's name, whose suffix says the format.
        data: its content.
        kind: a format to read it as, whatever the name says.
    """
    document_format = kind or format_of(name) or ""
    reader = _READERS.get(document_format)
    if reader is None:
        return None
    if len(data) > MAX_BYTES:
        return unexamined(document_format, MAX_BYTES)
    try:
        content = _content(document_format, reader, data)
    except NotExamined as error:
        return _failed(document_format, error, opens=None)
    except (Unreadable, InputError, UnicodeDecodeError) as error:
        return _failed(document_format, error, opens=False)
    description: dict[str, object] = {
        "format": document_format,
        "opens": True,
        "chars": len(content.text.strip()),
        "headings": _shortened(content.headings),
        "tables": content.tables,
        "columns": [_shortened(columns) for columns in content.columns[:_MAX_LISTED]],
    }
    if document_format in _FORMATS_WITH_TEXT:
        description["text"] = content.text[:_MAX_TEXT_CHARS]
    return description


def _content(
    document_format: str, reader: Callable[[bytes], DocumentContent], data: bytes
) -> DocumentContent:
    """What the reader says; one that may take very long or much memory runs in a process of its own."""
    if document_format not in _FORMATS_WITH_TEXT:
        return reader(data)
    try:
        return WORKERS.call(reader, data, timeout_s=_READING_S)
    except WorkFailed as error:
        raise NotExamined(f"cannot be read: it {error}") from None


def unexamined(document_format: str, max_bytes: int) -> dict[str, object]:
    """The profile of a document that is too large to examine."""
    error = f"larger than {max_bytes // 2**20} MiB"
    return {"format": document_format, "opens": None, "error": error}


def _failed(
    document_format: str, error: Exception, *, opens: bool | None
) -> dict[str, object]:
    reason = str(error)[:_MAX_CHARS]
    return {"format": document_format, "opens": opens, "error": reason}


def _shortened(texts: list[str]) -> list[str]:
    return [text[:_MAX_CHARS] for text in texts[:_MAX_LISTED]]


_READERS: Final[Mapping[str, Callable[[bytes], DocumentContent]]] = MappingProxyType(
    {
        "text": read_text,
        "markdown": read_markdown,
        "csv": read_csv,
        "json": read_json,
        "html": read_html,
        "docx": read_docx,
        "pdf": read_pdf,
    }
)
_FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".csv": "csv", ".tsv": "csv",
        ".json": "json", ".html": "html", ".htm": "html", ".docx": "docx", ".pdf": "pdf",
    }
)  # fmt: skip
