"""The gateway to any provider, through litellm, which is imported at the first call.

litellm is configured not to retry, print, send telemetry, download a price list, or read
a `.env` file from the working directory.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import warnings
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from inspect import isawaitable
from math import ceil
from typing import Any, Final, cast
from weakref import WeakKeyDictionary, WeakSet

import anyio
import anyio.to_thread

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRejected,
    JudgeTimeout,
)
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.mesh.judging.gateways.litellm_errors import NO_ENDPOINT, judge_error
from judgemesh.mesh.judging.gateways.litellm_reports import reported
from judgemesh.mesh.judging.gateways.redirects import redirect_of, without_redirects
from judgemesh.mesh.judging.gateways.wire import (
    asked_for,
    decision_body,
    decision_reply,
    first_token,
    text_or_none,
)
from judgemesh.mesh.pricing.usage import canonical_usage

_ENVIRONMENT: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_SETTINGS: Final[Mapping[str, object]] = {
    "suppress_debug_info": True,
    "telemetry": False,
    "drop_params": False,
    "num_retries": 0,
}


def load_litellm() -> Any:
    """Import litellm, which takes seconds, and configure it. Blocks; call it in a thread."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a user cannot act on those of its modules
        library: Any = importlib.import_module("litellm")
        # Its types are built when they are first used, which takes long.
        library.ModelResponse(choices=[{"message": {"content": ""}}])
    for name, setting in _SETTINGS.items():
        setattr(library, name, setting)
    _keep_the_address()
    return library


def _keep_the_address() -> None:
    """Let no client of litellm follow a redirect; it has no setting for that."""
    handlers = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    handler: Any = handlers.AsyncHTTPHandler
    if handler not in _KEPT:
        _KEPT.add(handler)
        handler.create_async_transport = staticmethod(
            without_redirects(handler.create_async_transport)
        )


_KEPT: Final[WeakSet[Any]] = WeakSet()
"""Classes whose transports follow no redirect already."""


