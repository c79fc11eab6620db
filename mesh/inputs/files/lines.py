"""The bytes of a stream, as they are read, and put together to lines.

`chunks` waits for a stream that has nothing to read, `arriving_chunks` lets other work go on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from stat import S_ISFIFO, S_ISSOCK
from typing import BinaryIO, Final, NamedTuple, cast

_CHUNK_BYTES: Final = 2**16
_BOM: Final = b"\xef\xbb\xbf"


class RawLine(NamedTuple):
    """A line without its end. number: from 1. whole: whether `raw` is all of it."""

    number: int
    raw: bytes
    whole: bool


@dataclass(slots=True)
class LineSplitter:
    """Puts chunks together to lines. Of a line longer than `max_bytes` the beginning is kept, the rest is dropped.

    number: of the last complete line. A byte order mark before the first line is dropped.
    """

    max_bytes: int
    number: int = 0
    _begun: bytearray = field(default_factory=bytearray)

    def feed(self, chunk: bytes) -> Iterator[RawLine]:
        """The lines that the chunk completes; all of them must be taken before the next chunk."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield self._line(end)
        self._begin(rest)

    def end(self) -> Iterator[RawLine]:
        """The last line, where no line break ends it."""
        if self._begun:
            yield self._line(b"")

    def _line(self, end: bytes) -> RawLine:
        if self._begun:
            self._begin(end)
            end = bytes(self._begun)
            self._begun.clear()
        self.number += 1
        whole = len(end) <= self.max_bytes
        raw = end if whole else end[: self.max_bytes + 1]
        if self.number == 1:
            raw = raw.removeprefix(_BOM)
        return RawLine(self.number, raw.rstrip(b"\r"), whole)

    def _begin(self, part: bytes) -> None:
        """Keep the beginning of a line, and one byte that tells that it is too long."""
        self._begun += part[: self.max_bytes + 1 - len(self._begun)]


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """What is read from a stream, in pieces, until it ends; a stream that has nothing is waited for."""
    while chunk := _read(stream):
        yield chunk


async def arriving_chunks(stream: BinaryIO) -> AsyncGenerator[bytes]:
    """As `chunks`. Other work goes on between them, and while a pipe or terminal has nothing.

    On Windows, whose event loop cannot wait for pipes, the stream is waited for as by `chunks`.
    """
    waited = _waited_descriptor(stream)
    while True:
        if waited is None:
            await asyncio.sleep(0)
        else:
            await _readable(waited)
        chunk = _read(stream)
        if not chunk:
            return
        yield chunk


def _read(stream: BinaryIO) -> bytes:
    """At most one read of the system: what a pipe has is not held back until there is more."""
    return cast("bytes", stream.read1(_CHUNK_BYTES))  # type: ignore[attr-defined]


def _waited_descriptor(stream: BinaryIO) -> int | None:
    """The descriptor of a stream that may have nothing to read; None for a file, and for a buffer in memory."""
    if os.name == "nt":
        return None
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return None
    mode = os.fstat(descriptor).st_mode
    can_wait = S_ISFIFO(mode) or S_ISSOCK(mode) or os.isatty(descriptor)
    return descriptor if can_wait else None


async def _readable(descriptor: int) -> None:
    """Wait until the descriptor has something to read, or is at its end."""
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(descriptor, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(descriptor)
