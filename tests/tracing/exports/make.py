"""Write exports of real tracing packages for scripted conversations of a greenhouse agent.

    python tests/tracing/exports/make.py FOLDER [FORM]...

A local server answers with the scripted replies of each scenario; the agent is a loop over the OpenAI SDK, or the loop
of a framework. FOLDER gets one file for each form and scenario, and `expected.json` with the calls, and the tokens as the
server counted them. The fixtures were written with openai, opentelemetry-sdk, openinference-instrumentation-openai and
-langchain, opentelemetry-instrumentation-openai, pydantic-ai-slim, langsmith, langfuse, openai-agents, langgraph and
langchain-openai of November 2026; `otlp_genai_v2` needs an environment with opentelemetry-instrumentation-openai-v2
2.4b0 and opentelemetry-util-genai 0.4b0, and `langfuse_otel` a process for each scenario (`ONLY=turns`).
"""
# The packages are in environments of their own, so that their types are not known here.
# mypy: ignore-errors
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

logging.disable(logging.WARNING)
MODEL = "gpt-4.1-mini"
SYSTEM = "You run the greenhouse. Never open the roof."
TOOLS = {
    "read_sensor": {"bed": {"type": "string"}},
    "set_valve": {"bed": {"type": "string"}, "litres": {"type": "number"}},
    "open_roof": {"angle": {"type": "integer"}},
}


class ToolError(Exception):
    """A tool that fails."""


def read_sensor(bed: str = "all") -> Any:
    """Read the moisture of a bed."""
    return {"bed": bed, "moisture": 0.31, "note": "dry — “crust”"}


def set_valve(bed: str, litres: float) -> Any:
    """Water a bed."""
    if litres > 90:
        raise ToolError("valve B stuck")
    return f"{litres} l on {bed}"


def open_roof(angle: int) -> Any:
    """Open the roof."""
    return [angle, "open"]


FUNCTIONS = {"read_sensor": read_sensor, "set_valve": set_valve, "open_roof": open_roof}


def call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": f"call_{number:04}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def say(text: str | None, *calls: dict[str, Any]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": text,
        **({"tool_calls": list(calls)} if calls else {}),
    }


# Each scenario: conversations, each a list of (user text, replies of the model).
SCENARIOS: dict[str, list[list[tuple[str, list[dict[str, Any]]]]]] = {
    "forbidden": [
        [
            (
                "It is hot. Do something.",
                [
                    say("Opening.", call(1, "open_roof", '{"angle": 30}')),
                    say("Roof is open."),
                ],
            )
        ]
    ],
    "malformed": [
        [
            (
                "Water bed A with 5 l.",
                [
                    say(None, call(1, "set_valve", '{"bed": "A", "litres": ')),
                    say(None, call(2, "set_valve", '{"bed": "A", "litres": 5}')),
                    say("Done."),
                ],
            )
        ]
    ],
    "parallel": [
        [
            (
                "How dry are A, B and C?",
                [
                    say(
                        "Looking.",
                        call(1, "read_sensor", '{"bed": "A"}'),
                        call(2, "read_sensor", '{"bed": "B"}'),
                        call(3, "read_sensor", '{"bed": "B"}'),
                    ),
                    say("All are at 0.31."),
                ],
            )
        ]
    ],
    "claim": [[("Water bed C.", [say("I watered bed C with 4 litres.")])]],
    "refusal": [
        [
            ("Open the roof!", [say("I cannot open the roof.")]),
            ("Please!", [say("Still no.")]),
        ]
    ],
    "empty": [
        [
            (
                "How dry is it?",
                [say(None, call(1, "read_sensor", "")), say("0.31 everywhere.")],
            )
        ]
    ],
    "error": [
        [
            (
                "Water bed B with 95 l.",
                [
                    say(None, call(1, "set_valve", '{"bed": "B", "litres": 95}')),
                    say("The valve is stuck."),
                ],
            )
        ]
    ],
    "turns": [
        [
            (
                "yes",
                [
                    say(None, call(1, "read_sensor", '{"bed": "A"}')),
                    say("Dry. Water it?"),
                ],
            ),
            (
                "yes",
                [
                    say(None, call(2, "set_valve", '{"bed": "A", "litres": 2}')),
                    say("Done. More?"),
                ],
            ),
            (
                "yes",
                [
                    say(None, call(3, "set_valve", '{"bed": "A", "litres": 2}')),
                    say("Done. More?"),
                ],
            ),
        ]
    ],
    "several": [
        [
            (
                "How dry is A?",
                [say(None, call(1, "read_sensor", '{"bed": "A"}')), say("0.31.")],
            )
        ],
        [
            (
                "How dry is A?",
                [say(None, call(2, "read_sensor", '{"bed": "A"}')), say("0.31.")],
            )
        ],
        [("Hello", [say("Hello!")])],
    ],
}


