"""A list of steps, messages, items or events, as steps, and what in it could not be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from judgemesh.contracts.transcripts.carriers import carries_calls
from judgemesh.contracts.transcripts.keys import (
    ASSISTANT,
    ROLE_OF_WORD,
    JsonObject,
    fold,
)
from judgemesh.contracts.transcripts.own_steps import is_plain, tidy

_MAX_SHOWN: Final = 3


def read_messages(elements: Sequence[Any], *, complete: bool = False) -> JsonObject:
    """The steps of a list of steps, messages, items or events.

    With `complete` the harness says that every call is recorded: a call that a text writes out is only text.
    """
    if all(is_plain(element) and not carries_calls(element) for element in elements):
        steps = [tidy(element) for element in elements]
        faults = [] if complete else list(_text_faults(steps))
        if not faults:
            return _finished(steps, [])
    # Messages of frameworks are heavy to import, and many traces are steps of our own.
    from judgemesh.contracts.transcripts.mixed_messages import read_mixed
    from judgemesh.contracts.transcripts.written_calls import with_written_calls

    messages = elements if complete else with_written_calls(elements)
    steps, unread = read_mixed(messages)
    if not complete:
        unread += _text_faults(steps, in_texts=messages is not elements)
    return _finished([tidy(step) for step in steps], unread)


def _finished(steps: list[JsonObject], unread: Sequence[str]) -> JsonObject:
    if not unread:
        return {"steps": steps}
    more = f" (and {len(unread) - _MAX_SHOWN} more)" if len(unread) > _MAX_SHOWN else ""
    return {"steps": steps, "unread": "; ".join(unread[:_MAX_SHOWN]) + more}


def _text_faults(
    steps: Sequence[JsonObject], *, in_texts: bool = False
) -> Iterator[str]:
    """Where the agent's text writes a call out, and the harness recorded none, or left the others `in_texts` too."""
    if not in_texts and any(step.get("tool_name") for step in steps):
        return
    from judgemesh.contracts.transcripts.looks import writes_call

    for position, step in enumerate(steps, start=1):
        text = step.get("content")
        if isinstance(text, str) and _is_agents(step) and writes_call(text):
            yield f"step {step.get('step_id', position)}: the text writes a call that the trace does not record"
            return


def _is_agents(step: JsonObject) -> bool:
    """Whether the agent said the text of the step."""
    role = ROLE_OF_WORD.get(fold(str(step.get("role") or ASSISTANT)))
    return role == ASSISTANT and step.get("state_type") != "reasoning"
