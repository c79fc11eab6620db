"""The gateway to servers with OpenAI's chat-completions API, over aiohttp.

It takes a twentieth of the CPU time of a general client library, and a tenth of a second
to start. `--judge openai-compatible:MODEL --judge-api-base URL`; why aiohttp and not
httpx: `docs/decisions/0007-http-clients.md`.
"""

from __future__ import annotations

import json
import math
import os
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

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
from judgemesh.mesh.judging.gateways.litellm_errors import NO_ENDPOINT, status_error
from judgemesh.mesh.judging.gateways.redirects import REDIRECTS, refused_redirect
from judgemesh.mesh.judging.gateways.wire import (
    ChatBodies,
    decision_body,
    decision_reply,
    reply_of,
)
from judgemesh.mesh.pricing.usage import canonical_usage

if TYPE_CHECKING:
    from aiohttp import ClientSession, ClientTimeout

OPENAI: Final = "https://api.openai.com/v1"
_KEY: Final = "JUDGEMESH_JUDGE_API_KEY"
_OPENAI_KEY: Final = "OPENAI_API_KEY"
_MAX_REPLY_BYTES: Final = 8 * 2**20
_SUCCESS: Final = range(200, 300)


class HttpGateway(Gateway):
    """Completes calls with one HTTP request each, over persistent connections.

    Args:
        api_base: the base URL, up to and including `/v1`; OpenAI's if not given.
        api_key: the key; without it `JUDGEMESH_JUDGE_API_KEY`, and `OPENAI_API_KEY` for
            OpenAI's own server only, so that no other server receives that key.

    Raises:
        ConfigError: the base URL is no HTTP address.
    """

    is_live = True
    keeps_time = True

    def __init__(
        self, *, api_base: str | None = None, api_key: str | None = None
    ) -> None:
        address, _, self._query = (api_base or OPENAI).partition("?")
        self._base = address.rstrip("/")
        parts = urlsplit(self._base)
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
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        port = ""
        if parts.port:
            port = f":{parts.port}"
        self.name = f"openai-compatible {parts.hostname}{port}{parts.path}"
        self._session: ClientSession | None = None
        self._loop: AbstractEventLoop | None = None
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
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _post(self, path: str, body: bytes, call: ModelCall) -> Mapping[str, Any]:
        import aiohttp

        session = await self._connected()
        try:
            async with session.post(
                self._address(path),
                data=body,
                timeout=_time_limit(call.timeout_s),
                allow_redirects=False,
            ) as response:
                raw = await response.content.read(_MAX_REPLY_BYTES + 1)
                while len(raw) <= _MAX_REPLY_BYTES and (
                    more := await response.content.read(_MAX_REPLY_BYTES)
                ):
                    raw += more
                status, named = response.status, response.headers
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except aiohttp.ClientConnectorError as error:
            raise Unreachable(f"cannot connect: {error}") from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise ConnectionBroken(
                f"the connection was lost: {str(error) or type(error).__name__}"
            ) from error
        if len(raw) > _MAX_REPLY_BYTES:
            raise JudgeMalformed(f"the reply is longer than {_MAX_REPLY_BYTES} bytes")
        if status in _SUCCESS:
            return _object(raw)
        headers = {name.casefold(): value for name, value in named.items()}
        if status in REDIRECTS:
            raise refused_redirect(status, headers.get("location", ""))
        raise _refused(status, raw, headers, call)

    def _address(self, path: str) -> str:
        """The address of an endpoint; a query of the base, such as a key or a version, stands behind it."""
        address = self._base + path
        return f"{address}?{self._query}" if self._query else address

    async def _connected(self) -> ClientSession:
        """The session of the running event loop, which a gateway may outlive."""
        import aiohttp

        loop = get_running_loop()
        if (
            self._session is not None
            and self._loop is loop
            and not self._session.closed
        ):
            return self._session
        if self._session is not None:
            with suppress(RuntimeError):  # its loop may be closed
                await self._session.close()
        self._loop = loop
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0),
            headers=self._headers,
            trust_env=False,
            auto_decompress=True,
        )
        return self._session


@lru_cache(maxsize=64)
def _time_limit(total_s: float) -> ClientTimeout:
    import aiohttp

    # By default, times above 5 s are rounded up to whole seconds.
    return aiohttp.ClientTimeout(total=total_s, ceil_threshold=math.inf)


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
        data: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise JudgeMalformed(f"the server's reply is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise JudgeMalformed("the server's reply is not a JSON object")
    return cast("Mapping[str, Any]", data)


def _usage(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    usage = data.get("usage")
    if isinstance(usage, Mapping):
        return cast("Mapping[str, Any]", usage)
    return None
