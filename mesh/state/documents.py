"""What can be said of a document without reading it for its sense: whether it opens, its text, headings and tables."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.state.evidence import parse_document

MAX_BYTES: Final = 32 * 2**20
MAX_TEXT: Final = 65_536
_MAX_UNPACKED: Final = 200 * 2**20
_MAX_PAGES: Final = 500
_MAX_LISTED: Final = 200
_MAX_ROWS: Final = 200_000
_SHOWN: Final = 200
_ATX: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_SETEXT: Final = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*$")
_RULE: Final = re.compile(
    r"[ ]{0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
)
_FENCE: Final = re.compile(r"[ ]{0,3}(```|~~~)")


class Unreadable(Exception):
    """The document does not open; says why."""


class NotLooked(Exception):
    """The document was not looked at, for a reason that says nothing about it: a library is missing, it is too big."""


@dataclass(slots=True)
class _Found:
    """What a reader found."""

    text: str = ""
    headings: list[str] = field(default_factory=list[str])
    columns: list[list[str]] = field(default_factory=list[list[str]])
    tables: int = 0


def format_of(name: str) -> str | None:
    """The format that a file's name says, or None for a file that is no document."""
    return _FORMATS.get(PurePosixPath(name.casefold()).suffix)


def profile(
    name: str, data: bytes, kind: str | None = None
) -> dict[str, object] | None:
    """What the document is like, JSON-ready; None for a file that is no document.

    `opens` is null when nobody looked, with `error` saying why. Otherwise `chars`, `headings`, `tables` (their number),
    `columns` (the first row of each table) and, for formats that are no plain text, the `text`, cut at 64 KB.

    Args:
        name: the file's name, whose suffix says the format.
        data: its content.
        kind: a format to read it as, whatever the name says.
    """
    chosen = kind or format_of(name)
    reader = _READERS.get(chosen or "")
    if chosen is None or reader is None:
        return None
    if len(data) > MAX_BYTES:
        return {
            "format": chosen,
            "opens": None,
            "error": f"larger than {MAX_BYTES // 2**20} MiB",
        }
    try:
        found = reader(data)
    except NotLooked as fault:
        return {"format": chosen, "opens": None, "error": str(fault)[:_SHOWN]}
    except (Unreadable, InputError, UnicodeDecodeError) as fault:
        return {"format": chosen, "opens": False, "error": str(fault)[:_SHOWN]}
    described: dict[str, object] = {
        "format": chosen,
        "opens": True,
        "chars": len(found.text.strip()),
        "headings": [heading[:_SHOWN] for heading in found.headings[:_MAX_LISTED]],
        "tables": found.tables,
        "columns": [
            [cell[:_SHOWN] for cell in row[:_MAX_LISTED]]
            for row in found.columns[:_MAX_LISTED]
        ],
    }
    if chosen in ("docx", "pdf", "html"):
        described["text"] = found.text[:MAX_TEXT]
    return described


def _decoded(data: bytes) -> str:
    text = data.decode("utf-8-sig")
    if "\x00" in text:
        raise Unreadable("is binary, no text")
    return text


def _text(data: bytes) -> _Found:
    return _Found(text=_decoded(data))


def _markdown(data: bytes) -> _Found:
    found = _Found(text=_decoded(data))
    fence, before = "", ""
    for line in found.text.splitlines():
        opening = _FENCE.match(line)
        if opening and fence in ("", opening[1]):
            fence = "" if fence else opening[1]
        elif not fence:
            _markdown_line(line, before, found)
        before = "" if fence or opening else line
    return found


def _markdown_line(line: str, before: str, found: _Found) -> None:
    heading = _ATX.match(line)
    if heading:
        found.headings.append(heading[1])
    elif "|" in line and "|" in before and _RULE.match(line):
        found.tables += 1
        found.columns.append(
            [cell.strip() for cell in before.strip().strip("|").split("|")]
        )
    elif before.strip() and "|" not in before and _SETEXT.match(line):
        found.headings.append(before.strip())


