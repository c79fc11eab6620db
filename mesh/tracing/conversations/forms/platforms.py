"""What platforms keep of an agent's run: Bedrock Agents, Dify, ChatGPT, Goose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import parsed
from judgemesh.contracts.transcripts.keys import as_object
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)

# --- Bedrock Agents: {trace: {orchestrationTrace: {invocationInput, observation}}} ---

_ORCHESTRATION: Final = "orchestrationTrace"


def is_orchestration(item: JsonObject) -> bool:
    """Whether it is an event of the trace of a Bedrock agent."""
    return _ORCHESTRATION in _trace(item) or "preProcessingTrace" in _trace(item)


def _trace(item: JsonObject) -> JsonObject:
    trace = object_of(item.get("trace"))
    return object_of(trace.get("trace")) or trace


def orchestrations(document: Document) -> Iterator[Record]:
    """The events of a Bedrock agent as one conversation."""
    messages: list[Any] = []
    calls = 0
    for item in document.items:
        trace = object_of(_trace(object_of(item)).get(_ORCHESTRATION))
        invoked = object_of(trace.get("invocationInput"))
        if invoked:
            calls += 1
            messages.append(_invocation(invoked, calls))
        observed = object_of(trace.get("observation"))
        if observed:
            messages += _observation(observed, calls)
    yield Record(messages=messages, lost=("user turns",))


def _invocation(invoked: JsonObject, number: int) -> JsonObject:
    """A call. What does not invoke an action group is named by its kind."""
    kind = next((key for key, item in invoked.items() if is_object(item)), "")
    given = object_of(invoked.get(kind))
    name = given.get("function") or given.get("apiPath")
    if kind in _UNGROUPED:
        name = _UNGROUPED[kind]
    return {
        "type": "tool_call",
        "tool_call_id": f"invocation {number}",
        "tool_name": name,
        "arguments": _parameters(given),
    }


_UNGROUPED: Final = {
    "knowledgeBaseLookupInput": "knowledgeBaseLookup",
    "codeInterpreterInvocationInput": "codeInterpreter",
    "agentCollaboratorInvocationInput": "agentCollaborator",
}
"""Invocations that name no function, and the tools that they call."""


def _parameters(given: JsonObject) -> JsonObject:
    """The parameters by name, with those of the body; a lookup has its text."""
    named = objects_of(given.get("parameters"))
    for content in object_of(
        object_of(given.get("requestBody")).get("content")
    ).values():
        named += objects_of(content)
    if named:
        return {str(each.get("name")): each.get("value") for each in named}
    return {
        key: item
        for key, item in given.items()
        if isinstance(item, str) and key in ("text", "code", "input")
    }


def _observation(observed: JsonObject, number: int) -> list[JsonObject]:
    final = object_of(observed.get("finalResponse")).get("text")
    if isinstance(final, str):
        return [{"role": "assistant", "content": final}]
    for item in observed.values():
        if is_object(item):
            return [
                {
                    "type": "tool_result",
                    "tool_call_id": f"invocation {number}",
                    "content": item.get("text", item),
                }
            ]
    return []


# --- Dify: {query, answer, agent_thoughts: [{tool, tool_input, observation}]} ---


def has_thoughts(item: JsonObject) -> bool:
    """Whether it is a message of Dify with what its agent did."""
    return "agent_thoughts" in item and "answer" in item


def thoughtful_messages(document: Document) -> Iterator[Record]:
    """The messages of each conversation of Dify."""
    conversations: dict[str, list[Any]] = {}
    unread: dict[str, str] = {}
    for item in document.objects:
        if not is_list(item.get("agent_thoughts")):
            identity = str(item.get("conversation_id") or "")
            unread[identity] = "the thoughts of the agent are no list"
        messages = conversations.setdefault(str(item.get("conversation_id") or ""), [])
        messages.append({"role": "user", "content": item.get("query")})
        for number, thought in enumerate(objects_of(item.get("agent_thoughts"))):
            messages += _of_thought(thought, f"{len(messages)}.{number}")
        messages.append({"role": "assistant", "content": item.get("answer")})
    for identity, messages in conversations.items():
        yield Record(messages=messages, id=identity, unread=unread.get(identity))


def _of_thought(thought: JsonObject, number: str) -> Iterator[JsonObject]:
    """The calls of one thought. Names of several are parted by `;`, inputs and results stand under the names."""
    names: list[str | None] = [*filter(None, str(thought.get("tool") or "").split(";"))]
    if not names and (thought.get("tool_input") or thought.get("observation")):
        names = [None]
    given, observed = _by_name(thought.get("tool_input")), thought.get("observation")
    results = _by_name(observed)
    for name in names:
        is_alone = len(names) == 1
        yield {
            "type": "tool_call",
            "tool_call_id": f"thought {number} {name}",
            "tool_name": name,
            "arguments": given.get(name or "", given if is_alone else None),
            "result": results.get(name or "", observed if is_alone else None),
        }


def _by_name(value: Any) -> JsonObject:
    return as_object(parsed(value) if isinstance(value, str) else value) or {}


# --- ChatGPT: {mapping: {id: {message, parent, children}}, current_node} ---


def is_chatgpt_export(item: JsonObject) -> bool:
    """Whether it is a conversation of an export of ChatGPT."""
    nodes = object_of(item.get("mapping"))
    return bool(nodes) and all(
        is_object(node) and "parent" in node for node in nodes.values()
    )


def chatgpt_exports(document: Document) -> Iterator[Record]:
    """The branch of each conversation that ends with the current node."""
    for item in document.objects:
        nodes = object_of(item.get("mapping"))
        branch: list[JsonObject] = []
        seen: set[str] = set()
        at: Any = item.get("current_node")
        while isinstance(at, str) and at not in seen and "parent" in _node(nodes, at):
            seen.add(at)
            branch.append(object_of(_node(nodes, at).get("message")))
            at = _node(nodes, at)["parent"]
        yield Record(
            messages=[_chatgpt_message(message) for message in branch[::-1] if message],
            id=str(item.get("conversation_id") or item.get("id") or ""),
            unread="a node is not in the mapping" if at is not None else None,
        )


def _node(nodes: JsonObject, name: str) -> JsonObject:
    return object_of(nodes.get(name))


def _chatgpt_message(message: JsonObject) -> JsonObject:
    """A message; one that is sent to a tool is a call of it, with what was sent as the arguments."""
    recipient = message.get("recipient")
    author = object_of(message.get("author"))
    if recipient in (None, "all") or author.get("role") != "assistant":
        return message
    content = object_of(message.get("content"))
    texts = [text for text in list_of(content.get("parts")) if isinstance(text, str)]
    sent = content.get("text") or "\n".join(texts)
    return {"type": "tool_call", "tool_name": recipient, "arguments": sent}


# --- Goose: a line about the session, then messages with `toolRequest` and `toolResponse` ---

_WRAPPED: Final = ("toolCall", "toolResult")


def is_goose(document: Document) -> bool:
    """Whether messages have parts of Goose."""
    return any(
        part.get("type") in ("toolRequest", "toolResponse")
        for line in document.objects[:50]
        for part in objects_of(line.get("content"))
    )


def goose_sessions(document: Document) -> Iterator[Record]:
    """The messages of a session of Goose."""
    yield Record(
        messages=[
            _unwrapped(line) if is_object(line) else line
            for line in document.items
            if not (is_object(line) and "working_dir" in line)
        ]
    )


def _unwrapped(line: JsonObject) -> JsonObject:
    parts = line.get("content")
    if not is_list(parts):
        return line
    return {
        **line,
        "content": [_goose_part(part) if is_object(part) else part for part in parts],
    }


def _goose_part(part: JsonObject) -> JsonObject:
    """A request or response with its value beside its id; an error stands in place of the value."""
    for key in _WRAPPED:
        wrapped = object_of(part.get(key))
        if not wrapped:
            continue
        value = wrapped.get("value")
        failed = wrapped.get("status") == "error"
        if key == "toolCall":
            return {
                "type": "tool_call",
                "tool_call_id": part.get("id"),
                **object_of(value),
            }
        return {
            "type": "tool_result",
            "tool_call_id": part.get("id"),
            "content": wrapped.get("error") if failed else value,
            "is_error": failed,
        }
    return part
