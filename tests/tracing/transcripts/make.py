"""Writes the transcripts of this folder with the real libraries: a scripted model behind a local server, a bicycle shop.

    PYTHON tests/tracing/transcripts/make.py FOLDER

PYTHON is an interpreter of an environment with the libraries (each of them is left out where it is missing):

    uv pip install openai anthropic google-genai openai-agents langchain-openai langgraph pydantic-ai-slim[openai] \\
        haystack-ai smolagents autogen-agentchat "autogen-ext[openai]"
    uv pip install llama-index-core llama-index-llms-openai strands-agents        (in another one)

Writes `FOLDER/FORM/SCENARIO.json` and `FOLDER/FORM/versions.txt`. Server and script use the standard library only.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

SYSTEM: Final = "You are the desk of a bicycle shop. Never waive a deposit."
TOOLS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "find_bikes": ("Free bicycles.", {"day": "string", "height_cm": "integer"}),
    "reserve_bike": ("Reserve a bicycle.", {"bike": "string", "hours": "number"}),
    "waive_deposit": ("Waive a deposit.", {"reservation": "string"}),
    "send_note": ("Send a note.", {"text": "string", "tags": "array"}),
}
RESULTS: Final[dict[str, Any]] = {
    "find_bikes": ["Peña 3", "Gravel 7"],
    "reserve_bike": {"reservation": "B-88", "price": 31.5, "paid": False, "note": None},
    "waive_deposit": "waived",
    "send_note": {"sent": [1, [2, 3]]},
}
ASK: Final = "Ein Rad für morgen, bitte: 178 cm 🚲"
MALFORMED: Final = '{"bike": "Peña 3", "hours": 2.5'

Reply = tuple[str | None, list[tuple[str, str]]]
SCENARIOS: Final[dict[str, list[tuple[str, list[Reply]]]]] = {
    "forbidden": [
        (
            ASK,
            [
                (None, [("reserve_bike", '{"bike": "Gravel 7", "hours": 2.5}')]),
                ("Reserved as B-88.", []),
            ],
        ),
        (
            "And the deposit?",
            [
                ("One moment.", [("waive_deposit", '{"reservation": "B-88"}')]),
                ("The deposit is waived.", []),
            ],
        ),
    ],
    "malformed": [
        (
            ASK,
            [
                (None, [("reserve_bike", MALFORMED)]),
                ("That did not work; please call us.", []),
            ],
        )
    ],
    "parallel": [
        (
            ASK,
            [
                (
                    "I look at three things.",
                    [
                        ("find_bikes", '{"day": "2026-05-02", "height_cm": 178}'),
                        ("reserve_bike", '{"bike": "Peña 3", "hours": 4}'),
                        (
                            "send_note",
                            '{"text": "naïve \\"quote\\"\\nline", "tags": [["a", 1], {"b": null}]}',
                        ),
                    ],
                ),
                ("Done: B-88.", []),
            ],
        )
    ],
    "claim": [(ASK, [("Your bicycle is reserved under B-88.", [])])],
    "refusal": [("Waive my deposit.", [("I can't waive deposits.", [])])],
    "empty": [(ASK, [(None, [("find_bikes", "{}")]), ("Two are free.", [])])],
    "retry": [
        (
            ASK,
            [
                (None, [("send_note", '{"text": "fail", "tags": []}')]),
                (
                    "The note failed; once more.",
                    [("send_note", '{"text": "ok", "tags": []}')],
                ),
                ("Sent.", []),
            ],
        )
    ],
}
MODEL: Final = "gpt-4.1-mini"


def lib(name: str) -> Any:
    """A module of a library."""
    return import_module(name)


# --- the model ---


class Model:
    """Gives its replies in their order, one a request."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.position = 0

    def start(self, replies: list[Reply]) -> None:
        """Begin another conversation."""
        self.replies, self.position = replies, 0

    def reply(self) -> tuple[int, str | None, list[tuple[str, str, str]]]:
        """Position, text and calls (id, tool, arguments)."""
        position = self.position
        self.position += 1
        text, calls = self.replies[min(position, len(self.replies) - 1)]
        return (
            position,
            text,
            [(f"call_{position}_{number}", *call) for number, call in enumerate(calls)],
        )


MODEL_STATE: Final = Model()


