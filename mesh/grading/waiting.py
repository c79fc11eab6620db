"""Runs the validators that have to wait for something. The only module that schedules.

Needs are answered by one resolver per result. Plug-ins, and everything on a long result, run in threads, so that the
loop stays free for deadlines and signals. A deadline, an exception or a missing verdict becomes an `Error`;
cancellation from outside passes through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final, cast

import anyio

from judgemesh.contracts.needs import Answer
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.validator import Form
from judgemesh.contracts.verdicts import Verdict
from judgemesh.mesh.grading.aggregate import contribution
from judgemesh.mesh.grading.economy.asked import (
    NOT_ASKED,
    needs_judge,
    needs_source,
    note_model,
    was_asked,
)
from judgemesh.mesh.grading.economy.replay import fails_gate, replayed
from judgemesh.mesh.grading.economy.skips import answered_checks, held_open
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.needs import (
    JudgePort,
    Resolver,
    SourcesPort,
)
from judgemesh.mesh.grading.plan import GradingPlan
from judgemesh.mesh.grading.threads import Offload, TooManyHung
from judgemesh.mesh.grading.validator_run import (
    ValidatorRun,
    advance,
    close_generator,
    guards,
)
from judgemesh.mesh.grading.verdicts import (
    deadline_verdict,
    error_verdict,
    verdicts_of,
)
from judgemesh.mesh.isolation.plugin_loop import PLUGINS
from judgemesh.mesh.isolation.validators import call_isolated
from judgemesh.mesh.isolation.workers import WorkTimedOut

if TYPE_CHECKING:
    from judgemesh.mesh.grading.economy.queue import JudgeQueue
    from judgemesh.mesh.grading.economy.sample import Economy

_COMPUTING: Final = 2
"""Threads that compute at once: they share one interpreter, and the event loop needs its part."""

RowsOf = Callable[
    [ValidatorRun, list[Verdict], GradingPlan, Meter], tuple[ValidatorVerdict, ...]
]
"""Makes the rows of the report out of the verdicts of one validator."""


class Waiting:
    """Schedules the validators that wait, of any number of results at once, within one event loop."""

    def __init__(
        self,
        judge: JudgePort | None,
        sources: SourcesPort,
        threads: int,
        economy: Economy | None,
        rows_of: RowsOf,
    ) -> None:
        self._judge = judge
        self._sources = sources
        self._offload = Offload(threads)
        self._economy = economy
        self._rows_of = rows_of
        self._turns = anyio.CapacityLimiter(_COMPUTING)

    def close(self) -> None:
        """Release the threads."""
        self._offload.close()

    async def run(
        self,
        waiting: Sequence[ValidatorRun],
        rows: list[tuple[ValidatorVerdict, ...]],
        plan: GradingPlan,
        meter: Meter,
    ) -> None:
        """Run all validators that have to wait for something, at once, and put their verdicts into `rows`.

        The resolver's tasks outlive the validators, so that the deadline of one validator does not take away an answer
        that another one waits for; what is still open when all are done is cancelled.
        """

        def gate_failed() -> bool:
            return any(
                contribution(row) is Gate.FAIL for group in rows for row in group
            )

        async def finish(run: ValidatorRun) -> None:
            verdicts = await self._within_deadline(run, resolver, queue, plan)
            rows[run.index] = self._rows_of(run, verdicts, plan, meter)
            if queue is not None:
                queue.leave()

        queue: JudgeQueue | None = None
        async with anyio.create_task_group() as resolving:
            resolver = Resolver(
                self._judge,
                self._sources,
                base_dir=plan.base_dir,
                meter=meter,
                tasks=resolving,
            )
            if self._economy is not None:
                from judgemesh.mesh.grading.economy.queue import JudgeQueue

                queue = JudgeQueue(
                    running=len(waiting),
                    gate_failed=gate_failed,
                    history=self._economy.history,
                    resolver=resolver,
                    tasks=resolving,
                )
            async with asyncio.TaskGroup() as validating:
                for run in waiting[1:]:
                    validating.create_task(finish(run))
                await finish(waiting[0])
            if queue is not None or resolver.is_waiting:
                resolving.cancel_scope.cancel()
        if queue is not None and queue.decided and not gate_failed():
            rows[:] = [tuple(map(held_open, group)) for group in rows]

    async def _within_deadline(
        self,
        run: ValidatorRun,
        resolver: Resolver,
        queue: JudgeQueue | None,
        plan: GradingPlan,
    ) -> list[Verdict]:
        timeout_s = run.planned.timeout_s
        with anyio.move_on_after(timeout_s) as scope:
            try:
                if run.planned.validator.form is not Form.GENERATOR:
                    return verdicts_of(await self._call(run, scope))
                return await self._drive(run, resolver, queue, plan, scope)
            except WorkTimedOut:
                return [deadline_verdict(f"no verdict within {timeout_s:g} s")]
            except TooManyHung as error:
                return [deadline_verdict(str(error))]
            except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
                return [error_verdict(error, run.planned.validator)]
        if run.generator is not None:
            self._offload.leave(partial(close_generator, run.generator))
        return [deadline_verdict(f"no verdict within {timeout_s:g} s")]

    async def _call(self, run: ValidatorRun, scope: anyio.CancelScope) -> object:
        validator, case = run.planned.validator, run.case
        if validator.isolated:
            # The worker keeps the time; the wait for a worker does not count.
            with _untimed(scope, applies=True):
                work = partial(call_isolated, validator, case, run.planned.timeout_s)
                return await self._offload.run(validator.name, work)
        if validator.form is Form.ASYNC:
            return await PLUGINS.run(
                lambda: cast("Awaitable[object]", validator.run(case))
            )
        if validator.pure:
            return await self._in_turn(run, partial(validator.run, case), scope)
        return await self._offload.run(validator.name, partial(validator.run, case))

    async def _resume(
        self,
        run: ValidatorRun,
        answers: Mapping[str, Answer] | None,
        scope: anyio.CancelScope,
    ) -> list[Verdict] | None:
        """Let a generator go on, in a thread where it may take long; its verdicts if it returns, else None."""
        if run.is_quick:
            return advance(run, answers)
        returned = await self._in_turn(run, partial(advance, run, answers), scope)
        return cast("list[Verdict] | None", returned)

    async def _in_turn(
        self, run: ValidatorRun, work: Callable[[], object], scope: anyio.CancelScope
    ) -> object:
        """Call what only computes in a thread, few at a time; the wait for a turn does not count as its time."""
        with _untimed(scope, applies=True):
            await self._turns.acquire()
        try:
            return await self._offload.run(run.name, work)
        finally:
            self._turns.release()

    async def _drive(
        self,
        run: ValidatorRun,
        resolver: Resolver,
        queue: JudgeQueue | None,
        plan: GradingPlan,
        scope: anyio.CancelScope,
    ) -> list[Verdict]:
        """Answer a generator's needs until it returns its verdicts."""
        verdicts = None
        if run.generator is None:
            verdicts = await self._resume(run, None, scope)
        while verdicts is None:
            needs = run.needs
            judged = needs_judge(needs.values())
            run.asked_source = run.asked_source or needs_source(needs.values())
            with _untimed(scope, applies=judged and not run.planned.strict):
                if judged and queue is not None:
                    answers = await self._in_queue(run, resolver, queue, plan)
                else:
                    answers = await resolver.answer(needs, run.name)
            run.asked_judge = run.asked_judge or was_asked(needs, answers)
            note_model(run, answers)
            run.rounds.append(answers)
            verdicts = await self._resume(run, answers, scope)
        return verdicts

    async def _in_queue(
        self,
        run: ValidatorRun,
        resolver: Resolver,
        queue: JudgeQueue,
        plan: GradingPlan,
    ) -> dict[str, Answer]:
        """The answers in economy mode: sources at once, the judge when its turn has come."""
        from judgemesh.mesh.grading.economy.queue import Asker

        others = {
            name: need for name, need in run.needs.items() if not needs_judge([need])
        }
        answers = await resolver.answer(others, run.name)
        judged = {name: need for name, need in run.needs.items() if name not in others}

        async def verdicts_with(so_far: Mapping[str, Answer]) -> list[Verdict]:
            """What the validator would say if no further question was answered; nothing if it does not say."""
            asked = dict.fromkeys(judged, NOT_ASKED) | dict(so_far)
            work = partial(
                replayed, run.planned, run.case, [*run.rounds, {**answers, **asked}]
            )
            return await self._replay(run, work) or []

        async def fails(so_far: Mapping[str, Answer]) -> bool:
            verdicts = await verdicts_with(so_far)
            return fails_gate(verdicts, run.planned, plan.contract)

        async def drawn(so_far: Mapping[str, Answer]) -> bool:
            if self._economy is None:
                return False
            result_id = run.case.result.result_id
            if run.audited or not self._economy.audited(result_id, run.name):
                return run.audited
            run.audited = True
            run.answered = answered_checks(await verdicts_with(so_far))
            return True

        asker = Asker(
            place=run.index,
            task_id=plan.contract.task_id,
            validator_name=run.name,
            guards=guards(run.planned),
            needs=judged,
            fails=fails,
            drawn=drawn,
        )
        return answers | await queue.answer(asker)

    async def _replay(
        self, run: ValidatorRun, work: Callable[[], list[Verdict] | None]
    ) -> list[Verdict] | None:
        """Call `replayed`, in a thread where the validator may take long; None if it does not end in time."""
        if run.is_quick:
            return work()
        with anyio.move_on_after(run.planned.timeout_s), suppress(TooManyHung):
            async with self._turns:
                return cast(
                    "list[Verdict] | None", await self._offload.run(run.name, work)
                )
        return None


@contextmanager
def _untimed(scope: anyio.CancelScope, *, applies: bool) -> Generator[None]:
    """A stretch that does not count against the deadline of the scope."""
    if not applies:
        yield
        return
    clock = asyncio.get_running_loop().time  # that of the scope
    left_s = scope.deadline - clock()
    scope.deadline = inf
    try:
        yield
    finally:
        scope.deadline = clock() + left_s
