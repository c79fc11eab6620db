"""The HTTP/1.1 client against servers on 127.0.0.1 that send bytes as written down here."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from judgemesh.mesh.judging.gateways import http1, http1_connection
from judgemesh.mesh.judging.gateways.http1 import CannotConnect, HttpServer
from judgemesh.mesh.judging.gateways.http1_connection import BodyTooLong

pytestmark = pytest.mark.anyio

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass
class Scripted:
    """A server that answers each request with the next bytes, and notes requests and connections.

    hangs_up: whether it closes the connection behind an answer.
    """

    answers: Sequence[bytes]
    hangs_up: bool = False
    requests: list[bytes] = field(default_factory=list[bytes])
    connections: int = 0
    closed: int = 0

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().partition(b"content-length: ")[2].split()[0])
                self.requests.append(head + await reader.readexactly(size))
                writer.write(self.answers[len(self.requests) - 1])
                await writer.drain()
                if self.hangs_up:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.closed += 1
            writer.close()


@asynccontextmanager
async def serving(
    script: Scripted, headers: dict[str, str] | None = None, userinfo: str = ""
) -> AsyncGenerator[HttpServer]:
    listening = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    server = HttpServer(f"http://{userinfo}127.0.0.1:{port}", headers or {})
    try:
        yield server
    finally:
        await server.aclose()
        listening.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 - what a server notes in plain numbers
            await asyncio.sleep(0.001)


def packed(body: bytes, coding: bytes = b"gzip") -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: %b\r\nContent-Length: %d\r\n\r\n"
    return head % (coding, len(body)) + body


def gzipped(body: bytes) -> bytes:
    """Without the time, which would be another one in each process of the tests."""
    return gzip.compress(body, mtime=0)


def named(answer: bytes) -> str:
    return f"{len(answer)} bytes"


def raw_deflate(body: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(body) + packing.flush()


async def test_requests_share_a_connection() -> None:
    script = Scripted([OK, OK, OK])
    async with serving(script, {"X-Name": "n"}) as server:
        for number in range(3):
            response = await server.post("/v1/a b?k=%2F", b"%d" % number, 5)
            assert (response.status, response.body) == (200, b"ok")
    assert script.connections == 1
    assert script.requests[1].startswith(b"POST /v1/a%20b?k=%2F HTTP/1.1\r\nHost: 127.")
    assert script.requests[1].endswith(b"X-Name: n\r\nContent-Length: 1\r\n\r\n1")
    await until(lambda: script.closed == 1)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (
            CHUNKED + b"3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nTrailer: t\r\n\r\n",
            b"abcd",
        ),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n" + OK,
            b"ok",
        ),
        (packed(gzipped(b"text")), b"text"),
        (packed(zlib.compress(b"text"), b" Deflate"), b"text"),
        (packed(raw_deflate(b"text"), b"deflate"), b"text"),
        (packed(b"text", b"identity"), b"text"),
    ],
    ids=named,
)
async def test_an_answer_is_read_in_every_form(answer: bytes, body: bytes) -> None:
    script = Scripted([answer, OK])
    async with serving(script) as server:
        assert (await server.post("/", b"", 5)).body == body
        assert (await server.post("/", b"", 5)).body == b"ok"
    assert script.connections == 1


async def test_a_body_of_no_length_ends_with_the_connection() -> None:
    script = Scripted([b"HTTP/1.1 200 OK\r\n\r\nall of it"], hangs_up=True)
    async with serving(script) as server:
        assert (await server.post("/", b"", 5)).body == b"all of it"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        packed(gzipped(b"text")[:-9]),
        packed(b"text"),
        b"HTTP/1.1 200 OK\r\nA: " + b"a" * 70_000,
        b"HTTP/1.1 102 Processing\r\n\r\n" * 3_000,
    ],
    ids=named,
)
async def test_what_is_no_whole_answer_is_a_broken_connection(answer: bytes) -> None:
    script = Scripted([answer, OK], hangs_up=True)
    async with serving(script) as server:
        with pytest.raises(ConnectionError):
            await server.post("/", b"", 5)
        assert (await server.post("/", b"", 5)).body == b"ok"
    assert script.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + b"a" * 2000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 1001,
        packed(gzipped(b"a" * 2000)),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + (b"1;" + b"x" * 400 + b"\r\na\r\n") * 200,
    ],
    ids=named,
)
async def test_the_size_of_an_answer_is_bounded(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http1_connection, "MAX_BODY_BYTES", 1000)
    script = Scripted([answer, OK])
    async with serving(script) as server:
        with pytest.raises(BodyTooLong):
            await server.post("/", b"", 5)
        assert (await server.post("/", b"", 5)).body == b"ok"
    assert script.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        OK + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        OK + OK,
    ],
    ids=named,
)
async def test_a_connection_is_left_where_it_may_not_be_used_again(
    answer: bytes,
) -> None:
    script = Scripted([answer, answer])
    async with serving(script) as server:
        for _ in range(2):
            assert (await server.post("/", b"", 5)).body == b"ok"
    assert script.connections == 2


async def test_a_connection_closed_while_idle_is_not_used_again() -> None:
    script = Scripted([OK, OK], hangs_up=True)
    async with serving(script) as server:
        await server.post("/", b"", 5)
        await until(lambda: script.closed == 1)
        await asyncio.sleep(0.01)
        await server.post("/", b"", 5)
    assert script.connections == 2


async def test_an_old_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http1, "_MAX_IDLE_S", -1.0)
    script = Scripted([OK, OK])
    async with serving(script) as server:
        await server.post("/", b"", 5)
        await server.post("/", b"", 5)
        await until(lambda: script.closed == 1)
    assert script.connections == 2


@pytest.mark.parametrize(
    "begun", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"]
)
async def test_a_request_has_a_time_limit(begun: bytes) -> None:
    script = Scripted([OK, begun, OK])
    async with serving(script) as server:
        await server.post("/", b"", 60)
        with pytest.raises(TimeoutError):
            await server.post("/", b"", 0.05)
        assert (await server.post("/", b"", 5)).body == b"ok"
        await until(lambda: script.closed == 1)
    assert script.connections == 2


async def test_a_cancelled_request_closes_its_connection() -> None:
    script = Scripted([b"", OK])
    async with serving(script) as server:
        request = asyncio.create_task(server.post("/", b"", 5))
        await until(lambda: len(script.requests) == 1)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        await until(lambda: script.closed == 1)
        assert (await server.post("/", b"", 5)).body == b"ok"


async def test_closing_ends_requests_in_flight() -> None:
    script = Scripted([b""])
    async with serving(script) as server:
        request = asyncio.create_task(server.post("/", b"", 5))
        await until(lambda: len(script.requests) == 1)
        await server.aclose()
        with pytest.raises(ConnectionError):
            await request


async def test_many_requests_get_their_own_answers() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(4)
                await asyncio.sleep(int(body) % 7 / 1000)
                head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                for part in (head[:20], head[20:], body):
                    writer.write(part)
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    listening = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    server = HttpServer(f"http://127.0.0.1:{port}", {})

    async def ask(number: int) -> bool:
        body = b"%04d" % number
        return (await server.post("/", body, 5)).body == body

    for _ in range(5):
        assert all(await asyncio.gather(*map(ask, range(40))))
    await server.aclose()
    listening.close()


async def test_no_connection_is_told_from_a_broken_one() -> None:
    server = HttpServer("http://127.0.0.1:9", {})
    with pytest.raises(CannotConnect):
        await server.post("/", b"", 5)


async def test_credentials_of_the_address_are_sent_unless_there_is_a_key() -> None:
    for headers, sent in (
        ({}, b"Authorization: Basic dTpwQHc="),
        ({"Authorization": "Bearer k"}, b"Authorization: Bearer k"),
    ):
        script = Scripted([OK])
        async with serving(script, headers, userinfo="u:p%40w@") as server:
            await server.post("/", b"", 5)
        assert script.requests[0].count(b"Authorization") == 1
        assert sent in script.requests[0]


async def test_a_header_holds_no_line_break() -> None:
    with pytest.raises(ValueError, match="control characters"):
        HttpServer("http://h", {"Authorization": "Bearer k\r\nX: y"})


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("http://example.org", "example.org"),
        ("http://Example.org:80/v1", "example.org"),
        ("https://example.org:8443", "example.org:8443"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://b\u00fccher.example", "xn--bcher-kva.example"),
    ],
)
async def test_the_host_header(address: str, host: str) -> None:
    lines = vars(HttpServer(address, {}))["_headers"]
    assert f"Host: {host}\r\n" in lines