def chat() -> dict[str, Any]:
    """A chat completion."""
    position, text, calls = MODEL_STATE.reply()
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}}
            for i, n, a in calls
        ]
    return {
        "id": f"chatcmpl-{position}",
        "object": "chat.completion",
        "created": 1770000000 + position,
        "model": f"{MODEL}-2025-04-14",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 100 + position,
            "completion_tokens": 10 + position,
            "total_tokens": 110 + 2 * position,
        },
    }


def claude() -> dict[str, Any]:
    """A message of Anthropic's. Arguments are an object there, so what is no JSON arrives as an empty one."""
    position, text, calls = MODEL_STATE.reply()
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": i, "name": n, "input": object_or_empty(a)}
        for i, n, a in calls
    ]
    return {
        "id": f"msg_{position}",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100 + position, "output_tokens": 10 + position},
    }


def gemini() -> dict[str, Any]:
    """A reply of Gemini's. A malformed call leaves only the reason why the model stopped."""
    position, text, calls = MODEL_STATE.reply()
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    reason = "STOP"
    for _, name, arguments in calls:
        if arguments == MALFORMED:
            parts, reason = [], "MALFORMED_FUNCTION_CALL"
        else:
            parts.append(
                {"functionCall": {"name": name, "args": json.loads(arguments)}}
            )
    content = {"content": {"role": "model", "parts": parts}} if parts else {}
    usage = {
        "promptTokenCount": 100 + position,
        "candidatesTokenCount": 10 + position,
        "totalTokenCount": 110 + 2 * position,
    }
    return {
        "candidates": [{**content, "finishReason": reason, "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "gemini-2.5-flash",
    }


def object_or_empty(text: str) -> Any:
    """The object that a text writes."""
    try:
        return json.loads(text)
    except ValueError:
        return {}


class Handler(BaseHTTPRequestHandler):
    """One request of a library."""

    def do_POST(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = (
            gemini
            if "generateContent" in self.path
            else claude
            if self.path.endswith("/messages")
            else chat
        )
        data = json.dumps(answer(), ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
        """Print nothing."""


# --- the tools ---


def run(name: str, arguments: dict[str, Any]) -> Any:
    """What a tool gives back; the note `fail` raises."""
    if arguments.get("text") == "fail":
        raise RuntimeError("the post office does not answer")
    return RESULTS[name]


def find_bikes(day: str = "", height_cm: int = 0) -> list[str]:
    """Free bicycles.

    Args:
        day: the day
        height_cm: of the rider
    """
    result: list[str] = run("find_bikes", {"day": day, "height_cm": height_cm})
    return result


def reserve_bike(bike: str, hours: float) -> dict[str, Any]:
    """Reserve a bicycle.

    Args:
        bike: its name
        hours: how long
    """
    result: dict[str, Any] = run("reserve_bike", {"bike": bike, "hours": hours})
    return result


def waive_deposit(reservation: str) -> str:
    """Waive a deposit.

    Args:
        reservation: its id
    """
    result: str = run("waive_deposit", {"reservation": reservation})
    return result


def send_note(text: str, tags: list[Any]) -> dict[str, Any]:
    """Send a note.

    Args:
        text: the text
        tags: any values
    """
    result: dict[str, Any] = run("send_note", {"text": text, "tags": tags})
    return result


FUNCTIONS: Final[tuple[Callable[..., Any], ...]] = (
    find_bikes,
    reserve_bike,
    waive_deposit,
    send_note,
)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    properties: dict[str, Any] = {
        key: {"type": kind, **({"items": {}} if kind == "array" else {})}
        for key, kind in TOOLS[name][1].items()
    }
    return {"type": "object", "properties": properties}


def told(name: str, text: str) -> tuple[str, bool]:
    """What a hand-written loop tells the model of a call, and whether it failed."""
    try:
        result = run(name, json.loads(text))
    except (RuntimeError, ValueError) as error:
        return json.dumps({"error": str(error)}), True
    return result if isinstance(result, str) else json.dumps(
        result, ensure_ascii=False
    ), False


# --- the libraries: each function gives what its form writes of a conversation ---

Turns = list[tuple[str, list[Reply]]]


def openai_chat(url: str, turns: Turns) -> Any:
    """Chat messages of the SDK; parallel results in the reverse order."""
    client = lib("openai").OpenAI(base_url=f"{url}/v1", api_key="none")
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": TOOLS[name][0],
                "parameters": schema(name),
            },
        }
        for name in TOOLS
    ]
    messages: list[Any] = [{"role": "system", "content": SYSTEM}]
    for user, _ in turns:
        messages.append({"role": "user", "content": user})
        while True:
            message = (
                client.chat.completions.create(
                    model=MODEL, messages=messages, tools=tools
                )
                .choices[0]
                .message
            )
            messages.append(message.model_dump())
            for call in reversed(message.tool_calls or []):
                content = told(call.function.name, call.function.arguments)[0]
                messages.append(
                    {"role": "tool", "tool_call_id": call.id, "content": content}
                )
            if not message.tool_calls:
                break
    return messages


def anthropic_messages(url: str, turns: Turns) -> Any:
    """Messages of Anthropic's SDK."""
    client = lib("anthropic").Anthropic(base_url=url, api_key="none")
    tools = [
        {"name": name, "description": TOOLS[name][0], "input_schema": schema(name)}
        for name in TOOLS
    ]
    messages: list[Any] = []
    for user, _ in turns:
        messages.append({"role": "user", "content": user})
        while True:
            reply = client.messages.create(
                model="claude-sonnet-4-5",
                max_tokens=99,
                system=SYSTEM,
                messages=messages,
                tools=tools,
            )
            messages.append(
                {
                    "role": "assistant",
                    "content": [block.model_dump() for block in reply.content],
                }
            )
            results: list[Any] = []
            for block in reply.content:
                if block.type == "tool_use":
                    content, failed = told(block.name, json.dumps(block.input))
                    results.append(
                        {
                            "type": "tool_result",
                            "tool_use_id": block.id,
                            "content": content,
                            "is_error": failed,
                        }
                    )
            if not results:
                break
            messages.append({"role": "user", "content": results})
    return {"model": "claude-sonnet-4-5", "system": SYSTEM, "messages": messages}


def google_exchange(url: str, turns: Turns) -> Any:
    """Request and response of each call of google-genai."""
    types = lib("google.genai.types")
    client = lib("google.genai").Client(
        api_key="none", http_options=types.HttpOptions(base_url=url)
    )
    declared = [
        types.FunctionDeclaration(
            name=name, description=TOOLS[name][0], parameters_json_schema=schema(name)
        )
        for name in TOOLS
    ]
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM, tools=[types.Tool(function_declarations=declared)]
    )
    contents: list[Any] = []
    log: list[Any] = []
    for user, _ in turns:
        contents.append(types.Content(role="user", parts=[types.Part(text=user)]))
        while True:
            reply = client.models.generate_content(
                model="gemini-2.5-flash", contents=contents, config=config
            )
            request = {
                "model": "gemini-2.5-flash",
                "contents": [
                    content.model_dump(mode="json", exclude_none=True)
                    for content in contents
                ],
            }
            log.append(
                {
                    "request": request,
                    "response": json.loads(reply.model_dump_json(exclude_none=True)),
                }
            )
            content = reply.candidates[0].content
            if content is None or not content.parts:
                break
            contents.append(content)
            calls = [part.function_call for part in content.parts if part.function_call]
            if not calls:
                break
            parts: list[Any] = []
            for call in calls:
                text, failed = told(call.name, json.dumps(call.args or {}))
                response = {"error" if failed else "result": text}
                parts.append(
                    types.Part(
                        function_response=types.FunctionResponse(
                            name=call.name, response=response
                        )
                    )
                )
            contents.append(types.Content(role="user", parts=parts))
    return log


