"""One run written as the messages of many frameworks: user's texts, the agent's texts and calls, and results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Used:
    """A call with its result; `error` says that it failed."""

    tool: str
    arguments: Json
    result: str = "done"
    error: bool = False


@dataclass(frozen=True)
class Turn:
    """What is said, and the calls made at once with it. `user` turns have no calls."""

    user: bool
    text: str
    calls: Sequence[Used] = field(default_factory=tuple)


Run = Sequence[Turn]


def _numbered(run: Run) -> list[tuple[Turn, list[tuple[str, Used]]]]:
    """Each turn with its calls and their ids."""
    count = 0
    numbered: list[tuple[Turn, list[tuple[str, Used]]]] = []
    for turn in run:
        calls: list[tuple[str, Used]] = []
        for call in turn.calls:
            count += 1
            calls.append((f"call_{count}", call))
        numbered.append((turn, calls))
    return numbered


def own(run: Run) -> list[Json]:
    """Steps of our own."""
    steps: list[Json] = []
    for turn in run:
        if turn.text:
            steps.append({"role": _role(turn), "content": turn.text})
        for call in turn.calls:
            step: Json = {
                "tool_name": call.tool,
                "arguments": call.arguments,
                "result": call.result,
            }
            steps.append({**step, "status": "error"} if call.error else step)
    return steps


def _role(turn: Turn) -> str:
    return "user" if turn.user else "assistant"


def openai_chat(run: Run) -> list[Json]:
    """Chat messages; the results of a message stand in the opposite order of its calls."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        message: Json = {"role": _role(turn), "content": turn.text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": key,
                    "type": "function",
                    "function": {
                        "name": call.tool,
                        "arguments": json.dumps(call.arguments),
                    },
                }
                for key, call in calls
            ]
        messages.append(message)
        for key, call in reversed(calls):
            messages.append(
                {
                    "role": "tool",
                    "tool_call_id": key,
                    "content": call.result,
                    **_flag(call),
                }
            )
    return messages


def _flag(call: Used) -> Json:
    return {"is_error": True} if call.error else {}


def openai_legacy(run: Run) -> list[Json]:
    """Chat messages with one `function_call` each."""
    messages: list[Json] = []
    for turn in run:
        if turn.text:
            messages.append({"role": _role(turn), "content": turn.text})
        for call in turn.calls:
            function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
            messages.append(
                {"role": "assistant", "content": None, "function_call": function}
            )
            messages.append(
                {
                    "role": "function",
                    "name": call.tool,
                    "content": call.result,
                    **_flag(call),
                }
            )
    return messages


def openai_responses(run: Run) -> list[Json]:
    """Items of the Responses API."""
    items: list[Json] = []
    for turn, calls in _numbered(run):
        if turn.text:
            kind = "input_text" if turn.user else "output_text"
            items.append(
                {
                    "type": "message",
                    "role": _role(turn),
                    "content": [{"type": kind, "text": turn.text}],
                }
            )
        for key, call in calls:
            arguments = json.dumps(call.arguments)
            items.append(
                {
                    "type": "function_call",
                    "id": f"fc_{key}",
                    "call_id": key,
                    "name": call.tool,
                    "arguments": arguments,
                }
            )
        items += (
            {
                "type": "function_call_output",
                "call_id": key,
                "output": call.result,
                **_flag(call),
            }
            for key, call in calls
        )
    return items


