"""The chat-completions and decision protocols: request bodies and replies. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeGuard, cast

from judgemesh.contracts.errors import JudgeMalformed, JudgeRejected
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.message_json import Constant, messages_json
from judgemesh.mesh.pricing.usage import canonical_usage

TOOL: Final = "answer"
MAX_QUESTIONS: Final = 100
"""Questions of one decision call; the endpoints in use take at least 100."""


def chat_body(call: ModelCall) -> dict[str, Any]:
    """The body of a completion request."""
    return {
        **call.parameters,
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        **asked_for(call),
    }


class ChatBodies:
    """The bodies of completion requests as JSON.

    The calls of a run differ in their messages; all else is put into JSON once.
    """

    def __init__(self) -> None:
        self._rest = Constant(_without_messages)

    def of(self, call: ModelCall) -> bytes:
        """The JSON of `chat_body`."""
        rest = self._rest.of(call)
        return b'{"messages":%b,%b' % (messages_json(call.messages).encode(), rest)


def _without_messages(call: ModelCall) -> bytes:
    """The JSON of a body without its messages and its opening brace."""
    body = chat_body(replace(call, messages=()))
    del body["messages"]
    return json.dumps(body).encode()[1:]


def asked_for(call: ModelCall) -> dict[str, Any]:
    """The part of a body that asks for a schema, a tool call or log-probabilities."""
    body: dict[str, Any] = {}
    schema = call.response_schema
    if schema is not None and call.as_tool:
        function = {
            "name": TOOL,
            "description": "Give the answer.",
            "parameters": dict(schema),
            "strict": _STRICT.of(call),
        }
        body["tools"] = [{"type": "function", "function": function}]
        body["tool_choice"] = {"type": "function", "function": {"name": TOOL}}
    elif schema is not None:
        body["response_format"] = response_format(schema, strict=_STRICT.of(call))
    if call.top_logprobs:
        body |= {"logprobs": True, "top_logprobs": call.top_logprobs}
    return body


def response_format(schema: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """The `response_format` that asks for JSON of a schema."""
    described = {"name": TOOL, "strict": strict, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": described}


def is_strict(schema: object) -> bool:
    """Whether every object in a schema names all its properties as required and allows no others."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in cast("list[object]", schema))
    if not isinstance(schema, Mapping):
        return True
    fields = cast("Mapping[str, Any]", schema)
    if fields.get("type") == "object":
        if fields.get("additionalProperties") is not False:
            return False
        if set(fields.get("required") or ()) != set(fields.get("properties") or {}):
            return False
    return all(is_strict(value) for value in fields.values())


_STRICT: Final = Constant(lambda call: is_strict(call.response_schema))
"""Whether the schema of a call is strict: calls have few schemas."""


def reply_of(
    data: Mapping[str, Any], usage: Usage | None, *, as_tool: bool = False
) -> ModelReply:
    """The reply in the body of a completion.

    Raises:
        JudgeMalformed: it holds no choice.
    """
    choice = _first(data.get("choices"))
    if choice is None:
        raise JudgeMalformed("the provider's reply holds no choice")
    message, finish = _mapping(choice.get("message")), choice.get("finish_reason")
    text = _text(message.get("content"))
    if as_tool:
        call = _first(message.get("tool_calls"))
        arguments = _mapping((call or {}).get("function")).get("arguments")
        if isinstance(arguments, str) and arguments:
            text = arguments
    if not text and message.get("refusal"):
        finish = "refusal"
    return ModelReply(
        text=text,
        model_served=text_or_none(data.get("model")),
        usage=usage,
        finish_reason=text_or_none(finish),
        first_token=first_token(choice.get("logprobs")),
    )


def first_token(logprobs: object) -> tuple[tuple[str, float], ...]:
    """The alternatives to the first token of a choice's `logprobs`; none when they are not there or not numbers."""
    if logprobs is None:
        return ()
    token = _first(_mapping(logprobs).get("content"))
    alternatives: list[tuple[str, float]] = []
    for alternative in _list((token or {}).get("top_logprobs")):
        fields = _mapping(alternative)
        text, logprob = fields.get("token"), fields.get("logprob")
        if not isinstance(text, str) or not _is_number(logprob):
            return ()
        alternatives.append((text, float(logprob)))
    return tuple(alternatives)


def decision_body(call: ModelCall) -> dict[str, Any]:
    """The body of a decision request: the messages as one shared text, a predicate for each question.

    Raises:
        JudgeRejected: more questions than one call takes.
    """
    if len(call.questions) > MAX_QUESTIONS:
        raise JudgeRejected(
            f"{len(call.questions)} questions in one decision call; {MAX_QUESTIONS} are the most"
        )
    questions = [
        {"type": "predicate", "name": f"q{number}", "instructions": question}
        for number, question in enumerate(call.questions)
    ]
    return {"model": call.model, "input": decision_input(call), "questions": questions}


def decision_input(call: ModelCall) -> str:
    """The shared text of a decision call."""
    return "\n\n".join(message["content"] for message in call.messages)


def decision_reply(data: Mapping[str, Any], call: ModelCall) -> ModelReply:
    """The reply in the body of a decision answer. A question the endpoint refused, or gave no probability, is None.

    Raises:
        JudgeMalformed: there is not one answer for each question.
    """
    answers = _list(data.get("answers"))
    if len(answers) != len(call.questions):
        message = f"{len(answers)} answers to {len(call.questions)} questions"
        raise JudgeMalformed(message)
    usage = data.get("usage")
    raw = None
    if isinstance(usage, Mapping):
        raw = cast("Mapping[str, Any]", usage)
    return ModelReply(
        text="",
        model_served=text_or_none(data.get("model")),
        usage=canonical_usage(raw, provider="openai"),
        probabilities=tuple(_probability(_mapping(answer)) for answer in answers),
    )


def _probability(answer: Mapping[str, Any]) -> float | None:
    value = answer.get("probability")
    if not _is_number(value) or not 0 <= value <= 1:
        return None
    return float(value)


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number, and no boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(content: object) -> str:
    """The text of a message, whether given as text or as parts."""
    if isinstance(content, str):
        return content
    parts = [_mapping(part).get("text") or "" for part in _list(content)]
    return "".join(str(part) for part in parts)


def text_or_none(value: object) -> str | None:
    """The value if it is text."""
    if isinstance(value, str):
        return value
    return None


def _first(entries: object) -> Mapping[str, Any] | None:
    for entry in _list(entries):
        return _mapping(entry)
    return None


def _list(value: object) -> list[object]:
    if type(value) is list:
        return cast("list[object]", value)
    if isinstance(value, list | tuple):
        return list(cast("Sequence[object]", value))
    return []


def _mapping(value: object) -> Mapping[str, Any]:
    # Asking an abstract class takes ten times as long as asking for a type.
    if type(value) is dict or isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    return {}
