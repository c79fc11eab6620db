"""From the messages of one conversation to a `Conversation`: steps, answer, model, tokens and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.contracts.results import ANSWER
from judgemesh.contracts.transcripts.messages import read_messages
from judgemesh.mesh.tracing.conversations.answers import (
    answer_in,
    may_hold_answer,
    message_number,
)
from judgemesh.mesh.tracing.conversations.conversation import Conversation, is_user_turn
from judgemesh.mesh.tracing.conversations.document import BadLine
from judgemesh.mesh.tracing.conversations.facts import Facts, facts_of, sum_of_tokens
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object

_STEP_FIELDS: Final = (
    "step_id", "state_type", "role", "content", "tool_name", "arguments", "arguments_text", "result", "status", "error",
    "call_id", "together",
)  # fmt: skip
_TEXT_FIELDS: Final = ("step_id", "state_type", "role", "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One conversation as its format hands it over.

    messages: messages, items or events that `contracts.transcripts` reads, the history once.
    answer: the answer where the format states it beside the messages.
    usages: the usage of each model call; None: they stand in the messages.
    has_other_answer: whether a text beside the messages may be the answer, if they hold none.
    """

    messages: list[Any] = field(default_factory=list[Any])
    id: str = ""
    answer: str | None = None
    model: str | None = None
    usages: list[JsonObject] | None = None
    unread: str | None = None
    lost: tuple[str, ...] = ()
    has_other_answer: bool = False


def conversation_of(record: Record) -> Conversation:
    """The conversation that the messages hold."""
    messages = [
        message for message in record.messages if not isinstance(message, BadLine)
    ]
    read = read_messages(messages)
    steps = _with_whole_turns(tidy_step(step) for step in read["steps"])
    answer = record.answer
    if answer is None:
        answer = answer_in(messages, steps)
    every = [
        facts_of(message) if is_object(message) else Facts() for message in messages
    ]
    facts = [fact for fact in every if fact != Facts()]
    tokens = sum_of_tokens(facts if record.usages is None else _as_facts(record.usages))
    times = [fact.at for fact in facts if fact.at is not None]
    unread = _unread(
        [
            record.unread,
            read.get("unread"),
            *_bad_lines(record.messages),
            None if steps or record.answer else "it holds no message",
            *_lost_calls(every, steps),
        ]
    )
    is_unknown = answer is None and (
        unread is not None
        or record.has_other_answer
        or may_hold_answer(messages, steps)
    )
    return Conversation(
        id=record.id,
        steps=tuple(steps),
        answer=answer,
        model=record.model or next((fact.model for fact in facts if fact.model), None),
        tokens_in=tokens[0],
        tokens_out=tokens[1],
        started=min(times, default=None),
        ended=max(times, default=None),
        unread=unread,
        lost=(*record.lost, ANSWER)
        if is_unknown and ANSWER not in record.lost
        else record.lost,
    )


def _as_facts(usages: Iterable[JsonObject]) -> list[Facts]:
    return [Facts(usage=usage) for usage in usages]


def _bad_lines(messages: Iterable[object]) -> Iterator[str]:
    for message in messages:
        if isinstance(message, BadLine):
            yield f"line {message.number} is no JSON"


def _lost_calls(facts: list[Facts], steps: list[JsonObject]) -> Iterator[str]:
    """Messages whose model stopped for a call, and whose reply holds none."""
    calling = {message_number(step) for step in steps if step.get("tool_name")}
    replies = {
        fact.reply for number, fact in enumerate(facts, 1) if str(number) in calling
    }
    for number, fact in enumerate(facts, start=1):
        if not fact.stopped_for_call or str(number) in calling:
            continue
        if fact.reply is None or fact.reply not in replies:
            yield f"step {number}: the model stopped to call a tool, and the call is not in the file"
            return


def _unread(reasons: Iterable[object]) -> str | None:
    found = [reason for reason in reasons if isinstance(reason, str) and reason]
    return "; ".join(found) or None


def tidy_step(step: JsonObject) -> JsonObject:
    """The step without the other fields of its message."""
    fields = _STEP_FIELDS if step.get("tool_name") else _TEXT_FIELDS
    kept = {key: step[key] for key in fields if step.get(key) is not None}
    error = kept.get("error")
    if isinstance(error, str) and kept.get("result") in (None, "", [], {}):
        kept["result"] = error
    return kept


def _with_whole_turns(steps: Iterable[JsonObject]) -> list[JsonObject]:
    """The steps, with the parts of one text of the user as one step."""
    whole: list[JsonObject] = []
    for step in steps:
        last = whole[-1] if whole else {}
        if (
            is_user_turn(step)
            and is_user_turn(last)
            and last.get("step_id") == step.get("step_id")
        ):
            whole[-1] = {**last, "content": f"{last['content']}\n{step['content']}"}
        else:
            whole.append(step)
    return whole
