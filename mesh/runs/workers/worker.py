"""A worker: connects to the driver, grades the jobs it is sent, and returns their outcomes, until the driver leaves."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from judgemesh.mesh.isolation.faults import carried
from judgemesh.mesh.ledger.bound_reports import Binder
from judgemesh.mesh.runs.collector import rare_collections
from judgemesh.mesh.runs.line_grading import Job, LineGrader, Outcome
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.opening import worker_parts
from judgemesh.mesh.runs.workers.channel import Channel, connect
from judgemesh.mesh.runs.workers.messages import Broken, Finished, Setup, Work
from judgemesh.mesh.runs.workers.ports import DriverPorts


def work(host: str, port: int, key: bytes) -> None:
    """Grade for the driver at an address until it closes the connection. Blocks.

    Raises:
        OSError, ChannelRefused: the driver cannot be reached, or has another key.
    """
    asyncio.run(_serve(host, port, key))


async def _serve(host: str, port: int, key: bytes) -> None:
    channel = await connect(host, port, key)
    async with AsyncExitStack() as stack:
        stack.callback(channel.close)
        setup: Setup | None = await channel.receive()
        if setup is None:
            return
        ports = DriverPorts(channel)
        opening = partial(
            worker_parts,
            contracts=setup.contracts,
            judge=ports if setup.has_judge else None,
            sources=ports,
            economy=setup.economy,
        )
        mesh = await stack.enter_async_context(Mesh(setup.config, opening=opening))
        binder = Binder.of(setup.dialect_name)
        grader = LineGrader(mesh, setup.run_id, setup.retry_errors, binder)
        grading = _Grading(grader, channel)
        stack.enter_context(rare_collections(setup.config.max_concurrency))
        while (message := await channel.receive()) is not None:
            if isinstance(message, Work):
                for job in message.jobs:
                    grading.start(job)
            else:
                ports.take(message)
        grading.cancel()


@dataclass(slots=True)
class _Grading:
    """Grades jobs, each in a task, and sends the outcomes of one turn of the event loop together."""

    grader: LineGrader
    channel: Channel
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
    _outcomes: list[Outcome] = field(default_factory=list["Outcome"])

    def start(self, job: Job) -> None:
        """Grade a job in a task."""
        self._begin(self._grade(job))

    def cancel(self) -> None:
        """The driver is gone."""
        for task in self._tasks:
            task.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._watched(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watched(self, work: Coroutine[Any, Any, None]) -> None:
        """What would end a run in one process ends it at the driver."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 (raised again by the driver)
            await self.channel.send(Broken(carried(error)))

    async def _grade(self, job: Job) -> None:
        outcome = await self.grader.grade(job)
        self._outcomes.append(outcome)
        if len(self._outcomes) == 1:
            self._begin(self._send())

    async def _send(self) -> None:
        outcomes, self._outcomes = self._outcomes, []
        redactor = self.grader.mesh.redactor
        unredacted = Counter[str]() if redactor is None else redactor.take_failures()
        await self.channel.send(Finished(outcomes, unredacted))
