"""The steps of a trace out of the parts of its messages: results go to their calls, by id where there are ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import as_text
from judgemesh.contracts.transcripts.batches import opened
from judgemesh.contracts.transcripts.keys import TIMES, JsonObject, fold
from judgemesh.contracts.transcripts.parts import (
    Boundary,
    Call,
    Outcome,
    Part,
    Returned,
    Said,
    Unread,
)

_LOST_ARGUMENTS: Final = "the call itself is not in the trace"


@dataclass(slots=True)
class _Open:
    """A call whose step is already in the list, and the names it goes by."""

    step: JsonObject
    name: str
    id: str | None
    settled: bool


@dataclass(slots=True)
class StepList:
    """Collects steps. `unread` says what could not be read, in the order of the trace.

    carriers: names of the calls that carried others, folded; they are no steps.

    Calls are known by their ids, and those without a result are kept apart: a long trace takes time in proportion.
    """

    steps: list[JsonObject] = field(default_factory=list[JsonObject])
    unread: list[str] = field(default_factory=list[str])
    carriers: set[str] = field(default_factory=set[str])
    _by_id: dict[str, list[_Open]] = field(default_factory=dict[str, list[_Open]])
    _carried: dict[str, list[_Open]] = field(default_factory=dict[str, list[_Open]])
    _pending: list[_Open] = field(default_factory=list[_Open])
    _names: set[str] = field(default_factory=set[str])
    _calls: int = 0
    _tool_texts: int = 0
    _group: int = 0
    _in_group: bool = False

    def add_own(self, step: JsonObject) -> None:
        """Add a step that already has our form."""
        self.steps.append(step)
        self._tool_texts += step.get("role") == "tool"
        name = step.get("tool_name")
        if isinstance(name, str):
            settled = step.get("result") is not None or bool(step.get("error"))
            self._know(_Open(step, name, _id_of(step), settled))

    def _know(self, call: _Open) -> None:
        self._calls += 1
        self._names.add(fold(call.name))
        if call.id is not None:
            self._by_id.setdefault(call.id, []).append(call)
        if not call.settled:
            self._pending.append(call)

    def add(self, parts: Iterable[Part], number: int, extras: JsonObject) -> None:
        """Add the parts of one message; `extras` are further fields of its steps."""
        own: list[Part] = []
        for part in parts:
            inner = opened(part)
            if isinstance(part, Call) and part not in inner:
                self.carriers.add(fold(part.name))
            own += inner
        self._start_group(own)
        calls = 0
        for part in own:
            match part:
                case Said():
                    self._say(part, number, extras)
                case Call():
                    calls += 1
                    self._call(part, f"{number}.{calls}", extras)
                case Returned():
                    self._return(part, number, extras)
                case Boundary():
                    self._group += 1
                case Unread():
                    self.unread.append(f"step {number}: {part.why}")

    def _start_group(self, parts: list[Part]) -> None:
        """Calls of one message are made at once, and so are calls that follow each other as items of their own."""
        only_calls = bool(parts) and all(isinstance(part, Call) for part in parts)
        if not (only_calls and self._in_group):
            self._group += 1
        self._in_group = only_calls

    def _say(self, said: Said, number: int, extras: JsonObject) -> None:
        step: JsonObject = {"step_id": number, **extras, "content": said.text}
        if said.thought:
            step["state_type"] = "reasoning"
        elif said.role is not None:
            step["role"] = said.role
        self.steps.append(step)

    def _call(self, call: Call, step_id: str, extras: JsonObject) -> None:
        known = self._same_open(call)
        if known is not None:
            _settle(known, call.outcome)
            return
        step: JsonObject = {
            "step_id": step_id,
            **_times(extras),
            "tool_name": call.name,
            "arguments": call.arguments,
            "call_id": call.id,
            "together": self._group,
        }
        if call.arguments_text is not None:
            step["arguments_text"] = call.arguments_text
        self.steps.append(step)
        new = _Open(step, call.name, call.id, settled=False)
        _settle(new, call.outcome)
        self._know(new)
        if call.carrier is not None:
            self._carried.setdefault(call.carrier, []).append(new)

    def _same_open(self, call: Call) -> _Open | None:
        """The open call that this one states once more, as an event beside a message does."""
        for known in self._by_id.get(call.id, ()) if call.id is not None else ():
            if known.settled:
                continue
            one, other = fold(known.name), fold(call.name)
            if one.endswith(other) or other.endswith(one):
                return known
        return None

    def _return(self, returned: Returned, number: int, extras: JsonObject) -> None:
        if self._settle_carried(returned):
            return
        known = self._call_of(returned)
        if known is not None:
            _settle(known, returned.outcome)
            return
        if returned.stray or self._repeats(returned):
            return
        name = returned.name
        if name is not None and not self._has_call(name):
            call = Call(name, {}, _LOST_ARGUMENTS, None, returned.outcome)
            self._call(call, f"{number}.1", extras)
            return
        role: JsonObject = {"role": "tool", "content": as_text(returned.outcome.value)}
        self.steps.append({"step_id": number, **extras, **role})
        self._tool_texts += 1
        is_unknown = name is None and self._tool_texts > self._calls
        if returned.names_call or is_unknown:
            self.unread.append(
                f"step {number}: the result of a tool whose call is not in the trace"
            )

    def _settle_carried(self, returned: Returned) -> bool:
        """Give the result of a call that carries others to each of them: it is the result of all."""
        calls = [
            call
            for identity in returned.ids
            for call in self._carried.get(identity, ())
        ]
        for call in calls:
            _settle(call, returned.outcome)
        return bool(calls)

    def _call_of(self, returned: Returned) -> _Open | None:
        """The open call that the result belongs to: by id; without an id by name, then the earliest."""
        self._pending = [call for call in self._pending if not call.settled]
        for identity in returned.ids:
            for call in self._by_id.get(identity, ()):
                if not call.settled:
                    return call
        if returned.stray or self._repeats(returned):
            return None
        anonymous = [
            call for call in self._pending if call.id is None or not returned.ids
        ]
        if returned.name is not None:
            wanted = fold(returned.name)
            anonymous = [call for call in anonymous if fold(call.name).endswith(wanted)]
        return anonymous[0] if anonymous else None

    def _repeats(self, returned: Returned) -> bool:
        """Whether the call has its result already: the trace states it twice."""
        return any(identity in self._by_id for identity in returned.ids)

    def _has_call(self, name: str) -> bool:
        return any(known.endswith(fold(name)) for known in self._names)


def _settle(call: _Open, outcome: Outcome | None) -> None:
    """Give a call its outcome. A bare error beside a call with an id leaves room for the result by that id."""
    if outcome is None or call.settled:
        return
    call.settled = outcome.value is not None or call.id is None
    call.step["result"] = outcome.value
    if outcome.error:
        call.step["status"] = "error"
        call.step["error"] = outcome.error


def _id_of(step: JsonObject) -> str | None:
    for key in ("tool_call_id", "call_id", "id"):
        value: Any = step.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def _times(extras: JsonObject) -> JsonObject:
    return {key: value for key, value in extras.items() if fold(key) in TIMES}
