"""Readers of text documents: plain text, Markdown, CSV, JSON, HTML."""

from __future__ import annotations

from judgemesh.contracts.text.document_text import (
    DocumentContent,
    Unreadable,
    csv_content,
    markdown_content,
    not_installed,
)
from judgemesh.mesh.state.json_document import parse_document


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
    return markdown_content(_decoded(data))


def read_csv(data: bytes) -> DocumentContent:
    """CSV with a comma, semicolon or tab as delimiter."""
    return csv_content(_decoded(data))


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
