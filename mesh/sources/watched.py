"""What was made of a file, kept until the file changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from judgemesh.mesh.sources.protocol import SourceInaccessible

T = TypeVar("T")


class WatchedFile(Generic[T]):
    """Reads a file once, and again when its size or time of change differ. Safe from several threads.

    Args:
        path: the file.
        read: what makes a value of it; may raise OSError, ValueError or SourceInaccessible.
        max_bytes: a larger file is not read; None for no limit.
    """

    def __init__(
        self, path: Path, read: Callable[[], T], *, max_bytes: int | None = None
    ) -> None:
        self._path, self._read, self._max_bytes = path, read, max_bytes
        self._lock = threading.Lock()
        self._loaded: tuple[tuple[int, int], T] | None = None

    def value(self) -> T:
        """What was made of the file as it is now.

        Raises:
            SourceInaccessible: it cannot be read; the text says why.
        """
        with self._lock:
            try:
                stat = self._path.stat()
                stamp = (stat.st_mtime_ns, stat.st_size)
                if self._loaded is not None and self._loaded[0] == stamp:
                    return self._loaded[1]
                if self._max_bytes is not None and stat.st_size > self._max_bytes:
                    raise SourceInaccessible(
                        f"{self._path} is larger than {self._max_bytes // 2**20} MiB"
                    )
                value = self._read()
            except UnicodeDecodeError as fault:
                message = f"{self._path} is no UTF-8 text: {fault.reason} at byte {fault.start}"
                raise SourceInaccessible(message) from fault
            except (OSError, ValueError) as fault:
                reason = (
                    fault.strerror
                    if isinstance(fault, OSError) and fault.strerror
                    else str(fault)
                )
                raise SourceInaccessible(
                    f"{self._path} cannot be read: {reason}"
                ) from fault
            self._loaded = (stamp, value)
            return value

    def forget(self) -> None:
        """Let go of the value."""
        with self._lock:
            self._loaded = None
