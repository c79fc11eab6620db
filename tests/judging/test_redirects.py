"""A server that redirects: the judged text is not sent on, and what the other address says decides nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest

from judgemesh.contracts.gateway import Gateway, ModelCall
from judgemesh.mesh.judging.errors import AccessDenied
from judgemesh.mesh.judging.gateways.litellm import LitellmGateway
from judgemesh.mesh.judging.gateways.openai_http import HttpGateway
from judgemesh.mesh.judging.gateways.redirects import refused_redirect
from judgemesh.mesh.testing.http_server import (
    Handler,
    Request,
    Response,
    serve_connection,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("litellm_loaded")]

JUDGED = "the judged text of a customer"
REPLY = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": '{"reason": "x", "quote": "", "verdict": "yes"}',
            },
        }
    ],
}


@dataclass
class Elsewhere:
    """The server that a redirect points at; it says yes to everything."""

    requests: list[Request] = field(default_factory=list[Request])

    async def answer(self, request: Request) -> Response:
        self.requests.append(request)
        return Response(body=json.dumps(REPLY).encode())


async def _redirect(request: Request, *, status: int, to: str) -> Response:
    return Response(
        status=status,
        headers={"Location": f"{to}{request.path}"},
        body=json.dumps(REPLY).encode(),
    )


@asynccontextmanager
async def _listening(handler: Handler) -> AsyncGenerator[str]:
    server = await asyncio.start_server(
        partial(serve_connection, handler=handler), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.close()


def _gateway(kind: str, base: str) -> Gateway:
    if kind == "lean":
        return HttpGateway(api_base=f"{base}/v1", api_key="none")
    return LitellmGateway(api_base=f"{base}/v1", api_key="none")


@pytest.mark.parametrize("kind", ["lean", "openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(kind: str, status: int) -> None:
    elsewhere = Elsewhere()
    call = ModelCall(
        model="m" if kind == "lean" else kind,
        messages=({"role": "user", "content": JUDGED},),
        timeout_s=20.0,
    )
    async with (
        _listening(elsewhere.answer) as other,
        _listening(partial(_redirect, status=status, to=other)) as named,
    ):
        gateway = _gateway(kind, named)
        with pytest.raises(AccessDenied, match="redirects"):
            await gateway.complete(call)
        await gateway.aclose()
    assert elsewhere.requests == []


def test_the_message_names_no_secret_of_the_address() -> None:
    error = refused_redirect(302, "https://user:secret@example.org/a?api-key=secret")
    assert "https://example.org" in str(error)
    assert "secret" not in str(error)
    assert "another path" in str(refused_redirect(307, "/v2"))
