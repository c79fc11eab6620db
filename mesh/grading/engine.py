"""Runs every validator of a plan over one case. The only module that schedules.

Generators and pure functions of ours run on the event loop: those that need nothing finish without a task of their own.
Needs are answered by one resolver per result. Plug-ins, and everything on a long result, run in threads, so that the
loop stays free for deadlines and signals. A deadline, an exception or a missing verdict becomes an `Error`;
cancellation from outside passes through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from time import perf_counter
from typing import Final, cast

import anyio

from judgemesh.contracts.needs import Answer, Judged, Need
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.results import answer_is_unread
from judgemesh.contracts.validator import Case, Form, Judgement
from judgemesh.contracts.verdicts import Verdict, unread_answer
from judgemesh.mesh.grading.aggregate import contribution, gating_of
from judgemesh.mesh.grading.costs import costs_of
from judgemesh.mesh.grading.economy import (
    Barrier,
    Economy,
    needs_judge,
    needs_source,
    skip_if_not_asked,
    with_audit_share,
)
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.needs import (
    JudgePort,
    Resolver,
    SourcesPort,
    checked_needs,
)
from judgemesh.mesh.grading.plan import GradingPlan, PlannedValidator
from judgemesh.mesh.grading.threads import Offload, TooManyHung
from judgemesh.mesh.grading.verdicts import (
    completed,
    deadline_verdict,
    error_verdict,
    kind_of,
    verdicts_of,
)
from judgemesh.mesh.isolation.faults import is_own
from judgemesh.mesh.isolation.plugin_loop import PLUGINS

_COMPUTING: Final = 2
"""Threads that compute at once: they share one interpreter, and the event loop needs its part."""


@dataclass(slots=True)
class _Run:
    """One validator at work on one case. `index` is its position in the plan."""

    index: int
    planned: PlannedValidator
    case: Case
    started: float
    generator: Judgement | None = None
    needs: Mapping[str, Need] = field(default_factory=dict[str, Need])
    model: str | None = None
    asked_judge: bool = False
    asked_source: bool = False
    audited: bool = False

    @property
    def name(self) -> str:
        return self.planned.validator.name

    @property
    def is_quick(self) -> bool:
        """Whether it runs on the event loop: one of ours, on a result that is not long."""
        return not self.case.long and is_own(self.planned.validator.run)


class Engine:
    """Schedules validators. One engine serves any number of results at once, within one event loop.

    `economy` keeps the judge from being asked about results whose gate has failed without it.
    """

    def __init__(
        self,
        *,
        judge: JudgePort | None,
        sources: SourcesPort,
        threads: int = 8,
        economy: Economy | None = None,
    ) -> None:
        self._judge = judge
        self._sources = sources
        self._offload = Offload(threads)
        self._economy = economy
        self._turns = anyio.CapacityLimiter(_COMPUTING)

    def close(self) -> None:
        """Release the threads."""
        self._offload.close()

    async def evaluate(
        self, case: Case, plan: GradingPlan, meter: Meter
    ) -> tuple[ValidatorVerdict, ...]:
        """Run every validator of the plan; the verdicts come in the plan's order, whatever finished first."""
        rows: list[tuple[ValidatorVerdict, ...]] = [()] * len(plan.validators)
        waiting: list[_Run] = []
        for index, planned in enumerate(plan.validators):
            own_case = replace(case, args=planned.args) if planned.args else case
            run = _Run(index, planned, own_case, perf_counter())
            verdicts = _run_inline(run) if run.is_quick else None
            if verdicts is None:
                waiting.append(run)
            else:
                rows[index] = self._rows(run, verdicts, plan, meter)
        if waiting:
            await self._run_waiting(waiting, rows, plan, meter)
        return (*plan.preset, *(row for group in rows for row in group))

    async def _run_waiting(
        self,
        waiting: Sequence[_Run],
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

        async def finish(run: _Run, resolver: Resolver) -> None:
            verdicts = await self._within_deadline(run, resolver, barrier)
            rows[run.index] = self._rows(run, verdicts, plan, meter)
            if barrier is not None:
                barrier.leave()

        barrier: Barrier | None = None
        if self._economy is not None:
            barrier = Barrier(len(waiting), gate_failed)
        async with anyio.create_task_group() as resolving:
            resolver = Resolver(
                self._judge,
                self._sources,
                base_dir=plan.base_dir,
                meter=meter,
                tasks=resolving,
            )
            async with asyncio.TaskGroup() as validating:
                for run in waiting[1:]:
                    validating.create_task(finish(run, resolver))
                await finish(waiting[0], resolver)
            if resolver.is_waiting:
                resolving.cancel_scope.cancel()

    async def _within_deadline(
        self, run: _Run, resolver: Resolver, barrier: Barrier | None
    ) -> list[Verdict]:
        timeout_s = run.planned.timeout_s
        with anyio.move_on_after(timeout_s) as scope:
            try:
                if run.planned.validator.form is not Form.GENERATOR:
                    return verdicts_of(await self._call(run, scope))
                return await self._drive(run, resolver, barrier, scope)
            except TooManyHung as error:
                return [deadline_verdict(str(error))]
            except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
                return [error_verdict(error)]
        if run.generator is not None:
            self._offload.leave(partial(_close, run.generator))
        return [deadline_verdict(f"no verdict within {timeout_s:g} s")]

    async def _call(self, run: _Run, scope: anyio.CancelScope) -> object:
        validator, case = run.planned.validator, run.case
        if validator.form is Form.ASYNC:
            return await PLUGINS.run(
                lambda: cast("Awaitable[object]", validator.run(case))
            )
        if validator.pure:
            return await self._in_turn(run, partial(validator.run, case), scope)
        return await self._offload.run(validator.name, partial(validator.run, case))

    async def _resume(
        self, run: _Run, answers: Mapping[str, Answer] | None, scope: anyio.CancelScope
    ) -> list[Verdict] | None:
        """Let a generator go on, in a thread where it may take long; its verdicts if it returns, else None."""
        if run.is_quick:
            return _advance(run, answers)
        returned = await self._in_turn(run, partial(_advance, run, answers), scope)
        return cast("list[Verdict] | None", returned)

    async def _in_turn(
        self, run: _Run, work: Callable[[], object], scope: anyio.CancelScope
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
        run: _Run,
        resolver: Resolver,
        barrier: Barrier | None,
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
                if judged and not await self._may_ask(run, barrier):
                    answers = await resolver.answer_without_judge(needs, run.name)
                else:
                    run.asked_judge = run.asked_judge or judged
                    answers = await resolver.answer(needs, run.name)
            _note_model(run, answers)
            verdicts = await self._resume(run, answers, scope)
        return verdicts

    async def _may_ask(self, run: _Run, barrier: Barrier | None) -> bool:
        """Whether a judge may be asked: not when the gate failed without one, unless the sample has drawn this run."""
        if self._economy is None or barrier is None or not await barrier.wait():
            return True
        run.audited = self._economy.audited(run.case.result.result_id, run.name)
        return run.audited

    def _rows(
        self, run: _Run, verdicts: list[Verdict], plan: GradingPlan, meter: Meter
    ) -> tuple[ValidatorVerdict, ...]:
        """The verdicts of one validator as rows of the report, each with the cost of its own question."""
        validator = run.planned.validator
        latency_ms = round((perf_counter() - run.started) * 1000, 3)
        attempts = meter.attempts_of(validator.name) if run.asked_judge else ()
        costs = costs_of(verdicts, attempts)
        rows: list[ValidatorVerdict] = []
        for verdict, cost in zip(map(skip_if_not_asked, verdicts), costs, strict=True):
            gating = gating_of(
                verdict,
                override=run.planned.gate,
                validator_gates=validator.gate,
                contract=plan.contract,
            )
            row = ValidatorVerdict(
                validator_name=validator.name,
                validator_version=validator.version,
                validator_type=kind_of(
                    verdict,
                    validator,
                    asked_judge=run.asked_judge,
                    asked_source=run.asked_source,
                ),
                verdict=self._final(verdict, run),
                gating=gating,
                latency_ms=latency_ms,
                evaluator_model=run.model,
                cost=cost,
            )
            rows.append(row)
        return tuple(rows)

    def _final(self, verdict: Verdict, run: _Run) -> Verdict:
        verdict = completed(verdict, run.planned.validator, asked_judge=run.asked_judge)
        if self._economy is None or not run.audited:
            return verdict
        return with_audit_share(verdict, self._economy.audit)


def _run_inline(run: _Run) -> list[Verdict] | None:
    """The verdicts of a validator that needs nothing; None for one that has to wait.

    A generator is started, and its first needs are kept in `run`.
    """
    validator = run.planned.validator
    if validator.needs_answer and answer_is_unread(run.case.result):
        return [unread_answer(validator.name)]
    try:
        if validator.pure:
            return verdicts_of(validator.run(run.case))
        if validator.form is not Form.GENERATOR:
            return None
        return _advance(run, None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
        return [error_verdict(error)]


def _advance(run: _Run, answers: Mapping[str, Answer] | None) -> list[Verdict] | None:
    """Start a generator, or send it the answers: its verdicts if it returns, else None and its needs are in `run`."""
    try:
        if run.generator is None or answers is None:
            run.generator = cast("Judgement", run.planned.validator.run(run.case))
            run.needs = checked_needs(next(run.generator))
        else:
            run.needs = checked_needs(run.generator.send(answers))
    except StopIteration as stop:
        return verdicts_of(stop.value)
    return None


def _note_model(run: _Run, answers: Mapping[str, Answer]) -> None:
    for answer in answers.values():
        if isinstance(answer, Judged) and answer.model:
            run.model = answer.model


@contextmanager
def _untimed(scope: anyio.CancelScope, *, applies: bool) -> Generator[None]:
    """A stretch that does not count against the deadline of the scope."""
    if not applies:
        yield
        return
    left_s = scope.deadline - anyio.current_time()
    scope.deadline = inf
    try:
        yield
    finally:
        scope.deadline = anyio.current_time() + left_s


def _close(generator: Judgement) -> None:
    """Close a generator that missed its deadline; an exception it raises meanwhile changes nothing."""
    try:
        generator.close()
    except BaseException:  # noqa: BLE001 (its deadline verdict stands)
        return
