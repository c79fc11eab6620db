"""The servers of the campaign, in a process of their own: a judge, pages and records, each behind a `FaultyServer`.

The process reads orders from its input and answers each with a line on its output, both JSON: `{"judge": {"fault": ...,
"at": 1, "lasting": false}}` sets a fault, `{}` asks for the counts.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reliability.campaign.scenario import QUOTE

from judgemesh.mesh.testing.fake_provider import FakeProvider
from judgemesh.mesh.testing.faults import FaultyServer, WireFault
from judgemesh.mesh.testing.http_server import (
    HEAD_LIMIT,
    Request,
    Response,
    json_response,
    serve_connection,
)

_COMPLETIONS: Final = "/v1/chat/completions"


class Servers:
    """The process of the servers, from outside."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.judge_url, self.pages_url = self._answer()["urls"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def order(self, **faults: Mapping[str, Any]) -> dict[str, Any]:
        """Set the faults of `judge` or `pages`; the counts of requests, strikes and the bill so far."""
        assert self._process.stdin is not None  # noqa: S101 (a pipe was asked for)
        self._process.stdin.write(json.dumps(faults) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 (a pipe was asked for)
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


async def _pages(request: Request) -> Response:
    """Records of `http-good`, and the page `good`."""
    if request.path.endswith("/records"):
        rows = [{"kind": "book"}] if request.query == "run=http-good" else []
        return json_response(rows)
    if request.path.endswith("/page/good"):
        page = f"<html><body><p>{QUOTE}</p></body></html>"
        fields = {"Content-Type": "text/html; charset=utf-8"}
        return Response(body=page.encode(), headers=fields)
    return json_response({"error": "not found"}, status=404)


async def _serve() -> None:
    pages = await asyncio.start_server(
        lambda reader, writer: serve_connection(reader, writer, _pages),
        "127.0.0.1",
        0,
        limit=HEAD_LIMIT,
    )
    address = f"http://127.0.0.1:{pages.sockets[0].getsockname()[1]}"
    async with (
        FakeProvider() as provider,
        FaultyServer(provider.base_url) as judge,
        FaultyServer(address) as faulty_pages,
    ):
        servers = {"judge": judge, "pages": faulty_pages}
        _print({"urls": [judge.url, faulty_pages.url]})
        counted = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            struck = judge.struck + faulty_pages.struck
            for name, fault in json.loads(line).items():
                if name == "judge":
                    counted += judge.requests
                kind = fault.get("fault")
                servers[name].spoil(
                    WireFault(kind) if kind else None,
                    at=fault.get("at", 1),
                    lasting=fault.get("lasting", False),
                    path=_COMPLETIONS if name == "judge" else fault.get("path", "/"),
                )
                await servers[name].listening()
            bill = provider.bill()
            _print(
                {
                    "requests": counted + judge.requests,
                    "struck": struck,
                    "cost": None if bill.cost is None else str(bill.cost),
                }
            )


def _print(data: object) -> None:
    sys.stdout.write(json.dumps(data) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_serve())