class Server(BaseHTTPRequestHandler):
    queue: ClassVar[list[dict[str, Any]]] = []
    number = 0

    def do_POST(self) -> None:
        json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")
            return
        Server.number += 1
        n = Server.number
        message = Server.queue.pop(0)
        usage = {
            "prompt_tokens": 100 + n,
            "completion_tokens": 10 + n,
            "total_tokens": 110 + 2 * n,
            "prompt_tokens_details": {"cached_tokens": 40},
            "completion_tokens_details": {"reasoning_tokens": 3},
        }
        USED.append(usage)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        reply = {
            "id": f"chatcmpl-{n:08}",
            "object": "chat.completion",
            "created": 1770000000 + n,
            "model": MODEL + "-2025-04-14",
            "choices": [{"index": 0, "finish_reason": reason, "message": message}],
            "usage": usage,
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


USED: list[dict[str, Any]] = []


def schema() -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"type": "object", "properties": fields},
            },
        }
        for name, fields in TOOLS.items()
    ]


def run_tool(name: str, text: str, wrap: Any = None) -> str:
    try:
        arguments = json.loads(text or "{}")
    except ValueError as error:
        return json.dumps({"error": f"arguments are no JSON: {error}"})
    try:
        function = wrap(name) if wrap else FUNCTIONS[name]
        result = function(**arguments)
    except ToolError as error:
        return json.dumps({"error": str(error)})
    return result if isinstance(result, str) else json.dumps(result)


def loop(client: Any, turn: str, history: list[Any], run: Any = run_tool) -> str:
    history.append({"role": "user", "content": turn})
    while True:
        reply = (
            client.chat.completions.create(
                model=MODEL, messages=list(history), tools=schema()
            )
            .choices[0]
            .message
        )
        history.append(reply.model_dump(exclude_none=True))
        if not reply.tool_calls:
            return reply.content
        for one in reply.tool_calls:
            result = run(one.function.name, one.function.arguments)
            history.append({"role": "tool", "tool_call_id": one.id, "content": result})


def expected(scenario: str) -> list[dict[str, Any]]:
    conversations = []
    for turns in SCENARIOS[scenario]:
        calls = []
        for _, replies in turns:
            for reply in replies:
                for one in reply.get("tool_calls", ()):
                    calls.append(
                        [one["function"]["name"], one["function"]["arguments"]]
                    )
        conversations.append(
            {
                "calls": calls,
                "users": [turn for turn, _ in turns],
                "answer": turns[-1][1][-1]["content"],
            }
        )
    return conversations


def queue(scenario: str) -> None:
    USED.clear()
    Server.queue[:] = [
        reply
        for turns in SCENARIOS[scenario]
        for _, replies in turns
        for reply in replies
    ]


# --- forms ---


def otlp_json(spans: Any) -> dict[str, Any]:
    import base64

    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    data = MessageToDict(encode_spans(spans))
    for group in data["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64decode(span[key]).hex()
    return data


def with_otel(
    names: list[str], client: Any, scenario: str, *, tool_spans: bool, one_trace: bool
) -> Any:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
        InMemorySpanExporter,
    )

    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    instrumentors = [instrumentor(name) for name in names]
    for one in instrumentors:
        one.instrument(tracer_provider=provider)
    tracer = provider.get_tracer("greenhouse")

    def run(name: str, text: str) -> str:
        if not tool_spans:
            return run_tool(name, text)
        with tracer.start_as_current_span(name) as span:
            span.set_attribute("openinference.span.kind", "TOOL")
            span.set_attribute("tool.name", name)
            span.set_attribute("input.value", text)
            result = run_tool(name, text)
            span.set_attribute("output.value", result)
            return result

    queue(scenario)
    for turns in SCENARIOS[scenario]:
        history: list[Any] = [{"role": "system", "content": SYSTEM}]
        if one_trace:
            with tracer.start_as_current_span("conversation"):
                for turn, _ in turns:
                    loop(client, turn, history, run)
        else:
            for turn, _ in turns:
                with tracer.start_as_current_span("turn"):
                    loop(client, turn, history, run)
    for one in instrumentors:
        one.uninstrument()
    return otlp_json(memory.get_finished_spans())


def instrumentor(name: str) -> Any:
    if name == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor
    elif name == "openllmetry":
        from opentelemetry.instrumentation.openai import OpenAIInstrumentor
    else:
        from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
    return OpenAIInstrumentor()


