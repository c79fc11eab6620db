"""A server in front of a server, which spoils the n-th answer: refused, reset, cut off, of the wrong kind."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

from judgemesh.mesh.testing.http_server import (
    HEAD_LIMIT,
    BadRequest,
    Request,
    read_request,
)

_HANG_S: Final = 30.0
_REFUSES_S: Final = 0.3
_DRIP_S: Final = 0.002
_ENDLESS_BYTES: Final = 64 * 2**20
_BODY: Final = b'{"id": "chatcmpl-1", "choices": [{"index": 0, "message": {"content": "{\\"verdict\\": \\"ye'
_PAGE: Final = (
    b"<!DOCTYPE html><html><body><h1>Bad gateway</h1><p>yes pass true</p></body></html>"
)


class WireFault(StrEnum):
    """What happens to an answer. In those of `FORWARDED` the server behind is asked; in the others it is not."""

    REFUSED = "refused"
    RESET = "reset"
    RESET_IN_BODY = "reset_in_body"
    SILENT = "silent"
    HANG = "hang"
    SLOW = "slow"
    CUT = "cut"
    TRUNCATED_JSON = "truncated_json"
    GZIP_CUT = "gzip_cut"
    GZIP_RUBBISH = "gzip_rubbish"
    ENDLESS = "endless"
    HTML = "html"
    EMPTY = "empty"
    BINARY = "binary"
    WRONG_SCHEMA = "wrong_schema"
    JSON_LIST = "json_list"
    WRONG_CHARSET = "wrong_charset"
    NO_HTTP = "no_http"
    REDIRECT = "redirect"
    STATUS_400 = "status_400"
    STATUS_401 = "status_401"
    STATUS_402 = "status_402"
    STATUS_404 = "status_404"
    STATUS_429 = "status_429"
    STATUS_500 = "status_500"
    STATUS_503 = "status_503"
    NO_USAGE = "no_usage"


FORWARDED: Final = frozenset({WireFault.SLOW, WireFault.NO_USAGE})


def _answer(
    body: bytes,
    status: str = "200 OK",
    *,
    length: int | None = None,
    fields: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    named = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body) if length is None else length),
        "Connection": "close",
        **fields,
    }
    lines = [
        f"HTTP/1.1 {status}",
        *(f"{name}: {value}" for name, value in named.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii") + body


def _refusal(status: str, kind: str, **fields: str) -> bytes:
    error = {"error": {"message": f"injected: {status}", "type": kind, "code": kind}}
    return _answer(json.dumps(error).encode(), status, fields=fields)


_GZIP: Final = MappingProxyType({"Content-Encoding": "gzip"})
_HTML: Final = MappingProxyType({"Content-Type": "text/html; charset=utf-8"})
_SENT: Final[Mapping[WireFault, Callable[[], bytes]]] = MappingProxyType(
    {
        WireFault.SILENT: lambda: b"",
        WireFault.CUT: lambda: _answer(_BODY, length=2 * len(_BODY)),
        WireFault.TRUNCATED_JSON: lambda: _answer(_BODY),
        WireFault.GZIP_CUT: lambda: _answer(gzip.compress(_BODY)[:-9], fields=_GZIP),
        WireFault.GZIP_RUBBISH: lambda: _answer(b"\x1f\x8b" + _BODY, fields=_GZIP),
        WireFault.HTML: lambda: _answer(_PAGE, fields=_HTML),
        WireFault.EMPTY: lambda: _answer(b""),
        WireFault.BINARY: lambda: _answer(bytes(range(256)) * 4),
        WireFault.WRONG_SCHEMA: lambda: _answer(b'{"verdict": "yes", "choices": "yes", "pass": true}'),
        WireFault.JSON_LIST: lambda: _answer(b'["yes", "pass", true, null, 1e999]'),
        WireFault.WRONG_CHARSET: lambda: _answer(
            _BODY.decode().encode("utf-16"),
            fields={"Content-Type": "application/json; charset=no-such"},
        ),
        WireFault.NO_HTTP: lambda: b"220 mail.example.org ESMTP ready\r\n",
        WireFault.REDIRECT: lambda: _answer(
            b"", "302 Found", fields={"Location": "http://127.0.0.1:9/elsewhere"}
        ),
        WireFault.STATUS_400: lambda: _refusal("400 Bad Request", "invalid_request_error"),
        WireFault.STATUS_401: lambda: _refusal("401 Unauthorized", "invalid_api_key"),
        WireFault.STATUS_402: lambda: _refusal("402 Payment Required", "insufficient_quota"),
        WireFault.STATUS_404: lambda: _refusal("404 Not Found", "not_found"),
        WireFault.STATUS_429: lambda: _refusal(
            "429 Too Many Requests", "rate_limit_exceeded", **{"Retry-After": "0.05"}
        ),
        WireFault.STATUS_500: lambda: _refusal("500 Internal Server Error", "server_error"),
        WireFault.STATUS_503: lambda: _refusal("503 Service Unavailable", "overloaded"),
    }
)  # fmt: skip
"""What is sent, as it stands, before the connection is closed."""


@dataclass(slots=True)
class _Spoiling:
    """The fault in force, and the requests counted since it was set."""

    fault: WireFault | None = None
    at: int = 0
    lasting: bool = False
    path: str = "/"
    requests: int = 0
    struck: int = 0

    def next(self, path: str) -> WireFault | None:
        """Count a request; the fault that spoils its answer."""
        if not path.startswith(self.path):
            return None
        self.requests += 1
        happens = self.requests == self.at or (self.lasting and self.requests > self.at)
        if self.fault is None or not happens:
            return None
        self.struck += 1
        return self.fault


@dataclass(slots=True)
class _Upstream:
    host: str
    port: int
    asked: int = field(default=0)

    async def ask(self, request: Request) -> bytes:
        """The whole answer to a request, head and body.

        Raises:
            OSError: the server does not answer.
        """
        self.asked += 1
        reader, writer = await asyncio.open_connection(self.host, self.port)
        fields = {**request.headers, "connection": "close"}
        query = f"?{request.query}" if request.query else ""
        lines = [f"{request.method} {request.path}{query} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        try:
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
            writer.write(request.body)
            return await reader.read()
        finally:
            writer.close()


class FaultyServer:
    """Stands in front of an HTTP server on the loopback, and spoils one answer, or each from the n-th on.

        async with FaultyServer("http://127.0.0.1:8000/v1") as server:
            server.spoil(WireFault.CUT, at=3)
            ...  # ask server.url

    Every connection serves one request.

    Args:
        upstream: the address of the server behind; its path is kept in `url`.
    """

    def __init__(self, upstream: str) -> None:
        address = urlsplit(upstream)
        self._path = address.path
        self._upstream = _Upstream(address.hostname or "127.0.0.1", address.port or 80)
        self._spoiling = _Spoiling()
        self._server: asyncio.Server | None = None
        self._port = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._listens = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Listen on a free port of 127.0.0.1."""
        await self._listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop listening, and drop every connection."""
        self._stop_listening()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """The address for the client."""
        return f"http://127.0.0.1:{self._port}{self._path}"

    @property
    def requests(self) -> int:
        """Requests since the fault was set, spoilt ones included; of its path, where it has one."""
        return self._spoiling.requests

    @property
    def struck(self) -> int:
        """How many answers were spoilt since the fault was set."""
        return self._spoiling.struck

    def spoil(
        self,
        fault: WireFault | None,
        *,
        at: int = 1,
        lasting: bool = False,
        path: str = "/",
    ) -> None:
        """From now on spoil the `at`-th answer below `path`; `lasting`: and every later one. None: no answer."""
        self._spoiling = _Spoiling(fault, at, lasting, path)

    async def listening(self) -> None:
        """Wait until connections are accepted: after `REFUSED` they are refused for a moment."""
        await self._listens.wait()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._port, limit=HEAD_LIMIT, backlog=256
        )
        self._port = self._server.sockets[0].getsockname()[1]
        self._listens.set()

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._listens.clear()

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, BadRequest, asyncio.CancelledError):
            pass  # either side closed the connection, or the server ends
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        request = await read_request(reader, writer)
        if request is None:
            return
        fault = self._spoiling.next(request.path)
        if fault is None or fault in FORWARDED:
            answer = await self._upstream.ask(request)
            await _send(writer, answer, fault)
        elif fault in _SENT:
            writer.write(_SENT[fault]())
            await writer.drain()
        else:
            await self._break(fault, writer)

    async def _break(self, fault: WireFault, writer: asyncio.StreamWriter) -> None:
        if fault is WireFault.HANG:
            await asyncio.sleep(_HANG_S)
        elif fault is WireFault.ENDLESS:
            await _send_endless(writer)
        elif fault is WireFault.RESET_IN_BODY:
            writer.write(_answer(_BODY, length=2 * len(_BODY)))
            await writer.drain()
            _reset(writer)
        elif fault is WireFault.REFUSED:
            self._stop_listening()
            _reset(writer)
            await asyncio.sleep(_REFUSES_S)
            await self._listen()
        else:
            _reset(writer)


async def _send(
    writer: asyncio.StreamWriter, answer: bytes, fault: WireFault | None
) -> None:
    if fault is WireFault.NO_USAGE:
        answer = _without_usage(answer)
    if fault is not WireFault.SLOW:
        writer.write(answer)
        await writer.drain()
        return
    for place in range(0, len(answer), 8):
        writer.write(answer[place : place + 8])
        await writer.drain()
        await asyncio.sleep(_DRIP_S)


async def _send_endless(writer: asyncio.StreamWriter) -> None:
    writer.write(_answer(b'{"id": "', length=2**40))
    for _ in range(_ENDLESS_BYTES // 2**16):
        writer.write(b"a" * 2**16)
        await writer.drain()


def _without_usage(answer: bytes) -> bytes:
    _, _, body = answer.partition(b"\r\n\r\n")
    data: Any = json.loads(body)
    data.pop("usage", None)
    return _answer(json.dumps(data).encode())


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset: what was sent and not read is lost."""
    connection: socket.socket | None = writer.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
    writer.transport.abort()
