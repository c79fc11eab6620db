"""The gateway to servers with OpenAI's chat-completions API.

`--judge openai-compatible:MODEL --judge-api-base URL`. Its connections are those of `http1.py`; why not those of a
client library: `docs/decisions/0058-connections-to-judges.md`.
"""

from __future__ import annotations

import json
import os
from asyncio import get_running_loop
from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

import orjson

from judgemesh.contracts.errors import (
    ConfigError,
    JudgeError,
    JudgeMalformed,
    JudgeRejected,
    JudgeTimeout,
)
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.redaction import safe_address
from judgemesh.mesh.judging.errors import ConnectionBroken, Unreachable
from judgemesh.mesh.judging.gateways.http1 import CannotConnect, HttpServer
from judgemesh.mesh.judging.gateways.http1_connection import BodyTooLong
from judgemesh.mesh.judging.gateways.litellm_errors import NO_ENDPOINT, status_error
from judgemesh.mesh.judging.gateways.redirects import REDIRECTS, refused_redirect
from judgemesh.mesh.judging.gateways.wire import (
    ChatBodies,
    decision_body,
    decision_reply,
    reply_of,
)
from judgemesh.mesh.pricing.usage import canonical_usage

OPENAI: Final = "https://api.openai.com/v1"
_KEY: Final = "JUDGEMESH_JUDGE_API_KEY"
_OPENAI_KEY: Final = "OPENAI_API_KEY"
_SUCCESS: Final = range(200, 300)


class HttpGateway(Gateway):
    """Completes calls with one HTTP request each, over persistent connections.

    Args:
        api_base: the base URL, up to and including `/v1`; OpenAI's if not given.
        api_key: the key; without it `JUDGEMESH_JUDGE_API_KEY`, and `OPENAI_API_KEY` for
            OpenAI's own server only, so that no other server receives that key.

    Raises:
        ConfigError: the base URL is no HTTP address, or the key cannot be sent.
    """

    is_live = True
    keeps_time = True

    def __init__(
        self, *, api_base: str | None = None, api_key: str | None = None
    ) -> None:
        address, _, self._query = (api_base or OPENAI).partition("?")
        self._base = address.rstrip("/")
        parts = urlsplit(self._base)
        self._path = parts.path
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"expected an http or https address, got {safe_address(self._base)!r}",
                where="--judge-api-base",
                hint="such as http://127.0.0.1:8000/v1",
            )
        key = api_key or os.environ.get(_KEY)
        if not key and self._base == OPENAI:
            key = os.environ.get(_OPENAI_KEY)
        self._headers = {"Content-Type": "application/json"}
        if key and not key.isprintable():
            raise ConfigError(
                "holds a line break or another control character",
                where="the key of the judge",
                hint=f"see {_KEY} and {_OPENAI_KEY}",
            )
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        port = ""
        if parts.port:
            port = f":{parts.port}"
        self.name = f"openai-compatible {parts.hostname}{port}{parts.path}"
        self._server: HttpServer | None = None
        self._bodies = ChatBodies()

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once.

        Raises:
            StructuredOutputRejected, LogprobsRejected: the server does not do what the call asks for.
            JudgeError: another of the tree; see `contracts/errors.py`.
        """
        if call.questions:
            body = json.dumps(decision_body(call)).encode()
            data = await self._post("/decisions", body, call)
            return decision_reply(data, call)
        data = await self._post("/chat/completions", self._bodies.of(call), call)
        return reply_of(
            data, canonical_usage(_usage(data), provider="openai"), as_tool=call.as_tool
        )

    async def aclose(self) -> None:
        """Close the connections. Safe to call twice."""
        server, self._server = self._server, None
        if server is not None:
            await server.aclose()

    async def _post(self, path: str, body: bytes, call: ModelCall) -> Mapping[str, Any]:
        server = self._server
        if server is None or server.loop is not get_running_loop():
            server = await self._connected()
        try:
            response = await server.post(self._target(path), body, call.timeout_s)
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except CannotConnect as error:
            where = safe_address(self._base)
            raise Unreachable(f"cannot connect to {where}: {error}") from error
        except ConnectionError as error:
            raise ConnectionBroken(f"the connection was lost: {error}") from error
        except BodyTooLong as error:
            raise JudgeMalformed(f"the reply is too long: {error}") from error
        if response.status in _SUCCESS:
            return _object(response.body)
        headers = {
            name.decode("latin-1").casefold(): value.decode("utf-8", "replace")
            for name, value in response.headers
        }
        if response.status in REDIRECTS:
            raise refused_redirect(response.status, headers.get("location", ""))
        raise _refused(response.status, response.body, headers, call)

    def _target(self, path: str) -> str:
        """The path of an endpoint; a query of the base, such as a key or a version, stands behind it."""
        whole = self._path + path
        return f"{whole}?{self._query}" if self._query else whole

    async def _connected(self) -> HttpServer:
        """The server for the running event loop; a gateway may outlive the loop it was first used in."""
        if self._server is not None:
            await self._server.aclose()
        self._server = HttpServer(self._base, self._headers)
        return self._server


def _refused(
    status: int, raw: bytes, headers: Mapping[str, str], call: ModelCall
) -> JudgeError:
    """The judge error for a response that is no success."""
    if call.questions and status in NO_ENDPOINT:
        return JudgeRejected(f"HTTP {status}: there is no decision endpoint here")
    return status_error(
        status,
        _error_message(raw) or "no reason given",
        headers,
        structured=call.response_schema is not None,
    )


def _error_message(raw: bytes) -> str:
    """The message of an error response: its code and message, else the whole text."""
    text = raw.decode("utf-8", "replace")
    try:
        data: Any = json.loads(text)
    except ValueError:
        return text
    if not isinstance(data, dict):
        return text
    error: Any = cast("dict[str, Any]", data).get("error", data)
    if not isinstance(error, dict):
        return text
    fields = cast("dict[str, Any]", error)
    parts = filter(None, (fields.get("code"), fields.get("message")))
    return " ".join(map(str, parts))


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        data: Any = orjson.loads(raw)
    except ValueError:
        # The standard parser takes more: lone surrogates, numbers that are not finite.
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise JudgeMalformed(f"the server's reply is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise JudgeMalformed("the server's reply is not a JSON object")
    return cast("Mapping[str, Any]", data)


def _usage(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    usage = data.get("usage")
    if isinstance(usage, dict):
        return cast("dict[str, Any]", usage)
    return None
