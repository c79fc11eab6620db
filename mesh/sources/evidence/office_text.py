"""The text of PDF and DOCX files."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.inputs.files.limits import OFFICE_FILE
from judgemesh.mesh.inputs.files.zip_entry import UnreadableEntryError, check_archive
from judgemesh.mesh.sources.evidence.document import (
    MAX_TEXT_CHARS,
    MAX_TITLE_CHARS,
    SourceDocument,
    first_line,
    not_installed,
)
from judgemesh.mesh.sources.protocols import SourceInaccessible

if TYPE_CHECKING:
    from pypdf import PdfReader

_MAX_PAGES: Final = 2_000
_MAX_REASON_CHARS: Final = 200


def read_pdf(data: bytes) -> SourceDocument:
    """The text of a PDF.

    Raises:
        SourceInaccessible: it is damaged, protected, or has no text.
        ConfigError: pypdf is not installed.
    """
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise not_installed("PDF", error) from None
    # It reports each oddity of the file; what matters here is whether there is text.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    text = title = ""
    is_whole = False
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        if not locked:
            text, is_whole = _pdf_text(reader)
            title = str((reader.metadata and reader.metadata.title) or "")
    except Exception as error:  # noqa: BLE001 (a damaged PDF makes its reader fail in any way; the file is at fault)
        raise _unreadable("PDF", error) from None
    if locked:
        raise SourceInaccessible("is protected by a password")
    if not text.strip():
        raise SourceInaccessible("is a PDF without text (a scan, perhaps)")
    title = title[:MAX_TITLE_CHARS] or first_line(text)
    return SourceDocument(text=text, title=title, is_whole=is_whole)


def _pdf_text(reader: PdfReader) -> tuple[str, bool]:
    """The text of the pages up to the limits, and whether it is all of it."""
    pages: list[str] = []
    size = 0
    for page in reader.pages[:_MAX_PAGES]:
        text = page.extract_text()
        pages.append(text)
        size += len(text)
        if size > MAX_TEXT_CHARS:
            break
    is_whole = size <= MAX_TEXT_CHARS and len(pages) == len(reader.pages)
    return "\n".join(pages)[:MAX_TEXT_CHARS], is_whole


def read_docx(data: bytes) -> SourceDocument:
    """The paragraphs of a DOCX, then the cells of its tables.

    Raises:
        SourceInaccessible: it is damaged, or unpacks to more than 64 MiB.
        ConfigError: python-docx is not installed.
    """
    try:
        import docx
    except ImportError as error:
        raise not_installed("DOCX", error) from None
    try:
        check_archive(data, OFFICE_FILE)
    except UnreadableEntryError as error:
        raise SourceInaccessible(f"is no readable DOCX: {error}") from None
    try:
        document = docx.Document(io.BytesIO(data))
        lines = [paragraph.text for paragraph in document.paragraphs]
        for table in document.tables:
            for row in table.rows:
                lines += [cell.text for cell in row.cells]
        title = str(document.core_properties.title or "")
    except Exception as error:  # noqa: BLE001 (as for PDF)
        raise _unreadable("DOCX", error) from None
    text = "\n".join(lines)
    return SourceDocument(
        text=text[:MAX_TEXT_CHARS],
        title=title[:MAX_TITLE_CHARS] or first_line(text),
        is_whole=len(text) <= MAX_TEXT_CHARS,
    )


def _unreadable(kind: str, error: Exception) -> SourceInaccessible:
    reason = f"{type(error).__name__}: {str(error)[:_MAX_REASON_CHARS]}"
    return SourceInaccessible(f"is no readable {kind}: {reason}")
