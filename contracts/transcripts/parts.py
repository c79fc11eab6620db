"""What a message holds: what was said, calls, results of calls, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgemesh.contracts.transcripts.keys import JsonObject


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave back. `error` is the message, or true, where it failed."""

    value: Any = None
    error: str | bool | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. `arguments_text` are arguments that could not be read as an object.

    carrier: the id of the call that carried this one.
    """

    name: str
    arguments: JsonObject = field(default_factory=dict[str, Any])
    arguments_text: str | None = None
    id: str | None = None
    outcome: Outcome | None = None
    carrier: str | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """The result of a call made elsewhere. `ids` are the ids it may go by; `stray` results need no call.

    names_call: it states the id of its call, and not only an id of its own.
    """

    outcome: Outcome
    ids: tuple[str, ...] = ()
    name: str | None = None
    stray: bool = False
    names_call: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """A text. A `thought` is one that the agent kept for itself."""

    role: str | None
    text: str
    thought: bool = False


@dataclass(frozen=True, slots=True)
class Boundary:
    """The beginning of another turn of the model inside one message."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that may be a call and could not be read."""

    why: str


Part = Call | Returned | Said | Boundary | Unread
