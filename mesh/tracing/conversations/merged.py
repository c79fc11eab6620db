"""The messages of the model calls of a run, put together into one list of parts. Pure.

Each call repeats the history. What a call was sent and is not yet known is new, and so is
everything that it answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from judgemesh.contracts.transcripts.items import read_item
from judgemesh.contracts.transcripts.keys import (
    ASSISTANT,
    ROLE_OF_WORD,
    USER,
    fold,
)
from judgemesh.contracts.transcripts.parts import Call, Part, Returned, Said
from judgemesh.mesh.tracing.spans.json_values import is_object

Key: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class Transcript:
    """What is known of a conversation so far, as (number, message, part).

    The number is that of the step in which a part first came; messages are numbered, so
    that calls of one message are known to be made together.
    """

    parts: list[tuple[int, int, Part]] = field(
        default_factory=list[tuple[int, int, Part]]
    )
    _message: int = 0
    _known: Counter[Key] = field(default_factory=Counter[Key])

    def begin_run(self, messages: Sequence[Any]) -> None:
        """A further run begins with these messages.

        If they do not hold the history, nothing of it can be repeated in the run.
        """
        if not self.holds_history(messages):
            self._known = Counter()

    def holds_history(self, messages: Sequence[Any]) -> bool:
        """Whether the messages repeat what the agent did before."""
        keys = [key_of(part) for part in parts_of_messages(messages)]
        own = [key for key in keys if key[0] in {"call", "said"}]
        return any(self._known[key] for key in own)

    def add(
        self,
        number: int,
        sent: Iterable[Any],
        answered: Iterable[Any],
        again: Iterable[Any] = (),
        *,
        is_users: bool = True,
    ) -> None:
        """Add a model call.

        Args:
            number: of the call's step.
            sent: messages that it was sent.
            answered: messages that it answered with.
            again: the answer as another source states it; only its calls are taken.
            is_users: whether messages of the role user are of the user.
        """
        self._add_unknown(number, sent, is_users=is_users)
        self._message += 1
        answer = list(parts_of_messages(answered))
        calls = [part for part in answer if isinstance(part, Call)]
        for part in parts_of_messages(again):
            if isinstance(part, Call) and not any(_is_same(part, one) for one in calls):
                answer.append(part)
                calls.append(part)
        for part in answer:
            self._append(number, _as_agents(part))

    def add_repeated(self, number: int, messages: Iterable[Any]) -> None:
        """Add what is not yet known of messages that another span states too."""
        self._add_unknown(number, messages, is_users=True)

    def _add_unknown(
        self, number: int, messages: Iterable[Any], *, is_users: bool
    ) -> None:
        left = Counter(self._known)
        for message in messages:
            self._message += 1
            for part in parts_of_messages((message,)):
                key = key_of(part)
                if left[key]:
                    left[key] -= 1
                elif is_users or not _is_of_user(part):
                    self._append(number, part)

    def _append(self, number: int, part: Part) -> None:
        self._known[key_of(part)] += 1
        self.parts.append((number, self._message, part))


def parts_of_messages(messages: Iterable[Any]) -> Iterator[Part]:
    """The parts of messages of any dialect; a system prompt has none."""
    for message in messages:
        if is_object(message):
            for part in read_item(message):
                if not _is_of_system(part):
                    yield part


def key_of(part: Part) -> Key:
    """By what a part is known again in a history."""
    match part:
        case Call():
            # Histories may mend arguments: an id tells more than they do.
            return ("call", fold(part.name), part.id or _text(part))
        case Returned():
            if part.ids:
                return ("result", part.ids[0])
            return ("result", part.name or "", repr(part.outcome.value))
        case Said():
            role = "thought" if part.thought else _role(part)
            return ("asked" if role == USER else "said", role, part.text.strip())
        case _:
            return (type(part).__name__, repr(part))


def _text(call: Call) -> str:
    if call.arguments_text is not None:
        return call.arguments_text
    return json.dumps(call.arguments, sort_keys=True, default=str)


def _is_same(one: Call, other: Call) -> bool:
    if one.id and other.id:
        return one.id == other.id
    return fold(one.name) == fold(other.name) and _text(one) == _text(other)


def _role(part: Said) -> str:
    return ROLE_OF_WORD.get(fold(part.role or ""), ASSISTANT)


def _is_of_user(part: Part) -> bool:
    return isinstance(part, Said) and not part.thought and _role(part) == USER


def _is_of_system(part: Part) -> bool:
    return isinstance(part, Said) and _role(part) not in {USER, ASSISTANT}


def _as_agents(part: Part) -> Part:
    """A text of an answer is the agent's, whatever role it is written under."""
    if isinstance(part, Said) and not part.thought:
        return Said(ASSISTANT, part.text)
    return part
