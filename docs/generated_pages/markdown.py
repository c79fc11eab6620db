"""Markdown from values: tables, headings, and text in which nothing is markup by accident."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(`[^`]*`)")
_MARKUP = re.compile(r"([\\*_\[\]<>|$#{}])")


def plain(text: str) -> str:
    """The text in one line, with its markup escaped; what stands in backticks stays code."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(_cell(part) if part[:1] == "`" else _escaped(part) for part in parts)


def code(text: str) -> str:
    """The text as code, also inside a table; nothing for nothing."""
    return f"`{_cell(text)}`" if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. Cells are Markdown already (`plain`, `code`)."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def paragraphs(docstring: str | None) -> str:
    """The paragraphs of a docstring."""
    blocks = (docstring or "").strip().split("\n\n")
    return "\n\n".join(plain(block) for block in blocks if block.strip())


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")
