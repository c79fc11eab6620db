"""Paths and URLs in a normal form, so that no spelling of a path evades a limit on data."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from judgemesh.validators._shared.text import plain

Segments = tuple[str, ...]

HOME: Final = "~"
"""The segment that stands for the home folder of whoever runs the agent."""
_MAX_DECODINGS: Final = 3
_MAX_CHARS: Final = 8_192
_ABSOLUTE: Final = "absolute"
_RELATIVE: Final = "relative"
_URL_HEAD: Final = 2  # scheme and host
_FILE_URL: Final = re.compile(r"file:(?://(?:localhost)?(?=/)|(?!//))", re.IGNORECASE)
_DRIVE: Final = re.compile(r"/*(?:[?.]/)?([A-Za-z]:)(?=/|$)")
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):/{2,}([^/?#]*)([^?#]*)")
_PORTS: Final = (":80", ":443")
_HOME_VARIABLES: Final = frozenset(
    {"$home", "${home}", "%userprofile%", "%homepath%", "$env:userprofile", "$env:home"}
)


def normalised(path: str) -> Segments | None:
    """The segments of a path or URL, `absolute` or `relative` in front; None when it climbs above its start.

    Backslashes separate too, percent signs are decoded (also when encoded twice), a `file:` URL is the path it names,
    `$HOME` is `~`, and scheme, host and drive have no case. Of a URL, user, usual port, query and fragment do not
    count.
    """
    text = _text(path)
    if text is None:
        return None
    segments, climbed = _followed(text)
    return None if climbed else (_start(text), *segments)


def after_climbing(path: str) -> Segments | None:
    """The segments of a path without its start, and without what it climbs above it; None where it is no path."""
    text = _text(path)
    return None if text is None else tuple(_followed(text)[0])


def is_absolute(path: str) -> bool:
    """Whether a path starts at the root of a file system."""
    return _start(_text(path) or "") == _ABSOLUTE


def normalised_glob(glob: str) -> str:
    """A glob over normalised paths."""
    text = _local(glob.strip().replace("\\", "/"))
    return "/" + "/".join((_start(text), *_followed(text)[0]))


def _text(path: str) -> str | None:
    """The path decoded, with slashes; None where it cannot be decoded, or is longer than any path."""
    if len(path) > _MAX_CHARS:
        path = re.split(r"[?#]", path, maxsplit=1)[0]
        if len(path) > _MAX_CHARS:
            return None
    decoded = _decoded(path.strip())
    return None if decoded is None else _local(decoded.strip().replace("\\", "/"))


def _followed(text: str) -> tuple[list[str], bool]:
    """The segments after `.` and `..` were followed, and whether they climb above the start."""
    url = _URL.match(text)
    if url is not None:
        text = f"{url[1]}://{_host(url[2])}{url[3]}"
    head = 0 if url is None else _URL_HEAD
    segments: list[str] = []
    climbed = False
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            segments.append(part.casefold() if len(segments) < head else part)
        elif len(segments) > head:
            segments.pop()
        else:
            climbed = True
    if segments and segments[0].casefold() in _HOME_VARIABLES:
        segments[0] = HOME
    return segments, climbed


def _host(authority: str) -> str:
    """The host of a URL without user, usual port and final dot."""
    host = authority.rpartition("@")[2]
    for port in _PORTS:
        host = host.removesuffix(port)
    return host.rstrip(".")


def _local(text: str) -> str:
    """A `file:` URL as the path it names; a path with a drive in lower case, the drive in front."""
    text = _FILE_URL.sub("", text, count=1)
    drive = _DRIVE.match(text)
    if drive is None:
        return text
    return (drive[1] + text[drive.end() :]).casefold()


def _decoded(text: str) -> str | None:
    """The text without percent encoding; None when it is encoded more than three times, or holds a null character."""
    for _ in range(_MAX_DECODINGS):
        decoded = unquote(text)
        if decoded == text:
            break
        text = decoded
    if "\x00" in text or unquote(text) != text:
        return None
    return plain(text)


def _start(text: str) -> str:
    return _ABSOLUTE if text.startswith("/") else _RELATIVE
