"""One agent run with a client library and its instrumentation, in the environment that has them.

    python tests/integrations/exports/worker.py NAME MODE ADDRESS OUTPUT

NAME is a key of `WORKERS`, MODE is sync, async, stream or astream, ADDRESS that of `benchmarks/tracing/export_provider.py`. The run asks
the model, calls the tool it asks for, and asks again. What the instrumentation exports is written to OUTPUT.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Self

OPENAI_MODEL = "gpt-4.1-mini"
ANTHROPIC_MODEL = "claude-sonnet-4-5"
QUESTION = "What is the weather in Lund?"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
OPENAI_TOOLS: list[Any] = [
    {
        "type": "function",
        "function": {"name": "lookup", "description": "Weather.", "parameters": SCHEMA},
    }
]
ANTHROPIC_TOOLS: list[Any] = [
    {"name": "lookup", "description": "Weather.", "input_schema": SCHEMA}
]


def lookup(city: str) -> str:
    """The weather of a city."""
    return f"Rain in {city}."


# --- the agent with each client ---


def openai_client(address: str, *, is_async: bool = False) -> Any:
    import openai

    kind = openai.AsyncOpenAI if is_async else openai.OpenAI
    return kind(base_url=f"{address}/v1", api_key="none", max_retries=0)


def anthropic_client(address: str, *, is_async: bool = False) -> Any:
    import anthropic

    kind = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
    return kind(base_url=address, api_key="none", max_retries=0)


def openai_arguments(messages: list[Any], mode: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": OPENAI_MODEL,
        "messages": messages,
        "tools": OPENAI_TOOLS,
    }
    if "stream" in mode:
        arguments |= {"stream": True, "stream_options": {"include_usage": True}}
    return arguments


def openai_turn(messages: list[Any]) -> list[Any]:
    """The messages after the model asked for the tool."""
    call = {"id": "call_1", "type": "function"}
    asked = {**call, "function": {"name": "lookup", "arguments": '{"city": "Lund"}'}}
    return [
        *messages,
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "call_1", "content": lookup("Lund")},
    ]


def openai_run(client: Any, mode: str) -> None:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(2):
        result = client.chat.completions.create(**openai_arguments(messages, mode))
        if "stream" in mode:
            list(result)
        messages = openai_turn(messages)


async def openai_async_run(client: Any, mode: str) -> None:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(2):
        result = await client.chat.completions.create(
            **openai_arguments(messages, mode)
        )
        if "stream" in mode:
            async for _chunk in result:
                pass
        messages = openai_turn(messages)


def anthropic_arguments(messages: list[Any], mode: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": ANTHROPIC_MODEL,
        "max_tokens": 100,
        "messages": messages,
        "tools": ANTHROPIC_TOOLS,
    }
    if "stream" in mode:
        arguments["stream"] = True
    return arguments


def anthropic_turn(messages: list[Any]) -> list[Any]:
    use = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "lookup",
        "input": {"city": "Lund"},
    }
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": lookup("Lund"),
    }
    return [
        *messages,
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]


def anthropic_run(client: Any, mode: str) -> None:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(2):
        result = client.messages.create(**anthropic_arguments(messages, mode))
        if "stream" in mode:
            list(result)
        messages = anthropic_turn(messages)


async def anthropic_async_run(client: Any, mode: str) -> None:
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(2):
        result = await client.messages.create(**anthropic_arguments(messages, mode))
        if "stream" in mode:
            async for _chunk in result:
                pass
        messages = anthropic_turn(messages)


def run_openai(
    address: str, mode: str, prepare: Callable[[Any], Any] = lambda client: client
) -> None:
    if mode.startswith("a"):
        asyncio.run(
            openai_async_run(prepare(openai_client(address, is_async=True)), mode)
        )
    else:
        openai_run(prepare(openai_client(address)), mode)


def run_anthropic(
    address: str, mode: str, prepare: Callable[[Any], Any] = lambda client: client
) -> None:
    if mode.startswith("a"):
        asyncio.run(
            anthropic_async_run(prepare(anthropic_client(address, is_async=True)), mode)
        )
    else:
        anthropic_run(prepare(anthropic_client(address)), mode)


# --- OpenTelemetry: spans as a collector writes them ---


class OtelRun:
    """A run whose spans are written as OTLP JSON when it ends."""

    def __init__(self, output: Path) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
            InMemorySpanExporter,
        )

        self._output = output
        self._spans = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._spans))
        trace.set_tracer_provider(self.provider)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        from opentelemetry import context, propagate

        parent = os.environ.get("TRACEPARENT")
        if parent:
            context.attach(propagate.extract({"traceparent": parent}))
        tracer = self.provider.get_tracer("agent")
        span = tracer.start_as_current_span("invoke_agent weather")
        self._stack.enter_context(span).set_attribute(
            "gen_ai.operation.name", "invoke_agent"
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self.provider.force_flush()
        document = {
            "resourceSpans": [
                _resource_spans(span) for span in self._spans.get_finished_spans()
            ]
        }
        self._output.write_text(json.dumps(document))


def _resource_spans(span: Any) -> dict[str, Any]:
    body = {
        "traceId": f"{span.context.trace_id:032x}",
        "spanId": f"{span.context.span_id:016x}",
        "parentSpanId": f"{span.parent.span_id:016x}" if span.parent else "",
        "name": span.name,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _attributes(span.attributes),
        "events": [
            {
                "name": event.name,
                "timeUnixNano": str(event.timestamp),
                "attributes": _attributes(event.attributes),
            }
            for event in span.events
        ],
        "status": {"code": span.status.status_code.value},
    }
    scope = {
        "name": span.instrumentation_scope.name,
        "version": span.instrumentation_scope.version or "",
    }
    return {
        "resource": {"attributes": _attributes(span.resource.attributes)},
        "scopeSpans": [{"scope": scope, "spans": [body]}],
    }


def _attributes(attributes: Any) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": _value(value)}
        for key, value in (attributes or {}).items()
    ]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [_value(element) for element in value]}}
    return {"stringValue": str(value)}


def _instrumented(*modules: str) -> Callable[[OtelRun], None]:
    """Switch on the instrumentors of these modules."""

    def switch_on(run: OtelRun) -> None:
        from importlib import import_module

        for name in modules:
            module = import_module(name)
            kinds = [
                getattr(module, kind)
                for kind in dir(module)
                if kind.endswith("Instrumentor")
            ]
            own = [kind for kind in kinds if kind.__name__ != "BaseInstrumentor"]
            own[0]().instrument(tracer_provider=run.provider)

    return switch_on


OI_OPENAI = "openinference.instrumentation.openai"
OI_ANTHROPIC = "openinference.instrumentation.anthropic"
OI_LANGCHAIN = "openinference.instrumentation.langchain"
LL_OPENAI = "opentelemetry.instrumentation.openai"
LL_ANTHROPIC = "opentelemetry.instrumentation.anthropic"
OTEL_OPENAI = "opentelemetry.instrumentation.openai_v2"

Worker = Callable[[str, str, Path], None]


def otel(agent: Callable[[str, str], None], *modules: str) -> Worker:
    """A run of `agent` with the spans of these instrumentations."""

    def work(address: str, mode: str, output: Path) -> None:
        run = OtelRun(output)
        _instrumented(*modules)(run)
        with run:
            agent(address, mode)

    return work


# --- the recorder of judgemesh ---


def recorded(agent: Callable[[str, str, Any], None]) -> Worker:
    """A run of `agent` in the recorder."""

    def work(address: str, mode: str, output: Path) -> None:
        from judgemesh.mesh.tracing import Recorder

        with Recorder(output) as recorder, recorder.run(task_id="weather"):
            agent(address, mode, recorder)

    return work


def own_openai(address: str, mode: str, recorder: Any) -> None:
    from judgemesh.mesh.tracing.instrument import instrument

    run_openai(address, mode, lambda client: instrument(recorder, client))


def own_anthropic(address: str, mode: str, recorder: Any) -> None:
    from judgemesh.mesh.tracing.instrument import instrument

    run_anthropic(address, mode, lambda client: instrument(recorder, client))


def own_responses(address: str, mode: str, recorder: Any) -> None:
    from judgemesh.mesh.tracing.instrument import instrument

    client = instrument(recorder, openai_client(address))
    stream = "stream" in mode
    result = client.responses.create(model=OPENAI_MODEL, input=QUESTION, stream=stream)
    if stream:
        list(result)
    client.embeddings.create(model="text-embedding-3-small", input="Lund")


def own_anthropic_manager(address: str, mode: str, recorder: Any) -> None:
    from judgemesh.mesh.tracing.instrument import instrument

    arguments = anthropic_arguments([{"role": "user", "content": QUESTION}], "sync")

    async def run() -> None:
        client = instrument(recorder, anthropic_client(address, is_async=True))
        async with client.messages.stream(**arguments) as stream:
            await stream.get_final_message()

    if mode == "astream":
        asyncio.run(run())
        return
    client = instrument(recorder, anthropic_client(address))
    with client.messages.stream(**arguments) as stream:
        "".join(stream.text_stream)


def own_litellm(address: str, mode: str, recorder: Any) -> None:
    import litellm

    from judgemesh.mesh.tracing.instrument import MODEL_GATEWAY, watch

    arguments = {
        **openai_arguments([{"role": "user", "content": QUESTION}], mode),
        "model": f"openai/{OPENAI_MODEL}",
        "api_base": f"{address}/v1",
        "api_key": "none",
    }
    if mode.startswith("a"):
        completion = watch(recorder, MODEL_GATEWAY, litellm.acompletion)

        async def run() -> None:
            result = await completion(**arguments)
            if "stream" in mode:
                async for _chunk in result:
                    pass

        asyncio.run(run())
        return
    result = watch(recorder, MODEL_GATEWAY, litellm.completion)(**arguments)
    if "stream" in mode:
        list(result)


def own_langchain(address: str, mode: str, recorder: Any) -> None:
    from judgemesh.mesh.tracing.recording.langchain_callbacks import langchain_handler

    langchain_agent(address, mode, [langchain_handler(recorder)])


def langchain_agent(
    address: str, mode: str, callbacks: list[Any] | None = None
) -> None:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model=OPENAI_MODEL,
        base_url=f"{address}/v1",
        api_key="none",
        stream_usage=True,
        max_retries=0,
    ).bind_tools(OPENAI_TOOLS)
    config: Any = {"callbacks": callbacks} if callbacks else {}
    weather = tool("lookup")(lookup)
    messages: list[Any] = [HumanMessage(QUESTION)]

    def heard(answer: Any) -> None:
        messages.append(answer)
        for call in answer.tool_calls:
            result = weather.invoke(call["args"], config)
            messages.append(ToolMessage(result, tool_call_id=call["id"]))

    async def run_async() -> None:
        for _ in range(2):
            if mode == "async":
                heard(await model.ainvoke(messages, config))
                continue
            chunks = [chunk async for chunk in model.astream(messages, config)]
            heard(reduce(add, chunks))

    if mode.startswith("a"):
        asyncio.run(run_async())
        return
    for _ in range(2):
        if mode == "stream":
            heard(reduce(add, model.stream(messages, config)))
        else:
            heard(model.invoke(messages, config))


def own_agents(address: str, mode: str, recorder: Any) -> None:
    import agents

    from judgemesh.mesh.tracing.recording.openai_agents import agents_hooks

    agents.set_tracing_disabled(disabled=True)
    kind = (
        agents.OpenAIResponsesModel
        if mode == "async"
        else agents.OpenAIChatCompletionsModel
    )
    model = kind(
        model=OPENAI_MODEL, openai_client=openai_client(address, is_async=True)
    )
    agent = agents.Agent(
        name="weather",
        model=model,
        tools=[agents.function_tool(lookup)],
        model_settings=agents.ModelSettings(include_usage=True),
    )
    hooks = agents_hooks(recorder)

    async def run() -> None:
        if mode == "astream":
            result = agents.Runner.run_streamed(agent, QUESTION, hooks=hooks)
            async for _event in result.stream_events():
                pass
        else:
            await agents.Runner.run(agent, QUESTION, hooks=hooks)

    asyncio.run(run())


def own_mcp(address: str, mode: str, recorder: Any) -> None:
    """A model call, and a tool of an MCP server in this process."""
    from mcp.client.client import Client
    from mcp.server import MCPServer

    from judgemesh.mesh.tracing.instrument import instrument

    server = MCPServer("weather-server")
    server.tool()(lookup)

    async def run() -> None:
        async with Client(server) as client:
            session = instrument(recorder, client, server="weather-server")
            await session.call_tool("lookup", {"city": "Lund"})
        await openai_async_run(
            instrument(recorder, openai_client(address, is_async=True)), mode
        )

    asyncio.run(run())


# --- others ---


def pydantic_ai(address: str, mode: str, output: Path) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    run = OtelRun(output)
    Agent.instrument_all()
    provider = OpenAIProvider(openai_client=openai_client(address, is_async=True))
    agent = Agent(OpenAIChatModel(OPENAI_MODEL, provider=provider))
    agent.tool_plain(lookup)

    async def ask() -> None:
        if mode == "astream":
            async with agent.run_stream(QUESTION) as stream:
                await stream.get_output()
        else:
            await agent.run(QUESTION)

    with run:
        asyncio.run(ask())


def langsmith(address: str, mode: str, output: Path) -> None:
    import urllib.request

    from langsmith import Client, traceable
    from langsmith.run_helpers import tracing_context
    from langsmith.wrappers import wrap_openai

    client = Client(api_url=address, api_key="none", auto_batch_tracing=False)

    @traceable(name="weather", run_type="chain", client=client)
    def run() -> None:
        run_openai(address, mode, wrap_openai)

    with tracing_context(enabled=True, client=client):
        run()
    client.flush()
    with urllib.request.urlopen(f"{address}/runs") as reply:  # noqa: S310 (the provider of this run)
        runs = json.loads(reply.read())
    output.write_text("".join(f"{json.dumps(run)}\n" for run in runs))


WORKERS: dict[str, Worker] = {
    "openai+openinference": otel(run_openai, OI_OPENAI),
    "openai+openllmetry": otel(run_openai, LL_OPENAI),
    "openai+opentelemetry": otel(run_openai, OTEL_OPENAI),
    "anthropic+openinference": otel(run_anthropic, OI_ANTHROPIC),
    "anthropic+openllmetry": otel(run_anthropic, LL_ANTHROPIC),
    "openai+two": otel(run_openai, OI_OPENAI, LL_OPENAI),
    "anthropic+two": otel(run_anthropic, OI_ANTHROPIC, LL_ANTHROPIC),
    "langchain+openinference": otel(langchain_agent, OI_LANGCHAIN),
    "langchain+two": otel(langchain_agent, OI_LANGCHAIN, OI_OPENAI),
    "pydantic-ai": pydantic_ai,
    "langsmith": langsmith,
    "openai+judgemesh": recorded(own_openai),
    "anthropic+judgemesh": recorded(own_anthropic),
    "anthropic-manager+judgemesh": recorded(own_anthropic_manager),
    "responses+judgemesh": recorded(own_responses),
    "litellm+judgemesh": recorded(own_litellm),
    "langchain+judgemesh": recorded(own_langchain),
    "agents+judgemesh": recorded(own_agents),
    "mcp+judgemesh": recorded(own_mcp),
}


def main(name: str, mode: str, address: str, output: str) -> None:
    """Run one worker."""
    WORKERS[name](address, mode, Path(output))


if __name__ == "__main__":
    main(*sys.argv[1:])
