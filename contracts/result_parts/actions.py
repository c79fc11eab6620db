"""What an agent says that it executed, and what other systems know about it."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from judgemesh.contracts.parts import JsonObject, Part, Word


class Action(Part):
    """What the agent *says* it executed. Records and state prove whether it happened."""

    kind: str
    target: Word | None = None
    parameters: JsonObject = Field(default_factory=dict)
    confirmation_id: Word | None = None
    status: Word | None = None
    confirmed: bool | None = None
    confirmed_at: datetime | None = None
    at: datetime | None = None


class ExecutionRecord(Part):
    """What an external system knows about an execution."""

    kind: str
    target: Word | None = None
    parameters: JsonObject = Field(default_factory=dict)
    confirmation_id: Word | None = None
    status: Word | None = None
    at: datetime | None = None
