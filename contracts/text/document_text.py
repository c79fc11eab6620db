"""The content of a document, why it may not be known, and how the text of Markdown and CSV is read. Pure.

Snapshots describe documents so when they are taken, and a check does where a snapshot holds only the text.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

_MAX_ROWS: Final = 200_000
_HASH_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_HEADING_UNDERLINE: Final = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*$")
_TABLE_RULE: Final = re.compile(
    r"[ ]{0,3}\|?[ \t]*+:?-++:?[ \t]*+(\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*$"
)
_CODE_FENCE: Final = re.compile(r"[ ]{0,3}(```|~~~)")


class Unreadable(Exception):
    """The document does not open; says why."""


class NotExamined(Exception):
    """The document was not examined, for a reason that says nothing about it: a library is missing, it is too big."""


@dataclass(slots=True)
class DocumentContent:
    """Text, headings, number of tables, and the first row of each table."""

    text: str = ""
    headings: list[str] = field(default_factory=list[str])
    columns: list[list[str]] = field(default_factory=list[list[str]])
    tables: int = 0


def not_installed(package: str) -> NotExamined:
    """The error for a reader whose package is missing."""
    return NotExamined(f"{package} is not installed; pip install judgemesh[documents]")


def markdown_content(text: str) -> DocumentContent:
    """Markdown with headings of both forms and pipe tables, outside code blocks."""
    content = DocumentContent(text=text)
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


def csv_content(text: str) -> DocumentContent:
    """CSV with a comma, semicolon or tab as delimiter: one table whose rows must be as long as its header."""
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
