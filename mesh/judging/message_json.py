"""The messages of a call as JSON: a digest of the prompt, a cache key and a request body all need it. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final, Generic, TypeVar

from judgemesh.contracts.gateway import ModelCall
from judgemesh.prompts.json_text import JsonText

T = TypeVar("T")

_KEPT: Final = 64
_USUAL: Final = frozenset({"content", "role"})


def messages_json(
    messages: Sequence[Mapping[str, str]], *, comma: str = ",", colon: str = ":"
) -> str:
    """ASCII JSON of the messages, their keys sorted."""
    parts: list[str] = []
    for message in messages:
        if len(message) == len(_USUAL) and _USUAL.issubset(message):
            given, role = message["content"], _text(message["role"])
            content = given.json if type(given) is JsonText else _text(given)
            parts.append(f'{{"content"{colon}{content}{comma}"role"{colon}{role}}}')
            continue
        members = [
            f"{_text(key)}{colon}{_text(message[key])}" for key in sorted(message)
        ]
        parts.append(f"{{{comma.join(members)}}}")
    return f"[{comma.join(parts)}]"


@lru_cache(maxsize=256)
def _text(text: str) -> str:
    """Cached, because a text of many kilobytes is asked for again and again while its call is made."""
    return json.dumps(text)


class Constant(Generic[T]):
    """What is made of the parts of a call that are the same objects in call after call: all but its messages."""

    def __init__(self, make: Callable[[ModelCall], T]) -> None:
        self._make = make
        self._made: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def of(self, call: ModelCall) -> T:
        """What `make` returns for the call. Parts are compared as objects: 1 and 1.0 are printed differently."""
        parts = _PARTS(call)
        key = tuple(map(id, parts))
        known = self._made.get(key)
        if known is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            # The parts are kept too, so that no other object gets their identity.
            known = self._made[key] = parts, self._make(call)
        return known[1]


_PARTS: Final = attrgetter(
    *("model", "parameters", "response_schema", "as_tool"),
    *("top_logprobs", "questions", "sample_index"),
)
