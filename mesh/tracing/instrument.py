"""Instrumentation: wrap a function, and each call of it is recorded.

    search = watch(recorder, RETRIEVAL, search, name="knowledge_base")
    instrument(recorder, AsyncOpenAI())
    instrument(recorder, mcp_session)

A wrapped function takes, returns and raises what it did before; `async def` stays `async
def`; what returns an awaitable or a stream still does. Outside of a recorded run it is
only called. Sizes are counted by `count_tokens`; without one they are estimates and are
marked so. Standard library only, like the recorder.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, cast

from judgemesh.mesh.tracing.recording.boundaries import (
    CONTEXT_COMPILER,
    DATABASE,
    EMBEDDER,
    FILE_READER,
    FILE_WRITER,
    MCP_TOOL,
    MODEL_GATEWAY,
    RETRIEVAL,
    STATE_DIFF,
    TOOL_ROUTER,
    VALIDATOR_RUNNER,
    arguments_digest,
)
from judgemesh.mesh.tracing.recording.boundary import (
    Boundary,
    BoundaryCall,
    CountTokens,
    Describe,
    estimate_tokens,
)
from judgemesh.mesh.tracing.recording.mcp_boundary import mcp_server, mcp_tool_name
from judgemesh.mesh.tracing.recording.mcp_hints import ToolHints
from judgemesh.mesh.tracing.recording.model_boundary import provider_of
from judgemesh.mesh.tracing.recording.recorder import Recorder
from judgemesh.mesh.tracing.recording.watcher import Watcher

__all__ = [
    "CONTEXT_COMPILER",
    "DATABASE",
    "EMBEDDER",
    "FILE_READER",
    "FILE_WRITER",
    "MCP_TOOL",
    "MODEL_GATEWAY",
    "RETRIEVAL",
    "STATE_DIFF",
    "TOOL_ROUTER",
    "VALIDATOR_RUNNER",
    "Boundary",
    "BoundaryCall",
    "CountTokens",
    "Describe",
    "arguments_digest",
    "estimate_tokens",
    "instrument",
    "watch",
]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_METHODS: Final[Mapping[str, Boundary]] = {
    "chat.completions.create": MODEL_GATEWAY,
    "chat.completions.parse": MODEL_GATEWAY,
    "completions.create": MODEL_GATEWAY,
    "responses.create": MODEL_GATEWAY,
    "responses.parse": MODEL_GATEWAY,
    "embeddings.create": EMBEDDER,
    "messages.create": MODEL_GATEWAY,
    "messages.stream": MODEL_GATEWAY,
    "messages.parse": MODEL_GATEWAY,
    "beta.messages.create": MODEL_GATEWAY,
    "beta.messages.stream": MODEL_GATEWAY,
    "chat.complete": MODEL_GATEWAY,
    "chat.complete_async": MODEL_GATEWAY,
    "chat.stream_async": MODEL_GATEWAY,
    "models.generate_content": MODEL_GATEWAY,
    "models.generate_content_stream": MODEL_GATEWAY,
    "aio.models.generate_content": MODEL_GATEWAY,
    "aio.models.generate_content_stream": MODEL_GATEWAY,
    "converse": MODEL_GATEWAY,
    "call_tool": MCP_TOOL,
}
"""The methods of client libraries that are calls of a model, or of a tool."""


def instrument(
    recorder: Recorder, client: T, *, server: str | None = None, provider: str = ""
) -> T:
    """The client, with its calls of models and tools recorded.

    Clients of OpenAI, Azure OpenAI, Anthropic, Mistral, Google and Bedrock, sync and
    async, and sessions of MCP. Only this object is changed, and only once.

    Args:
        recorder: the recorder of the runtime.
        client: the client or session.
        server: the name of the MCP server; by default the one that it gives itself.
        provider: who answers; by default the library and the address of the client say.

    Raises:
        TypeError: the object has none of the methods.
    """
    found = 0
    for path, boundary in _METHODS.items():
        owner, name = _owner(client, path)
        method = getattr(owner, name, None) if owner is not None else None
        if not callable(method):
            continue
        found += 1
        if getattr(method, "__judgemesh__", False):
            continue
        own: dict[str, object] = {}
        if boundary is MCP_TOOL:
            describe = functools.partial(_session, client, server, _hints_of(client))
            watched = watch(recorder, boundary, method, describe=describe)
        else:
            served_by = provider or provider_of(method)
            if served_by:
                own["provider"] = served_by
            watched = _watched(recorder, boundary, method, own=own)
        setattr(owner, name, watched)
    if not found:
        kind = type(client).__name__
        raise TypeError(
            f"{kind} has no method that is known to call a model or a tool; wrap its "
            "functions with `watch`"
        )
    return client


def _hints_of(session: Any) -> ToolHints:
    """What the session's tools say of themselves, from now on whenever they are listed."""
    hints = ToolHints()
    list_tools = getattr(session, "list_tools", None)
    if callable(list_tools):
        session.list_tools = hints.reading(list_tools)
    return hints


def _session(
    client: object, server: str | None, hints: ToolHints, call: BoundaryCall
) -> dict[str, object]:
    """The server of a session, and whether the tool only reads."""
    stated = {
        "mcp_server": server or mcp_server(client),
        "access": hints.access(mcp_tool_name(call)),
    }
    return {name: value for name, value in stated.items() if value is not None}


def _owner(client: object, path: str) -> tuple[object, str]:
    """The object that has the method, and the method's name; None where a part is absent."""
    *parts, name = path.split(".")
    owner: object = client
    for part in parts:
        if owner is not None:
            owner = getattr(owner, part, None)
    return owner, name


def watch(
    recorder: Recorder,
    boundary: Boundary,
    function: F,
    *,
    name: str | None = None,
    describe: Describe | None = None,
    count_tokens: CountTokens | None = None,
) -> F:
    """`function`, recorded at `boundary`.

    Args:
        recorder: the recorder of the runtime.
        boundary: one of this module's, or one of your own.
        function: a function, or one whose result is awaited or is a stream.
        name: its name in the trace; by default its own name, or for an MCP session's
            `call_tool` the name of the tool.
        describe: further fields of a call that returned (cost, top_k,
            tokens_sent_to_next_llm...); they win over the boundary's own.
        count_tokens: tokens of a value.
    """
    return _watched(
        recorder,
        boundary,
        function,
        name=name,
        describe=describe,
        count_tokens=count_tokens,
    )


def _watched(
    recorder: Recorder,
    boundary: Boundary,
    function: F,
    *,
    name: str | None = None,
    describe: Describe | None = None,
    count_tokens: CountTokens | None = None,
    own: Mapping[str, object] | None = None,
) -> F:
    own_name = str(getattr(function, "__name__", type(function).__name__))
    watcher = Watcher(
        recorder, boundary, name or own_name, describe, count_tokens, own or {}
    )
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def watched_coroutine(*args: Any, **kwargs: Any) -> Any:
            call = watcher.begin(args, kwargs)
            if call is None:
                return await function(*args, **kwargs)
            try:
                result = await function(*args, **kwargs)
            except BaseException as error:
                call.fail(error)
                raise
            return call.conclude(result)

        watched_coroutine.__judgemesh__ = True  # type: ignore[attr-defined]
        return cast("F", watched_coroutine)

    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        call = watcher.begin(args, kwargs)
        if call is None:
            return function(*args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        return call.conclude_or_wait(result)

    watched.__judgemesh__ = True  # type: ignore[attr-defined]
    return cast("F", watched)