def anthropic(run: Run) -> list[Json]:
    """Blocks; results stand in messages of the user."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        blocks: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        blocks += (
            {"type": "tool_use", "id": key, "name": call.tool, "input": call.arguments}
            for key, call in calls
        )
        messages.append({"role": _role(turn), "content": blocks})
        if calls:
            results = [
                {
                    "type": "tool_result", "tool_use_id": key, "content": [{"type": "text", "text": call.result}],
                    **_flag(call),
                }
                for key, call in calls
            ]  # fmt: skip
            messages.append({"role": "user", "content": results})
    return messages


def gemini(run: Run) -> list[Json]:
    """Parts without ids; an empty object of arguments is left out."""
    contents: list[Json] = []
    for turn in run:
        parts: list[Json] = [{"text": turn.text}] if turn.text else []
        for call in turn.calls:
            inner: Json = {"name": call.tool}
            parts.append(
                {
                    "functionCall": {**inner, "args": call.arguments}
                    if call.arguments
                    else inner
                }
            )
        contents.append({"role": "user" if turn.user else "model", "parts": parts})
        responses = [
            {
                "functionResponse": {
                    "name": call.tool,
                    "response": {"error" if call.error else "output": call.result},
                }
            }
            for call in turn.calls
        ]
        if responses:
            contents.append({"role": "user", "parts": responses})
    return contents


def langchain(run: Run) -> list[Json]:
    """Messages by type, with arguments as objects."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        message: Json = {"type": "human" if turn.user else "ai", "content": turn.text}
        if calls:
            message["tool_calls"] = [
                {
                    "name": call.tool,
                    "args": call.arguments,
                    "id": key,
                    "type": "tool_call",
                }
                for key, call in calls
            ]
        messages.append(message)
        for key, call in calls:
            status = "error" if call.error else "success"
            messages.append(
                {
                    "type": "tool",
                    "content": call.result,
                    "tool_call_id": key,
                    "name": call.tool,
                    "status": status,
                }
            )
    return messages


def langchain_data(run: Run) -> list[Json]:
    """The same with the message under `data`, and each call a second time in `additional_kwargs`."""
    messages: list[Json] = []
    for message in langchain(run):
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": json.dumps(call["args"]),
                },
            }
            for call in message.get("tool_calls", ())
        ]
        data = {**message, "additional_kwargs": {"tool_calls": calls} if calls else {}}
        messages.append({"type": message["type"], "data": data})
    return messages


def vercel_model(run: Run) -> list[Json]:
    """Messages with parts of kind `tool-call`."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        parts: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        parts += (
            {
                "type": "tool-call",
                "toolCallId": key,
                "toolName": call.tool,
                "input": call.arguments,
            }
            for key, call in calls
        )
        messages.append({"role": _role(turn), "content": parts})
        for key, call in calls:
            output = {
                "type": "error-text" if call.error else "text",
                "value": call.result,
            }
            part = {
                "type": "tool-result",
                "toolCallId": key,
                "toolName": call.tool,
                "output": output,
            }
            messages.append({"role": "tool", "content": [part]})
    return messages


def vercel_ui(run: Run) -> list[Json]:
    """Messages whose parts name the tool in their kind."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        parts: list[Json] = [{"type": "step-start"}]
        if turn.text:
            parts.append({"type": "text", "text": turn.text})
        for key, call in calls:
            part: Json = {
                "type": f"tool-{call.tool}",
                "toolCallId": key,
                "input": call.arguments,
            }
            ending: Json = {"state": "output-available", "output": call.result}
            if call.error:
                ending = {"state": "output-error", "errorText": call.result}
            parts.append({**part, **ending})
        messages.append({"id": "m", "role": _role(turn), "parts": parts})
    return messages


def bedrock(run: Run) -> list[Json]:
    """Blocks named by their key."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        blocks: list[Json] = [{"text": turn.text}] if turn.text else []
        blocks += (
            {"toolUse": {"toolUseId": key, "name": call.tool, "input": call.arguments}}
            for key, call in calls
        )
        messages.append({"role": _role(turn), "content": blocks})
        results: list[Json] = []
        for key, call in calls:
            status = "error" if call.error else "success"
            results.append(
                {
                    "toolResult": {
                        "toolUseId": key,
                        "status": status,
                        "content": [{"text": call.result}],
                    }
                }
            )
        if results:
            messages.append({"role": "user", "content": results})
    return messages


def pydantic_ai(run: Run) -> list[Json]:
    """Requests and responses with parts."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        if turn.user:
            messages.append(
                {
                    "kind": "request",
                    "parts": [{"part_kind": "user-prompt", "content": turn.text}],
                }
            )
            continue
        parts: list[Json] = (
            [{"part_kind": "text", "content": turn.text}] if turn.text else []
        )
        parts += (
            {
                "part_kind": "tool-call",
                "tool_name": call.tool,
                "args": json.dumps(call.arguments),
                "tool_call_id": key,
            }
            for key, call in calls
        )
        messages.append({"kind": "response", "parts": parts})
        for key, call in calls:
            kind = "retry-prompt" if call.error else "tool-return"
            part = {
                "part_kind": kind,
                "tool_name": call.tool,
                "content": call.result,
                "tool_call_id": key,
            }
            messages.append({"kind": "request", "parts": [part]})
    return messages


