"""Contract section `validators`: which of them run, and how."""

from __future__ import annotations

from pydantic import Field

from judgemesh.contracts.parts import Id, JsonObject
from judgemesh.contracts.sections.section import Seconds, Section


class ValidatorChoice(Section):
    """A validator that the contract selects by name, and the settings that it changes."""

    name: Id
    enabled: bool = True
    gate: bool | None = None
    timeout_s: Seconds | None = None
    args: JsonObject = Field(default_factory=dict)
