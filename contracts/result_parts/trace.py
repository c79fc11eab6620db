"""The steps of a run."""

from __future__ import annotations

from typing import Any, cast

from pydantic import Field, model_validator

from judgemesh.contracts.parts import JsonObject, Part
from judgemesh.contracts.transcripts.reading import read_trace


class TraceStep(Part):
    """One step of the run. A tool call has `tool_name`; an utterance has `role` and `content`.

    `arguments_text` are arguments that are no JSON object, as they stand. Calls with the same `together` were made at
    once, in one message.
    """

    step_id: int | str | None = None
    state_type: str | None = None
    role: str | None = None
    content: str | None = None
    tool_name: str | None = None
    arguments: JsonObject = Field(default_factory=dict)
    arguments_text: str | None = None
    result: Any = None
    status: str | None = None
    error: str | bool | None = None
    call_id: str | None = None
    together: int | None = None


class Trace(Part):
    """Steps of the run, or `ref`, the file that holds them.

    Messages, items and events of agent frameworks are read as steps. `unread` says what in them may be a call and could
    not be read. `complete: true` states that every call was recorded, so that a call in the agent's text is only text.
    `export` is a trace that is no list of messages (spans, a session, a run object) as it was given; `mesh.grading` has
    it read.
    """

    steps: list[TraceStep] = Field(default_factory=list[TraceStep])
    events: list[JsonObject] = Field(default_factory=list[JsonObject])
    ref: str | None = None
    complete: bool | None = None
    unread: str | None = None
    export: Any = Field(default=None, exclude=True, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        """Read a list as steps or messages, and a bare string as the file that holds them."""
        return value if isinstance(value, Trace) else read_trace(_as_data(value))


def _as_data(value: Any) -> Any:
    """A trace with its steps as plain data, where they are objects of ours already."""
    if isinstance(value, TraceStep):
        return value.model_dump(exclude_unset=True)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if all(type(item) is dict and "steps" not in item for item in items):
            return items
        return [_as_data(item) for item in items]
    if isinstance(value, dict) and "steps" in value:
        trace = cast("JsonObject", value)
        return {**trace, "steps": _as_data(trace["steps"])}
    return cast("Any", value)
