"""Messages between driver and worker: pickled values over TCP, after both have shown that they know the same key.

Pickle runs code of whoever sends it, so nothing is unpickled before the other side is known: each side answers a random
challenge with its HMAC under the key. The connection is not encrypted.
"""

from __future__ import annotations

import asyncio
import hmac
import pickle
import secrets
import struct
from dataclasses import dataclass
from typing import Any, Final

from judgemesh.mesh.isolation.faults import PluginFault

_HEAD: Final = struct.Struct(">Q")
_CHALLENGE_BYTES: Final = 32
_HANDSHAKE_S: Final = 10.0
_DRIVER, _WORKER = b"driver", b"worker"


class ChannelRefused(Exception):
    """The other side does not know the key."""


@dataclass(slots=True)
class Channel:
    """A connection that is open. One task reads; any number may send."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, message: object) -> None:
        """Send one message; a connection that is closed takes it and drops it.

        Raises:
            PluginFault: the message holds a value that cannot be pickled.
        """
        try:
            body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            text = f"gives a value that cannot be sent to another process: {error}"
            raise PluginFault(text[:300]) from error
        if self.writer.is_closing():
            return
        self.writer.write(_HEAD.pack(len(body)) + body)
        try:
            await self.writer.drain()
        except OSError:
            return  # the task that reads notices it

    async def receive(self) -> Any:
        """The next message; None when the connection has ended."""
        try:
            head = await self.reader.readexactly(_HEAD.size)
            body = await self.reader.readexactly(_HEAD.unpack(head)[0])
        except (OSError, asyncio.IncompleteReadError):
            return None
        return pickle.loads(body)  # noqa: S301 (the other side has shown that it knows the key)

    def close(self) -> None:
        """Close the connection."""
        self.writer.close()


async def accept(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes
) -> Channel:
    """The driver's side of a new connection.

    Raises:
        ChannelRefused: the other side does not know the key.
    """
    return await _opened(reader, writer, key, own=_DRIVER, other=_WORKER)


async def connect(host: str, port: int, key: bytes) -> Channel:
    """The worker's side: connect to the driver.

    Raises:
        OSError: the driver cannot be reached.
        ChannelRefused: it does not know the key.
    """
    reader, writer = await asyncio.open_connection(host, port)
    return await _opened(reader, writer, key, own=_WORKER, other=_DRIVER)


async def _opened(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    key: bytes,
    *,
    own: bytes,
    other: bytes,
) -> Channel:
    challenge = secrets.token_bytes(_CHALLENGE_BYTES)
    writer.write(challenge)
    try:
        async with asyncio.timeout(_HANDSHAKE_S):
            theirs = await reader.readexactly(_CHALLENGE_BYTES)
            writer.write(_answer(key, own, theirs))
            answer = await reader.readexactly(_CHALLENGE_BYTES)
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        writer.close()
        raise ChannelRefused("the connection ended before it was open") from error
    if not hmac.compare_digest(answer, _answer(key, other, challenge)):
        writer.close()
        raise ChannelRefused("the other side has another key")
    return Channel(reader, writer)


def _answer(key: bytes, side: bytes, challenge: bytes) -> bytes:
    return hmac.digest(key, side + challenge, "sha256")
