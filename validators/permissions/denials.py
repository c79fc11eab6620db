"""The paths that a contract denies, in every spelling that reaches them.

A denial counts for a path however it is written: the case does not count, nor does a leading slash (but for folders of
the system: `/etc` is not the project's `etc`); `http` and `https` are one; `~` is a folder in `/home`. A name without a
slash, such as `.env` or `*.key`, is denied in every folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from judgemesh.validators._shared.state.globs import Globs, globs_of
from judgemesh.validators.permissions.overlap import expanded, overlaps
from judgemesh.validators.permissions.paths import (
    HOME,
    Segments,
    after_climbing,
    is_absolute,
)

_SYSTEM_FOLDERS: Final = frozenset(
    {
        "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv", "sys",
        "tmp", "usr", "var", "users", "library", "applications", "system", "volumes",
    }
)  # fmt: skip
_WILDCARDS: Final = re.compile(r"[*?\[{]")
_LITERAL: Final = re.compile(r"[^\W_]")
_WEB: Final = ("http:", "https:")


class Denials:
    """Globs of denied paths, compiled."""

    __slots__ = ("_anchored", "_anywhere", "_globs", "empty")

    def __init__(self, globs: Sequence[str]) -> None:
        self.empty = not globs
        anchored: list[Segments] = []
        anywhere: list[Segments] = []
        for glob in globs:
            for segments, absolute in _spellings(glob):
                (anchored if absolute else anywhere).append(segments)
        self._globs = [(glob, True) for glob in anchored]
        self._globs += [(glob, False) for glob in anywhere]
        self._anchored = _compiled(anchored)
        self._anywhere = _compiled(anywhere)

    def covers(self, path: str) -> bool:
        """Whether the path is denied, or its wildcards may stand for one that is."""
        if _WILDCARDS.search(path) is None:
            return self._covers_one(path)
        return any(self._may_cover(part) for part in expanded(path))

    def _covers_one(self, path: str) -> bool:
        segments = _folded(path)
        if not segments:
            return False
        if self._anywhere.covers(segments):
            return True
        return is_absolute(path) and self._anchored.covers(segments)

    def _may_cover(self, path: str) -> bool:
        segments = _folded(path)
        while segments and segments[-1] in ("*", "**"):
            # All entries of a folder are the folder.
            segments = segments[:-1]
        if not segments or _LITERAL.search(path) is None:
            return False
        absolute = is_absolute(path)
        return any(
            overlaps(segments, glob)
            for glob, anchored in self._globs
            if absolute or not anchored
        )


def _compiled(globs: Sequence[Segments]) -> Globs:
    return globs_of(tuple("/" + "/".join(glob) for glob in globs))


def _folded(path: str) -> Segments:
    """The segments of a path for comparison with a denial."""
    segments = after_climbing(path) or ()
    folded = tuple(part.casefold().rstrip(" ") or part for part in segments)
    if folded[:1] == ("https:",):
        return (_WEB[0], *folded[1:])
    if folded and folded[0].startswith(HOME):
        return (HOME, *folded[1:])
    return folded


def _spellings(glob: str) -> Iterator[tuple[Segments, bool]]:
    """The globs that a denial means, and whether each is about absolute paths alone."""
    segments = _folded(glob)
    absolute = is_absolute(glob)
    is_system = absolute and segments[:1] and segments[0] in _SYSTEM_FOLDERS
    yield segments, bool(is_system)
    yield from ((other, False) for other in _shorter(glob, segments))
    for other in _homes(segments, absolute=absolute):
        yield other, other[0] != HOME


def _shorter(glob: str, segments: Segments) -> Iterator[Segments]:
    """The address without its scheme; the name in any folder."""
    if segments[:1] == _WEB[:1]:
        yield segments[1:]
    if len(segments) == 1 and "/" not in glob and re.search(r"[.*]", glob):
        yield ("**", *segments)


def _homes(segments: Segments, *, absolute: bool) -> Iterator[Segments]:
    """A folder in the home of a user, as `~` and in full."""
    if segments[:1] == (HOME,):
        rest = segments[1:]
        yield from (("home", "*", *rest), ("users", "*", *rest), ("root", *rest))
    elif absolute and segments[:1] in (("home",), ("users",)):
        yield (HOME, *segments[2:])
    elif absolute and segments[:1] == ("root",):
        yield (HOME, *segments[1:])
