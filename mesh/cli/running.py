"""Run the coroutine of a command."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from judgemesh.mesh.runs.signals import forced_interrupts

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, where Ctrl-C also ends work that does not come back to the event loop.

    Raises:
        KeyboardInterrupt: after a SIGINT.
    """
    return asyncio.run(_forcible(work))


async def _forcible(work: Coroutine[Any, Any, T]) -> T:
    with forced_interrupts():
        return await work
