"""The chat-completions protocol, and that of decision endpoints: a call -> a body, an answer -> a reply. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from judgemesh.contracts.errors import JudgeMalformed, JudgeRejected
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.usage import canonical_usage

TOOL: Final = "answer"
MAX_QUESTIONS: Final = 100
"""Questions of one decision call; the endpoints in use take 100 at least."""


def chat_body(call: ModelCall) -> dict[str, Any]:
    """The body of a completion request."""
    return {
        **call.parameters,
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        **asked_for(call),
    }


def asked_for(call: ModelCall) -> dict[str, Any]:
    """What the call wants beyond text: JSON of a schema, a tool call, log-probabilities."""
    wanted: dict[str, Any] = {}
    schema = call.response_schema
    if schema is not None and call.as_tool:
        function = {
            "name": TOOL,
            "description": "Give the answer.",
            "parameters": dict(schema),
            "strict": is_strict(schema),
        }
        wanted["tools"] = [{"type": "function", "function": function}]
        wanted["tool_choice"] = {"type": "function", "function": {"name": TOOL}}
    elif schema is not None:
        wanted["response_format"] = response_format(schema)
    if call.top_logprobs:
        wanted |= {"logprobs": True, "top_logprobs": call.top_logprobs}
    return wanted


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The `response_format` that asks for JSON of that schema, strict where the schema is fit for it."""
    described = {"name": TOOL, "strict": is_strict(schema), "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": described}


def is_strict(schema: object) -> bool:
    """Whether every object in a schema names all its properties as required and allows no others."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in cast("list[object]", schema))
    if not isinstance(schema, Mapping):
        return True
    given = cast("Mapping[str, Any]", schema)
    if given.get("type") == "object":
        properties: Mapping[str, Any] = given.get("properties") or {}
        if given.get("additionalProperties") is not False or set(
            given.get("required") or ()
        ) != set(properties):
            return False
    return all(
        is_strict(value)
        for value in given.values()
        if not isinstance(value, str | bool)
    )


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
        text = arguments if isinstance(arguments, str) and arguments else text
    if not text and message.get("refusal"):
        finish = "refusal"
    served = data.get("model")
    return ModelReply(
        text=text,
        model_served=served if isinstance(served, str) else None,
        usage=usage,
        finish_reason=finish if isinstance(finish, str) else None,
        first_token=first_token(choice.get("logprobs")),
    )


def first_token(logprobs: object) -> tuple[tuple[str, float], ...]:
    """The alternatives to the first token of a choice's `logprobs`; none when they are not there or not numbers."""
    token = _first(_mapping(logprobs).get("content"))
    listed = (token or {}).get("top_logprobs")
    found: list[tuple[str, float]] = []
    for item in cast("Sequence[object]", listed) if isinstance(listed, list) else ():
        one = _mapping(item)
        word, value = one.get("token"), one.get("logprob")
        if (
            not isinstance(word, str)
            or not isinstance(value, int | float)
            or isinstance(value, bool)
        ):
            return ()
        found.append((word, float(value)))
    return tuple(found)


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
    answers = data.get("answers")
    listed = (
        list(cast("Sequence[object]", answers))
        if isinstance(answers, list | tuple)
        else []
    )
    if len(listed) != len(call.questions):
        raise JudgeMalformed(
            f"{len(listed)} answers to {len(call.questions)} questions"
        )
    served, usage = data.get("model"), data.get("usage")
    raw = cast("Mapping[str, Any]", usage) if isinstance(usage, Mapping) else None
    return ModelReply(
        text="",
        model_served=served if isinstance(served, str) else None,
        usage=canonical_usage(raw, provider="openai"),
        probabilities=tuple(_probability(_mapping(answer)) for answer in listed),
    )


def _probability(answer: Mapping[str, Any]) -> float | None:
    value = answer.get("probability")
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not math.isfinite(value)
        or not 0 <= value <= 1
    ):
        return None
    return float(value)


def _text(content: object) -> str:
    """The text of a message, whether given as text or as parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[object]", content) if isinstance(content, list) else []
    return "".join(str(_mapping(part).get("text") or "") for part in parts)


def _first(items: object) -> Mapping[str, Any] | None:
    listed = cast("list[object]", items) if isinstance(items, list) else []
    return _mapping(listed[0]) if listed else None


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
