"""Where the input tokens of a model call came from: the nine sources of section 18. Pure.

A trace that counted the sources itself is `measured`. Otherwise the counted input
tokens of the call are split over its messages by their length in UTF-8 bytes, which
every tokenizer follows roughly: `estimated`. Without a count, four bytes are one token.

Where far more was counted than the messages can hold, the trace leaves something out
(the system prompt, the descriptions of tools): the messages get four bytes a token, and
the rest is other context. In both cases the parts add up to the counted total exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.tracing import CONTEXT_SOURCES, ContextBreakdown, StateType

BYTES_A_TOKEN: Final = 4
UNSEEN_FROM: Final = 1.5
"""From this ratio of counted to estimated tokens on, the trace lacks a part of the input."""

_OF_ROLE: Final[Mapping[str, str]] = {
    "system": "system_prompt",
    "developer": "system_prompt",
    "skill": "skill_instruction",
    "user": "history",
    "assistant": "history",
    "tool": "tool_result",
    "document": "retrieved_context",
    "memory": "memory",
    "file": "artifact_context",
}

_OF_STATE: Final[Mapping[StateType, str]] = {
    StateType.RETRIEVE: "retrieved_context",
    StateType.FILE_READ: "artifact_context",
    StateType.FILE_WRITE: "artifact_context",
    StateType.MEMORY_READ: "memory",
    StateType.MEMORY_WRITE: "memory",
}


@dataclass(frozen=True, slots=True)
class ContextPart:
    """A part of a model call's input.

    role: a role of `messages.ROLES`, `skill` or `file`; anything else is other context.
    weight: its length in UTF-8 bytes.
    call_id, tool_name: of the tool call whose result it is, where the trace says so.
    """

    role: str
    weight: int
    call_id: str | None = None
    tool_name: str | None = None


def weight_of(text: str) -> int:
    """Length in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def estimated_tokens(weight: int) -> int:
    """About how many tokens a text of that many bytes has; 0 for none."""
    return -(-weight // BYTES_A_TOKEN)


def source_of(role: str, tool_state: StateType | None, *, first_user: bool) -> str:
    """The source of a part.

    The user's first message is the instruction; later ones are history.
    """
    if role == "user" and first_user:
        return "user_instruction"
    if role == "tool" and tool_state is not None:
        return _OF_STATE.get(tool_state, "tool_result")
    return _OF_ROLE.get(role, "other_context")


def weigh(parts: Iterable[tuple[ContextPart, StateType | None]]) -> dict[str, int]:
    """The weight of each source. The state is that of the tool whose result a part is."""
    weights: dict[str, int] = {}
    for source in CONTEXT_SOURCES:
        weights[source] = 0
    first_user = True
    for part, tool_state in parts:
        source = source_of(part.role, tool_state, first_user=first_user)
        weights[source] += part.weight
        if part.role == "user":
            first_user = False
    return weights


def estimate(
    weights: Mapping[str, int], counted: int | None
) -> ContextBreakdown | None:
    """The breakdown of a call; None when nothing is known of what was sent."""
    if not any(weights.values()):
        return None
    tokens = allot(counted, weights)
    if counted is not None:
        tokens["other_context"] += counted - sum(tokens.values())
    fields = {f"{source}_tokens": count for source, count in tokens.items()}
    return ContextBreakdown(**fields, basis="estimated")


def allot(counted: int | None, weights: Mapping[str, int]) -> dict[str, int]:
    """The tokens of each part.

    They add up to `counted`, or to less where the trace leaves something out.
    """
    estimated = {name: estimated_tokens(weight) for name, weight in weights.items()}
    if counted is None or counted > UNSEEN_FROM * sum(estimated.values()):
        return estimated
    return share_out(counted, weights)


def share_out(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """`total` in whole parts in proportion to the weights, by largest remainder.

    The parts add up to `total`.
    """
    whole_weight = sum(weights.values())
    if whole_weight <= 0:
        return dict.fromkeys(weights, 0)
    parts: dict[str, int] = {}
    remainders: dict[str, int] = {}
    for name, weight in weights.items():
        parts[name], remainders[name] = divmod(total * weight, whole_weight)
    by_remainder = sorted(remainders, key=lambda name: -remainders[name])
    left = total - sum(parts.values())
    for name in by_remainder[:left]:
        parts[name] += 1
    return parts
