"""Render prompts with long materials in a thread, because sanitising a megabyte takes about a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import anyio.to_thread

from judgemesh.contracts.needs import Material

R = TypeVar("R")

LONG_CHARS: Final = 50_000


async def prepared(materials: Sequence[Material], make: Callable[[], R]) -> R:
    """The result of `make`; in a worker thread where the materials are long, so that other results are not delayed."""
    if sum(len(part.text) for part in materials) < LONG_CHARS:
        return make()
    return await anyio.to_thread.run_sync(make)
