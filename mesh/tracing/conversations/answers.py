"""Where the answer of a conversation stands: the agent's last text, if no call comes after it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import ASSISTANT, ROLE_OF_WORD, Fields, fold
from judgemesh.contracts.transcripts.kinds import Kind, is_tool_role, kind_of, role_of
from judgemesh.mesh.tracing.conversations.output_tools import output_of
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, is_object

_SENTENCE: Final = re.compile(r"\S\s+\S")
_MAX_DEPTH: Final = 4


def answer_in(messages: list[Any], steps: list[JsonObject]) -> str | None:
    """The answer that the messages or their steps hold; None where they hold none."""
    return answer_of(steps) or output_of(steps) or _summary(messages)


def answer_of(steps: list[JsonObject]) -> str | None:
    """The agent's last text, where no call comes after it."""
    texts: list[str] = []
    number: object = None
    for step in reversed(steps):
        if step.get("tool_name"):
            break
        if not is_agent_text(step):
            if texts:
                break
            continue
        if texts and step.get("step_id") != number:
            break
        number = step.get("step_id")
        texts.append(step["content"])
    return joined(reversed(texts)) if texts else None


def _summary(messages: list[Any]) -> str | None:
    """The results of tools that AutoGen gives as the answer of an agent that does not reflect on them."""
    last = messages[-1] if messages else None
    if not is_object(last) or last.get("type") != "ToolCallSummaryMessage":
        return None
    content = last.get("content")
    return content if isinstance(content, str) else None


def is_agent_text(step: JsonObject) -> bool:
    """Whether the step is a text that the agent said to the user."""
    if step.get("state_type") == "reasoning" or not isinstance(
        step.get("content"), str
    ):
        return False
    return ROLE_OF_WORD.get(fold(str(step.get("role") or ""))) == ASSISTANT


def joined(texts: Iterable[str]) -> str:
    """The parts of one text. A sentence that ends a part does not run into the next part."""
    whole = ""
    for text in texts:
        ends = whole[-1:] in (".", "!", "?", ":") and text[:1].isalnum()
        whole += f"\n{text}" if ends else text
    return whole


def may_hold_answer(messages: list[Any], steps: list[JsonObject]) -> bool:
    """Whether the last message may hold the answer: a text whose speaker is not named, or one that was not read."""
    last = messages[-1] if messages else None
    if not is_object(last):
        return False
    fields = Fields(last)
    if kind_of(fields) in (Kind.RESULT, Kind.CALL) or is_tool_role(role_of(fields)):
        return False
    read = [step for step in steps if message_number(step) == str(len(messages))]
    said = [step for step in read if isinstance(step.get("content"), str)]
    if said or any(step.get("tool_name") for step in read):
        return bool(said) and not said[-1].get("role")
    return any(True for _ in _sentences(last, _MAX_DEPTH))


def _sentences(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if _SENTENCE.search(value):
            yield value
    elif depth and is_object(value):
        for item in value.values():
            yield from _sentences(item, depth - 1)
    elif depth and is_list(value):
        for item in value:
            yield from _sentences(item, depth - 1)


def message_number(step: JsonObject) -> str:
    """The number of the message that the step is of."""
    return str(step.get("step_id")).partition(".")[0]
