"""The driver's side of all workers: it hands out jobs, collects outcomes, and does without workers that die.

Jobs of a worker that dies are graded again by others, one at a time, so that it shows which one ends its process. A
job that does so twice is lost: an evaluator error, never a grade.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import anyio

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.runs.line_grading import Outcomes
from judgemesh.mesh.runs.workers.answering import Answering
from judgemesh.mesh.runs.workers.channel import Channel, ChannelRefused, accept
from judgemesh.mesh.runs.workers.messages import (
    Asked,
    Broken,
    Cancelled,
    Finished,
    Setup,
    Work,
)

if TYPE_CHECKING:
    from judgemesh.mesh.runs.line_grading import Job, LineGrader
    from judgemesh.mesh.runs.run import Run

_AHEAD_S: Final = 0.02
_MAX_AHEAD: Final = 256
"""A worker has jobs for so long, of those that wait for nothing: these are graded one after the other."""
_MAX_DEATHS: Final = 2
_MAX_FAILED_STARTS: Final = 5
"""Workers in a row that end before they return anything."""
_CHECK_S: Final = 0.2
_NO_WORKER: Final = "worker processes end before they grade anything"
_LOST: Final = "ended the process that graded it, twice"


class Launcher(Protocol):
    """Starts workers somewhere."""

    @property
    def size(self) -> int:
        """How many workers there are to be."""
        ...

    @property
    def host(self) -> str:
        """The address of the driver, as the workers see it."""
        ...

    def start(self, port: int, key: bytes) -> None:
        """Start all workers; each connects to the driver at this port."""
        ...

    def replace(self, port: int, key: bytes) -> int:
        """Start a new worker for each one that has ended; how many.

        Raises:
            ConfigError: no worker can be started.
        """
        ...

    def stop(self) -> None:
        """End all workers."""
        ...


@dataclass(slots=True, eq=False)
class _Peer:
    """A worker that is connected.

    room: how many jobs it has while there are enough. is_trial: it has one job, which was in a process that died.
    """

    channel: Channel
    answering: Answering
    room: int
    jobs: dict[int, Job] = field(default_factory=dict[int, "Job"])
    is_trial: bool = False

    async def send(self, jobs: Sequence[Job]) -> None:
        """Hand over jobs."""
        self.jobs |= {job.number: job for job in jobs}
        await self.channel.send(Work(jobs))

    def take_back(self, finished: Finished, fewest: int) -> None:
        """Strike out jobs that it has done, and see how many it needs: `fewest`, or more quick ones."""
        for outcome in finished.outcomes.each:
            del self.jobs[outcome.number]
        self.is_trial = self.is_trial and bool(self.jobs)
        most = _AHEAD_S / max(finished.job_s, _AHEAD_S / _MAX_AHEAD)
        self.room = max(fewest, int(most))


@dataclass(slots=True)
class WorkerPool:
    """Workers, and what is known about their jobs."""

    launcher: Launcher
    setup: Setup
    grader: LineGrader
    run: Run
    _key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _peers: list[_Peer] = field(default_factory=list["_Peer"])
    _suspects: deque[Job] = field(default_factory=deque["Job"])
    _deaths: dict[int, int] = field(default_factory=dict[int, int])
    _failed_starts: int = 0
    _leaving: int = 0
    _fault: Exception | None = None
    _outcomes: list[Outcomes] = field(default_factory=list["Outcomes"])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _serving: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    async def outcomes(
        self, jobs: AsyncIterator[Job]
    ) -> AsyncGenerator[list[Outcomes]]:
        """The outcomes of all jobs, in groups, as they come.

        Raises:
            ConfigError: no worker can be started.
            Exception: what ends a run in one process ends it here: a contract that cannot be used.
        """
        server = await asyncio.start_server(self._accept, self.launcher.host, 0)
        port: int = server.sockets[0].getsockname()[1]
        feed = _Feed(jobs)
        watching = asyncio.create_task(self._watch(port))
        try:
            self.launcher.start(port, self._key)
            while True:
                self._changed.clear()
                await self._hand_out(feed)
                if self._fault is not None:
                    raise self._fault
                if self._outcomes:
                    group, self._outcomes = self._outcomes, []
                    yield group
                elif feed.is_exhausted and self._is_idle():
                    return
                else:
                    await self._changed.wait()
        finally:
            watching.cancel()
            with anyio.CancelScope(shield=True):
                await self._close(server)

    async def _watch(self, port: int) -> None:
        """Have workers that ended replaced; give up where they end without returning anything."""
        while True:
            await asyncio.sleep(_CHECK_S)
            try:
                self._failed_starts += self.launcher.replace(port, self._key)
            except Exception as error:  # noqa: BLE001 (raised again by `outcomes`)
                self._fail(error)
            if self._failed_starts > _MAX_FAILED_STARTS:
                self._fail(ConfigError(_NO_WORKER, where="--workers"))

    def _fail(self, error: Exception) -> None:
        self._fault = self._fault or error
        self._changed.set()

    def _is_idle(self) -> bool:
        busy = any(peer.jobs for peer in self._peers)
        return not (busy or self._suspects or self._leaving)

    async def _hand_out(self, feed: _Feed) -> None:
        """Give jobs to every worker that has room."""
        for peer in list(self._peers):
            if self._suspects and not peer.jobs:
                peer.is_trial = True
                await peer.send([self._suspects.popleft()])
            # Few large messages are cheaper than many small ones; two, so that it has one while it returns the other.
            size = max(1, peer.room // 2)
            while not peer.is_trial and peer.room - len(peer.jobs) >= size:
                jobs = await feed.take(size)
                if not jobs:
                    break
                await peer.send(jobs)

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._serving.add(task)
        try:
            await self._serve(await accept(reader, writer, self._key))
        except (ChannelRefused, asyncio.CancelledError):
            return
        except Exception as error:  # noqa: BLE001 (raised again by `outcomes`)
            self._fail(error)
        finally:
            self._serving.discard(task)
            writer.close()

    async def _serve(self, channel: Channel) -> None:
        """Read what a worker sends until it ends."""
        answering = Answering(channel, self.run, *self.grader.mesh.ports)
        peer = _Peer(channel, answering, self.setup.limit)
        await channel.send(self.setup)
        self._peers.append(peer)
        self._changed.set()
        try:
            while (message := await channel.receive()) is not None:
                self._take(peer, message)
        except BaseException:
            answering.cancel_all()
            raise
        finally:
            self._peers.remove(peer)
            self._leaving += 1
            # What is being paid for is recorded, and cached before it is asked for again.
            await answering.settled()
            self._leaving -= 1
        await self._requeue(peer)
        self._changed.set()

    def _take(self, peer: _Peer, message: object) -> None:
        match message:
            case Asked():
                peer.answering.begin(message)
            case Cancelled():
                peer.answering.cancel(message.call)
            case Finished():
                peer.take_back(message, self.setup.limit)
                for outcome in message.outcomes.each:
                    self._deaths.pop(outcome.number, None)
                self._outcomes.append(message.outcomes)
                if (redactor := self.grader.mesh.redactor) is not None:
                    redactor.failures.update(message.unredacted)
                self._failed_starts = 0
                self._changed.set()
            case Broken():
                self._fail(message.error)
            case _:
                raise TypeError(f"a worker sent {type(message).__name__}")

    async def _requeue(self, peer: _Peer) -> None:
        """A worker is gone: its jobs are tried again, or are lost."""
        jobs, peer.jobs = peer.jobs, {}
        for index, job in jobs.items():
            deaths = self._deaths[index] = self._deaths.get(index, 0) + 1
            if deaths < _MAX_DEATHS:
                self._suspects.append(job)
            else:
                lost = await self.grader.lost(job, _LOST)
                self._outcomes.append(Outcomes([lost]))
                del self._deaths[index]
                self._failed_starts = 0

    async def _close(self, server: asyncio.Server) -> None:
        server.close()
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await anyio.to_thread.run_sync(self.launcher.stop)


@dataclass(slots=True)
class _Feed:
    """The jobs that nobody has yet."""

    jobs: AsyncIterator[Job]
    is_exhausted: bool = False

    async def take(self, size: int) -> list[Job]:
        """Up to `size` jobs; fewer at the end."""
        taken: list[Job] = []
        while len(taken) < size and not self.is_exhausted:
            try:
                taken.append(await anext(self.jobs))
            except StopAsyncIteration:
                self.is_exhausted = True
        return taken
