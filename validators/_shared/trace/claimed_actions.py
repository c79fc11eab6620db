"""The actions that the agent says it executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.result_parts.actions import Action
from judgemesh.validators._shared.trace.status import Standing, standing
from judgemesh.validators._shared.trace.transcript import word

_INTENDED: Final = frozenset(
    {
        "planned",
        "proposed",
        "skipped",
        "draft",
        "not_started",
        "todo",
        "suggested",
        "requested",
    }
)


@dataclass(frozen=True, slots=True)
class ClaimedAction:
    """An action that the agent says it executed. `index` is its position among the result's actions."""

    index: int
    action: Action

    @property
    def ref(self) -> str:
        """Its reference as evidence."""
        return f"actions/{self.index}"


def claimed_actions(actions: Sequence[Action]) -> list[ClaimedAction]:
    """The actions that claim to be done: not those that the agent itself calls failed or only planned."""
    return [
        ClaimedAction(index, action)
        for index, action in enumerate(actions)
        if _claims(action)
    ]


def _claims(action: Action) -> bool:
    """Whether the action claims to have happened; `cancelled` says so of a cancellation."""
    says = standing(action.status, action.kind)
    if says is Standing.FAILED:
        return False
    return says is Standing.DONE or word(action.status) not in _INTENDED