def with_pydantic_ai(base: str, scenario: str) -> Any:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
        InMemorySpanExporter,
    )
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.models.instrumented import InstrumentationSettings
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=base, api_key="k"))
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
    agent = Agent(model, instructions=SYSTEM, retries=3)

    @agent.tool_plain(name="read_sensor")
    def _sensor(bed: str = "all") -> Any:
        return read_sensor(bed)

    @agent.tool_plain(name="set_valve")
    def _valve(bed: str, litres: float) -> Any:
        try:
            return set_valve(bed, litres)
        except ToolError as error:
            raise ModelRetry(str(error)) from error

    @agent.tool_plain(name="open_roof")
    def _roof(angle: int) -> Any:
        return open_roof(angle)

    queue(scenario)
    for turns in SCENARIOS[scenario]:
        history: Any = None
        for turn, _ in turns:
            result = agent.run_sync(turn, message_history=history)
            history = result.all_messages()
    return otlp_json(memory.get_finished_spans())


def with_agents(client_base: str, scenario: str) -> Any:
    import agents
    from openai import AsyncOpenAI

    rows: list[Any] = []

    class Keep(agents.tracing.TracingProcessor):
        def on_trace_start(self, trace: Any) -> None: ...
        def on_trace_end(self, trace: Any) -> None:
            rows.append(trace.export())

        def on_span_start(self, span: Any) -> None: ...
        def on_span_end(self, span: Any) -> None:
            rows.append(span.export())

        def shutdown(self) -> None: ...
        def force_flush(self) -> None: ...

    agents.set_trace_processors([Keep()])
    agents.set_default_openai_client(
        AsyncOpenAI(base_url=client_base, api_key="k"), use_for_tracing=False
    )
    agents.set_default_openai_api("chat_completions")
    tools = [
        agents.function_tool(function, strict_mode=False)
        for function in FUNCTIONS.values()
    ]
    agent = agents.Agent(name="Green", instructions=SYSTEM, model=MODEL, tools=tools)
    queue(scenario)
    for number, turns in enumerate(SCENARIOS[scenario]):
        items: list[Any] = []
        for turn, _ in turns:
            items.append({"role": "user", "content": turn})
            result = agents.Runner.run_sync(
                agent, items, run_config=agents.RunConfig(group_id=f"g{number}")
            )
            items = result.to_input_list()
    return rows


def with_langgraph(base: str, scenario: str, kind: str) -> Any:
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    tools = [tool(function) for function in FUNCTIONS.values()]
    graph = create_react_agent(
        ChatOpenAI(model=MODEL, base_url=base, api_key="k"), tools, prompt=SYSTEM
    )
    config: dict[str, Any] = {"recursion_limit": 30}
    if kind == "openinference":
        from openinference.instrumentation.langchain import LangChainInstrumentor
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
            InMemorySpanExporter,
        )

        memory = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(memory))
        LangChainInstrumentor().instrument(tracer_provider=provider)

        def finish() -> Any:
            LangChainInstrumentor().uninstrument()
            return otlp_json(memory.get_finished_spans())
    else:
        from langchain_core.tracers.langchain import LangChainTracer

        client = keeping_client()
        tracer = LangChainTracer(client=client, project_name="p")
        config["callbacks"] = [tracer]

        def finish() -> Any:
            return merged_runs(client)

    queue(scenario)
    for turns in SCENARIOS[scenario]:
        messages: list[Any] = []
        for turn, _ in turns:
            messages.append({"role": "user", "content": turn})
            messages = graph.invoke({"messages": messages}, config)["messages"]
    return finish()


def keeping_client() -> Any:
    from langsmith import Client

    class Keeping(Client):
        def __init__(self) -> None:
            super().__init__(
                api_url="http://127.0.0.1:1", api_key="k", auto_batch_tracing=False
            )
            self.posts: list[Any] = []
            self.patches: list[Any] = []

        def create_run(self, *args: Any, **kwargs: Any) -> None:
            names = ("name", "inputs", "run_type")
            self.posts.append(
                json.loads(
                    json.dumps(
                        {**dict(zip(names, args, strict=False)), **kwargs},
                        default=plain,
                    )
                )
            )

        def update_run(self, run_id: Any, **kwargs: Any) -> None:
            self.patches.append(
                json.loads(json.dumps({"id": run_id, **kwargs}, default=plain))
            )

    return Keeping()


def plain(value: Any) -> Any:
    from langchain_core.load import dumpd

    for name in ("isoformat",):
        if hasattr(value, name):
            return value.isoformat()
    if hasattr(value, "lc_attributes") or hasattr(value, "to_json"):
        return dumpd(value)
    return str(value)


