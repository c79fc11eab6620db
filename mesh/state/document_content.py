"""The content of a document, and why it may not be known."""

from __future__ import annotations

from dataclasses import dataclass, field


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
