"""Run several coroutines at the same time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import anyio


async def run_all(calls: Sequence[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    """Make all calls at the same time. An exception is raised as it is, not as a group."""
    if len(calls) == 1:
        await calls[0]()
        return
    try:
        async with anyio.create_task_group() as tasks:
            for call in calls:
                tasks.start_soon(call)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
