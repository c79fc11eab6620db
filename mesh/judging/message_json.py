"""The messages of a call as JSON: a digest of the prompt, a cache key and a request body all need it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Generic, TypeAlias, TypeVar

from judgemesh.contracts.gateway import ModelCall
from judgemesh.prompts.json_text import USER, JsonText, PromptMessages

T = TypeVar("T")
Messages: TypeAlias = Sequence[Mapping[str, str]]

_KEPT: Final = 64


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
    """The JSON in three parts; the second begins the text of a prompt, and is empty for other messages."""
    if type(messages) is PromptMessages:
        system, user = messages
        content = user["content"]
        if type(content) is JsonText and content.begin:
            head, end = _around(system["content"], comma, colon)
            return head, content.begin, f"{content.rest}{end}"
    whole = list(map(dict, messages))
    return "", "", json.dumps(whole, sort_keys=True, separators=(comma, colon))


@lru_cache(maxsize=64)
def _around(system: str, comma: str, colon: str) -> tuple[str, str]:
    """What stands before and behind the text of a prompt: the same in call after call."""
    empty = PromptMessages.of(system, JsonText.joined(()))
    text = json.dumps(empty, sort_keys=True, separators=(comma, colon))
    end = f'"{comma}"role"{colon}"{USER}"}}]'
    return text.removesuffix(end), end


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
