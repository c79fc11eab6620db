"""A few lines of HTTP over asyncio streams: every byte of an answer is up to the test."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass
class Server:
    """A running server: where it is, and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list[Asked])
    at_once: int = 0
    most_at_once: int = 0

    @property
    def host(self) -> str:
        return str(urlsplit(self.url).hostname)

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0


Handler = Callable[[Asked], Awaitable[bytes]]


def answer(
    body: bytes | str,
    *,
    status: int = 200,
    kind: str = "application/json",
    **headers: str,
) -> bytes:
    """The bytes of a response."""
    data = body.encode() if isinstance(body, str) else body
    lines = [
        f"HTTP/1.1 {status} X",
        f"Content-Type: {kind}",
        f"Content-Length: {len(data)}",
        "Connection: close",
    ]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def as_json(data: object, status: int = 200) -> bytes:
    return answer(json.dumps(data), status=status)


def table(pages: Mapping[str, bytes]) -> Handler:
    """A handler that answers by path; 404 for others."""

    async def handle(asked: Asked) -> bytes:
        return pages.get(asked.path, answer("{}", status=404))

    return handle


@contextlib.asynccontextmanager
async def serving(handler: Handler) -> AsyncGenerator[Server]:
    """Serve on 127.0.0.1 until the block ends."""
    server = Server("")

    tasks: set[asyncio.Task[object]] = set()

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        tasks.add(cast("asyncio.Task[object]", asyncio.current_task()))
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                asked = _read(await reader.readuntil(b"\r\n\r\n"))
                server.asked.append(asked)
                server.at_once += 1
                server.most_at_once = max(server.most_at_once, server.at_once)
                response = await handler(asked)
                server.at_once -= 1
                writer.write(response)
                await writer.drain()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _read(head: bytes) -> Asked:
    lines = head.decode("latin-1").split("\r\n")
    parts = urlsplit(lines[0].split(" ")[1])
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    return Asked(
        unquote(parts.path),
        {name: values[0] for name, values in parse_qs(parts.query).items()},
        headers,
    )