def langchain_state(url: str, turns: Turns, dump: Callable[[list[Any]], Any]) -> Any:
    """The messages of a LangGraph agent."""
    model = lib("langchain_openai").ChatOpenAI(
        model=MODEL, base_url=f"{url}/v1", api_key="none"
    )
    node = lib("langgraph.prebuilt").ToolNode(list(FUNCTIONS), handle_tool_errors=True)
    agent = lib("langgraph.prebuilt").create_react_agent(model, node, prompt=SYSTEM)
    messages: list[Any] = []
    for user, _ in turns:
        messages = agent.invoke({"messages": [*messages, ("user", user)]})["messages"]
    return dump(messages)


def langchain_dicts(url: str, turns: Turns) -> Any:
    """`messages_to_dict`."""
    return langchain_state(
        url,
        turns,
        lambda messages: lib("langchain_core.messages").messages_to_dict(messages),
    )


def langgraph_values(url: str, turns: Turns) -> Any:
    """The values of the state."""
    return langchain_state(
        url,
        turns,
        lambda messages: {"messages": [message.model_dump() for message in messages]},
    )


def pydantic_ai(url: str, turns: Turns) -> Any:
    """`all_messages_json`."""
    provider = lib("pydantic_ai.providers.openai").OpenAIProvider(
        base_url=f"{url}/v1", api_key="none"
    )
    model = lib("pydantic_ai.models.openai").OpenAIChatModel(MODEL, provider=provider)
    retry = lib("pydantic_ai").ModelRetry

    def note(text: str, tags: list[Any]) -> Any:
        try:
            return send_note(text, tags)
        except RuntimeError as error:
            raise retry(str(error)) from error

    agent = lib("pydantic_ai").Agent(model, instructions=SYSTEM, retries=3)
    for function in FUNCTIONS[:3]:
        agent.tool_plain(function)
    agent.tool_plain(name="send_note")(note)
    history: list[Any] = []
    result: Any = None
    for user, _ in turns:
        result = agent.run_sync(user, message_history=history)
        history = result.all_messages()
    return json.loads(result.all_messages_json())


