"""Cache warm-up: one call of a result fills the provider's prefix cache, then the others follow.

Calls with one long prefix that are sent at the same time are each billed for it in full,
by some providers with a surcharge for writing it into the cache each time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from math import ceil, log
from typing import Final, Self

from judgemesh.contracts.gateway import ModelCall
from judgemesh.prompts.json_text import JsonText

MIN_PREFIX_CHARS: Final = 4096
"""About 1,024 tokens, the shortest prefix that providers cache."""

_SHARED: Final = 0.9  # of a prompt: what stands before its question
_STEP: Final = log(2.0) / 4  # prompts of nearly one length are compared over one length
_MAX_PREFIXES: Final = 4096


@dataclass(slots=True)
class CacheWarmUp:
    """Lets the first call with a prefix go ahead of the others.

    Args:
        enabled: without it no call waits.
        max_wait_s: how long the others wait for the first call.
    """

    enabled: bool = True
    max_wait_s: float = 20.0
    _first_calls: OrderedDict[int, _FirstCall] = field(
        default_factory=OrderedDict[int, "_FirstCall"], init=False
    )

    def turn(self, call: ModelCall) -> Turn:
        """The turn of a call, as an async context manager."""
        return Turn(self, prefix_key(call) if self.enabled else None)

    async def wait(self, key: int) -> _FirstCall | None:
        """Wait while the first call with a prefix is on its way; for that call itself, what the others wait for."""
        first = self._first_calls.get(key)
        if first is None:
            first = self._first_calls[key] = _FirstCall()
            if len(self._first_calls) > _MAX_PREFIXES:
                self._first_calls.popitem(last=False)[1].over.set()
            return first
        if not first.over.is_set():
            first.others += 1
            await first.over.wait()
        return None


@dataclass(slots=True)
class _FirstCall:
    """The first call with a prefix. others: how many have waited for it."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    others: int = 0


class Turn:
    """Begins when the first call with the same prefix is over. The end of the first call lets the others go."""

    __slots__ = ("_first", "_key", "_late", "_warm_up")

    def __init__(self, warm_up: CacheWarmUp, key: int | None) -> None:
        self._warm_up, self._key = warm_up, key
        self._first: _FirstCall | None = None
        self._late: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        """Wait for the first call."""
        if self._key is not None:
            self._first = await self._warm_up.wait(self._key)
        if self._first is not None:
            loop = asyncio.get_running_loop()
            self._late = loop.call_later(self._warm_up.max_wait_s, self._first.over.set)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let the others go, if they still wait."""
        self.end()

    def end(self) -> bool:
        """Let the others go, if this was the first call: the provider has its prefix. Whether others have waited."""
        first, self._first = self._first, None
        if first is None:
            return False
        first.over.set()
        if self._late is not None:
            self._late.cancel()
        return first.others > 0


def prefix_key(call: ModelCall) -> int | None:
    """Equal for calls that differ in their question only; None for a prefix too short to be cached."""
    texts = [each["content"] for each in call.messages]
    length = int(_SHARED * sum(map(len, texts)))
    if length < MIN_PREFIX_CHARS:
        return None
    last = texts[-1]
    if type(last) is JsonText and len(last.begin) >= MIN_PREFIX_CHARS:
        # One object for all questions about a result, which knows its hash.
        return hash((call.model, *texts[:-1], last.begin))
    steps = int(log(length / MIN_PREFIX_CHARS) / _STEP)
    left = ceil(MIN_PREFIX_CHARS * 2.0 ** (steps / 4))
    parts: list[str] = []
    for text in texts:
        part = text[:left]
        parts.append(part)
        left -= len(part)
        if not left:
            break
    return hash((call.model, *parts))
