"""What a boundary is: the point of a runtime at which calls are recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.encoding import plain

Fields: TypeAlias = Mapping[str, object]
CountTokens: TypeAlias = Callable[[object], int]

_CHARS_A_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class BoundaryCall:
    """One call that returned: its arguments, its result, and how to count tokens."""

    name: str
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    result: object
    count: CountTokens


Describe: TypeAlias = Callable[[BoundaryCall], Fields]


@dataclass(frozen=True, slots=True)
class Boundary:
    """The state and the event of a call, and the fields that are read from it.

    before: fields known when the call begins, from its name.
    after: fields known when it returned.
    step_fields: whether `after` gives fields of the state (section 19), not of the event.
    name_of: the name of what is called, where the arguments have it.
    streams: whether the result may be a stream that has to be read to its end.
    """

    state: StateType
    event: EventType
    before: Callable[[str], Fields]
    after: Describe
    step_fields: bool = False
    name_of: Callable[[BoundaryCall], str | None] | None = None
    streams: bool = False


def estimate_tokens(value: object) -> int:
    """About how many tokens a value has as text: a quarter of its characters."""
    if value is None:
        return 0
    text = value
    if not isinstance(text, str):
        text = json.dumps(plain(value), ensure_ascii=False, default=str)
    return -(-len(text) // _CHARS_A_TOKEN)
