"""Run objects: what a framework returns of one run or turn, or an array of them, one a turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.forms.exchanges import canonical
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
    objects_of,
)


def beyond(known: list[Any], added: list[Any]) -> list[Any]:
    """The messages of `added` without those at its beginning that are known."""
    seen = list(map(canonical, known))
    position = 0
    while (
        position < min(len(seen), len(added))
        and canonical(added[position]) == seen[position]
    ):
        position += 1
    return added[position:]


# --- OpenAI Agents: [{input, new_items, raw_responses, final_output}] ---


def agents_runs(document: Document) -> Iterator[Record]:
    """The runs of the Agents SDK. The `input` of a later turn repeats the history."""
    group: list[JsonObject] = []
    for run in document.objects:
        if group and not _continues(run):
            yield _agents_record(group)
            group = []
        group.append(run)
    if group:
        yield _agents_record(group)


def _continues(run: JsonObject) -> bool:
    """Whether the input of a run holds replies, so that it is not the first of its conversation."""
    return any(
        is_object(item) and item.get("role") != "user"
        for item in list_of(run.get("input"))
    )


def _agents_record(runs: list[JsonObject]) -> Record:
    messages: list[Any] = []
    usages: list[JsonObject] = []
    for run in runs:
        messages += _new_input(run)
        messages += list_of(run.get("new_items"))
        usages += [
            object_of(response.get("usage"))
            for response in objects_of(run.get("raw_responses"))
        ]
    answer = runs[-1].get("final_output")
    return Record(
        messages=messages,
        usages=usages,
        answer=answer if isinstance(answer, str) else None,
    )


def _new_input(run: JsonObject) -> list[Any]:
    """What the user said in this turn: what the input holds after the last reply."""
    given = run.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    items = list_of(given)
    new = len(items)
    while (
        new
        and is_object(items[new - 1])
        and items[new - 1].get("role") in ("user", "system", "developer")
    ):
        new -= 1
    return items[new:]


# --- agno: [{run_id, session_id, messages, tools, metrics}] ---

_METRICS: Final = ("metrics", "usage")


def agno_runs(document: Document) -> Iterator[Record]:
    """The runs of agno, those of one session together. `from_history` marks what a run repeats."""
    sessions: dict[str, list[JsonObject]] = {}
    for run in document.objects:
        sessions.setdefault(str(run.get("session_id") or ""), []).append(run)
    for session, runs in sessions.items():
        messages: list[Any] = []
        for run in runs:
            messages += _agno_messages(run)
        yield Record(
            messages=messages,
            id=session,
            model=next(
                (run["model"] for run in runs if isinstance(run.get("model"), str)),
                None,
            ),
            usages=[object_of(run.get("metrics")) for run in runs],
        )


def _agno_messages(run: JsonObject) -> list[JsonObject]:
    """The new messages of a run; one that has none is made of its input, tools and content."""
    messages = objects_of(run.get("messages"))
    if messages:
        return [
            message for message in messages if message.get("from_history") is not True
        ]
    text = object_of(run.get("input")).get("input_content")
    said = [{"role": "user", "content": text}] if isinstance(text, str) else []
    calls = [{"type": "tool_call", **tool} for tool in objects_of(run.get("tools"))]
    return [*said, *calls, {"role": "assistant", "content": run.get("content")}]


# --- CrewAI: {raw, tasks_output: [{description, messages, tool_failures}], token_usage} ---


def crew_outputs(document: Document) -> Iterator[Record]:
    """The tasks of each crew."""
    for output in document.objects:
        messages: list[Any] = []
        for task in objects_of(output.get("tasks_output")):
            messages += beyond(messages, _task_messages(task))
        answer = output.get("raw")
        yield Record(
            messages=messages,
            answer=answer if isinstance(answer, str) and answer else None,
            usages=[object_of(output.get("token_usage"))],
        )


def _task_messages(task: JsonObject) -> list[Any]:
    failures = objects_of(task.get("tool_failures"))
    description = task.get("description")
    messages: list[Any] = []
    for message in list_of(task.get("messages")):
        if not is_object(message):
            messages.append(message)
        elif message.get("role") == "tool":
            messages.append({**message, **_failure(message, failures)})
        elif (
            message.get("role") == "user"
            and isinstance(description, str)
            and description in str(message.get("content"))
        ):
            messages.append({**message, "content": description})
        else:
            messages.append(message)
    return messages


def _failure(message: JsonObject, failures: list[JsonObject]) -> JsonObject:
    """The failure of a result: one of the same tool whose message the result tells. Each counts once."""
    for position, failure in enumerate(failures):
        told = object_of(failure.get("failure")).get("message") or failure.get("error")
        if failure.get("tool_name") == message.get("name") and str(told) in str(
            message.get("content")
        ):
            del failures[position]
            return {"error": told}
    return {}