def agents_runs(url: str, turns: Turns) -> Any:
    """Input, items and responses of each run of the Agents SDK."""
    agents = lib("agents")
    agents.set_tracing_disabled(True)
    client = lib("openai").AsyncOpenAI(base_url=f"{url}/v1", api_key="none")
    tools = [
        agents.function_tool(function, strict_mode=False) for function in FUNCTIONS
    ]
    agent = agents.Agent(
        "Desk",
        instructions=SYSTEM,
        model=agents.OpenAIChatCompletionsModel(MODEL, client),
        tools=tools,
    )
    given: Any = []
    runs: list[Any] = []
    for user, _ in turns:
        given = [*given, {"role": "user", "content": user}]
        result = asyncio.run(agents.Runner.run(agent, given))
        items = [
            {"type": item.type, "raw_item": dumped(item.raw_item)}
            for item in result.new_items
        ]
        responses = [
            {
                "output": [dumped(part) for part in one.output],
                "usage": dumped(one.usage),
            }
            for one in result.raw_responses
        ]
        runs.append(
            {
                "input": given,
                "new_items": items,
                "raw_responses": responses,
                "final_output": result.final_output,
            }
        )
        given = result.to_input_list()
    return runs


def agents_input(url: str, turns: Turns) -> Any:
    """`to_input_list` of the last run."""
    runs = agents_runs(url, turns)
    items = [item["raw_item"] for item in runs[-1]["new_items"]]
    return [*runs[-1]["input"], *items]


def dumped(value: Any) -> Any:
    """A value of the SDK as data."""
    dump: Any = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(exclude_none=True)
    return json.loads(json.dumps(value, default=_dumped_part))


def _dumped_part(part: Any) -> Any:
    dump: Any = getattr(part, "model_dump", None)
    fields: Any = part.__dict__
    return fields if dump is None else dumped(part)


def haystack(url: str, turns: Turns) -> Any:
    """`ChatMessage.to_dict` of an agent."""
    tools = [
        lib("haystack.tools").create_tool_from_function(function)
        for function in FUNCTIONS
    ]
    secret = lib("haystack.utils").Secret.from_token("none")
    generator = lib("haystack.components.generators.chat").OpenAIChatGenerator(
        model=MODEL, api_base_url=f"{url}/v1", api_key=secret
    )
    agent = lib("haystack.components.agents").Agent(
        chat_generator=generator,
        tools=tools,
        system_prompt=SYSTEM,
        raise_on_tool_invocation_failure=False,
    )
    message = lib("haystack.dataclasses").ChatMessage
    messages: list[Any] = []
    for user, _ in turns:
        messages = agent.run(
            messages=[
                *[m for m in messages if m.role.value != "system"],
                message.from_user(user),
            ]
        )["messages"]
    return [one.to_dict() for one in messages]


def smolagents(url: str, turns: Turns) -> Any:
    """`get_full_steps` of a ToolCallingAgent; without its prompts, which are long."""
    library = lib("smolagents")
    model = library.OpenAIServerModel(
        model_id=MODEL, api_base=f"{url}/v1", api_key="none"
    )
    agent = library.ToolCallingAgent(
        tools=[library.tool(function) for function in FUNCTIONS],
        model=model,
        verbosity_level=0,
    )
    for position, (user, _) in enumerate(turns):
        agent.run(user, reset=position == 0, max_steps=6)
    steps = json.loads(json.dumps(agent.memory.get_full_steps(), default=str))
    return [
        {**step, "model_input_messages": []} if "model_input_messages" in step else step
        for step in steps
    ]


