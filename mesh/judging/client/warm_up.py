"""Cache warm-up: one call of a result fills the provider's prefix cache, then the others follow.

Calls with one long prefix that are sent at the same time are each billed for it in full,
by some providers with a surcharge for writing it into the cache each time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil, log
from typing import Final

import anyio

from judgemesh.contracts.gateway import ModelCall

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
        max_wait_s: how long a call waits for the first one.
    """

    enabled: bool = True
    max_wait_s: float = 20.0
    _first_calls: OrderedDict[int, anyio.Event] = field(
        default_factory=OrderedDict[int, anyio.Event], init=False
    )

    @asynccontextmanager
    async def turn(self, call: ModelCall) -> AsyncGenerator[None]:
        """Wait while the first call with the same prefix is on its way."""
        key = prefix_key(call) if self.enabled else None
        if key is None:
            yield
            return
        first = self._first_calls.get(key)
        if first is not None:
            if not first.is_set():
                with anyio.move_on_after(self.max_wait_s):
                    await first.wait()
            yield
            return
        first = self._first_calls[key] = anyio.Event()
        if len(self._first_calls) > _MAX_PREFIXES:
            self._first_calls.popitem(last=False)[1].set()
        try:
            yield
        finally:
            first.set()


def prefix_key(call: ModelCall) -> int | None:
    """Equal for calls that differ in their question only; None for a prefix too short to be cached."""
    text = "\0".join(message["content"] for message in call.messages)
    length = int(_SHARED * len(text))
    if length < MIN_PREFIX_CHARS:
        return None
    steps = int(log(length / MIN_PREFIX_CHARS) / _STEP)
    return hash((call.model, text[: ceil(MIN_PREFIX_CHARS * 2.0 ** (steps / 4))]))
