"""Path globs over state: `*` stands for one segment (or any run inside one), `**` for any number of segments."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.regex import Pattern, compiled, escape
from judgemesh.validators._shared.values import Path, composed_text

_MAX_CACHED_PATHS: Final = 4096


@lru_cache(maxsize=8192)
def segments(path: str) -> Path:
    """The segments of a pointer.

    A slash inside a key counts as a separator, escaped or not, and so does a backslash: diffs come either way.
    """
    if not path:
        return ()
    if "\\" in path:
        path = path.replace("\\", "/")
    path = composed_text(path)
    parts = path.removeprefix("/").replace("~1", "/").split("/")
    return tuple(part.replace("~0", "~") for part in parts)


@lru_cache(maxsize=8192)
def pointer(path: Path) -> str:
    """The pointer of the segments."""
    return "".join("/" + part.replace("~", "~0") for part in path)


class Globs:
    """A set of globs, compiled to one linear-time pattern."""

    __slots__ = ("_covered", "_pattern", "empty")

    def __init__(self, globs: tuple[str, ...]) -> None:
        self.empty = not globs
        self._covered: dict[Path, bool] = {}
        self._pattern: Pattern | None = None
        if globs:
            alternatives = (f"(?:{expression(segments(glob))})" for glob in globs)
            self._pattern = compiled("|".join(alternatives))

    def covers(self, path: Path) -> bool:
        """Whether a glob matches the path or an object that contains it."""
        if self._pattern is None:
            return False
        # The results of one contract change much the same paths, so the answers are cached.
        covered = self._covered.get(path)
        if covered is None:
            if len(self._covered) >= _MAX_CACHED_PATHS:
                self._covered.clear()
            covered = self._pattern.search(spelled(path)) is not None
            self._covered[path] = covered
        return covered


def spelled(path: Path) -> str:
    """The path with a slash before, between and behind its segments, as `expression` reads it."""
    return "/" + "".join(f"{part}/" for part in path)


def expression(glob: Path) -> str:
    """A pattern for the beginning of a spelled path."""
    return "^/" + "".join(map(_segment_pattern, glob))


def _segment_pattern(part: str) -> str:
    if part == "**":
        return "(?:[^/]*/)*"
    return "[^/]*".join(map(escape, part.split("*"))) + "/"


@lru_cache(maxsize=512)
def globs_of(patterns: tuple[str, ...]) -> Globs:
    """The compiled globs."""
    return Globs(patterns)
