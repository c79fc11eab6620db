"""What is wrong with the user's data: a place and a message."""

from __future__ import annotations

from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""Keys and indices from the top of a document to a value."""


class Problem(NamedTuple):
    """One fault: where in the data, and what to do about it."""

    path: KeyPath
    message: str

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.message}" if self.path else self.message


def dotted(path: KeyPath) -> str:
    """A path as text: `fields.total.aliases[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")
