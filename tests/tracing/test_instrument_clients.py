"""What client libraries return beside plain results: awaitables, streams, results of MCP tools.

The real libraries are in tests/integrations/exports.
"""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judgemesh.contracts.tracing import StateType, Step, UsageStatus
from judgemesh.mesh.tracing import Recorder
from judgemesh.mesh.tracing.instrument import MODEL_GATEWAY, instrument, watch
from judgemesh.mesh.tracing.readers.ingest import read_traces

USAGE = {"prompt_tokens": 10, "completion_tokens": 4}
CHUNKS: list[dict[str, Any]] = [
    {"model": "m-1", "choices": [{"delta": {"content": "a"}}], "usage": None},
    {"model": "m-1", "choices": [], "usage": USAGE},
]


def recorded(path: Path) -> Sequence[Step]:
    (trace,) = read_traces([path])
    return trace.steps


class Completions:
    """A resource of a client whose methods are no coroutine functions."""

    def create(self, *, stream: bool = False, **_: Any) -> Any:
        async def reply() -> object:
            return chunks() if stream else {"model": "m-1", "usage": USAGE}

        async def chunks() -> AsyncIterator[object]:
            for chunk in CHUNKS:
                yield chunk

        return reply()


class Client:
    """A client in the form of the OpenAI SDK's."""

    def __init__(self) -> None:
        self.chat = SimpleNamespace(completions=Completions())


@pytest.mark.anyio
async def test_a_method_that_returns_an_awaitable_is_awaited_in_its_step(
    tmp_path: Path,
) -> None:
    with Recorder(tmp_path / "t") as recorder:
        client = instrument(recorder, Client())
        assert instrument(recorder, client) is client  # once is enough
        await client.chat.completions.create(model="outside")
        with recorder.run():
            waiting: Awaitable[Any] = client.chat.completions.create(model="m")
            assert recorder.current() is None
            assert (await waiting)["usage"] == USAGE
            stream = await client.chat.completions.create(model="m", stream=True)
            assert [chunk async for chunk in stream] == CHUNKS
    for step in recorded(tmp_path / "t"):
        assert step.state_type is StateType.THINK
        assert step.usage is not None
        assert (step.usage.input_total, step.usage.output_tokens) == (10, 4)
        assert (step.model_name, step.status) == ("m-1", "success")
    assert len(recorded(tmp_path / "t")) == 2


def stream_of(chunks: Sequence[object], error: Exception | None = None) -> Any:
    def create(**_: Any) -> Iterator[object]:
        yield from chunks
        if error is not None:
            raise error

    return create


def test_a_stream_is_one_step_with_the_usage_of_its_chunks(tmp_path: Path) -> None:
    begun: dict[str, Any] = {
        "type": "message_start",
        "message": {"model": "c", "usage": {}},
    }
    begun["message"]["usage"] = {
        "input_tokens": 7,
        "cache_read_input_tokens": 3,
        "output_tokens": 1,
    }
    events: list[dict[str, Any]] = [
        begun,
        {"type": "message_delta", "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    with Recorder(tmp_path / "t") as recorder, recorder.run():
        for chunks in (CHUNKS, events, CHUNKS[:1]):
            create = watch(recorder, MODEL_GATEWAY, stream_of(chunks))
            with recorder.think():
                assert list(create(model="asked")) == list(chunks)
    steps = [step for step in recorded(tmp_path / "t") if step.parent_step_id]
    totals = [None if step.usage is None else step.usage.total for step in steps]
    assert totals == [14, 19, None]
    assert [step.usage_status for step in steps] == [
        UsageStatus.OK,
        UsageStatus.OK,
        UsageStatus.MISSING,
    ]


def test_a_stream_that_breaks_or_is_left_says_so(tmp_path: Path) -> None:
    usage = [{"model": "m", "usage": USAGE}, {"model": "m", "usage": None}]
    with Recorder(tmp_path / "t") as recorder, recorder.run():
        broken = watch(
            recorder, MODEL_GATEWAY, stream_of(usage, ConnectionError("gone"))
        )
        with pytest.raises(ConnectionError):
            list(broken())
        left = watch(recorder, MODEL_GATEWAY, stream_of(usage))()
        next(left)
        del left
        gc.collect()
        closed = watch(recorder, MODEL_GATEWAY, stream_of(usage))()
        with closed as stream:
            next(stream)
    steps = recorded(tmp_path / "t")
    assert [step.status for step in steps] == ["error", "success", "success"]
    assert steps[0].error_type == "ConnectionError"
    for step in steps:
        assert step.usage is not None
        assert step.usage_status is UsageStatus.INCONSISTENT
        assert any("ended early" in note for note in step.usage_notes)


@pytest.mark.anyio
async def test_an_mcp_session_gives_tool_server_error_and_each_size_once(
    tmp_path: Path,
) -> None:
    text = '{"rows": [1, 2, 3, 4, 5, 6, 7, 8]}'

    class Session:
        server_info = SimpleNamespace(name="orders")

        async def list_tools(self) -> Any:
            tools = [
                SimpleNamespace(
                    name=name, annotations=SimpleNamespace(readOnlyHint=hint)
                )
                for name, hint in (("list", True), ("drop", False), ("other", None))
            ]
            return SimpleNamespace(tools=tools)

        async def call_tool(self, name: str, arguments: object = None) -> object:
            return SimpleNamespace(
                content=[SimpleNamespace(type="text", text=text)],
                structuredContent={"rows": [1, 2, 3, 4, 5, 6, 7, 8]},
                isError=name == "drop",
            )

    with Recorder(tmp_path / "t") as recorder, recorder.run():
        session = instrument(recorder, Session())
        assert len((await session.list_tools()).tools) == 3
        await session.call_tool("list", {"page": 1})
        await session.call_tool("drop")
        await session.call_tool("other")
    steps = recorded(tmp_path / "t")
    tools = [tool for step in steps for tool in step.tools]
    assert [tool.tool_name for tool in tools] == ["list", "drop", "other"]
    assert [tool.status for tool in tools] == ["success", "error", "success"]
    assert [tool.access for tool in tools] == ["read", "write", None]
    assert {tool.response_tokens_raw for tool in tools} == {-(-len(text) // 4)}
    assert {step.state_type for step in steps} == {StateType.MCP_CALL}


def test_the_gateway_says_where_the_input_came_from(tmp_path: Path) -> None:
    def create(**_: Any) -> dict[str, Any]:
        return {"model": "m", "service_tier": "flex", "usage": USAGE}

    call = {"id": "c1", "type": "function", "function": {"name": "search_kb"}}
    messages = [
        {"role": "system", "content": "s" * 40},
        {"role": "user", "content": "u" * 40},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "r" * 400},
    ]
    with Recorder(tmp_path / "t") as recorder:
        watched = watch(recorder, MODEL_GATEWAY, create)
        with recorder.run():
            watched(model="m", messages=messages)
            with recorder.think() as step:
                step.context_compiled(system_prompt=3)
            watched(model="m", messages=messages)
    first, _, last = recorded(tmp_path / "t")
    assert first.context is not None
    assert first.context.total == 10
    assert first.context.retrieved_context_tokens > first.context.system_prompt_tokens
    assert first.usage is not None
    assert first.usage.service_tier == "flex"
    assert last.context is None  # the runtime counts its context itself


def test_what_cannot_be_instrumented_says_so(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t") as recorder, pytest.raises(TypeError, match="watch"):
        instrument(recorder, object())
