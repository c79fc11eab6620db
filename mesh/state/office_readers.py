"""Readers of DOCX and PDF documents."""

from __future__ import annotations

import io
from typing import Final

from judgemesh.contracts.text.document_text import (
    DocumentContent,
    NotExamined,
    Unreadable,
    not_installed,
)
from judgemesh.mesh.inputs.files.limits import OFFICE_FILE
from judgemesh.mesh.inputs.files.zip_entry import (
    ArchiveTooLargeError,
    UnreadableEntryError,
    check_archive,
)

_MAX_PAGES: Final = 500
_MAX_PDF_CHARS: Final = 131_072


def read_docx(data: bytes) -> DocumentContent:
    """A DOCX with its headings and tables; the cells of the tables follow the paragraphs."""
    try:
        from docx import Document
    except ImportError:
        raise not_installed("python-docx") from None
    try:
        check_archive(data, OFFICE_FILE)
    except ArchiveTooLargeError as error:
        raise NotExamined(str(error)) from None
    except UnreadableEntryError as error:
        raise Unreadable(f"no readable DOCX: {error}") from None
    content = DocumentContent()
    lines: list[str] = []
    try:
        document = Document(io.BytesIO(data))
        content.tables = len(document.tables)
        for paragraph in document.paragraphs:
            lines.append(paragraph.text)
            style = (paragraph.style and paragraph.style.name) or ""
            if style.startswith(("Heading", "Title")):
                content.headings.append(paragraph.text)
        for table in document.tables:
            rows = [[cell.text for cell in row.cells] for row in table.rows]
            content.columns.append(rows[0] if rows else [])
            for row in rows:
                lines += row
    except Exception as error:  # noqa: BLE001 (a damaged file makes its reader fail in any way; the file is at fault)
        raise _unreadable("DOCX", error) from None
    content.text = "\n".join(lines)
    return content


def read_pdf(data: bytes) -> DocumentContent:
    """The text of a PDF; its headings are the first level of its outline."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise not_installed("pypdf") from None
    content = DocumentContent()
    pages: list[str] = []
    chars = 0
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        for page in reader.pages[: 0 if locked else _MAX_PAGES]:
            text = page.extract_text()
            pages.append(text)
            chars += len(text)
            if chars > _MAX_PDF_CHARS:
                break
        for entry in [] if locked else reader.outline:
            if not isinstance(entry, list):
                content.headings.append(str(entry.title or ""))
    except Exception as error:  # noqa: BLE001 (as for DOCX)
        raise _unreadable("PDF", error) from None
    if locked:
        raise Unreadable("is protected by a password")
    content.text = "\n".join(pages)
    return content


def _unreadable(kind: str, error: Exception) -> Unreadable:
    return Unreadable(f"no readable {kind}: {type(error).__name__}: {error}")
