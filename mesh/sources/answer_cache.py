"""Answers of evidence sources, kept in memory and in the ledger with the time at which they were given."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.options import key_of

MAX_AGE: Final = timedelta(days=30)
"""How old an answer of a remote source may be before it is asked again; offline, any age is accepted."""
_MAX_MEMORY_BYTES: Final = 64 * 2**20
_PREFIX: Final = "source_lookup:"


class AnswerStore(Protocol):
    """Where answers are kept between runs: the ledger."""

    async def cache_get(self, key: str) -> str | None:
        """The value of the key; None if there is none."""
        ...

    def cache_put(
        self, key: str, value: str, *, created_at: datetime
    ) -> Awaitable[None]:
        """Store a value."""
        ...


class CachedAnswer(NamedTuple):
    """An answer and when it was given."""

    answer: Found | NotFound
    answered_at: datetime


class AnswerCache:
    """The answers of this run in memory, bounded by their size, and those of earlier runs in the store, if any."""

    def __init__(
        self, store: AnswerStore | None, *, max_bytes: int = _MAX_MEMORY_BYTES
    ) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._bytes = 0
        self._memory: OrderedDict[str, tuple[CachedAnswer, int]] = OrderedDict()

    async def get(self, key: str) -> CachedAnswer | None:
        """The answer of the key, from memory or the store; None if there is none."""
        if key in self._memory:
            self._memory.move_to_end(key)
            return self._memory[key][0]
        if self._store is None:
            return None
        stored = await self._store.cache_get(key)
        return None if stored is None else _loads(stored)

    async def put(self, key: str, cached: CachedAnswer, *, in_memory: bool) -> None:
        """Store an answer, and keep it in memory too if asked."""
        text = _dumps(cached)
        if in_memory:
            self._remember(key, cached, len(text))
        if self._store is not None:
            await self._store.cache_put(key, text, created_at=cached.answered_at)

    def _remember(self, key: str, cached: CachedAnswer, size: int) -> None:
        """Keep an answer in memory. Those that were not used for the longest time are dropped first."""
        if key in self._memory:
            _, replaced_size = self._memory.pop(key)
            self._bytes -= replaced_size
        self._memory[key] = (cached, size)
        self._bytes += size
        while self._bytes > self._max_bytes:
            _, (_, dropped_size) = self._memory.popitem(last=False)
            self._bytes -= dropped_size


def cache_key(need: Lookup, base_dir: Path | None) -> str:
    """The key of a look-up. A local source is identified by its folder too; a remote one has `base_dir` None."""
    identity = [
        key_of(need.source),
        str(base_dir.resolve()) if base_dir else "",
        dict(need.query),
        need.want_text,
    ]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode())
    return _PREFIX + digest.hexdigest()


def _dumps(cached: CachedAnswer) -> str:
    answer = cached.answer
    data: dict[str, object] = {
        "source": answer.source,
        "authoritative": answer.authoritative,
    }
    if isinstance(answer, Found):
        data |= {"ref": answer.ref, "fields": dict(answer.fields)}
    else:
        data |= {"covers": answer.covers, "kin": answer.kin}
    stored = {
        "kind": type(answer).__name__,
        "at": cached.answered_at.isoformat(),
        "answer": data,
    }
    return json.dumps(stored, default=str)


def _loads(stored: str) -> CachedAnswer | None:
    """The answer that `_dumps` wrote; None for one that another version wrote in another form."""
    try:
        data: Any = json.loads(stored)
        kind = {"Found": Found, "NotFound": NotFound}[data["kind"]]
        answered_at = datetime.fromisoformat(data["at"])
        return CachedAnswer(kind(**data["answer"]), answered_at)
    except (KeyError, TypeError, ValueError):
        return None