def merged_runs(client: Any) -> Any:
    return {"post": client.posts, "patch": client.patches}


def with_langsmith(client: Any, scenario: str) -> Any:
    from langsmith import traceable, tracing_context
    from langsmith.wrappers import wrap_openai

    keeping = keeping_client()
    wrapped = wrap_openai(client)

    def run(name: str, text: str) -> str:
        return run_tool(
            name,
            text,
            lambda tool: traceable(run_type="tool", name=tool, client=keeping)(
                FUNCTIONS[tool]
            ),
        )

    queue(scenario)
    with tracing_context(enabled=True, client=keeping):
        for number, turns in enumerate(SCENARIOS[scenario]):
            history: list[Any] = [{"role": "system", "content": SYSTEM}]
            for turn, _ in turns:
                traceable(
                    name="turn", client=keeping, metadata={"session_id": f"s{number}"}
                )(lambda user, known=history: loop(wrapped, user, known, run))(turn)
    return merged_runs(keeping)


def with_langfuse(base: str, scenario: str) -> Any:
    from langfuse import Langfuse, observe
    from langfuse.openai import OpenAI
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
        InMemorySpanExporter,
    )

    memory = InMemorySpanExporter()
    Langfuse(
        public_key="pk-lf-x",
        secret_key="sk",
        base_url=base.removesuffix("/v1"),
        span_exporter=memory,
    ) if LANGFUSE_EXPORTER else None
    client = OpenAI(base_url=base, api_key="k")

    def run(name: str, text: str) -> str:
        return run_tool(
            name, text, lambda tool: observe(name=tool, as_type="tool")(FUNCTIONS[tool])
        )

    queue(scenario)
    from langfuse import get_client

    for turns in SCENARIOS[scenario]:
        history: list[Any] = [{"role": "system", "content": SYSTEM}]
        for turn, _ in turns:
            observe(name="turn")(
                lambda user, known=history: loop(client, user, known, run)
            )(turn)
    get_client().flush()
    spans = memory.get_finished_spans()
    memory.clear()
    return otlp_json(spans)


LANGFUSE_EXPORTER = True


def main(folder: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/v1"
    from openai import OpenAI

    folder.mkdir(parents=True, exist_ok=True)

    def client() -> Any:
        return OpenAI(base_url=base, api_key="k", max_retries=0)

    import os

    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "span_only"
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    forms = {
        "otlp_openinference": lambda s: with_otel(
            ["openinference"], client(), s, tool_spans=True, one_trace=True
        ),
        "otlp_openinference_turns": lambda s: with_otel(
            ["openinference"], client(), s, tool_spans=False, one_trace=False
        ),
        "otlp_openllmetry": lambda s: with_otel(
            ["openllmetry"], client(), s, tool_spans=False, one_trace=True
        ),
        "otlp_openllmetry_turns": lambda s: with_otel(
            ["openllmetry"], client(), s, tool_spans=True, one_trace=False
        ),
        "otlp_genai_v2": lambda s: with_otel(
            ["v2"], client(), s, tool_spans=False, one_trace=True
        ),
        "otlp_two": lambda s: with_otel(
            ["openinference", "openllmetry"],
            client(),
            s,
            tool_spans=True,
            one_trace=True,
        ),
        "otlp_two_turned": lambda s: with_otel(
            ["openllmetry", "openinference"],
            client(),
            s,
            tool_spans=False,
            one_trace=True,
        ),
        "otlp_pydantic_ai": lambda s: with_pydantic_ai(base, s),
        "openai_agents": lambda s: with_agents(base, s),
        "otlp_langgraph": lambda s: with_langgraph(base, s, "openinference"),
        "langsmith_langgraph": lambda s: with_langgraph(base, s, "langsmith"),
        "langsmith": lambda s: with_langsmith(client(), s),
        "langfuse_otel": lambda s: with_langfuse(base, s),
    }
    only = sys.argv[2:]
    wanted: dict[str, Any] = {}
    for form, make in forms.items():
        if only and form not in only:
            continue
        for scenario in SCENARIOS:
            if os.environ.get("ONLY") and scenario != os.environ["ONLY"]:
                continue
            if scenario == "error" and "langgraph" in form:
                continue  # its tools do not catch their own errors
            data = make(scenario)
            name = f"{form}.{scenario}.json"
            (folder / name).write_text(
                json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8"
            )
            wanted[name] = {
                "conversations": expected(scenario),
                "in": sum(u["prompt_tokens"] for u in USED),
                "out": sum(u["completion_tokens"] for u in USED),
            }
    (folder / "expected.json").write_text(
        json.dumps(wanted, indent=1, ensure_ascii=False)
    )


main(Path(sys.argv[1]))
