"""Readers of text documents: plain text, Markdown, CSV, JSON, HTML."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import Final

from judgemesh.mesh.state.document_content import (
    DocumentContent,
    NotExamined,
    Unreadable,
    not_installed,
)
from judgemesh.mesh.state.json_document import parse_document

_MAX_ROWS: Final = 200_000
_HASH_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_HEADING_UNDERLINE: Final = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*$")
_TABLE_RULE: Final = re.compile(
    r"[ ]{0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
)
_CODE_FENCE: Final = re.compile(r"[ ]{0,3}(```|~~~)")


def _decoded(data: bytes) -> str:
    text = data.decode("utf-8-sig")
    if "\x00" in text:
        raise Unreadable("is binary, no text")
    return text


def read_text(data: bytes) -> DocumentContent:
    """Plain text: no headings, no tables."""
    return DocumentContent(text=_decoded(data))


def read_json(data: bytes) -> DocumentContent:
    """JSON as text, if it is valid."""
    parse_document(data, "document")
    return DocumentContent(text=_decoded(data))


def read_markdown(data: bytes) -> DocumentContent:
    """Markdown with headings of both forms and pipe tables, outside code blocks."""
    content = DocumentContent(text=_decoded(data))
    open_fence = previous_line = ""
    for line in content.text.splitlines():
        fence = _CODE_FENCE.match(line)
        if fence and open_fence in ("", fence[1]):
            open_fence = "" if open_fence else fence[1]
        elif not open_fence:
            _read_markdown_line(line, previous_line, content)
        previous_line = "" if open_fence or fence else line
    return content


def _read_markdown_line(line: str, previous: str, content: DocumentContent) -> None:
    hash_heading = _HASH_HEADING.match(line)
    if hash_heading:
        content.headings.append(hash_heading[1])
    elif "|" in line and "|" in previous and _TABLE_RULE.match(line):
        header = previous.strip().strip("|").split("|")
        content.tables += 1
        content.columns.append([cell.strip() for cell in header])
    elif previous.strip() and "|" not in previous and _HEADING_UNDERLINE.match(line):
        content.headings.append(previous.strip())


def read_csv(data: bytes) -> DocumentContent:
    """CSV with a comma, semicolon or tab as delimiter: one table whose rows must be as long as its header."""
    text = _decoded(data)
    content = DocumentContent(text=text)
    first_line = text.partition("\n")[0]
    delimiter = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
        if header is None:
            return content
        content.columns.append(header)
        content.tables = 1
        for cells in islice(reader, _MAX_ROWS):
            if cells and len(cells) != len(header):
                raise Unreadable(
                    f"line {reader.line_num}: {len(cells)} cells under {len(header)} columns"
                )
    except csv.Error as error:
        if "field larger" in str(error):
            # Python's own limit, which says nothing about the file.
            raise NotExamined(f"line {reader.line_num}: {error}") from None
        raise Unreadable(f"line {reader.line_num}: no CSV: {error}") from None
    return content


def read_html(data: bytes) -> DocumentContent:
    """HTML with its headings and tables."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise not_installed("selectolax") from None
    tree = LexborHTMLParser(_decoded(data))
    tree.strip_tags(["script", "style", "template"])
    content = DocumentContent()
    if tree.body is not None:
        content.text = tree.body.text(separator=" ", strip=True)
    for heading in tree.css("h1, h2, h3, h4, h5, h6"):
        content.headings.append(heading.text(strip=True))
    for table in tree.css("table"):
        content.tables += 1
        row = table.css_first("tr")
        cells = [] if row is None else row.css("th, td")
        content.columns.append([cell.text(strip=True) for cell in cells])
    return content
