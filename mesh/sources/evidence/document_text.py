"""The text of a document by its kind: plain text, Markdown, HTML, PDF, DOCX. Readers are imported when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from judgemesh.mesh.isolation.workers import WORKERS, WorkFailed
from judgemesh.mesh.sources.evidence.charset import decoded
from judgemesh.mesh.sources.evidence.document import (
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    SourceDocument,
    first_line,
)
from judgemesh.mesh.sources.evidence.html_text import read_html
from judgemesh.mesh.sources.evidence.office_text import read_docx, read_pdf
from judgemesh.mesh.sources.protocols import SourceInaccessible

__all__ = [
    "SUFFIXES",
    "SourceDocument",
    "kind_of",
    "read_document",
    "read_untrusted",
]

_BINARY_SCAN_CHARS: Final = 65_536
_MAX_HEADING_LINES: Final = 200
READING_S: Final = 20.0
_PARSED: Final = frozenset({"html", "pdf", "docx"})


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
    document = reader(data, kind)
    if document.text.strip():
        return document
    # A file that holds blanks only says nothing, as one that was cut off.
    return replace(document, text="")


def read_untrusted(data: bytes, kind: str) -> SourceDocument:
    """As `read_document`; a kind whose reader may take very long or much memory is read in a process of its own.

    Raises:
        SourceInaccessible: as `read_document`; or it does not end within 20 s, or takes more than 2 GiB.
        ConfigError: as `read_document`.
    """
    if kind_of(kind) not in _PARSED:
        return read_document(data, kind)
    try:
        return WORKERS.call(read_document, data, kind, timeout_s=READING_S)
    except WorkFailed as error:
        raise SourceInaccessible(f"cannot be read: it {error}") from None


def kind_of(name: str) -> str:
    """`pdf`, `html`, `docx`, `markdown` or `text` for a suffix or content type; else an empty text."""
    content_type = name.partition(";")[0].strip().casefold()
    return _KINDS.get(content_type.lstrip("."), "")


def _read_text(data: bytes, kind: str) -> SourceDocument:
    text, is_whole = _text_of(data, kind)
    if "\0" in text[:_BINARY_SCAN_CHARS]:
        raise SourceInaccessible("is no text")
    return SourceDocument(text=text, title=first_line(text), is_whole=is_whole)


def _text_of(data: bytes, kind: str) -> tuple[str, bool]:
    """The text up to the limit, and whether it is all of it."""
    text, is_understood = decoded(data, kind)
    return text[:MAX_TEXT_CHARS], is_understood and len(text) <= MAX_TEXT_CHARS


def _read_markdown(data: bytes, kind: str) -> SourceDocument:
    text, is_whole = _text_of(data, kind)
    heading = ""
    for line in text.split("\n", _MAX_HEADING_LINES):
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
            break
    title = heading[:MAX_TITLE_CHARS] or first_line(text)
    return SourceDocument(text=text, title=title, is_whole=is_whole)


def _read_html(data: bytes, kind: str) -> SourceDocument:
    text, is_whole = _text_of(data, kind)
    document = read_html(text)
    return document if is_whole else replace(document, is_whole=False)


def _read_pdf(data: bytes, _kind: str) -> SourceDocument:
    return read_pdf(data)


def _read_docx(data: bytes, _kind: str) -> SourceDocument:
    return read_docx(data)


_READERS: Final[Mapping[str, Callable[[bytes, str], SourceDocument]]] = (
    MappingProxyType(
        {
            "text": _read_text,
            "markdown": _read_markdown,
            "html": _read_html,
            "pdf": _read_pdf,
            "docx": _read_docx,
        }
    )
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
