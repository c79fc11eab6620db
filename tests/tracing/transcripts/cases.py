"""One call written as each format of the table writes it. Without a name, nobody can say which tool was called."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

Json = dict[str, Any]

USER: Final = "Bitte Rad B-88 stornieren, 2 Tage 🚲"
ANSWER: Final = "Erledigt: B-88."
ARGUMENTS: Final[Json] = {
    "reservation": "B-88",
    "days": 2,
    "why": ["naïve", {"x": None}],
}
TEXT: Final = json.dumps(ARGUMENTS, ensure_ascii=False)


def _(**fields: Any) -> Json:
    """The fields that have a value."""
    return {key: value for key, value in fields.items() if value is not None}


def _chat(name: str | None, *, end: bool = True) -> list[Json]:
    call = {"id": "c1", "type": "function", "function": _(name=name, arguments=TEXT)}
    messages: list[Json] = [
        {"role": "user", "content": USER},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    return [*messages, {"role": "assistant", "content": ANSWER}] if end else messages


def _items(name: str | None) -> list[Json]:
    return [
        {
            "type": "function_call",
            "id": "f1",
            "call_id": "c1",
            "arguments": TEXT,
            **_(name=name),
        },
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": ANSWER}],
        },
    ]


def _blocks(name: str | None) -> list[Json]:
    return [
        {"role": "user", "content": USER},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "input": ARGUMENTS, **_(name=name)}
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "done"}
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ]


def _exchanges(name: str | None) -> list[Json]:
    first, reply, result, answer = _chat(name)
    return [
        {
            "request": {"messages": [first]},
            "response": {
                "choices": [{"message": reply, "finish_reason": "tool_calls"}]
            },
        },
        {
            "request": {"messages": [first, reply, result]},
            "response": {"choices": [{"message": answer}]},
        },
    ]


def _agents_trace(name: str | None) -> list[Json]:
    spans: list[Json] = []
    for number, messages in enumerate((_chat(name)[:1], _chat(name)[:3])):
        output = [_chat(name)[1 if number == 0 else 3]]
        data = {"type": "generation", "input": messages, "output": output, "model": "m"}
        spans.append(
            {
                "object": "trace.span",
                "id": f"s{number}",
                "trace_id": "t",
                "started_at": f"2026-05-01T10:00:0{number}Z",
                "span_data": data,
            }
        )
    return [*reversed(spans), {"object": "trace", "id": "t", "group_id": "g"}]


def _claude_code(name: str | None) -> list[Json]:
    lines: list[Json] = []
    for number, message in enumerate(_blocks(name)):
        line = {
            "type": message["role"],
            "sessionId": "s",
            "uuid": f"u{number}",
            "message": {**message, "id": f"m{number}"},
        }
        lines.append(line)
    return lines


def _codex(name: str | None) -> list[Json]:
    said = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": USER}],
    }
    lines = [
        {"type": "response_item", "payload": payload}
        for payload in [said, *_items(name)]
    ]
    return [{"type": "session_meta", "payload": {"id": "s"}}, *lines]


def _mcp(name: str | None) -> list[Json]:
    return [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"arguments": ARGUMENTS, **_(name=name)},
        },
        {
            "jsonrpc": "2.0",
            "id": 2,
            "result": {"content": [{"type": "text", "text": "done"}], "isError": False},
        },
    ]


def _llamaindex(name: str | None) -> list[Json]:
    user = {"role": "user", "blocks": [{"block_type": "text", "text": USER}]}
    call = {"tool_kwargs": ARGUMENTS, "tool_id": "c1", **_(tool_name=name)}
    reply: Json = {"role": "assistant", "blocks": []}
    answer = {"role": "assistant", "blocks": [{"block_type": "text", "text": ANSWER}]}
    return [
        {"event": "AgentInput", "data": {"input": [user]}},
        {"event": "AgentOutput", "data": {"response": reply, "tool_calls": [call]}},
        {"event": "AgentOutput", "data": {"response": answer, "tool_calls": []}},
    ]


def _agents_run(name: str | None) -> list[Json]:
    kinds = ("tool_call_item", "tool_call_output_item", "message_output_item")
    items = [
        {"type": kind, "raw_item": item}
        for kind, item in zip(kinds, _items(name), strict=True)
    ]
    return [
        {"input": USER, "new_items": items, "raw_responses": [], "final_output": ANSWER}
    ]


def _vercel(name: str | None) -> list[Json]:
    call = {
        "type": "tool-call",
        "toolCallId": "c1",
        "input": ARGUMENTS,
        **_(toolName=name),
    }
    steps = [{"content": [call]}, {"content": [{"type": "text", "text": ANSWER}]}]
    return [{"text": ANSWER, "finishReason": "stop", "steps": steps}]


def _smolagents(name: str | None) -> list[Json]:
    call = {
        "id": "c1",
        "type": "function",
        "function": _(name=name, arguments=ARGUMENTS),
    }
    step = {
        "step_number": 1,
        "model_output_message": {"role": "assistant", "tool_calls": [call]},
        "observations": "done",
    }
    answer = {
        "id": "c2",
        "function": {"name": "final_answer", "arguments": {"answer": ANSWER}},
    }
    last = {
        "step_number": 2,
        "model_output_message": {"role": "assistant", "tool_calls": [answer]},
        "is_final_answer": True,
    }
    return [{"task": USER}, step, last]


def _adk(name: str | None) -> Json:
    parts = [
        ("user", {"text": USER}),
        ("model", {"function_call": _(id="c1", name=name, args=ARGUMENTS)}),
        (
            "user",
            {
                "function_response": {
                    "id": "c1",
                    "name": name or "x",
                    "response": {"result": "done"},
                }
            },
        ),
        ("model", {"text": ANSWER}),
    ]
    events = [
        {
            "author": "a" if role == "model" else "user",
            "content": {"role": role, "parts": [part]},
        }
        for role, part in parts
    ]
    return {"id": "s", "app_name": "bikes", "events": events}


def _framework(name: str | None) -> Json:
    call = {"type": "function_call", "call_id": "c1", "arguments": TEXT, **_(name=name)}
    result = {"type": "function_result", "call_id": "c1", "result": "done"}
    rows = [
        ("user", {"type": "text", "text": USER}),
        ("assistant", call),
        ("tool", result),
        ("assistant", {"type": "text", "text": ANSWER}),
    ]
    messages = [
        {"type": "message", "role": role, "contents": [part]} for role, part in rows
    ]
    return {
        "type": "session",
        "session_id": "s",
        "state": {"memory": {"messages": messages}},
    }


def _autogen(name: str | None) -> Json:
    messages = [
        {"type": "UserMessage", "source": "user", "content": USER},
        {
            "type": "AssistantMessage",
            "source": "desk",
            "content": [_(id="c1", arguments=TEXT, name=name)],
        },
        {
            "type": "FunctionExecutionResultMessage",
            "content": [
                {
                    "call_id": "c1",
                    "content": "done",
                    "is_error": False,
                    "name": name or "x",
                }
            ],
        },
        {"type": "AssistantMessage", "source": "desk", "content": ANSWER},
    ]
    return {"type": "AssistantAgentState", "llm_context": {"messages": messages}}


def _deepeval(name: str | None) -> Json:
    call = {"inputParameters": ARGUMENTS, "output": "done", **_(name=name)}
    return {
        "testCases": [
            {"name": "n", "input": USER, "actualOutput": ANSWER, "toolsCalled": [call]}
        ],
        "conversationalTestCases": [],
    }


def _pydantic(name: str | None) -> Json:
    call = {
        "part_kind": "tool-call",
        "args": TEXT,
        "tool_call_id": "c1",
        **_(tool_name=name),
    }
    result = {
        "part_kind": "tool-return",
        "content": "done",
        "tool_call_id": "c1",
        "tool_name": name or "x",
    }
    messages = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": USER}]},
        {"kind": "response", "parts": [call]},
        {"kind": "request", "parts": [result]},
        {"kind": "response", "parts": [{"part_kind": "text", "content": ANSWER}]},
    ]
    return {
        "cases": [
            {
                "name": "n",
                "inputs": USER,
                "output": {"answer": ANSWER, "messages": messages},
            }
        ]
    }


def _promptfoo(name: str | None) -> Json:
    response = {"output": ANSWER, "metadata": {"messages": _chat(name)}}
    return {
        "results": {
            "results": [
                {"id": "r", "vars": {}, "prompt": {"raw": USER}, "response": response}
            ]
        }
    }


def _atif(name: str | None) -> Json:
    call = _(tool_call_id="c1", function_name=name, arguments=ARGUMENTS)
    result = {"results": [{"source_call_id": "c1", "content": "done"}]}
    steps = [
        {"step_id": 1, "source": "user", "message": USER},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [call],
            "observation": result,
        },
        {"step_id": 3, "source": "agent", "message": ANSWER},
    ]
    return {
        "schema_version": "ATIF-v1.5",
        "session_id": "s",
        "agent": {"name": "a", "model_name": "m"},
        "steps": steps,
    }


def _tau(name: str | None) -> Json:
    call = {
        "id": "c1",
        "arguments": ARGUMENTS,
        "requestor": "assistant",
        **_(name=name),
    }
    messages = [
        {"role": "user", "content": USER},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "id": "c1",
            "content": "done",
            "requestor": "assistant",
            "error": False,
        },
        {"role": "assistant", "content": ANSWER},
    ]
    return {"info": {}, "simulations": [{"id": "s", "messages": messages}]}


def _updates(name: str | None) -> list[Json]:
    call = {"id": "c1", "type": "tool_call", "args": ARGUMENTS, **_(name=name)}
    messages: list[Json] = [
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "tool_call_id": "c1", "name": name or "x", "content": "done"},
        {"type": "ai", "content": ANSWER, "tool_calls": []},
    ]
    nodes = ("agent", "tools", "agent")
    return [
        {node: {"messages": [message]}}
        for node, message in zip(nodes, messages, strict=True)
    ]


def _executor(name: str | None) -> Json:
    action = {"tool_input": ARGUMENTS, "log": "", **_(tool=name)}
    return {
        "input": USER,
        "output": ANSWER,
        "intermediate_steps": [[action, "done"]],
    }


def _openhands(name: str | None) -> list[Json]:
    called = {"arguments": ARGUMENTS, **_(name=name)}
    agent = {"source": "agent"}
    return [
        {"id": 0, "source": "user", "action": "message", "args": {"content": USER}},
        {"id": 1, **agent, "action": "call_tool_mcp" if name else None, "args": called},
        {"id": 2, **agent, "observation": "mcp", "content": "done", "cause": 1},
        {"id": 3, **agent, "action": "finish", "args": {"final_thought": ANSWER}},
    ]


def _ag_ui(name: str | None) -> list[Json]:
    start = {"type": "TOOL_CALL_START", "toolCallId": "c1", **_(toolCallName=name)}
    half = len(TEXT) // 2
    said = [
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "user", "content": USER}]},
        start,
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": TEXT[:half]},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": TEXT[half:]},
        {"type": "TOOL_CALL_END", "toolCallId": "c1"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c1", "content": "done"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": ANSWER},
        {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    ]
    return [{"type": "RUN_STARTED", "runId": "r"}, *said, {"type": "RUN_FINISHED"}]


def _a2a(name: str | None) -> Json:
    call = {"id": "c1", "args": ARGUMENTS, **_(name=name)}
    result = {"id": "c1", "response": "done", **_(name=name)}

    def data(value: Json, kind: str) -> Json:
        return {"kind": "data", "data": value, "metadata": {"adk_type": kind}}

    parts = [data(call, "function_call"), data(result, "function_response")]
    answer = {"role": "agent", "parts": [{"kind": "text", "text": ANSWER}]}
    return {
        "id": "task-1",
        "contextId": "c",
        "kind": "task",
        "history": [
            {"role": "user", "parts": [{"kind": "text", "text": USER}]},
            {"role": "agent", "parts": parts},
        ],
        "status": {"state": "completed", "message": answer},
    }


def _llama_stack(name: str | None) -> Json:
    call = {"call_id": "c1", "arguments": ARGUMENTS, **_(tool_name=name)}
    response = {"call_id": "c1", "content": "done", **_(tool_name=name)}
    executed = {"tool_calls": [call], "tool_responses": [response]}
    turn = {
        "input_messages": [{"role": "user", "content": USER}],
        "steps": [{"step_type": "tool_execution", **executed}],
        "output_message": {"role": "assistant", "content": ANSWER},
    }
    return {"session_id": "s", "turns": [turn]}


def _bedrock_agent(name: str | None) -> list[Json]:
    def event(**part: Any) -> Json:
        return {"trace": {"orchestrationTrace": part}}

    body = {
        "content": {
            "application/json": [
                {"name": key, "value": value} for key, value in ARGUMENTS.items()
            ]
        }
    }
    invoked = {"requestBody": body, **_(function=name)}
    return [
        event(invocationInput={"actionGroupInvocationInput": invoked}),
        event(observation={"actionGroupInvocationOutput": {"text": "done"}}),
        event(observation={"finalResponse": {"text": ANSWER}}),
    ]


def _dify(name: str | None) -> Json:
    thought = {
        "tool": name,
        "tool_input": json.dumps({name or "": ARGUMENTS}),
        "observation": json.dumps({name or "": "done"}),
    }
    return {"query": USER, "answer": ANSWER, "agent_thoughts": [thought]}


def _chatgpt(name: str | None) -> Json:
    def said(role: str, content: Json, **more: Any) -> Json:
        return {"author": {"role": role}, "content": content, **more}

    def parts(text: str) -> Json:
        return {"content_type": "text", "parts": [text]}

    called = {"content_type": "code", "text": TEXT}
    messages = [
        said("user", parts(USER)),
        said("assistant", called, recipient=name or ""),
        said("tool", parts("done"), recipient="all"),
        said("assistant", parts(ANSWER), recipient="all"),
    ]
    mapping: Json = {"n0": {"id": "n0", "parent": None, "message": None}}
    for number, message in enumerate(messages, start=1):
        mapping[f"n{number}"] = {"parent": f"n{number - 1}", "message": message}
    other = {"parent": "n1", "message": said("assistant", parts("Another answer."))}
    return {"mapping": {**mapping, "n9": other}, "current_node": "n4"}


def _goose(name: str | None) -> list[Json]:
    call = {"status": "success", "value": {"arguments": ARGUMENTS, **_(name=name)}}
    result = {"status": "success", "value": [{"type": "text", "text": "done"}]}

    def message(role: str, part: Json) -> Json:
        return {"role": role, "created": 1, "content": [part]}

    return [
        {"working_dir": "/work", "message_count": 4},
        message("user", {"type": "text", "text": USER}),
        message("assistant", {"type": "toolRequest", "id": "c1", "toolCall": call}),
        message("user", {"type": "toolResponse", "id": "c1", "toolResult": result}),
        message("assistant", {"type": "text", "text": ANSWER}),
    ]


def _sharegpt(name: str | None) -> Json:
    call = json.dumps({"arguments": ARGUMENTS, **_(name=name)})
    return {
        "conversations": [
            {"from": "human", "value": USER},
            {"from": "function_call", "value": call},
            {"from": "observation", "value": "done"},
            {"from": "gpt", "value": ANSWER},
        ]
    }


CASES: Final[dict[str, Callable[[str | None], Any]]] = {
    "openai_agents": _agents_trace,
    "exchanges": _exchanges,
    "claude-code": _claude_code,
    "codex": _codex,
    "mcp": _mcp,
    "llamaindex-events": _llamaindex,
    "openai-agents": _agents_run,
    "agno": lambda name: [
        {
            "run_id": "r",
            "agent_id": "a",
            "session_id": "s",
            "metrics": {},
            "messages": _chat(name),
        }
    ],
    "crewai": lambda name: {
        "raw": ANSWER,
        "tasks_output": [{"description": USER, "messages": _chat(name)}],
        "token_usage": {},
    },
    "vercel-steps": _vercel,
    "smolagents": _smolagents,
    "google-adk": _adk,
    "agent-framework": _framework,
    "autogen-state": _autogen,
    "inspect": lambda name: {
        "eval": {"model": "m"},
        "samples": [{"id": "s", "messages": _chat(name)}],
    },
    "deepeval": _deepeval,
    "pydantic-evals": _pydantic,
    "promptfoo": _promptfoo,
    "atif": _atif,
    "tau": _tau,
    "agent-executor": _executor,
    "openhands": _openhands,
    "ag-ui": _ag_ui,
    "a2a": _a2a,
    "llama-stack": _llama_stack,
    "bedrock-agent": _bedrock_agent,
    "dify": _dify,
    "chatgpt": _chatgpt,
    "goose": _goose,
    "sharegpt": _sharegpt,
    "langgraph-updates": _updates,
    "messages": _chat,
}
"""By format: the transcript of one call of the tool of that name; None leaves the name out."""
NO_USER: Final = ("mcp", "vercel-steps", "langgraph-updates", "bedrock-agent")
NO_ANSWER: Final = ("mcp",)