class LitellmGateway(Gateway):
    """Completes calls through litellm, one HTTP request each.

    Args:
        api_base: base URL of an OpenAI-compatible server instead of the provider.
        api_key: the key, instead of the provider's environment variable.
        options: further connection options of litellm (`api_version`, `extra_headers`,
            ...). What can change an answer belongs to the parameters of the call, which
            the cache key covers.
    """

    is_live = True
    keeps_time = True

    def __init__(
        self,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = "litellm"
        # With tools litellm imports the protocol library `mcp`, which it does not ask to be installed.
        self.takes_tools = find_spec("mcp") is not None
        self._options = dict(options or {})
        if api_base is not None:
            self._options["api_base"] = api_base
        if api_key is not None:
            self._options["api_key"] = api_key
        self._library: Any = None
        self._loading: anyio.Lock | None = None
        self._loop: AbstractEventLoop | None = None

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer the call once.

        Raises:
            StructuredOutputRejected: the provider takes no response schema.
            JudgeError: another of the tree; see `contracts/errors.py`.
        """
        library = await self._client()
        try:
            async with asyncio.timeout(call.timeout_s):
                if call.questions:
                    return await self._decide(library, call)
                response = await reported(library, self._arguments(call))
        except JudgeError:
            raise
        except TimeoutError as error:
            raise JudgeTimeout(f"no answer within {call.timeout_s:g} s") from error
        except Exception as error:  # the errors of litellm have no common class
            raise _error_of(error, call) from error
        return _reply(response, call)

    async def _decide(self, library: Any, call: ModelCall) -> ModelReply:
        """Ask a decision endpoint.

        Raises:
            JudgeRejected: the installed litellm has none.
        """
        if not hasattr(library, "adecisions"):
            raise JudgeRejected(
                "this version of litellm knows no decision endpoints; 1.106 does"
            )
        body = decision_body(call)
        arguments = {
            **self._options,
            **body,
            "timeout": max(1, ceil(call.timeout_s)),
            "max_retries": 0,
        }
        _add_missing_key(arguments)
        response = await library.adecisions(**arguments)
        return decision_reply(response.model_dump(), call)

    async def aclose(self) -> None:
        """Close the connections, unless another gateway of the event loop uses them. Safe to call twice."""
        loop, self._loop = self._loop, None
        if loop is not None:
            await _release(self._library, loop)

    async def _client(self) -> Any:
        if self._library is None:
            self._loading = self._loading or anyio.Lock()
            async with self._loading:
                if self._library is None:
                    self._library = await anyio.to_thread.run_sync(load_litellm)
        loop = get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            _USERS[loop] = _USERS.get(loop, 0) + 1
        return self._library

    def _arguments(self, call: ModelCall) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            **self._options,
            **call.parameters,
            "model": call.model,
            "messages": [dict(message) for message in call.messages],
            # litellm keeps a client for each time-out; whole seconds keep them few. The
            # client of the judge applies the exact limit.
            "timeout": max(1, ceil(call.timeout_s)),
            "max_retries": 0,  # retries are made by the client of the judge
            "num_retries": 0,
        }
        _add_missing_key(arguments)
        return arguments | asked_for(call)


_OPENAI_KEY: Final = "OPENAI_API_KEY"


def _add_missing_key(arguments: dict[str, Any]) -> None:
    """Add a key for an own server, which needs none; litellm requires one."""
    if "api_base" not in arguments or os.environ.get(_OPENAI_KEY):
        return
    arguments.setdefault("api_key", "none")


# --- litellm's clients: it keeps them for the whole process, one set for each event loop, closed ones included ---

_USERS: Final[WeakKeyDictionary[AbstractEventLoop, int]] = WeakKeyDictionary()
"""How many open gateways each event loop has. The last one closes the loop's clients."""


async def _release(library: Any, loop: AbstractEventLoop) -> None:
    _USERS[loop] = _USERS.get(loop, 1) - 1
    if _USERS[loop] > 0:
        return
    del _USERS[loop]
    clients = library.in_memory_llm_clients_cache
    if not _USERS:
        await library.close_litellm_async_clients()
        clients.flush_cache()
        return
    for key in list(clients.cache_dict):
        if not key.endswith(f"-{id(loop)}"):
            continue
        client = clients.cache_dict.pop(key)  # first out of reach, then closed
        with suppress(Exception):  # the client is out of reach in any case
            closing = (getattr(client, "aclose", None) or client.close)()
            if isawaitable(closing):
                await closing


# --- the reply ---


def _reply(response: Any, call: ModelCall) -> ModelReply:
    choices = getattr(response, "choices", None)
    if not choices:
        raise JudgeMalformed("the provider's reply holds no choice")
    message, finish = choices[0].message, choices[0].finish_reason
    text = text_or_none(message.content) or ""
    if call.as_tool and getattr(message, "tool_calls", None):
        text = message.tool_calls[0].function.arguments or text
    if not text and _refusal(message):
        finish = "refusal"
    usage = getattr(response, "usage", None)
    raw = None
    if usage is not None:
        raw = usage.model_dump(exclude_none=True)
    logprobs = None
    if call.top_logprobs and getattr(choices[0], "logprobs", None) is not None:
        logprobs = choices[0].logprobs.model_dump()
    return ModelReply(
        text=text,
        model_served=text_or_none(getattr(response, "model", None)),
        usage=canonical_usage(raw, provider=call.model.partition("/")[0]),
        provider_cost=_library_cost(response),
        finish_reason=text_or_none(finish),
        first_token=first_token(logprobs),
    )


def _error_of(error: Exception, call: ModelCall) -> JudgeError:
    """The judge error of a call; a provider without decision endpoint has none at that address."""
    redirect = redirect_of(error)
    if redirect is not None:
        return redirect
    if call.questions and getattr(error, "status_code", None) in NO_ENDPOINT:
        return JudgeRejected(f"no decision endpoint: {error}")
    return judge_error(error, structured=call.response_schema is not None)


def _refusal(message: Any) -> bool:
    fields: Mapping[str, Any] = getattr(message, "provider_specific_fields", None) or {}
    return bool(getattr(message, "refusal", None) or fields.get("refusal"))


def _library_cost(response: Any) -> float | None:
    """The cost that litellm computes, to compare; its 0.0 often means "unknown"."""
    hidden = getattr(response, "_hidden_params", None)
    if not isinstance(hidden, Mapping):
        return None
    cost = cast("Mapping[str, Any]", hidden).get("response_cost")
    if isinstance(cost, int | float) and cost > 0:
        return float(cost)
    return None
