"""A plan and its steps, as far as rules can read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

MAX_STEPS: Final = 2_000
MAX_TEXT_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step. `structured`: it came as an object, so that what it does not say is not there.

    `description` is what it says it does, `text` all of it. `branch`: it says what happens when it fails. `marked`: it
    is marked as a write. `rollback`: it says how to undo it.
    """

    number: int
    id: str
    action: str | None
    description: str
    text: str
    arguments: Sequence[object] | Mapping[str, object] = ()
    depends_on: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    branch: bool = False
    marked: bool = False
    rollback: bool = False
    may_fail: bool | None = None
    structured: bool = False


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """A plan. `prose` is a text in which no list of steps was found; `ref` says where the plan is in the result."""

    steps: tuple[PlanStep, ...] = ()
    prose: str = ""
    ref: str = "plan"
    too_long: bool = False
    text: str = field(default="", repr=False)

    @property
    def structured(self) -> bool:
        """Whether the steps came as objects."""
        return any(step.structured for step in self.steps)
