"""Sessions and event streams: what an agent program keeps of a session, one object or one line an event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgemesh.contracts.transcripts.keys import as_object
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.forms.runs import beyond
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)

# --- LlamaIndex: {event, data} of a workflow ---


def llamaindex_events(document: Document) -> Iterator[Record]:
    """The last input of the agent, which holds the history, and what came after it."""
    messages: list[Any] = []
    sent: list[Any] = []
    for line in document.objects:
        data = object_of(line.get("data"))
        if line.get("event") == "AgentInput":
            history = list_of(data.get("input"))
            messages += [item for item in beyond(sent, history) if _is_asked(item)]
            sent = history
        elif line.get("event") == "AgentOutput":
            messages.append(_llamaindex_reply(data))
        elif line.get("event") == "ToolCallResult":
            messages.append(_llamaindex_result(data))
    yield Record(messages=messages)


def _is_asked(item: object) -> bool:
    return is_object(item) and item.get("role") in ("user", "system")


def _llamaindex_reply(data: JsonObject) -> JsonObject:
    """The reply of the model, with the calls as the agent made them: unlike those of the message, they are repaired."""
    response = object_of(data.get("response"))
    raw = object_of(data.get("raw"))
    facts = {"usage": raw.get("usage"), "model": raw.get("model")}
    calls = objects_of(data.get("tool_calls"))
    if not calls:
        return {**response, **facts}
    blocks = [
        block
        for block in objects_of(response.get("blocks"))
        if block.get("block_type") != "tool_call"
    ]
    text = (
        {"content": response["content"]}
        if isinstance(response.get("content"), str)
        else {}
    )
    return {
        "role": response.get("role") or "assistant",
        "blocks": blocks,
        "tool_calls": calls,
        **text,
        **facts,
    }


def _llamaindex_result(data: JsonObject) -> JsonObject:
    output = object_of(data.get("tool_output"))
    return {
        "role": "tool",
        "tool_call_id": data.get("tool_id"),
        "name": data.get("tool_name"),
        "content": output.get("blocks") or output.get("content"),
        "error": output.get("is_error") is True or None,
    }


# --- one list in an object ---


def adk_sessions(document: Document) -> Iterator[Record]:
    """The events of each session of the Google ADK."""
    for session in document.objects:
        yield Record(
            messages=list_of(session.get("events")), id=str(session.get("id") or "")
        )


def agent_framework_sessions(document: Document) -> Iterator[Record]:
    """The messages that each session of the Microsoft Agent Framework keeps, under whatever store."""
    for session in document.objects:
        messages: list[Any] = []
        for store in object_of(session.get("state")).values():
            messages += list_of(object_of(store).get("messages"))
        yield Record(messages=messages, id=str(session.get("session_id") or ""))


def autogen_states(document: Document) -> Iterator[Record]:
    """The context of each agent's state; the agents of a team are conversations of their own."""
    for state in document.objects:
        for context in _contexts(state):
            yield Record(messages=list_of(context.get("messages")))


def _contexts(state: JsonObject, depth: int = 0) -> Iterator[JsonObject]:
    context = as_object(state.get("llm_context"))
    if context is not None:
        yield context
    elif depth < 6:
        for item in state.values():
            if is_object(item):
                yield from _contexts(item, depth + 1)


# --- LangGraph: a line a node ---


def langgraph_updates(document: Document) -> Iterator[Record]:
    """The messages that the nodes wrote."""
    messages: list[Any] = []
    for line in document.objects:
        for update in line.values():
            written = object_of(update).get("messages")
            messages += (
                written if is_list(written) else [written] if is_object(written) else []
            )
    yield Record(messages=messages, lost=("user turns",))


# --- MCP: JSON-RPC of both directions ---


def mcp_sessions(document: Document) -> Iterator[Record]:
    """The calls of each session of a tool server; ids begin anew with a session."""
    lines: list[Any] = []
    for item in document.items:
        message = object_of(object_of(item).get("message")) or object_of(item)
        if message.get("method") in ("initialize", "server/discover") and _has_calls(
            lines
        ):
            yield _mcp_record(lines)
            lines = []
        lines.append({**message, "ts": item.get("ts")} if message else item)
    yield _mcp_record(lines)


def _has_calls(lines: list[Any]) -> bool:
    return any(is_object(line) and line.get("method") == "tools/call" for line in lines)


def _mcp_record(lines: list[Any]) -> Record:
    return Record(messages=lines, lost=("user turns", "answer", "model", "tokens"))


def is_update(document: Document) -> bool:
    """Whether each line is an object of nodes that wrote messages."""
    first = document.first
    return (
        bool(first)
        and all(
            is_object(value) and (not value or "messages" in value)
            for value in first.values()
        )
        and any(map(bool, first.values()))
    )


def is_rpc(document: Document) -> bool:
    """Whether it is a log of the protocol of tool servers."""
    return "jsonrpc" in document.first or "jsonrpc" in object_of(
        document.first.get("message")
    )


def is_state(document: Document) -> bool:
    """Whether it is a state of AutoGen."""
    return "llm_context" in document.first or (
        "agent_states" in document.first and "llm_context" in str(document.first)
    )


def is_context(item: JsonObject) -> bool:
    """Whether it is a session of the Microsoft Agent Framework."""
    return is_object(item.get("state")) and any(
        "messages" in object_of(store) for store in item["state"].values()
    )
