"""One connection to an HTTP/1.1 server. llhttp parses what comes, which is bounded before and after decompression."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, cast

import httptools

MAX_BODY_BYTES: Final = 8 * 2**20
_MAX_HEAD_BYTES: Final = 64 * 2**10
_INFORMATIONAL: Final = range(100, 200)
_PACKED: Final = (b"gzip", b"x-gzip", b"deflate")
_SIZED: Final = frozenset({b"content-length", b"transfer-encoding"})


class BodyTooLong(ValueError):
    """The body of an answer is longer than `MAX_BODY_BYTES`."""


class HttpResponse(NamedTuple):
    """An answer. The names of `headers` are as they were sent; `body` is unpacked."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: bytes) -> bytes | None:
        """The first header of a name, which is given in lower case."""
        for each, value in self.headers:
            if each.lower() == name:
                return value
        return None


class Connection(asyncio.Protocol):
    """A connection with at most one request on it.

    Args:
        loop: its event loop.
        idle: where it waits for the next request.
        opened: all connections that are open.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        idle: deque[Connection],
        opened: set[Connection],
    ) -> None:
        self.idle_since = 0.0
        self._loop, self._idle, self._opened = loop, idle, opened
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[HttpResponse] | None = None
        self._closed: asyncio.Future[None] = loop.create_future()
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._body_bytes = self._received = 0
        self._has_head = False
        self._deadline = math.inf
        self._timer: asyncio.TimerHandle | None = None

    async def exchange(self, request: bytes, timeout_s: float) -> HttpResponse:
        """Send a request and wait for its answer; see `HttpServer.post` in `http1.py`."""
        if self._transport is None:
            raise ConnectionResetError("the connection was closed")
        answer: asyncio.Future[HttpResponse] = self._loop.create_future()
        self._answer = answer
        self._headers, self._body = [], []
        self._body_bytes = self._received = 0
        self._has_head = False
        self._limit(timeout_s)
        self._transport.write(request)
        try:
            return await answer
        except asyncio.CancelledError:
            if self._answer is answer:
                self._end()
                self.abort()
            raise

    @property
    def is_usable(self) -> bool:
        """Whether a request may be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

    @property
    def closed(self) -> asyncio.Future[None]:
        """Done when it is closed, which takes a few turns of the loop."""
        return self._closed

    # --- what the event loop calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is open."""
        self._transport = cast("asyncio.Transport", transport)
        self._opened.add(self)

    def data_received(self, data: bytes) -> None:
        """A part of the answer; unasked, the end of the connection."""
        if self._answer is None:
            self.abort()
            return
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(ConnectionError(f"this is no HTTP answer: {error}"))
        if self._received > _MAX_HEAD_BYTES and not self._has_head:
            self._fail(ConnectionError("the head of the answer is too long"))
        elif self._received > 2 * MAX_BODY_BYTES:
            self._fail(BodyTooLong("its chunks are longer than what they hold"))

    def eof_received(self) -> bool:
        """The server sends no more, which ends a body of no stated length."""
        if self._has_head and not {name.lower() for name, _ in self._headers} & _SIZED:
            self.on_message_complete()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        self._transport = None
        self._opened.discard(self)
        if not self._closed.done():
            self._closed.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        reason = str(exc or "") or "the server closed it"
        self._fail(ConnectionResetError(reason))

    # --- what the parser calls ---

    def on_message_begin(self) -> None:
        """An answer begins; a second one to the same request ends the connection."""
        if self._answer is None:
            self.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header, or one line behind a chunked body."""
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._has_head = self._parser.get_status_code() not in _INFORMATIONAL

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._body_bytes += len(body)
        if self._body_bytes > MAX_BODY_BYTES:
            self._fail(BodyTooLong(f"more than {MAX_BODY_BYTES} bytes"))
        else:
            self._body.append(body)

    def on_message_complete(self) -> None:
        """The answer is whole; one that only says that another one follows is left out."""
        if not self._has_head:
            self._headers = []
            return
        answer = self._end()
        if answer is None or answer.done():
            return
        body = b"".join(self._body)
        response = HttpResponse(self._parser.get_status_code(), self._headers, body)
        packing = response.header(b"content-encoding") or b""
        try:
            if packing.strip().lower() in _PACKED:
                response = response._replace(body=_unpacked(body))
        except (ConnectionError, BodyTooLong) as error:
            answer.set_exception(error)
            self.abort()
            return
        answer.set_result(response)
        self._let_go()

    def _let_go(self) -> None:
        """Wait for the next request, where the server allows it and has read this one whole."""
        transport = self._transport
        if (
            transport is None
            or transport.is_closing()
            or transport.get_write_buffer_size()
            or not self._parser.should_keep_alive()
        ):
            self.abort()
            return
        self.idle_since = self._loop.time()
        self._idle.append(self)

    def _end(self) -> asyncio.Future[HttpResponse] | None:
        """The request is over; the future of its answer, if there is a request."""
        answer, self._answer = self._answer, None
        self._deadline = math.inf
        return answer

    def _fail(self, error: Exception) -> None:
        answer = self._end()
        if answer is not None and not answer.done():
            answer.set_exception(error)
        self.abort()

    # One timer for many requests: nearly all are over long before it is due.

    def _limit(self, timeout_s: float) -> None:
        self._deadline = self._loop.time() + timeout_s
        if self._timer is not None and self._timer.when() > self._deadline:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self._loop.call_at(self._deadline, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._deadline <= self._loop.time():
            self._fail(TimeoutError())
        elif self._deadline < math.inf:
            self._timer = self._loop.call_at(self._deadline, self._due)


def _unpacked(body: bytes) -> bytes:
    """A body without its gzip or deflate.

    Raises:
        BodyTooLong: it is longer than a body may be.
        ConnectionError: it is cut off or damaged.
    """
    # 32: with the head of gzip or of zlib; some servers leave out that of zlib.
    for window in (zlib.MAX_WBITS + 32, -zlib.MAX_WBITS):
        unpacking = zlib.decompressobj(window)
        try:
            found = unpacking.decompress(body, MAX_BODY_BYTES + 1)
        except zlib.error:
            continue
        if len(found) > MAX_BODY_BYTES:
            raise BodyTooLong(f"more than {MAX_BODY_BYTES} bytes")
        if unpacking.eof:
            return found
        break
    raise ConnectionError("the body is packed and damaged")
