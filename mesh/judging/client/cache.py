"""Answers kept by content: the same call, to the byte, is paid for once. Only readable answers are kept."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Protocol, cast

from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage

CACHE_SCHEMA: Final = 1
"""Goes into every key; raised when the meaning of key or value changes, so that old entries are simply not found."""


class ResponseCache(Protocol):
    """Where answers are kept between calls and, for a lasting cache, between runs."""

    async def cache_get(self, key: str) -> str | None:
        """The value kept under the key; None when there is none."""
        ...

    async def cache_put(self, key: str, value: str, *, created_at: datetime) -> None:
        """Keep the value; a value already there may be replaced."""
        ...


class MemoryCache:
    """A cache for the life of the process, bounded: the entry not used for longest goes first."""

    def __init__(self, *, max_entries: int = 10_000) -> None:
        if max_entries < 1:
            raise ValueError(f"max_entries must be 1 or more, got {max_entries}")
        self._entries: OrderedDict[str, str] = OrderedDict()
        self._max_entries = max_entries

    def __len__(self) -> int:
        return len(self._entries)

    async def cache_get(self, key: str) -> str | None:
        """The value kept under the key."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    async def cache_put(self, key: str, value: str, *, created_at: datetime) -> None:  # noqa: ARG002 - of the protocol
        """Keep the value, and let go of the oldest when there are too many."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)


def cache_key(call: ModelCall, *, gateway: str) -> str:
    """`sha256:...` over everything that can change the answer.

    Time-out and question id are not part of it. The sample index is: k votes would otherwise be one vote.
    """
    body = {
        "schema": CACHE_SCHEMA,
        "gateway": gateway,
        "model": call.model,
        "messages": [dict(message) for message in call.messages],
        "parameters": dict(call.parameters),
        "response_schema": None
        if call.response_schema is None
        else dict(call.response_schema),
        "sample_index": call.sample_index,
        **({"as_tool": True} if call.as_tool else {}),
        **({"top_logprobs": call.top_logprobs} if call.top_logprobs else {}),
        **({"questions": list(call.questions)} if call.questions else {}),
    }
    canonical = json.dumps(
        body, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def reply_to_json(reply: ModelReply) -> dict[str, Any]:
    """A reply as JSON-ready data; `reply_from_json` is its inverse."""
    given = {name: getattr(reply, name) for name in _REPLY_FIELDS}
    data = {
        name: value
        for name, value in given.items()
        if value is not None and value != ()
    }
    if reply.usage is not None:
        # By hand: `asdict` copies the provider's own usage leaf by leaf, and took a twentieth of a call's CPU time.
        counts = {name: getattr(reply.usage, name) for name in _COUNTS}
        data["usage"] = counts | (
            {"raw": dict(reply.usage.raw)} if reply.usage.raw else {}
        )
    return data


_REPLY_FIELDS: Final = tuple(ModelReply.__dataclass_fields__)
_COUNTS: Final = tuple(name for name in Usage.__dataclass_fields__ if name != "raw")


def reply_from_json(data: object) -> ModelReply:
    """Build a reply from data that `reply_to_json` made, or that a person wrote by hand.

    Raises:
        ValueError: one line that says what does not fit.
    """
    if not isinstance(data, dict):
        raise ValueError("a reply must be an object")  # noqa: TRY004 - a fault of data, not of a caller's types
    given = cast("dict[str, Any]", data)
    unknown = sorted(set(given) - _REPLY_KEYS)
    if unknown:
        raise ValueError(
            f"unknown key {unknown[0]!r}; a reply has {', '.join(sorted(_REPLY_KEYS))}"
        )
    if not isinstance(given.get("text"), str):
        raise ValueError("a reply needs a text")  # noqa: TRY004 - as above
    usage = given.get("usage")
    try:
        read = None if usage is None else _usage_from_json(usage)
    except TypeError as error:
        raise ValueError(f"a usage that cannot be read: {error}") from error
    fields: dict[str, Any] = {**given, "usage": read}
    try:
        fields["first_token"] = tuple(
            (str(token), float(logprob))
            for token, logprob in given.get("first_token", ())
        )
        fields["probabilities"] = tuple(
            None if one is None else float(one)
            for one in given.get("probabilities", ())
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"probabilities that cannot be read: {error}") from error
    return ModelReply(**fields)


_REPLY_KEYS: Final = frozenset(ModelReply.__dataclass_fields__)


def _usage_from_json(data: Mapping[str, Any]) -> Usage:
    usage = Usage(**data)
    counts = (
        getattr(usage, name) for name in Usage.__dataclass_fields__ if name != "raw"
    )
    if any(
        not isinstance(count, int) or isinstance(count, bool) or count < 0
        for count in counts
    ):
        raise TypeError("token counts are whole numbers of 0 or more")
    return usage
