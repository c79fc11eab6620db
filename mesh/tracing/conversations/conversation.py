"""What a transcript holds, whatever wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from judgemesh.contracts.transcripts.keys import ROLE_OF_WORD, USER, fold
from judgemesh.mesh.tracing.spans.json_values import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation of a user with an agent, as a transcript states it.

    id: as the file names it; empty where it names none.
    steps: in the shape of `trace.steps[*]` of a result (docs/reference/results.md): calls have `tool_name`,
        utterances have `role` and `content`.
    answer: the agent's last text; None where the file holds none.
    tokens_in, tokens_out: the sum over all model calls, cached and reasoning tokens included; None where the file
        has none.
    unread: what may be a call and could not be read; nothing is known about the calls then.
    lost: what the file says that it does not hold, one line each.
    """

    id: str = ""
    steps: tuple[JsonObject, ...] = ()
    answer: str | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    started: datetime | None = None
    ended: datetime | None = None
    unread: str | None = None
    lost: tuple[str, ...] = ()

    @property
    def calls(self) -> Iterator[JsonObject]:
        """The steps that call a tool."""
        return (step for step in self.steps if step.get("tool_name"))

    @property
    def user_turns(self) -> Iterator[str]:
        """What the user said, in order."""
        return (step["content"] for step in self.steps if is_user_turn(step))


def is_user_turn(step: JsonObject) -> bool:
    """Whether the step is a text of the user."""
    role = step.get("role")
    return (
        isinstance(role, str)
        and ROLE_OF_WORD.get(fold(role)) == USER
        and isinstance(step.get("content"), str)
    )
