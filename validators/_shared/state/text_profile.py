"""What a document is like by its text alone, where the snapshot holds the text and no description.

The description has the form of a snapshot's: format, whether it opens, characters, headings, tables and columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.text.document_text import (
    DocumentContent,
    NotExamined,
    Unreadable,
    csv_content,
    markdown_content,
)
from judgemesh.validators._shared.json_answers import parse_json

_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def _plain(text: str) -> DocumentContent:
    return DocumentContent(text=text)


def _json(text: str) -> DocumentContent:
    try:
        parse_json(text)
    except ValueError as error:
        raise Unreadable(f"no JSON: {error}") from None
    return DocumentContent(text=text)


_FORMATS: Final[Mapping[str, tuple[str, Callable[[str], DocumentContent]]]] = (
    MappingProxyType(
        {
            "txt": ("text", _plain), "text": ("text", _plain), "md": ("markdown", markdown_content),
            "markdown": ("markdown", markdown_content), "csv": ("csv", csv_content), "tsv": ("csv", csv_content),
            "json": ("json", _json),
        }
    )
)  # fmt: skip


def text_profile(name: str, text: str) -> dict[str, object] | None:
    """The description of a document of that name with that text; None for a format that is no plain text."""
    known = _FORMATS.get(name.rpartition(".")[2].casefold())
    if known is None:
        return None
    document_format, read = known
    try:
        content = read(_readable(text))
    except NotExamined as error:
        return {"format": document_format, "opens": None, "error": str(error)}
    except Unreadable as error:
        return {"format": document_format, "opens": False, "error": str(error)}
    return {
        "format": document_format,
        "opens": True,
        "chars": len(text.strip()),
        "headings": content.headings,
        "tables": content.tables,
        "columns": content.columns,
        "text": text,
    }


def _readable(text: str) -> str:
    """The text without a byte order mark, which is no part of its first word."""
    if _CONTROL.search(text):
        raise Unreadable("is binary, no text")
    return text.removeprefix("\ufeff")