def autogen(run: Run) -> list[Json]:
    """Events whose content is a list of calls or of results."""
    events: list[Json] = []
    for turn, calls in _numbered(run):
        source = "user" if turn.user else "mira"
        if turn.text:
            events.append(
                {"source": source, "content": turn.text, "type": "TextMessage"}
            )
        if not calls:
            continue
        requests = [
            {"id": key, "name": call.tool, "arguments": json.dumps(call.arguments)}
            for key, call in calls
        ]
        results = [
            {
                "call_id": key,
                "name": call.tool,
                "content": call.result,
                "is_error": call.error,
            }
            for key, call in calls
        ]
        events.append(
            {"source": source, "content": requests, "type": "ToolCallRequestEvent"}
        )
        events.append(
            {"source": source, "content": results, "type": "ToolCallExecutionEvent"}
        )
    return events


def haystack(run: Run) -> list[Json]:
    """Blocks `tool_call` and `tool_call_result`."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        blocks: list[Json] = [{"text": turn.text}] if turn.text else []
        blocks += (
            {
                "tool_call": {
                    "tool_name": call.tool,
                    "arguments": call.arguments,
                    "id": key,
                }
            }
            for key, call in calls
        )
        messages.append({"role": _role(turn), "content": blocks})
        for key, call in calls:
            origin = {"tool_name": call.tool, "arguments": call.arguments, "id": key}
            result = {"result": call.result, "origin": origin, "error": call.error}
            messages.append({"role": "tool", "content": [{"tool_call_result": result}]})
    return messages


def _plain(name: str, arguments: str, result: str) -> Callable[[Run], list[Json]]:
    """Steps with the given keys for tool, arguments and result."""

    def write(run: Run) -> list[Json]:
        steps: list[Json] = []
        for turn in run:
            if turn.text:
                steps.append({"role": _role(turn), "content": turn.text})
            steps += (
                {
                    name: call.tool,
                    arguments: call.arguments,
                    result: call.result,
                    **_flag(call),
                }
                for call in turn.calls
            )
        return steps

    return write


def wrapped(run: Run) -> list[Json]:
    """Steps with the call under a key of its own."""
    steps: list[Json] = []
    for turn in run:
        if turn.text:
            steps.append({"role": _role(turn), "content": turn.text})
        for call in turn.calls:
            inner = {
                "name": call.tool,
                "arguments": call.arguments,
                "result": call.result,
                **_flag(call),
            }
            steps.append({"call": inner})
    return steps


def events(run: Run) -> list[Json]:
    """Events that name what happened."""
    lines: list[Json] = []
    for turn, calls in _numbered(run):
        if turn.text:
            lines.append(
                {
                    "type": "user_message" if turn.user else "agent_message",
                    "message": turn.text,
                }
            )
        for key, call in calls:
            lines.append(
                {
                    "type": "tool_call",
                    "id": key,
                    "name": call.tool,
                    "arguments": json.dumps(call.arguments),
                }
            )
            lines.append(
                {
                    "type": "tool_result",
                    "tool_call_id": key,
                    "output": call.result,
                    **_flag(call),
                }
            )
    return lines


def _template(
    write: Callable[[str, str], str], result: str
) -> Callable[[Run], list[Json]]:
    """Calls in the text of the agent, as a chat template writes them, and results in texts of their own."""

    def written(run: Run) -> list[Json]:
        messages: list[Json] = []
        for turn in run:
            calls = [
                write(call.tool, json.dumps(call.arguments)) for call in turn.calls
            ]
            text = "\n".join([turn.text, *calls] if turn.text else calls)
            if text:
                messages.append({"role": _role(turn), "content": text})
            messages += [
                {"role": result, "content": _tagged(call.result, result)}
                for call in turn.calls
            ]
        return messages

    return written


def _tagged(text: str, role: str) -> str:
    return f"<tool_response>\n{text}\n</tool_response>" if role == "user" else text


def opencode(run: Run) -> list[Json]:
    """Messages of OpenCode: the role in `info`, calls with their state."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        parts: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
        for key, call in calls:
            status = "error" if call.error else "completed"
            state = {"status": status, "input": call.arguments, "output": call.result}
            parts.append(
                {"type": "tool", "callID": key, "tool": call.tool, "state": state}
            )
        messages.append({"info": {"role": _role(turn)}, "parts": parts})
    return messages


