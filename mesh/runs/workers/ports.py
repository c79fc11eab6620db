"""Judge and sources of a worker: everything is asked of the driver."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import anyio

from judgemesh.contracts.attempts import CallContext, JudgeAttempt, LookupContext
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.mesh.runs.line_grading import current_result
from judgemesh.mesh.runs.workers.messages import Answered, Asked, Attempted, Cancelled

if TYPE_CHECKING:
    from judgemesh.mesh.runs.workers.channel import Channel

_CANCEL_S: Final = 6.0
"""How long the driver may take to record the attempts of a call that is cancelled."""


@dataclass(slots=True)
class _Call:
    """A call in progress. Attempts are recorded in the order in which they come, before the answers."""

    record: Callable[[JudgeAttempt], Awaitable[None]]
    answered: asyncio.Future[Answered]
    attempts: list[JudgeAttempt] = field(default_factory=list[JudgeAttempt])


@dataclass(slots=True)
class DriverPorts:
    """The judge and the sources of the driver, as the engine of a worker sees them."""

    channel: Channel
    _numbers: Any = field(default_factory=count)
    _calls: dict[int, _Call] = field(default_factory=dict[int, "_Call"])

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> Sequence[Judged | Unanswered]:
        """Answer yes/no questions: one answer for each, in their order."""
        answers = await self._ask(
            context.validator_name, questions, context.record, begun=context.begun
        )
        return cast("Sequence[Judged | Unanswered]", answers)

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """Answer with structured data."""
        answers = await self._ask(
            context.validator_name, need, context.record, begun=context.begun
        )
        return cast("Extracted | Unanswered", answers[0])

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """All execution records about a result."""
        answers = await self._ask("", need, _nowhere, base_dir)
        return cast("RecordsFound | Unanswered", answers[0])

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Found | NotFound | Unanswered:
        """One item of an evidence source. The driver records the look-up."""
        answers = await self._ask(context.validator_name, need, _nowhere, base_dir)
        return cast("Found | NotFound | Unanswered", answers[0])

    def take(self, message: Attempted | Answered) -> None:
        """A message of the driver about a call."""
        call = self._calls.get(message.call)
        if call is None:
            return
        if isinstance(message, Attempted):
            call.attempts.append(message.attempt)
        elif not call.answered.done():
            call.answered.set_result(message)

    async def _ask(
        self,
        validator_name: str,
        needs: Sequence[Ask] | Extract | Lookup | Records,
        record: Callable[[JudgeAttempt], Awaitable[None]],
        base_dir: Path | None = None,
        begun: int = 0,
    ) -> Sequence[Answer]:
        number = next(self._numbers)
        answered: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        call = self._calls[number] = _Call(record, answered)
        result_id = current_result.get()
        asked = Asked(number, result_id, validator_name, needs, base_dir, begun)
        try:
            await self.channel.send(asked)
            answer = await asyncio.shield(answered)
        except asyncio.CancelledError:
            with anyio.move_on_after(_CANCEL_S, shield=True):
                await self.channel.send(Cancelled(number))
                await answered
            raise
        finally:
            del self._calls[number]
            for attempt in call.attempts:
                await call.record(attempt)
        if answer.error is not None:
            raise answer.error
        return answer.answers


async def _nowhere(_attempt: JudgeAttempt) -> None:
    """Look-ups make no attempts at a model."""
