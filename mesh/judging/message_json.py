"""The messages of a call as JSON: a digest of the prompt, a cache key and a request body all need it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Generic, TypeAlias, TypeVar

from judgemesh.contracts.gateway import ModelCall
from judgemesh.prompts.json_text import JsonText

T = TypeVar("T")
Messages: TypeAlias = Sequence[Mapping[str, str]]

_KEPT: Final = 64
_USUAL: Final = ("content", "role")


def messages_json(messages: Messages) -> str:
    """ASCII JSON of the messages, their keys sorted."""
    return "".join(_split(messages, ",", ":"))


def messages_sha256(
    messages: Messages,
    *,
    before: str = "",
    behind: str = "",
    comma: str = ",",
    colon: str = ":",
) -> str:
    """`sha256:...` of their JSON between two texts. What all questions about a result begin with is hashed once."""
    head, begin, rest = _split(messages, comma, colon)
    state = _begun(before, head, begin).copy()
    state.update(f"{rest}{behind}".encode())
    return f"sha256:{state.hexdigest()}"


@lru_cache(maxsize=64)
def _begun(before: str, head: str, begin: str) -> Any:
    """The state of a digest, which its users copy. Quick to find: all three are the same objects in call after call."""
    return hashlib.sha256(f"{before}{head}{begin}".encode())


def _split(messages: Messages, comma: str, colon: str) -> tuple[str, str, str]:
    """The JSON in three parts; the second is where the first `JsonText` begins, and empty without one."""
    head = begin = ""
    parts: list[str] = []
    separator = "["
    for message in messages:
        parts.append(separator)
        separator = comma
        content = message.get("content")
        if len(message) != len(_USUAL) or content is None or "role" not in message:
            members = [
                f"{_text(key)}{colon}{_text(message[key])}" for key in sorted(message)
            ]
            parts.append(f"{{{comma.join(members)}}}")
        elif type(content) is not JsonText:
            parts.append(_plain(content, message["role"], comma, colon))
        elif content.begin and not begin:
            parts.append(f'{{"content"{colon}"')
            head, begin = _joined(tuple(parts)), content.begin
            parts = [f'{content.rest}"{_role(message["role"], comma, colon)}']
        else:
            role = _role(message["role"], comma, colon)
            parts.append(f'{{"content"{colon}{content.json}{role}')
    parts.append("]" if messages else "[]")
    return head, begin, "".join(parts)


@lru_cache(maxsize=64)
def _joined(parts: tuple[str, ...]) -> str:
    """Cached: what stands before the materials is the same in call after call."""
    return "".join(parts)


@lru_cache(maxsize=64)
def _plain(content: str, role: str, comma: str, colon: str) -> str:
    """A message whose text does not know its JSON."""
    return f'{{"content"{colon}{_text(content)}{_role(role, comma, colon)}'


def _role(role: str, comma: str, colon: str) -> str:
    """The end of a message."""
    return f'{comma}"role"{colon}{_text(role)}}}'


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
