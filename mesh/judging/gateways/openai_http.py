"""The gateway to any server that speaks OpenAI's chat completions, without a client library in between.

Nothing but aiohttp and the protocol: a twentieth of the CPU time a call takes through a general client, and a start in
a tenth of a second. `--judge openai-compatible:MODEL --judge-api-base URL`.
"""

from __future__ import annotations

import json
import os
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from judgemesh.contracts.errors import (
    ConfigError,
    JudgeError,
    JudgeMalformed,
    JudgeRejected,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.mesh.judging.errors import ConnectionBroken
from judgemesh.mesh.judging.gateways.litellm_errors import status_error
from judgemesh.mesh.judging.gateways.wire import (
    chat_body,
    decision_body,
    decision_reply,
    reply_of,
)
from judgemesh.mesh.pricing.usage import canonical_usage

if TYPE_CHECKING:
    from aiohttp import ClientSession

OPENAI: Final = "https://api.openai.com/v1"
_KEYS: Final = ("JUDGEMESH_JUDGE_API_KEY", "OPENAI_API_KEY")
_MAX_REPLY_BYTES: Final = 8 * 2**20
_OK: Final = 200
_MULTIPLE: Final = 300
_NOT_HERE: Final = (404, 405, 501)


class HttpGateway(Gateway):
    """Completes calls with one HTTP request each, over connections that are kept.

    Args:
        api_base: the server's address, up to and with `/v1`; OpenAI's own when not given.
        api_key: the key. Without one `JUDGEMESH_JUDGE_API_KEY` is used, and `OPENAI_API_KEY` for OpenAI's own server
            only, so that no other server is told that key.

    Raises:
        ConfigError: the address is no HTTP address.
    """

    def __init__(
        self, *, api_base: str | None = None, api_key: str | None = None
    ) -> None:
        self._base = (api_base or OPENAI).rstrip("/")
        parts = urlsplit(self._base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"expected an http or https address, got {self._base!r}",
                where="--judge-api-base",
                hint="such as http://127.0.0.1:8000/v1",
            )
        own = self._base == OPENAI
        names = _KEYS if own else _KEYS[:1]
        key = api_key or next(
            (os.environ[name] for name in names if os.environ.get(name)), None
        )
        self._headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }
        port = f":{parts.port}" if parts.port else ""
        self.name = f"openai-compatible {parts.hostname}{port}{parts.path}"
        self._session: ClientSession | None = None
        self._loop: AbstractEventLoop | None = None

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once.

        Raises:
            StructuredOutputRejected, LogprobsRejected: the server does not do what the call asks for.
            JudgeError: another of the tree; see `contracts/errors.py`.
        """
        if call.questions:
            data = await self._post("/decisions", decision_body(call), call)
            return decision_reply(data, call)
        data = await self._post("/chat/completions", chat_body(call), call)
        return reply_of(
            data, canonical_usage(_usage(data), provider="openai"), as_tool=call.as_tool
        )

    async def aclose(self) -> None:
        """Close the connections. Safe to call twice."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _post(
        self, path: str, body: Mapping[str, Any], call: ModelCall
    ) -> Mapping[str, Any]:
        import aiohttp

        session = await self._connected()
        limit = aiohttp.ClientTimeout(total=call.timeout_s)
        try:
            async with session.post(
                self._base + path, data=json.dumps(body).encode(), timeout=limit
            ) as response:
                raw = await response.content.read(_MAX_REPLY_BYTES + 1)
                while len(raw) <= _MAX_REPLY_BYTES and (
                    more := await response.content.read(_MAX_REPLY_BYTES)
                ):
                    raw += more
                status = response.status
                headers = {
                    name.casefold(): value for name, value in response.headers.items()
                }
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except aiohttp.ClientConnectorError as error:
            raise JudgeUnavailable(f"cannot connect: {error}") from error
        except (aiohttp.ClientError, ConnectionError) as error:
            raise ConnectionBroken(
                f"the connection was lost: {str(error) or type(error).__name__}"
            ) from error
        if len(raw) > _MAX_REPLY_BYTES:
            raise JudgeMalformed(f"the reply is longer than {_MAX_REPLY_BYTES} bytes")
        if not _OK <= status < _MULTIPLE:
            raise _refused(status, raw, headers, call)
        return _object(raw)

    async def _connected(self) -> ClientSession:
        """The session of the running loop; it belongs to one loop, and a gateway may outlive it."""
        import aiohttp

        loop = get_running_loop()
        if (
            self._session is not None
            and self._loop is loop
            and not self._session.closed
        ):
            return self._session
        if self._session is not None:
            with suppress(RuntimeError):  # its loop may be closed already
                await self._session.close()
        self._loop = loop
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0),
            headers=self._headers,
            trust_env=False,
            auto_decompress=True,
        )
        return self._session


def _refused(
    status: int, raw: bytes, headers: Mapping[str, str], call: ModelCall
) -> JudgeError:
    message = raw.decode("utf-8", "replace")
    with suppress(ValueError):
        told: Any = json.loads(message)
        error: Any = (
            cast("dict[str, Any]", told).get("error", told)
            if isinstance(told, dict)
            else told
        )
        if isinstance(error, dict):
            found = cast("dict[str, Any]", error)
            message = " ".join(
                str(found[key]) for key in ("code", "message") if found.get(key)
            )
    if call.questions and status in _NOT_HERE:
        return JudgeRejected(f"HTTP {status}: there is no decision endpoint here")
    return status_error(
        status,
        message or "no reason given",
        headers,
        structured=call.response_schema is not None,
    )


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        data: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise JudgeMalformed(f"the server's reply is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise JudgeMalformed("the server's reply is no JSON object")
    return cast("Mapping[str, Any]", data)


def _usage(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    usage = data.get("usage")
    return cast("Mapping[str, Any]", usage) if isinstance(usage, Mapping) else None
