"""Memory that lines in progress share."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import anyio

ROOM_BYTES: Final = 256 * 2**20


class Room:
    """Bytes that several tasks of one event loop share: a task waits until its share is free.

    A share larger than the room is taken when nobody else has any.
    """

    def __init__(self, size_bytes: int = ROOM_BYTES) -> None:
        self._size_bytes = size_bytes
        self._used_bytes = 0
        self._freed: anyio.Event | None = None

    @asynccontextmanager
    async def taken(self, share_bytes: int) -> AsyncGenerator[None]:
        """Hold a share for the time of the context."""
        while self._used_bytes and self._used_bytes + share_bytes > self._size_bytes:
            self._freed = self._freed or anyio.Event()
            await self._freed.wait()
        self._used_bytes += share_bytes
        try:
            yield
        finally:
            self._used_bytes -= share_bytes
            if self._freed is not None:
                self._freed.set()
                self._freed = None
