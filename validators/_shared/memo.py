"""A cache for what a validator derives from a contract, so that the next result of the same contract reuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ByIdentity(Generic[K, V]):
    """A bounded cache keyed by the *identity* of its argument.

    Contracts are frozen, so the same object always compiles to the same thing, and neither hashing nor serialising a
    whole contract section is needed on the hot path. The key object stays in the cache beside its value, so that its
    id cannot be reused while the entry exists. A value that fails to compile is not cached.
    """

    __slots__ = ("_build", "_entries", "_size")

    def __init__(self, build: Callable[[K], V], size: int = 512) -> None:
        self._build = build
        self._size = size
        self._entries: dict[int, tuple[K, V]] = {}

    def __call__(self, key: K) -> V:
        """The value built from `key`."""
        entry = self._entries.get(id(key))
        if entry is not None and entry[0] is key:
            return entry[1]
        value = self._build(key)
        if len(self._entries) >= self._size:
            # Starting over is simpler than an order of use, and safe without a lock.
            self._entries.clear()
        self._entries[id(key)] = (key, value)
        return value