def semantic_kernel(run: Run) -> list[Json]:
    """A history of Semantic Kernel: the role under a label."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        items: list[Json] = (
            [{"$type": "TextContent", "Text": turn.text}] if turn.text else []
        )
        for key, call in calls:
            items.append(
                {
                    "$type": "FunctionCallContent",
                    "Id": key,
                    "FunctionName": call.tool,
                    "Arguments": call.arguments,
                }
            )
        messages.append({"Role": {"Label": _role(turn)}, "Items": items})
        for key, call in calls:
            item = {
                "$type": "FunctionResultContent",
                "CallId": key,
                "FunctionName": call.tool,
                "Result": call.result,
                **_flag(call),
            }
            messages.append({"Role": {"Label": "tool"}, "Items": [item]})
    return messages


def letta(run: Run) -> list[Json]:
    """Messages of Letta, one a thing that happened."""
    messages: list[Json] = []
    for turn, calls in _numbered(run):
        if turn.text:
            kind = "user_message" if turn.user else "assistant_message"
            messages.append({"message_type": kind, "content": turn.text})
        for key, call in calls:
            stated = {
                "name": call.tool,
                "arguments": json.dumps(call.arguments),
                "tool_call_id": key,
            }
            messages += [
                {"message_type": "tool_call_message", "tool_call": stated},
                {
                    "message_type": "tool_return_message",
                    "tool_return": call.result,
                    "status": "error" if call.error else "success",
                    "tool_call_id": key,
                },
            ]
    return messages


WRITTEN: Mapping[str, Callable[[Run], list[Json]]] = {
    "hermes": _template(
        lambda tool, given: (
            f'<tool_call>\n{{"name": "{tool}", "arguments": {given}}}\n</tool_call>'
        ),
        "tool",
    ),
    "hermes_user": _template(
        lambda tool, given: (
            f'<tool_call>{{"name": "{tool}", "arguments": {given}}}</tool_call>'
        ),
        "user",
    ),
    "llama": _template(
        lambda tool, given: f"<function={tool}>{given}</function>", "ipython"
    ),
    "kimi": _template(
        lambda tool, given: (
            f"<|tool_call_begin|>functions.{tool}:0<|tool_call_argument_begin|>{given}<|tool_call_end|>"
        ),
        "tool",
    ),
    "deepseek": _template(
        lambda tool, given: (
            f"<\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>{tool}\n"
            f"```json\n{given}\n```<\uff5ctool\u2581call\u2581end\uff5c>"
        ),
        "tool",
    ),
}
"""Forms without a flag for failed calls."""

FORMS: Mapping[str, Callable[[Run], list[Json]]] = {
    "own": own,
    "openai_chat": openai_chat,
    "openai_legacy": openai_legacy,
    "openai_responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "langchain": langchain,
    "langchain_data": langchain_data,
    "vercel_model": vercel_model,
    "vercel_ui": vercel_ui,
    "bedrock": bedrock,
    "pydantic_ai": pydantic_ai,
    "autogen": autogen,
    "haystack": haystack,
    "opencode": opencode,
    "semantic_kernel": semantic_kernel,
    "letta": letta,
    "tool_args": _plain("tool", "args", "output"),
    "name_input": _plain("name", "input", "output"),
    "action_input": _plain("action", "action_input", "observation"),
    "tool_input": _plain("tool", "tool_input", "tool_output"),
    "function_parameters": _plain("function", "parameters", "response"),
    "wrapped": wrapped,
    "events": events,
}
