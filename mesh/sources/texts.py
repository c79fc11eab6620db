"""The text of a document: plain text, Markdown, HTML, PDF, DOCX. Readers are imported when a document needs them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.sources.protocol import SourceInaccessible

if TYPE_CHECKING:
    from pypdf import PdfReader

_MAX_TEXT: Final = 5_000_000
_MAX_PAGES: Final = 2_000
_MAX_UNPACKED: Final = 200 * 2**20
_SCAN: Final = 65_536
_MAX_DEPTH: Final = 500
_ELEMENT = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,20})")
_VOID: Final = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "p",
        "li",
        "td",
        "tr",
        "th",
        "dt",
        "dd",
        "option",
        "source",
        "track",
        "wbr",
    }
)
_HIDDEN = re.compile(r"<(?:script|style)\b[^<]{0,100000}", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What could be read. `authors` and `year` only where the file's own data names them."""

    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None


def read_document(data: bytes, kind: str) -> Document:
    """The document that the bytes hold.

    Args:
        data: the whole file.
        kind: its suffix, or a content type of HTTP.

    Raises:
        SourceInaccessible: it is damaged, protected, or of a kind that nobody here reads.
        ConfigError: the package that reads this kind is not installed.
    """
    reader = _READERS.get(kind_of(kind))
    if reader is None:
        raise SourceInaccessible(f"documents of the kind {kind[:60]!r} are not read")
    return reader(data)


def kind_of(name: str) -> str:
    """`pdf`, `html`, `docx`, `markdown` or `text` for a suffix or content type; else an empty text."""
    return _KINDS.get(name.partition(";")[0].strip().casefold().lstrip("."), "")


def _text(data: bytes) -> Document:
    text = data.decode("utf-8-sig", errors="replace")[:_MAX_TEXT]
    if "\0" in text[:_SCAN]:
        raise SourceInaccessible("is no text")
    return Document(text=text, title=_first_line(text))


def _markdown(data: bytes) -> Document:
    text = data.decode("utf-8-sig", errors="replace")[:_MAX_TEXT]
    heading = next(
        (
            line.lstrip("# ").strip()
            for line in text.split("\n", 200)
            if line.startswith("#")
        ),
        "",
    )
    return Document(text=text, title=heading[:500] or _first_line(text))


def _html(data: bytes) -> Document:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as fault:
        raise _not_installed("HTML", fault) from None
    markup = data.decode("utf-8-sig", errors="replace")[:_MAX_TEXT]
    if _depth(markup) > _MAX_DEPTH:
        return Document(text=" ".join(_TAGS.sub(" ", _HIDDEN.sub(" ", markup)).split()))
    tree = LexborHTMLParser(markup)
    meta: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        name = node.attributes.get("name") or node.attributes.get("property") or ""
        meta.setdefault(name.casefold(), []).append(
            str(node.attributes.get("content") or "").strip()[:1_000]
        )
    titled = tree.css_first("title")
    plain = titled.text(strip=True)[:500] if titled else ""
    title = next(
        (
            meta[name][0]
            for name in ("citation_title", "dc.title", "og:title")
            if meta.get(name)
        ),
        "",
    )
    dates = [
        *meta.get("citation_publication_date", []),
        *meta.get("citation_date", []),
        *meta.get("dc.date", []),
    ]
    year = next((int(date[:4]) for date in dates if date[:4].isdecimal()), None)
    for tag in ("script", "style", "noscript", "template", "head"):
        for node in tree.css(tag):
            node.decompose()
    body = tree.body
    text = body.text(separator=" ", strip=True)[:_MAX_TEXT] if body else ""
    return Document(
        text=text,
        title=title or plain,
        authors=tuple(meta.get("citation_author", [])[:200]),
        year=year,
    )


def _depth(markup: str) -> int:
    """How deep the elements are nested at most. HTML parsers take time by the square of it; no real page is so deep."""
    depth = deepest = 0
    for found in _ELEMENT.finditer(markup):
        if found[2].casefold() not in _VOID:
            depth = max(0, depth - 1) if found[1] else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _pdf(data: bytes) -> Document:
    try:
        from pypdf import PdfReader
    except ImportError as fault:
        raise _not_installed("PDF", fault) from None
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        text = (
            "" if locked else "\n".join(islice(_pages(reader), _MAX_PAGES))[:_MAX_TEXT]
        )
        title = (
            ""
            if locked
            else str((reader.metadata.title if reader.metadata else None) or "")
        )
    except Exception as fault:  # noqa: BLE001 (a damaged PDF makes its reader fail in any way; the file is at fault)
        raise SourceInaccessible(
            f"is no readable PDF: {type(fault).__name__}: {str(fault)[:200]}"
        ) from None
    if locked:
        raise SourceInaccessible("is protected by a password")
    if not text.strip():
        raise SourceInaccessible("is a PDF without text (a scan, perhaps)")
    return Document(text=text, title=title[:500] or _first_line(text))


def _pages(reader: PdfReader) -> Iterator[str]:
    size = 0
    for page in reader.pages:
        text = page.extract_text()
        yield text
        size += len(text)
        if size > _MAX_TEXT:
            return


def _docx(data: bytes) -> Document:
    try:
        import docx
    except ImportError as fault:
        raise _not_installed("DOCX", fault) from None
    if _unpacked(data) > _MAX_UNPACKED:
        raise SourceInaccessible(f"unpacks to more than {_MAX_UNPACKED // 2**20} MiB")
    try:
        document = docx.Document(io.BytesIO(data))
        lines = [paragraph.text for paragraph in document.paragraphs]
        lines += [
            cell.text
            for table in document.tables
            for row in table.rows
            for cell in row.cells
        ]
        title = str(document.core_properties.title or "")
    except Exception as fault:  # noqa: BLE001 (as for PDF)
        raise SourceInaccessible(
            f"is no readable DOCX: {type(fault).__name__}: {str(fault)[:200]}"
        ) from None
    text = "\n".join(lines)[:_MAX_TEXT]
    return Document(text=text, title=title[:500] or _first_line(text))


def _unpacked(data: bytes) -> int:
    """How large the parts say they are; the packing itself is checked when they are read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            return sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as fault:
        raise SourceInaccessible(f"is no readable DOCX: {fault}") from None


def _first_line(text: str) -> str:
    return next(
        (line.strip()[:500] for line in text.split("\n", 50) if line.strip()), ""
    )


def _not_installed(kind: str, fault: ImportError) -> ConfigError:
    return ConfigError(
        f"{kind} cannot be read: {fault.name} is not installed",
        hint="pip install judgemesh[documents]",
    )


_READERS: Final[Mapping[str, Callable[[bytes], Document]]] = MappingProxyType(
    {"text": _text, "markdown": _markdown, "html": _html, "pdf": _pdf, "docx": _docx}
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
"""Files that a directory of documents holds; others are passed over."""
