"""The agent's last text as the final answer of a run whose result has no output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import (
    ANSWER,
    ANSWER_PLACE,
    NOT_HELD,
    AgentOutput,
    AgentResult,
    Status,
    delivers_nothing,
    not_held,
)
from judgemesh.contracts.transcripts.keys import ASSISTANT, ROLE_OF_WORD, fold

_REASONING: Final = "reasoning"


def with_last_text(result: AgentResult) -> AgentResult:
    """The result with what the agent said last, where it ended by itself and called no tool afterwards.

    A result with an output of any kind stays as it is: what it holds is what was delivered. Where a part of the trace
    could not be read, nothing is known about the answer.
    """
    trace = result.trace
    if result.status is not Status.COMPLETED or trace is None:
        return result
    if not delivers_nothing(result) or ANSWER in not_held(result):
        return result
    if trace.unread:
        lost = [*not_held(result), ANSWER]
        return result.model_copy(
            update={"metadata": {**result.metadata, NOT_HELD: lost}}
        )
    text = _last_text(trace.steps)
    if text is None:
        return result
    metadata = {**result.metadata, ANSWER_PLACE: "trace"}
    output = AgentOutput(final_answer=text)
    return result.model_copy(update={"output": output, "metadata": metadata})


def _last_text(steps: Sequence[TraceStep]) -> str | None:
    """The parts of the agent's last message; None where a call comes after it."""
    parts: list[str] = []
    number: object = None
    for step in reversed(steps):
        if step.tool_name is not None:
            break
        if not _is_agent_text(step):
            if parts:
                break
            continue
        if parts and step.step_id != number:
            break
        number = step.step_id
        parts.append(step.content or "")
    return "\n".join(reversed(parts)) if parts else None


def _is_agent_text(step: TraceStep) -> bool:
    if step.state_type == _REASONING or not step.content:
        return False
    return ROLE_OF_WORD.get(fold(step.role or "")) == ASSISTANT
