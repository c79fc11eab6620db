"""A few hundred bytes of HTTP/1.1 over asyncio streams: enough for a test server on 127.0.0.1, keep-alive included."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Final

_MAX_HEAD: Final = 64 * 1024
_MAX_BODY: Final = 64 * 1024 * 1024
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, body read. `query` is what stands behind the `?` of its address."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One response. `cut`: only half of the body is sent, then the connection is closed.

    `last`: the connection is closed after it, which the client is told.

    `silent`: nothing at all is sent, and the connection is closed.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: bool = False
    silent: bool = False
    last: bool = False

    def head(self) -> bytes:
        """The bytes before the body."""
        fields = {
            "Content-Type": "application/json",
            "Content-Length": str(len(self.body)),
            **self.headers,
        }
        if self.last:
            fields["Connection"] = "close"
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            *(f"{k}: {v}" for k, v in fields.items()),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def json_response(
    data: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response with a JSON body."""
    return Response(
        status=status, body=json.dumps(data).encode(), headers=headers or {}
    )


class BadRequest(Exception):
    """The bytes are no request this server reads."""


Handler = Callable[[Request], Awaitable[Response]]


async def serve_connection(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler
) -> None:
    """Answer the requests of one connection, one after the other, until either side closes it."""
    try:
        while (request := await read_request(reader, writer)) is not None:
            response = await handler(request)
            if response.silent:
                break
            body = response.body
            if response.cut:
                body = body[: len(body) // 2]
            if request.headers.get("connection", "").casefold() == "close":
                response = replace(response, last=True)
            writer.write(response.head() + body)
            await writer.drain()
            if response.cut or response.last:
                break
    except BadRequest as error:
        with contextlib.suppress(ConnectionError):
            writer.write(_bad(error))
            await writer.drain()
    except ConnectionError:
        pass  # the client closed the connection
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def _bad(error: BadRequest) -> bytes:
    response = json_response(
        {"error": {"message": str(error)}}, status=400, headers={"Connection": "close"}
    )
    return response.head() + response.body


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Request | None:
    """The next request; None when the connection ends instead."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequest("the headers are too long") from error
    method, address, headers = _parse_head(head)
    path, _, query = address.partition("?")
    length = headers.get("content-length", "0")
    if (
        "transfer-encoding" in headers
        or not length.isascii()
        or not length.isdigit()
        or int(length) > _MAX_BODY
    ):
        raise BadRequest(f"a body needs a Content-Length of at most {_MAX_BODY}")
    if headers.get("expect", "").casefold() == "100-continue":
        writer.write(_CONTINUE)
    try:
        body = await reader.readexactly(int(length))
    except asyncio.IncompleteReadError:
        return None
    return Request(method=method, path=path, headers=headers, body=body, query=query)


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != _REQUEST_LINE_WORDS:
        raise BadRequest("the first line is no request line")
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().casefold()] = value.strip()
    return words[0], words[1], headers


_REQUEST_LINE_WORDS: Final = 3
HEAD_LIMIT: Final = _MAX_HEAD
