"""Make several calls at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import anyio

Call = Callable[[], Coroutine[Any, Any, None]]


def run_all(calls: Sequence[Call]) -> Awaitable[None]:
    """Make all calls at the same time. An exception is raised as it is, not as a group."""
    if len(calls) == 1:
        return calls[0]()
    return _in_tasks(calls)


async def _in_tasks(calls: Sequence[Call]) -> None:
    try:
        async with anyio.create_task_group() as tasks:
            for call in calls:
                tasks.start_soon(call)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
