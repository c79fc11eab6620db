"""Results of `generateText` of the Vercel AI SDK, one a turn, or their steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.contracts.transcripts.outcomes import unwrapped
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


def vercel_results(document: Document) -> Iterator[Record]:
    """The steps of all turns."""
    messages: list[Any] = []
    usages: list[JsonObject] = []
    model: str | None = None
    for turn in document.objects:
        for step in objects_of(turn.get("steps")) or [turn]:
            messages += _step_messages(step)
            usages.append(object_of(step.get("usage")))
            model = Fields(object_of(step.get("response"))).text("modelid") or model
    yield Record(messages=messages, usages=usages, model=model, lost=("user turns",))


def _step_messages(step: JsonObject) -> list[JsonObject]:
    """What the step did. An error that was thrown is lost in its content and stands in the messages of its response."""
    told = _results_told(step)
    # What is no object stays: it may have been a call.
    content = list_of(step.get("content")) or _older_content(step)
    parts = [_with_error(part, told) if is_object(part) else part for part in content]
    return [{"role": "assistant", "content": parts}]


def _older_content(step: JsonObject) -> list[JsonObject]:
    text = step.get("text")
    said = [{"type": "text", "text": text}] if isinstance(text, str) and text else []
    calls = [
        {**call, "type": "tool-call"} for call in objects_of(step.get("toolCalls"))
    ]
    results = [
        {**result, "type": "tool-result"}
        for result in objects_of(step.get("toolResults"))
    ]
    return [*said, *calls, *results]


def _results_told(step: JsonObject) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for message in objects_of(object_of(step.get("response")).get("messages")):
        for part in objects_of(message.get("content")):
            if part.get("type") == "tool-result":
                told[str(part.get("toolCallId"))] = unwrapped(part.get("output"))
    return told


def _with_error(part: JsonObject, told: dict[str, Any]) -> JsonObject:
    """A part of a step. What the model was told of an error stands in the messages; an invalid call has it twice."""
    if part.get("type") == "tool-call" and "error" in part:
        return {key: part[key] for key in part if key != "error"}
    if part.get("type") != "tool-error":
        return part
    text = told.get(str(part.get("toolCallId")))
    error = part.get("error")
    return {**part, "error": error or text or True, "output": text or error or None}


def has_steps(document: Document) -> bool:
    """Whether the items are results of generateText, or steps of one."""
    first = document.first
    steps = objects_of(first.get("steps"))
    if not steps:
        return "finishReason" in first and is_list(first.get("content"))
    return "finishReason" in first or is_list(steps[0].get("content"))
