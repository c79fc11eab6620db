"""A worker: connects to the driver, grades the jobs it is sent, and returns their outcomes, until the driver leaves."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

from judgemesh.mesh.isolation.faults import carried
from judgemesh.mesh.ledger.bound_reports import Binder
from judgemesh.mesh.runs.collector import rare_collections
from judgemesh.mesh.runs.line_grading import Job, LineGrader, Outcome, Outcomes
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
        grader = LineGrader(mesh, setup.run_id, setup.retry_errors)
        binder = Binder.of(setup.dialect_name)
        grading = _Grading(grader, binder, channel, setup.limit)
        stack.enter_context(rare_collections(setup.config.max_concurrency))
        while (message := await channel.receive()) is not None:
            if isinstance(message, Work):
                grading.start(message.jobs)
            else:
                ports.take(message)
        grading.cancel()


@dataclass(slots=True)
class _Grading:
    """Grades jobs in tasks, and sends the outcomes of one turn of the event loop together.

    A task grades one job after the other. Where one has to wait for something, the next task is begun, up to `limit`:
    a job that waits for nothing needs no task of its own.
    """

    grader: LineGrader
    binder: Binder | None
    channel: Channel
    limit: int
    _in_progress: int = 0
    _at_once: int = 1
    _took_s: float = 0.0
    _jobs: deque[Job] = field(default_factory=deque["Job"])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
    _outcomes: list[Outcome] = field(default_factory=list["Outcome"])

    def start(self, jobs: Sequence[Job]) -> None:
        """Grade jobs."""
        if not self._jobs:
            self._begin(self._grade_all())
        self._jobs += jobs
        self._at_once = len(jobs)

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

    async def _grade_all(self) -> None:
        while self._jobs and self._in_progress < self.limit:
            self._begin(self._grade())
            await asyncio.sleep(0)

    async def _grade(self) -> None:
        self._in_progress += 1
        while self._jobs:
            started = perf_counter()
            outcome = await self.grader.grade(self._jobs.popleft())
            self._outcomes.append(outcome)
            self._took_s += perf_counter() - started
            if len(self._outcomes) == 1:
                self._begin(self._send())
            # The driver has as many more ready.
            if len(self._outcomes) >= self._at_once:
                await self._send()
        self._in_progress -= 1

    async def _send(self) -> None:
        if not self._outcomes:
            return  # they were so many that they did not wait
        each, self._outcomes = self._outcomes, []
        took_s, self._took_s = self._took_s, 0.0
        outcomes = Outcomes.to_send(each, self.binder)
        redactor = self.grader.mesh.redactor
        unredacted = Counter[str]() if redactor is None else redactor.take_failures()
        await self.channel.send(Finished(outcomes, took_s / len(each), unredacted))
