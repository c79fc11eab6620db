"""A value read from a file, kept until the file changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from judgemesh.mesh.sources.protocols import SourceInaccessible

T = TypeVar("T")


class WatchedFile(Generic[T]):
    """Reads a file once, and again when its size or time of change differ. Safe to use from several threads.

    Args:
        path: the file.
        read: returns the value; may raise OSError, ValueError or SourceInaccessible.
        max_bytes: a larger file is not read; None for no limit.
    """

    def __init__(
        self, path: Path, read: Callable[[], T], *, max_bytes: int | None = None
    ) -> None:
        self._path = path
        self._read = read
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._loaded: tuple[tuple[int, int], T] | None = None

    def value(self) -> T:
        """The value of the file as it is now.

        Raises:
            SourceInaccessible: it cannot be read; the text says why.
        """
        with self._lock:
            try:
                return self._current()
            except UnicodeDecodeError as error:
                why = f"is no UTF-8 text: {error.reason} at byte {error.start}"
                raise SourceInaccessible(f"{self._path} {why}") from error
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or str(error)
                raise SourceInaccessible(
                    f"{self._path} cannot be read: {reason}"
                ) from error

    def _current(self) -> T:
        stat = self._path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        if self._loaded is not None and self._loaded[0] == stamp:
            return self._loaded[1]
        if self._max_bytes is not None and stat.st_size > self._max_bytes:
            limit_mib = self._max_bytes // 2**20
            raise SourceInaccessible(f"{self._path} is larger than {limit_mib} MiB")
        value = self._read()
        self._loaded = (stamp, value)
        return value

    def forget(self) -> None:
        """Drop the value."""
        with self._lock:
            self._loaded = None
