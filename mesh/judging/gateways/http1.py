"""A client for one HTTP/1.1 server: POST over persistent connections, one at a time on each.

It follows no redirect, uses no proxy, keeps no cookie and repeats no request. Why it is not a general client:
`docs/decisions/0058-connections-to-judges.md`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from base64 import b64encode
from collections import deque
from contextlib import suppress
from functools import cache, partial
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from judgemesh.contracts.version import VERSION
from judgemesh.mesh.judging.gateways.http1_connection import Connection, HttpResponse

_MAX_IDLE_S: Final = 30.0
_NEXT_ADDRESS_S: Final = 0.25  # RFC 8305
_PORTS: Final = {"http": 80, "https": 443}
# What may stand in a path or query as it is: RFC 3986, and the percent sign of what is encoded already.
_KEPT_IN_URL: Final = "/?:@!$&'()*+,;=~%"


class CannotConnect(OSError):
    """There is no connection to the server, so that it has not seen the request."""


class HttpServer:
    """The connections of one event loop to one server.

    Args:
        address: `http://host...` or `https://host...`; credentials in it are sent as basic authentication.
        headers: sent with every request.

    Raises:
        ValueError: the address or a header cannot be sent.
    """

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        parts = urlsplit(address)
        self._host = parts.hostname or ""
        self._port = parts.port or _PORTS[parts.scheme]
        self._is_numeric = _is_numeric(self._host)
        self._is_secure = parts.scheme == "https"
        host = _ascii_host(self._host)
        if self._port != _PORTS[parts.scheme]:
            host = f"{host}:{self._port}"
        sent = {
            "Host": host,
            "Accept": "*/*",
            "Accept-Encoding": "gzip, deflate",
            "User-Agent": f"judgemesh/{VERSION}",
            **headers,
        }
        if parts.username is not None:
            sent.setdefault("Authorization", _basic(parts.username, parts.password))
        lines = [f"{name}: {value}" for name, value in sent.items()]
        if any(not line.isprintable() for line in lines):
            raise ValueError("a header may not hold line breaks or control characters")
        self._headers = "\r\n".join(lines)
        self._heads: dict[str, bytes] = {}
        self._loop = asyncio.get_running_loop()
        self._idle: deque[Connection] = deque()
        self._open: set[Connection] = set()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop that the connections belong to."""
        return self._loop

    async def post(self, target: str, body: bytes, timeout_s: float) -> HttpResponse:
        """Send a body to a path, with its query if it has one, and wait for the whole answer.

        Raises:
            TimeoutError: there is no whole answer in time.
            CannotConnect: there is no connection.
            BodyTooLong: the answer is too long.
            ConnectionError: the connection was lost, or what came is no answer.
        """
        connection = self._unused()
        if connection is None:
            started = self._loop.time()
            async with asyncio.timeout(timeout_s):
                connection = await self._connected()
            timeout_s -= self._loop.time() - started
        head = self._heads.get(target) or self._head(target)
        request = b"%b%d\r\n\r\n%b" % (head, len(body), body)
        return await connection.exchange(request, timeout_s)

    async def aclose(self) -> None:
        """Close the connections. Safe to call twice, and on another event loop than theirs."""
        for connection in list(self._open):
            with suppress(RuntimeError):  # its loop is closed
                connection.abort()
        if self._loop is asyncio.get_running_loop():
            await asyncio.gather(*[each.closed for each in self._open])

    def _head(self, target: str) -> bytes:
        """A request up to the number of bytes in its body."""
        path = quote(target, safe=_KEPT_IN_URL) or "/"
        head = f"POST {path} HTTP/1.1\r\n{self._headers}\r\nContent-Length: "
        self._heads[target] = encoded = head.encode()
        return encoded

    def _unused(self) -> Connection | None:
        """The connection used last, so that those that are not needed grow old."""
        oldest = self._loop.time() - _MAX_IDLE_S
        while self._idle and self._idle[0].idle_since < oldest:
            self._idle.popleft().abort()
        while self._idle:
            connection = self._idle.pop()
            if connection.is_usable:
                return connection
        return None

    async def _connected(self) -> Connection:
        tls = await asyncio.to_thread(_tls) if self._is_secure else None
        make = partial(Connection, self._loop, self._idle, self._open)
        connect = partial(
            self._loop.create_connection, make, self._host, self._port, ssl=tls
        )
        try:
            if await self._has_addresses():
                connect = partial(connect, happy_eyeballs_delay=_NEXT_ADDRESS_S)
            connection: Connection = (await connect())[1]
        except (OSError, UnicodeError) as error:
            reason = str(error) or type(error).__name__
            raise CannotConnect(reason) from error
        return connection

    async def _has_addresses(self) -> bool:
        """Whether the next address is tried while the first one is silent: only the loops of asyncio do that.

        Where there is one address, a connection that is cancelled at the moment it is made would be left open by them.
        """
        if self._is_numeric or not isinstance(self._loop, asyncio.BaseEventLoop):
            return False
        found = await self._loop.getaddrinfo(
            self._host, self._port, type=socket.SOCK_STREAM
        )
        return len(found) > 1


def _is_numeric(host: str) -> bool:
    """Whether a host is one address. asyncio asks a thread about any host."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@cache
def _tls() -> ssl.SSLContext:
    """Certificates are checked against those of the system. Reading them takes tens of milliseconds."""
    return ssl.create_default_context()


def _basic(user: str, password: str | None) -> str:
    pair = f"{unquote(user)}:{unquote(password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"


def _ascii_host(host: str) -> str:
    """A host as it stands in a header."""
    if ":" in host:
        return f"[{host}]"
    return host if host.isascii() else host.encode("idna").decode()
