"""The response cache: a call that is equal to the byte is paid for once.

Only replies that could be read are kept.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Awaitable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, Protocol, cast

import orjson

from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.message_json import Constant, messages_sha256

CACHE_SCHEMA: Final = 1
"""Goes into every key; raised when the meaning of key or value changes, so that old entries are simply not found."""


class ResponseCache(Protocol):
    """Where replies are kept between calls and, if it is durable, between runs."""

    async def cache_get(self, key: str) -> str | None:
        """The value kept under the key; None if there is none."""
        ...

    def cache_put(
        self, key: str, value: str, *, created_at: datetime, can_wait: bool = False
    ) -> Awaitable[None]:
        """Keep the value; a value already there may be replaced.

        A durable cache may begin at once, and has kept it when the returned value was awaited. `can_wait`: a little
        later is as good.
        """
        ...


class MemoryCache:
    """A cache for the life of the process, bounded by the size of its keys and values.

    The entry that was not used for the longest time is dropped first.
    """

    def __init__(self, *, max_bytes: int = 64 * 2**20) -> None:
        if max_bytes < 1:
            raise ValueError(f"max_bytes must be 1 or more, got {max_bytes}")
        self._entries: OrderedDict[str, str] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._entries)

    async def cache_get(self, key: str) -> str | None:
        """The value kept under the key."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    async def cache_put(
        self, key: str, value: str, *, created_at: datetime, can_wait: bool = False
    ) -> None:
        """Keep the value, and drop the oldest entries if they are too large."""
        del created_at, can_wait  # entries do not expire
        replaced = self._entries.pop(key, None)
        if replaced is not None:
            self._bytes -= _size(key, replaced)
        self._entries[key] = value
        self._bytes += _size(key, value)
        while self._bytes > self._max_bytes:
            self._bytes -= _size(*self._entries.popitem(last=False))


def _size(key: str, value: str) -> int:
    """Bytes of an entry."""
    return len(key.encode()) + len(value.encode("utf-8", "surrogatepass"))


def cache_key(call: ModelCall, *, gateway: str) -> str:
    """`sha256:...` over everything that can change the answer.

    Time-out and question id are not part of it. The sample index is: k votes would otherwise be one vote.
    """
    return CacheKeys(gateway).of(call)


class CacheKeys:
    """The keys of the calls that are made through one gateway; see `cache_key`."""

    def __init__(self, gateway: str) -> None:
        self._gateway = gateway
        self._around = Constant(self._around_messages)

    def of(self, call: ModelCall) -> str:
        """The key of a call."""
        before, behind = self._around.of(call)
        return messages_sha256(call.messages, before=before, behind=behind)

    def _around_messages(self, call: ModelCall) -> tuple[str, str]:
        """What stands before and behind the messages in the canonical JSON of a call."""
        body: dict[str, object] = {
            "schema": CACHE_SCHEMA,
            "gateway": self._gateway,
            "model": call.model,
            "messages": None,
            "parameters": dict(call.parameters),
            "response_schema": None,
            "sample_index": call.sample_index,
        }
        if call.response_schema is not None:
            body["response_schema"] = dict(call.response_schema)
        if call.as_tool:
            body["as_tool"] = True
        if call.top_logprobs:
            body["top_logprobs"] = call.top_logprobs
        if call.questions:
            body["questions"] = list(call.questions)
        canonical = json.dumps(
            body,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=True,
            allow_nan=False,
        )
        # Nothing before the messages can hold these words: quotes inside a text are escaped.
        before, _, behind = canonical.partition(_NO_MESSAGES)
        return f"{before}{_MESSAGES}", behind


_MESSAGES: Final = '"messages":'
_NO_MESSAGES: Final = f"{_MESSAGES}null"


def reply_to_json(reply: ModelReply) -> dict[str, Any]:
    """A reply as JSON-ready data; `reply_from_json` is its inverse."""
    facts = zip(_REPLY_FACTS, _REPLY_VALUES(reply), strict=True)
    data: dict[str, Any] = {
        name: fact for name, fact in facts if fact is not None and fact != ()
    }
    if reply.usage is not None:
        # Faster than `asdict`, which copies the provider's own usage leaf by leaf.
        usage: dict[str, Any] = dict(
            zip(_COUNTS, _COUNT_VALUES(reply.usage), strict=True)
        )
        if reply.usage.raw:
            usage["raw"] = dict(reply.usage.raw)
        if not reply.usage.cache_reported:
            usage["cache_reported"] = False
        if reply.usage.output_is_at_most:
            usage["output_is_at_most"] = True
        if reply.usage.service_tier:
            usage["service_tier"] = reply.usage.service_tier
        data["usage"] = usage
    return data


_REPLY_FIELDS: Final = tuple(ModelReply.__dataclass_fields__)
_COUNTS: Final = tuple(
    name
    for name, field in Usage.__dataclass_fields__.items()
    if type(field.default) is int
)
_REPLY_FACTS: Final = tuple(name for name in _REPLY_FIELDS if name != "usage")
_REPLY_VALUES: Final = attrgetter(*_REPLY_FACTS)
_COUNT_VALUES: Final = attrgetter(*_COUNTS)


def reply_text(reply: ModelReply) -> str:
    """A reply as JSON text."""
    data = reply_to_json(reply)
    try:
        return orjson.dumps(data).decode()
    except TypeError:  # lone surrogates, or integers of more than 64 bits
        return json.dumps(data, ensure_ascii=True)


def reply_from_json(data: object) -> ModelReply:
    """Build a reply from data that `reply_to_json` made, or that a person wrote.

    Raises:
        ValueError: one line that says what does not fit.
    """
    if not isinstance(data, dict):
        raise ValueError("a reply must be an object")  # noqa: TRY004 - a fault of data
    fields = cast("dict[str, Any]", data)
    unknown = sorted(set(fields) - set(_REPLY_FIELDS))
    if unknown:
        expected = ", ".join(sorted(_REPLY_FIELDS))
        raise ValueError(f"unknown key {unknown[0]!r}; a reply has {expected}")
    if not isinstance(fields.get("text"), str):
        raise ValueError("a reply needs a text")  # noqa: TRY004 - a fault of data
    usage = fields.get("usage")
    try:
        read_usage = None if usage is None else _usage_from_json(usage)
    except TypeError as error:
        raise ValueError(f"a usage that cannot be read: {error}") from error
    try:
        first_token = tuple(
            (str(token), float(logprob))
            for token, logprob in fields.get("first_token", ())
        )
        probabilities = tuple(
            None if probability is None else float(probability)
            for probability in fields.get("probabilities", ())
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"probabilities that cannot be read: {error}") from error
    changed: dict[str, Any] = {
        "usage": read_usage,
        "first_token": first_token,
        "probabilities": probabilities,
    }
    return ModelReply(**{**fields, **changed})


def _usage_from_json(data: Mapping[str, Any]) -> Usage:
    usage = Usage(**data)
    for name in _COUNTS:
        count: object = getattr(usage, name)
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise TypeError("token counts are whole numbers of 0 or more")
    return usage
