"""A server that answers a request it has seen before with the bytes it answered then.

    python benchmarks/judging/replay.py [--latency-ms 50]

Prints its base URL and serves until SIGINT or SIGTERM; `GET /requests` answers the bodies seen so far. A body that it
sees for the first time is answered by the simulated provider, which works out a verdict, tokens and a cost. That takes
about as much CPU time as the client under measure needs for a bare request: on a machine of two cores 256 calls at once
would measure the provider. `judge_calls.py` runs every way once before it measures, so that each measured request is a
repeated one.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import signal
import sys
from dataclasses import dataclass, field

from judgemesh.mesh.judging.gateways.simulated import Behaviour
from judgemesh.mesh.testing.fake_provider import FakeProvider

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_LIST = b"GET /requests "


@dataclass(slots=True)
class Seen:
    """The bodies that were asked, in their order, and the answers by the digest of the body."""

    bodies: list[bytes] = field(default_factory=list[bytes])
    answers: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    def listed(self) -> bytes:
        """The bodies as an HTTP answer."""
        body = b"[" + b",".join(self.bodies) + b"]"
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


class Replay(asyncio.Protocol):
    """One connection. Its client sends a request after the answer to the one before."""

    def __init__(self, seen: Seen, port: int, latency_s: float) -> None:
        self._seen = seen
        self._port = port
        self._latency_s = latency_s
        self._received = b""
        self._lacking = 0
        self._transport: asyncio.WriteTransport | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101 - what TCP gives
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the request when it is complete."""
        arrived_s = asyncio.get_running_loop().time()
        if self._received:
            data = self._received + data
        self._received = data
        if len(data) < self._lacking:
            return
        head, end, body = data.partition(_HEAD_END)
        if not end:
            return
        self._lacking = len(head) + len(end) + _content_length(head)
        if len(data) < self._lacking:
            return
        self._received, self._lacking = b"", 0
        if data.startswith(_LIST):
            self._send(self._seen.listed())
            return
        key = hashlib.sha1(body, usedforsecurity=False).digest()
        answer = self._seen.answers.get(key)
        if answer is None:
            self._seen.bodies.append(body)
            task = asyncio.create_task(self._ask(key, data, arrived_s))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._answer_at(arrived_s, answer)

    async def _ask(self, key: bytes, request: bytes, arrived_s: float) -> None:
        """The answer of the simulated provider, which is kept."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(request)
        head = await reader.readuntil(_HEAD_END)
        body = await reader.readexactly(_content_length(head))
        writer.close()
        await writer.wait_closed()
        answer = head + body
        if answer.startswith(b"HTTP/1.1 200 "):
            self._seen.answers[key] = answer
        self._answer_at(arrived_s, answer)

    def _answer_at(self, arrived_s: float, answer: bytes) -> None:
        """Send the answer when the latency has passed since the request arrived."""
        asyncio.get_running_loop().call_at(
            arrived_s + self._latency_s, self._send, answer
        )

    def _send(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def _content_length(head: bytes) -> int:
    """Bytes of the body that a head announces; 0 where it does not say."""
    _, _, rest = head.lower().partition(_LENGTH)
    return int(rest.partition(b"\r\n")[0] or 0)


async def _serve(latency_s: float) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    seen = Seen()
    async with FakeProvider(Behaviour(prompt_cache=False)) as provider:
        port = int(provider.base_url.rpartition(":")[2].partition("/")[0])
        server = await loop.create_server(
            lambda: Replay(seen, port, latency_s), "127.0.0.1", 0, backlog=1024
        )
        async with server:
            own_port: int = server.sockets[0].getsockname()[1]
            sys.stdout.write(f"http://127.0.0.1:{own_port}/v1\n")
            sys.stdout.flush()
            await stop.wait()


def main() -> None:
    """Run the server."""
    parser = argparse.ArgumentParser(
        description="Answers repeated requests with the bytes that it answered before."
    )
    parser.add_argument(
        "--latency-ms",
        type=float,
        default=50.0,
        help="time from a request to its answer (default 50)",
    )
    arguments = parser.parse_args()
    asyncio.run(_serve(arguments.latency_ms / 1000))


if __name__ == "__main__":
    main()