def _csv(data: bytes) -> _Found:
    text = _decoded(data)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True
    )
    found = _Found(text=text)
    try:
        header: Sequence[str] | None = None
        for number, cells in enumerate(reader):
            if number > _MAX_ROWS:
                break
            if header is None:
                header = cells
                found.columns.append(list(cells))
                found.tables = 1
            elif cells and len(cells) != len(header):
                raise Unreadable(
                    f"line {reader.line_num}: {len(cells)} cells under {len(header)} columns"
                )
    except csv.Error as fault:
        if "field larger" in str(
            fault
        ):  # Python's own limit, which says nothing about the file
            raise NotLooked(f"line {reader.line_num}: {fault}") from None
        raise Unreadable(f"line {reader.line_num}: no CSV: {fault}") from None
    return found


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _json(data: bytes) -> _Found:
    parse_document(data, "document")
    return _Found(text=_decoded(data))


def _html(data: bytes) -> _Found:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise NotLooked(
            "selectolax is not installed; pip install judgemesh[documents]"
        ) from None
    tree = LexborHTMLParser(_decoded(data))
    tree.strip_tags(["script", "style", "template"])
    body = tree.body
    found = _Found(text="" if body is None else body.text(separator=" ", strip=True))
    found.headings = [
        node.text(strip=True) for node in tree.css("h1, h2, h3, h4, h5, h6")
    ]
    for table in tree.css("table"):
        found.tables += 1
        row = table.css_first("tr")
        found.columns.append(
            [] if row is None else [cell.text(strip=True) for cell in row.css("th, td")]
        )
    return found


def _docx(data: bytes) -> _Found:
    try:
        from docx import Document
    except ImportError:
        raise NotLooked(
            "python-docx is not installed; pip install judgemesh[documents]"
        ) from None
    _check_unpacked(data)
    try:
        document = Document(io.BytesIO(data))
        found = _Found(tables=len(document.tables))
        lines: list[str] = []
        for paragraph in document.paragraphs:
            lines.append(paragraph.text)
            style = paragraph.style
            if style is not None and (style.name or "").startswith(
                ("Heading", "Title")
            ):
                found.headings.append(paragraph.text)
        for table in document.tables:
            rows = [[cell.text for cell in row.cells] for row in table.rows]
            found.columns.append(rows[0] if rows else [])
            lines += [cell for row in rows for cell in row]
    except Exception as fault:  # noqa: BLE001 (a damaged file makes its reader fail in any way; the file is at fault)
        raise Unreadable(f"no readable DOCX: {type(fault).__name__}: {fault}") from None
    found.text = "\n".join(lines)
    return found


def _check_unpacked(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
        raise Unreadable(f"no readable DOCX: {fault}") from None
    if size > _MAX_UNPACKED:
        raise NotLooked(f"unpacks to more than {_MAX_UNPACKED // 2**20} MiB")


def _pdf(data: bytes) -> _Found:
    try:
        from pypdf import PdfReader
    except ImportError:
        raise NotLooked(
            "pypdf is not installed; pip install judgemesh[documents]"
        ) from None
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        pieces: list[str] = []
        for page in reader.pages[: 0 if locked else _MAX_PAGES]:
            pieces.append(page.extract_text())
            if sum(map(len, pieces)) > 2 * MAX_TEXT:
                break
        outline = [] if locked else reader.outline
        headings = [
            str(item.title or "") for item in outline if not isinstance(item, list)
        ]
    except Exception as fault:  # noqa: BLE001 (as for DOCX)
        raise Unreadable(f"no readable PDF: {type(fault).__name__}: {fault}") from None
    if locked:
        raise Unreadable("is protected by a password")
    return _Found(text="\n".join(pieces), headings=headings)


_READERS: Final[Mapping[str, Callable[[bytes], _Found]]] = MappingProxyType(
    {
        "text": _text,
        "markdown": _markdown,
        "csv": _csv,
        "json": _json,
        "html": _html,
        "docx": _docx,
        "pdf": _pdf,
    }
)
_FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown", ".csv": "csv", ".tsv": "csv",
        ".json": "json", ".html": "html", ".htm": "html", ".docx": "docx", ".pdf": "pdf",
    }
)  # fmt: skip
