"""A document that was read: its text, and what the file says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.errors import ConfigError

MAX_TEXT_CHARS: Final = 5_000_000
MAX_TITLE_CHARS: Final = 500
_MAX_FIRST_LINES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """What could be read. `authors` and `year` only where the file's own metadata names them.

    is_whole: the text is all that the file says. Otherwise it was cut at a limit, or some of its characters could not
    be decoded, and a passage that is not in the text may be in the file.
    """

    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    is_whole: bool = True


def first_line(text: str) -> str:
    """The first line that is not empty, as a title."""
    for line in text.split("\n", _MAX_FIRST_LINES):
        if line.strip():
            return line.strip()[:MAX_TITLE_CHARS]
    return ""


def not_installed(kind: str, error: ImportError) -> ConfigError:
    """The error for a reader whose package is missing."""
    return ConfigError(
        f"{kind} cannot be read: {error.name} is not installed",
        hint="pip install judgemesh[documents]",
    )
