"""One line an API call, `{request, response}`: each request repeats the history, or continues an earlier response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import (
    ASSISTANT,
    ROLE_OF_WORD,
    Fields,
    as_object,
    fold,
)
from judgemesh.contracts.transcripts.kinds import Kind, kind_of, role_of
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.facts import at_path
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)

_HISTORIES: Final = ("messages", "input", "contents")
_USAGES: Final = ("usage", "usagemetadata")
_MODELS: Final = ("model", "modelversion", "modelid")


@dataclass(slots=True)
class _Thread:
    """A conversation while its calls are read.

    sent: the history of the last request. replied: how many messages its response added.
    """

    messages: list[Any] = field(default_factory=list[Any])
    sent: list[Any] = field(default_factory=list[Any])
    replied: int = 0
    responses: set[str] = field(default_factory=set[str])
    usages: list[JsonObject] = field(default_factory=list[JsonObject])
    model: str | None = None
    answered: bool = True


def is_exchange(item: JsonObject) -> bool:
    """Whether it is one API call: a request with a history, and its response.

    The history may stand beside the response, as in records of calls that a proxy or a client keeps.
    """
    request = as_object(item.get("request"))
    if request is None:
        response = object_of(item.get("response"))
        return history_of(item) is not None and bool(replies_of(response))
    return "response" in item and history_of(request) is not None


def history_of(request: JsonObject) -> list[Any] | None:
    """The messages of a request; None where it has none."""
    fields = Fields(request)
    body = as_object(fields.get(("body", "json")))
    if body is not None:
        fields = Fields(body)
    for key in _HISTORIES:
        value = fields.get(key)
        if is_list(value):
            return value
        if isinstance(value, str):
            return [{"role": "user", "content": value}]
    return None


def exchanges(document: Document) -> Iterator[Record]:
    """The conversations of a log of API calls."""
    threads: list[_Thread] = []
    for item in document.objects:
        request = item if "request" not in item else object_of(item["request"])
        response = object_of(item.get("response"))
        history = history_of(request) or []
        thread = _continued(threads, request, history)
        if thread is None:
            thread = _Thread()
            threads.append(thread)
        _add(thread, request, history, response)
    for thread in threads:
        yield Record(
            messages=thread.messages,
            model=thread.model,
            usages=thread.usages,
            lost=() if thread.answered else ("a request has no response",),
        )


def _continued(
    threads: list[_Thread], request: JsonObject, history: list[Any]
) -> _Thread | None:
    """The conversation that a request goes on with."""
    previous = request.get("previous_response_id")
    for thread in reversed(threads):
        if isinstance(previous, str):
            if previous in thread.responses:
                return thread
        elif _repeats(thread.sent, history):
            return thread
    return None


def _repeats(sent: list[Any], history: list[Any]) -> bool:
    """Whether a history begins with the one that was sent before, and is longer."""
    if not sent or len(history) <= len(sent):
        return False
    return all(_same(one, other) for one, other in zip(sent, history, strict=False))


def _same(one: object, other: object) -> bool:
    return canonical(one) == canonical(other)


def canonical(value: object) -> str:
    """A message as text to compare by: without the keys that hold nothing."""
    return json.dumps(_without_nothing(value), sort_keys=True, ensure_ascii=False)


def _without_nothing(value: object) -> object:
    if is_object(value):
        kept = {key: _without_nothing(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, [], {})}
    if is_list(value):
        return [_without_nothing(item) for item in value]
    return value


def _add(
    thread: _Thread, request: JsonObject, history: list[Any], response: JsonObject
) -> None:
    new = history
    if isinstance(request.get("previous_response_id"), str) and thread.responses:
        thread.sent = []
    else:
        new = _beyond_reply(history[len(thread.sent) :], thread.replied)
        thread.sent = history
    replies = replies_of(response)
    thread.messages += [*new, *replies]
    thread.replied = len(replies)
    thread.answered = thread.answered and bool(replies)
    fields = Fields(response)
    identity = fields.text("id")
    if identity is not None:
        thread.responses.add(identity)
    usage = as_object(fields.get(_USAGES))
    if usage is not None:
        thread.usages.append(usage)
    thread.model = fields.text(_MODELS) or thread.model or Fields(request).text(_MODELS)


def _beyond_reply(added: list[Any], replied: int) -> list[Any]:
    """What a request adds to the last one, without the reply to that one, which it repeats."""
    position = 0
    while position < min(replied, len(added)) and _is_reply(added[position]):
        position += 1
    return added[position:]


def _is_reply(message: object) -> bool:
    known = as_object(message)
    if known is None:
        return False
    fields = Fields(known)
    role = role_of(fields)
    if role is not None:
        return ROLE_OF_WORD.get(fold(role)) == ASSISTANT
    return kind_of(fields) in (Kind.CALL, Kind.THOUGHT)


def replies_of(response: JsonObject) -> list[Any]:
    """The messages of a response, whatever provider gave it."""
    choices = objects_of(response.get("choices"))
    if choices:
        stopped = {"finish_reason": choices[0].get("finish_reason")}
        return [{**object_of(choices[0].get("message")), **stopped}]
    candidates = objects_of(response.get("candidates"))
    if candidates:
        return _candidate(candidates[0])
    for path in ("output.message", "message"):
        message = as_object(at_path(Fields(response), path))
        if message is not None:
            return [message]
    if is_list(response.get("output")):
        return list_of(response["output"])
    if is_list(response.get("content")) or isinstance(response.get("content"), str):
        stopped = {"stop_reason": response.get("stop_reason")}
        return [{"role": "assistant", "content": response["content"], **stopped}]
    return []


def _candidate(candidate: JsonObject) -> list[Any]:
    """The content of a candidate of Gemini, and why the model stopped: all that a malformed call leaves."""
    fields = Fields(candidate)
    content = object_of(fields.get("content"))
    stopped = fields.text("finishreason")
    if not content and not stopped:
        return []
    return [{"role": "model", "parts": [], **content, "finish_reason": stopped}]