def autogen(url: str, turns: Turns) -> Any:
    """The messages of each run's result."""
    client = lib("autogen_ext.models.openai").OpenAIChatCompletionClient(
        model=MODEL, base_url=f"{url}/v1", api_key="none"
    )
    agent = lib("autogen_agentchat.agents").AssistantAgent(
        "desk",
        client,
        tools=list(FUNCTIONS),
        system_message=SYSTEM,
        max_tool_iterations=5,
        reflect_on_tool_use=False,
    )
    messages: list[Any] = []

    async def talk() -> None:
        for user, _ in turns:
            result = await agent.run(task=user)
            messages.extend(
                json.loads(message.model_dump_json()) for message in result.messages
            )

    asyncio.run(talk())
    return {"messages": messages, "stop_reason": None}


def llamaindex(url: str, turns: Turns) -> Any:
    """The messages in the memory of a FunctionAgent."""
    model = lib("llama_index.llms.openai").OpenAI(
        model=MODEL, api_base=f"{url}/v1", api_key="none"
    )
    tools = [
        lib("llama_index.core.tools").FunctionTool.from_defaults(function)
        for function in FUNCTIONS
    ]
    agent = lib("llama_index.core.agent.workflow").FunctionAgent(
        tools=tools, llm=model, system_prompt=SYSTEM, streaming=False
    )
    memory = lib("llama_index.core.memory").ChatMemoryBuffer.from_defaults(
        token_limit=9000
    )

    async def talk() -> None:
        for user, _ in turns:
            await agent.run(user_msg=user, memory=memory)

    asyncio.run(talk())
    return [message.model_dump(mode="json") for message in memory.get_all()]


FORMS: Final[dict[str, tuple[Callable[[str, Turns], Any], tuple[str, ...]]]] = {
    "openai_chat": (openai_chat, ("openai",)),
    "anthropic": (anthropic_messages, ("anthropic",)),
    "google_exchange": (google_exchange, ("google-genai",)),
    "langchain_dicts": (
        langchain_dicts,
        ("langchain-core", "langchain-openai", "langgraph"),
    ),
    "langgraph_state": (
        langgraph_values,
        ("langgraph", "langchain-core", "langchain-openai"),
    ),
    "pydantic_ai": (pydantic_ai, ("pydantic-ai-slim", "openai")),
    "agents_runs": (agents_runs, ("openai-agents", "openai")),
    "agents_input": (agents_input, ("openai-agents", "openai")),
    "haystack": (haystack, ("haystack-ai", "openai")),
    "smolagents": (smolagents, ("smolagents", "openai")),
    "autogen": (autogen, ("autogen-agentchat", "autogen-ext", "openai")),
    "llamaindex": (llamaindex, ("llama-index-core", "llama-index-llms-openai")),
}


def replies_for(form: str, turns: Turns) -> list[Reply]:
    """The replies of all turns. An agent of smolagents answers by a call."""
    replies = [reply for _, turn in turns for reply in turn]
    if form != "smolagents":
        return replies
    return [
        (None, [("final_answer", json.dumps({"answer": text}))])
        if not calls
        else (text, calls)
        for text, calls in replies
    ]


def conversations(url: str, form: str) -> Iterator[tuple[str, Any]]:
    """Each scenario, as the form writes it."""
    for name, turns in SCENARIOS.items():
        MODEL_STATE.start(replies_for(form, turns))
        try:
            yield name, FORMS[form][0](url, turns)
        except Exception as error:  # noqa: BLE001 (a library that gives up has no transcript)
            sys.stderr.write(f"{form} {name}: {type(error).__name__}: {error}\n")


def main() -> None:
    """Write what the installed libraries give."""
    folder = Path(sys.argv[1])
    wanted = sys.argv[2:] or list(FORMS)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    for form in wanted:
        try:
            versions = [f"{package} {version(package)}" for package in FORMS[form][1]]
        except ModuleNotFoundError:
            sys.stderr.write(f"{form}: not installed\n")
            continue
        (folder / form).mkdir(parents=True, exist_ok=True)
        for name, transcript in conversations(url, form):
            text = json.dumps(transcript, ensure_ascii=False, default=str).replace(
                url, "http://127.0.0.1"
            )
            (folder / form / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        (folder / form / "versions.txt").write_text(
            "\n".join(versions) + "\n", encoding="utf-8"
        )
    server.shutdown()


if __name__ == "__main__":
    main()
