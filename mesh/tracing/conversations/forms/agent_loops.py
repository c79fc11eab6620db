"""Runs of agent programs that keep what they did as pairs of an action and what was observed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import ARGUMENTS, Fields
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

_USER: Final = "user"
_AGENT: Final = "assistant"


def _said(role: str, text: object) -> list[JsonObject]:
    is_text = isinstance(text, str) and text.strip()
    return [{"role": role, "content": text}] if is_text else []


# --- AgentExecutor of LangChain and its kin: {input, output, intermediate_steps: [[action, observation]]} ---

_PAIRS: Final = "intermediatesteps"


def has_pairs(item: JsonObject) -> bool:
    """Whether it is a run that keeps its intermediate steps."""
    return _PAIRS in Fields(item)


def executor_runs(document: Document) -> Iterator[Record]:
    """The runs of an agent executor, each a conversation."""
    for run in document.objects:
        fields = Fields(run)
        calls = [
            _pair(pair, number)
            for number, pair in enumerate(list_of(fields.get(_PAIRS)))
        ]
        answer = fields.get("output")
        yield Record(
            messages=[
                *_said(_USER, fields.get(("input", "question", "query"))),
                *calls,
                *_said(_AGENT, answer),
            ],
            unread=None
            if is_list(fields.get(_PAIRS))
            else "the intermediate steps are no list",
            answer=json.dumps(answer, ensure_ascii=False)
            if is_object(answer) or is_list(answer)
            else None,
        )


def _pair(pair: Any, number: int) -> Any:
    """A call with what was observed; what is no such pair stays, because it may have been a call."""
    if is_list(pair) and len(pair) == 2:
        action, observed = object_of(pair[0]), pair[1]
    elif is_object(pair):
        action, observed = object_of(pair.get("action")), pair.get("observation")
    else:
        return pair
    action = object_of(action.get("kwargs")) or action
    fields = Fields(action)
    return {
        "type": "tool_call",
        "tool_call_id": fields.text("toolcallid") or f"step {number}",
        "tool_name": fields.get("tool"),
        "arguments": fields.get("toolinput"),
        "result": observed,
    }


# --- SWE-agent: {trajectory: [{action, observation, response, thought}], history, info} ---


def is_trajectory(item: JsonObject) -> bool:
    """Whether it is a trajectory of commands."""
    steps = objects_of(item.get("trajectory"))
    return bool(steps) and all(
        isinstance(step.get("action"), str)
        and "observation" in step
        and not Fields(step).has(ARGUMENTS)
        for step in steps
    )


def command_trajectories(document: Document) -> Iterator[Record]:
    """The commands of each trajectory. The first word of a command is the tool, the rest its arguments."""
    for item in document.objects:
        asked = [
            message
            for message in objects_of(item.get("history"))
            if message.get("role") == _USER
        ]
        messages: list[Any] = list(asked[:1])
        for number, step in enumerate(objects_of(item.get("trajectory"))):
            messages += _command(step, number)
        submission = object_of(item.get("info")).get("submission")
        yield Record(
            messages=messages,
            answer=submission if isinstance(submission, str) else None,
        )


def _command(step: JsonObject, number: int) -> list[JsonObject]:
    name, _, rest = str(step["action"]).strip().partition(" ")
    if not name:
        return _said(_AGENT, step.get("response"))
    call = {
        "type": "tool_call",
        "tool_call_id": f"step {number}",
        "tool_name": name,
        "arguments": rest.strip(),
        "result": step.get("observation"),
    }
    return [call]


# --- OpenHands: a list of events, {source, action, args} and {observation, content, cause} ---


def is_event_list(document: Document) -> bool:
    """Whether the items are events of OpenHands."""
    return bool(document.objects) and all(
        ("action" in event or "observation" in event) and "source" in event
        for event in document.objects[:20]
    )


_NOT_CALLED: Final = frozenset(
    {"system", "recall", "change_agent_state", "think", "null", "condensation"}
)


def event_lists(document: Document) -> Iterator[Record]:
    """What the user and the agent of OpenHands said, and what the agent did."""
    messages: list[Any] = []
    for item in document.items:
        messages += _event(item) if is_object(item) else [item]
    yield Record(messages=messages)


def _event(event: JsonObject) -> list[Any]:
    arguments = object_of(event.get("args"))
    match event.get("action"):
        case None:
            return _observed(event)
        case "message":
            role = _USER if event.get("source") == _USER else _AGENT
            return _said(role, arguments.get("content") or event.get("message"))
        case "finish":
            return _said(_AGENT, arguments.get("final_thought") or event.get("message"))
        case str(action) if action in _NOT_CALLED:
            return []
        case action:
            return [_done(event, str(action), arguments)]


def _done(event: JsonObject, action: str, arguments: JsonObject) -> JsonObject:
    known = object_of(event.get("tool_call_metadata")).get("function_name")
    is_named = isinstance(arguments.get("name"), str) and "arguments" in arguments
    given = arguments.get("arguments") if is_named else arguments
    thoughtless = (
        {key: item for key, item in given.items() if key != "thought"}
        if is_object(given)
        else given
    )
    return {
        "type": "tool_call",
        "tool_call_id": f"event {event.get('id')}",
        "tool_name": arguments.get("name") if is_named else known or action,
        "arguments": thoughtless,
    }


def _observed(event: JsonObject) -> list[JsonObject]:
    if event.get("cause") is None or event.get("observation") in _NOT_CALLED:
        return []
    return [
        {
            "type": "tool_result",
            "tool_call_id": f"event {event['cause']}",
            "content": event.get("content"),
            "is_error": event.get("observation") == "error",
        }
    ]
