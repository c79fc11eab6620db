"""The text of a document by its kind: plain text, Markdown, HTML, PDF, DOCX. Readers are imported when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.mesh.sources.evidence.document import (
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    SourceDocument,
    first_line,
)
from judgemesh.mesh.sources.evidence.html_text import read_html
from judgemesh.mesh.sources.evidence.office_text import read_docx, read_pdf
from judgemesh.mesh.sources.protocols import SourceInaccessible

__all__ = ["SUFFIXES", "SourceDocument", "kind_of", "read_document"]

_BINARY_SCAN_CHARS: Final = 65_536
_MAX_HEADING_LINES: Final = 200


def read_document(data: bytes, kind: str) -> SourceDocument:
    """The document that the bytes hold.

    Args:
        data: the whole file.
        kind: its suffix, or a content type of HTTP.

    Raises:
        SourceInaccessible: it is damaged, protected, or of a kind that is not read.
        ConfigError: the package that reads this kind is not installed.
    """
    reader = _READERS.get(kind_of(kind))
    if reader is None:
        raise SourceInaccessible(f"documents of the kind {kind[:60]!r} are not read")
    return reader(data)


def kind_of(name: str) -> str:
    """`pdf`, `html`, `docx`, `markdown` or `text` for a suffix or content type; else an empty text."""
    content_type = name.partition(";")[0].strip().casefold()
    return _KINDS.get(content_type.lstrip("."), "")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", errors="replace")[:MAX_TEXT_CHARS]


def _read_text(data: bytes) -> SourceDocument:
    text = _decoded(data)
    if "\0" in text[:_BINARY_SCAN_CHARS]:
        raise SourceInaccessible("is no text")
    return SourceDocument(text=text, title=first_line(text))


def _read_markdown(data: bytes) -> SourceDocument:
    text = _decoded(data)
    heading = ""
    for line in text.split("\n", _MAX_HEADING_LINES):
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
            break
    return SourceDocument(
        text=text, title=heading[:MAX_TITLE_CHARS] or first_line(text)
    )


def _read_html(data: bytes) -> SourceDocument:
    return read_html(_decoded(data))


_READERS: Final[Mapping[str, Callable[[bytes], SourceDocument]]] = MappingProxyType(
    {
        "text": _read_text,
        "markdown": _read_markdown,
        "html": _read_html,
        "pdf": read_pdf,
        "docx": read_docx,
    }
)
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "txt": "text",
        "text": "text",
        "csv": "text",
        "json": "text",
        "xml": "text",
        "rst": "text",
        "text/plain": "text",
        "text/csv": "text",
        "application/json": "text",
        "application/xml": "text",
        "text/xml": "text",
        "md": "markdown",
        "markdown": "markdown",
        "text/markdown": "markdown",
        "html": "html",
        "htm": "html",
        "xhtml": "html",
        "text/html": "html",
        "application/xhtml+xml": "html",
        "pdf": "pdf",
        "application/pdf": "pdf",
        "docx": "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    }
)
SUFFIXES: Final = frozenset(f".{name}" for name in _KINDS if "/" not in name)
"""The suffixes of the files that a folder of documents holds; other files are ignored."""
