"""The memory of smolagents: a task, then steps with calls, observations and errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.forms.code_calls import calls_in, is_final
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    object_of,
    objects_of,
)

_FINAL: Final = "final_answer"
_INTERPRETER: Final = "python_interpreter"


def is_memory(document: Document) -> bool:
    """Whether the items are steps of smolagents."""
    return any(
        "step_number" in item and "model_output_message" in item
        for item in document.objects[:3]
    )


def memories(document: Document) -> Iterator[Record]:
    """The one conversation of a memory; each task is a user's text."""
    messages: list[Any] = []
    usages: list[JsonObject] = []
    model: str | None = None
    for step in document.objects:
        if isinstance(step.get("task"), str):
            messages.append({"role": "user", "content": step["task"]})
            continue
        messages += _step(step)
        usages.append(object_of(step.get("token_usage")))
        raw = object_of(object_of(step.get("model_output_message")).get("raw"))
        model = raw["model"] if isinstance(raw.get("model"), str) else model
    yield Record(messages=messages, usages=usages, model=model)


def _step(step: JsonObject) -> Iterator[JsonObject]:
    """The messages of a step. A call whose tool raised stands only in the model's message."""
    output = object_of(step.get("model_output_message"))
    calls = objects_of(output.get("tool_calls")) or objects_of(step.get("tool_calls"))
    thought = step.get("model_output") or (output.get("content") if not calls else None)
    if isinstance(thought, str) and thought:
        yield {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": thought}],
        }
    asked = [call for call in calls if not _is_answer(call)]
    if asked:
        yield {"role": "assistant", "tool_calls": asked}
        yield from _results(step, asked)
        yield from _code(asked)
    if any(map(_is_answer, calls)) or step.get("is_final_answer") is True:
        yield from _answer(step, calls)


def _is_answer(call: JsonObject) -> bool:
    """Whether the call only gives the answer."""
    function = object_of(call.get("function"))
    arguments = function.get("arguments")
    if function.get("name") == _INTERPRETER:
        return isinstance(arguments, str) and is_final(arguments)
    return function.get("name") == _FINAL


def _answer(step: JsonObject, calls: list[JsonObject]) -> Iterator[JsonObject]:
    text = step.get("action_output")
    for call in calls:
        arguments = object_of(call.get("function")).get("arguments")
        given = object_of(arguments).get(
            "answer", arguments if isinstance(arguments, str) else None
        )
        if object_of(call.get("function")).get("name") == _FINAL and given is not None:
            text = given
    if text is None and isinstance(step.get("observations"), str):
        text = (
            step["observations"].partition("Last output from code snippet:\n")[2]
            or None
        )
    if text is not None:
        yield {
            "role": "assistant",
            "content": text if isinstance(text, str) else str(text),
        }


def _results(step: JsonObject, calls: list[JsonObject]) -> Iterator[JsonObject]:
    """The results of the calls of a step: one text for all of them, in the order of their ids."""
    error = object_of(step.get("error")).get("message")
    if isinstance(error, str):
        blamed = [call for call in calls if _name(call) in error]
        failed = calls if len(calls) == 1 else blamed[:1]
        for call in failed:
            yield {
                "role": "tool",
                "tool_call_id": call.get("id"),
                "content": error,
                "error": error,
            }
        return
    observations = step.get("observations")
    if not isinstance(observations, str):
        return
    ordered = sorted(calls, key=lambda call: str(call.get("id")))
    lines = observations.split("\n")
    for position, call in enumerate(ordered):
        text = lines[position] if len(lines) == len(ordered) else observations
        yield {"role": "tool", "tool_call_id": call.get("id"), "content": text}


def _name(call: JsonObject) -> str:
    return str(object_of(call.get("function")).get("name"))


def _code(calls: list[JsonObject]) -> Iterator[JsonObject]:
    """The tools that the code of a step calls."""
    for call in calls:
        code = object_of(call.get("function")).get("arguments")
        if _name(call) == _INTERPRETER and isinstance(code, str):
            found = list(calls_in(code))
            if found:
                yield {"role": "assistant", "tool_calls": found}
