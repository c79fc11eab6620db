"""CPU time of one judge request with aiohttp, with httpx, and with httpx over aiohttp's transport.

    python benchmarks/judging/http_clients.py [--calls 1000] [--at-once 64] [--rounds 3]

Sends the same chat-completion requests of 4 KB to the simulated provider, which runs in a process of its own, and
reads the JSON of each answer. httpx over aiohttp is measured if `httpx-aiohttp` is installed. Prints one JSON line:
for each client the median of CPU milliseconds a call, and its ratio to aiohttp.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, provider, result

Send = Callable[[bytes], Awaitable[bytes]]

_MS = 1000.0


def request_bodies(calls: int) -> list[bytes]:
    """Chat-completion requests, each about another result."""
    bodies: list[bytes] = []
    for number in range(calls):
        text = result(number)["output"]["final_answer"]
        message = {"role": "user", "content": f"{text}\nQuestion: TRUTH:yes"}
        body = {
            "model": MODEL,
            "messages": [message],
            "response_format": {"type": "json_object"},
        }
        bodies.append(json.dumps(body).encode())
    return bodies


async def with_aiohttp(url: str, bodies: list[bytes], at_once: int) -> int:
    """All requests with aiohttp; how many answers hold a verdict."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(body: bytes) -> bytes:
            async with session.post(url, data=body) as response:
                return await response.read()

        return await send_all(send, bodies, at_once)


async def with_httpx(
    url: str, bodies: list[bytes], at_once: int, *, over_aiohttp: bool = False
) -> int:
    """All requests with httpx; how many answers hold a verdict."""
    import httpx

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    transport: httpx.AsyncBaseTransport = httpx.AsyncHTTPTransport(limits=limits)
    if over_aiohttp:
        transport = import_module("httpx_aiohttp").AiohttpTransport(limits=limits)
    headers = {"Content-Type": "application/json"}
    async with httpx.AsyncClient(
        transport=transport, headers=headers, timeout=60.0
    ) as client:

        async def send(body: bytes) -> bytes:
            return (await client.post(url, content=body)).content

        return await send_all(send, bodies, at_once)


async def send_all(send: Send, bodies: list[bytes], at_once: int) -> int:
    """Send the requests, so many at a time; how many answers hold a verdict."""
    waiting: Iterator[bytes] = iter(bodies)
    verdicts = 0

    async def worker() -> None:
        nonlocal verdicts
        for body in waiting:
            data = json.loads(await send(body))
            content = json.loads(data["choices"][0]["message"]["content"])
            verdicts += content["verdict"] in ("yes", "no")

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return verdicts


def cpu_ms(work: Callable[[], Awaitable[int]], calls: int) -> float:
    """CPU milliseconds a call, over all threads."""

    async def run() -> int:
        return await work()

    started = time.process_time()
    verdicts = asyncio.run(run())
    spent = time.process_time() - started
    if verdicts != calls:
        message = f"expected {calls} verdicts, got {verdicts}"
        raise SystemExit(message)
    return spent / calls * _MS


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="CPU time of HTTP clients.")
    parser.add_argument("--calls", type=int, default=1000, metavar="N")
    parser.add_argument("--at-once", type=int, default=64, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    arguments = parser.parse_args()
    bodies = request_bodies(arguments.calls)
    with provider("--no-prompt-cache") as base_url:
        args = (f"{base_url}/chat/completions", bodies, arguments.at_once)
        clients: dict[str, Callable[[], Awaitable[int]]] = {
            "aiohttp": lambda: with_aiohttp(*args),
            "httpx": lambda: with_httpx(*args),
        }
        if find_spec("httpx_aiohttp") is not None:
            clients["httpx_aiohttp"] = lambda: with_httpx(*args, over_aiohttp=True)
        times: dict[str, list[float]] = {name: [] for name in clients}
        for client in clients.values():
            cpu_ms(client, arguments.calls)  # imports, and the first connections
        for _ in range(arguments.rounds):
            for name, client in clients.items():
                times[name].append(cpu_ms(client, arguments.calls))
    line: dict[str, float] = {"calls": arguments.calls, "rounds": arguments.rounds}
    for name, measured in times.items():
        line[f"{name}_cpu_ms"] = round(median(measured), 3)
        line[f"{name}_ratio"] = round(median(measured) / median(times["aiohttp"]), 2)
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
