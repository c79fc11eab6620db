"""Unpack gzip in bounded memory; what is cut off or damaged is an OSError, never a shorter content."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from judgemesh.mesh.inputs.files.limits import FileLimit, in_words
from judgemesh.mesh.inputs.files.opening import FileRefused

GZIP: Final = b"\x1f\x8b"
UNPACK_FAULTS: Final = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a damaged gzip stream raises."""
_ANY_ZLIB_FORMAT: Final = 47


@contextmanager
def gunzipped(stream: BinaryIO, path: Path | str) -> Generator[BinaryIO]:
    """The unpacked bytes of a gzip stream, which the reader bounds.

    Raises:
        FileRefused: it is damaged or cut off, when the reader comes to that place.
    """
    try:
        yield cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    except UNPACK_FAULTS as error:
        raise FileRefused(why_damaged(error), path) from None


def gunzip(data: bytes, path: Path | str, limit: FileLimit) -> bytes:
    """The unpacked content of gzip data that is in memory.

    Raises:
        FileRefused: it is damaged, cut off, or unpacks to more than the limit.
    """
    with gunzipped(io.BytesIO(data), path) as stream:
        content = stream.read(limit.max_bytes + 1)
    if len(content) > limit.max_bytes:
        raise FileRefused(f"unpacks to more than {in_words(limit.max_bytes)}", path)
    return content


class Body:
    """The body of an HTTP answer, put together from its chunks, unpacked, up to `max_bytes`.

    A body of several gzip members is the sum of them, as a file is.
    """

    def __init__(self, max_bytes: int, *, is_packed: bool) -> None:
        """`is_packed`: with gzip or deflate."""
        self.content = bytearray()
        self._max_bytes = max_bytes
        self._is_packed = is_packed
        self._began = False
        self._unpacker = zlib.decompressobj(wbits=_ANY_ZLIB_FORMAT)

    def add(self, chunk: bytes) -> None:
        """Add a chunk.

        Raises:
            ValueError: it is damaged, or the body is larger than `max_bytes`.
        """
        if not self._is_packed:
            self.content += chunk
            self._check_size()
            return
        waiting = chunk
        while waiting:
            if self._unpacker.eof:
                self._unpacker = zlib.decompressobj(wbits=_ANY_ZLIB_FORMAT)
            self._began = True
            room = self._max_bytes + 1 - len(self.content)
            try:
                self.content += self._unpacker.decompress(waiting, room)
            except zlib.error as error:
                raise ValueError(f"cannot be decompressed: {error}") from None
            self._check_size()
            waiting = self._unpacker.unused_data if self._unpacker.eof else b""

    def _check_size(self) -> None:
        if len(self.content) > self._max_bytes:
            raise ValueError(f"is larger than {self._max_bytes} bytes")

    @property
    def is_whole(self) -> bool:
        """Whether it ended where what was packed ends."""
        return self._unpacker.eof or not self._began


def why_damaged(error: Exception) -> str:
    """What is wrong with a gzip stream, from what reading it raised."""
    if isinstance(error, EOFError):
        return "is compressed and cut off"
    return f"is compressed and damaged: {error}"
