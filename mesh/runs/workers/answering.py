"""The driver's side of a worker's questions: it asks the judge and the sources, and records every attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.attempts import CallContext, JudgeAttempt, LookupContext
from judgemesh.contracts.needs import Answer, Extract, Lookup, Records
from judgemesh.mesh.isolation.faults import carried
from judgemesh.mesh.runs.workers.messages import Answered, Asked, Attempted

if TYPE_CHECKING:
    from judgemesh.mesh.grading.needs import JudgePort, SourcesPort
    from judgemesh.mesh.runs.run import Run
    from judgemesh.mesh.runs.workers.channel import Channel


@dataclass(slots=True)
class Answering:
    """Answers the calls of one worker. They go on when the worker is gone: what was sent is recorded and cached."""

    channel: Channel
    run: Run
    judge: JudgePort | None
    sources: SourcesPort
    _calls: dict[int, asyncio.Task[None]] = field(
        default_factory=dict[int, "asyncio.Task[None]"]
    )

    def begin(self, asked: Asked) -> None:
        """Answer a call in a task."""
        task = asyncio.create_task(self._answer(asked))
        self._calls[asked.call] = task
        task.add_done_callback(lambda _: self._calls.pop(asked.call, None))

    def cancel(self, call: int) -> None:
        """The worker does not wait for a call any more."""
        task = self._calls.get(call)
        if task is not None:
            task.cancel()

    def cancel_all(self) -> None:
        """The run is being stopped."""
        for task in self._calls.values():
            task.cancel()

    async def settled(self) -> None:
        """Wait until every call has ended."""
        while self._calls:
            await asyncio.gather(*self._calls.values(), return_exceptions=True)

    async def _answer(self, asked: Asked) -> None:
        answers: Sequence[Answer] = ()
        fault: Exception | None = None
        try:
            answers = await self._answers(asked)
        except asyncio.CancelledError:
            await self.channel.send(Answered(asked.call, ()))
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 (the worker makes it an unanswered need)
            fault = carried(error)
        await self.channel.send(Answered(asked.call, answers, fault))

    async def _answers(self, asked: Asked) -> Sequence[Answer]:
        attempts = self.run.attempts_of(asked.result_id)

        async def record(attempt: JudgeAttempt, *, can_wait: bool = False) -> None:
            await attempts.record(attempt, can_wait=can_wait)
            await self.channel.send(Attempted(asked.call, attempt))

        context = CallContext(
            validator_name=asked.validator_name,
            record=record,
            record_together=partial(record, can_wait=True),
            sent=attempts.sent,
            begun=asked.begun,
        )
        base_dir = asked.base_dir or Path()
        match asked.needs:
            case Records() as need:
                return (await self.sources.records(need, base_dir),)
            case Lookup() as need:
                lookup_context = LookupContext(
                    validator_name=asked.validator_name,
                    record=self.run.lookup_sink(asked.result_id),
                )
                return (await self.sources.lookup(need, base_dir, lookup_context),)
            case Extract() as need if self.judge is not None:
                return (await self.judge.extract(need, context),)
            case questions if self.judge is not None and isinstance(
                questions, Sequence
            ):
                return await self.judge.ask_many(questions, context)
            case _:
                raise RuntimeError("a worker asked a judge, and there is none")
