"""Paths and URLs in a normal form, so that no spelling of a path evades a limit on data."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

_MAX_DECODINGS: Final = 3
_ABSOLUTE: Final = "absolute"
_RELATIVE: Final = "relative"
_URL_HEAD: Final = 2  # scheme and host


def normalised(path: str) -> tuple[str, ...] | None:
    """The segments of a path or URL, `absolute` or `relative` in front; None when it climbs above its start.

    Backslashes separate too, percent signs are decoded (also when encoded twice), and the case of a URL's scheme and
    host does not count.
    """
    text = _decoded(path.strip())
    if text is None:
        return None
    text = text.replace("\\", "/")
    head = _URL_HEAD if "://" in text else 0
    segments: list[str] = []
    for part in _parts(text):
        if part == "..":
            if len(segments) <= head:
                return None
            segments.pop()
        elif part != ".":
            segments.append(part.casefold() if len(segments) < head else part)
    return (_start(text), *segments)


def normalised_glob(glob: str) -> str:
    """A glob over normalised paths."""
    return "/" + "/".join((_start(glob), *_parts(glob)))


def _decoded(text: str) -> str | None:
    """The text without percent encoding; None when it is encoded more than three times, or holds a null character."""
    for _ in range(_MAX_DECODINGS):
        decoded = unquote(text)
        if decoded == text:
            break
        text = decoded
    if "\x00" in text or unquote(text) != text:
        return None
    return text


def _start(text: str) -> str:
    return _ABSOLUTE if text.startswith("/") else _RELATIVE


def _parts(text: str) -> list[str]:
    return [part for part in text.split("/") if part]
