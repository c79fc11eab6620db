"""Runs every validator of a plan over one case and makes verdicts of whatever happens. The only module that schedules.

Generators run on the loop: those that need nothing finish without a task of their own. Needs are answered at one desk
per result, each distinct need once, all of them concurrently. A deadline, an exception or a missing verdict becomes an
`Error`; cancellation from outside goes through.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol, cast

import anyio
from anyio.abc import TaskGroup

from judgemesh.contracts.attempts import (
    CallContext,
    Company,
    JudgeAttempt,
    LookupContext,
    SourceLookup,
)
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    Need,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.usage import Money, total
from judgemesh.contracts.validator import Case, Form, Judgement
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Error,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.mesh.grading.aggregate import contribution, gating_of
from judgemesh.mesh.grading.economy import SPARED, Door, Economy, asks, marked, settled
from judgemesh.mesh.grading.plan import Plan, Planned
from judgemesh.mesh.grading.threads import Offload, TooManyHung

_KINDS: Final = (Pass, Fail, Abstain, Error, Skipped)
_FREE: Final = Money(Decimal(0))
_LONGEST_DIAGNOSTIC: Final = 10_000


class JudgePort(Protocol):
    """What the engine needs of a judge."""

    async def ask(self, need: Ask, context: CallContext) -> Judged | Unanswered:
        """Answer a yes/no question."""
        ...

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """Answer with structured data."""
        ...


class SourcesPort(Protocol):
    """What the engine needs of evidence and record sources."""

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """All execution records about a result."""
        ...

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Found | NotFound | Unanswered:
        """One item of an evidence source; the look-up is recorded in the context."""
        ...


class AttemptSink(Protocol):
    """Where attempts go as they happen."""

    async def __call__(self, attempt: JudgeAttempt) -> None:
        """Record one attempt durably."""
        ...


@dataclass(slots=True)
class Meter:
    """What grading one result cost: every attempt, by the validator that asked; and what was looked up."""

    sink: AttemptSink | None = None
    attempts: list[JudgeAttempt] = field(default_factory=list[JudgeAttempt])
    lookup_sink: Callable[[SourceLookup], Awaitable[None]] | None = None

    async def record(self, attempt: JudgeAttempt) -> None:
        """Count an attempt and pass it on."""
        self.attempts.append(attempt)
        if self.sink is not None:
            await self.sink(attempt)

    async def record_lookup(self, lookup: SourceLookup) -> None:
        """Pass a look-up on."""
        if self.lookup_sink is not None:
            await self.lookup_sink(lookup)

    def cost(self, validator_name: str | None = None) -> Money | None:
        """What the attempts (of one validator) cost; None when one of them is unknown."""
        return total(
            one.cost
            for one in self.attempts
            if validator_name in (None, one.validator_name)
        )

    def cost_avoided(self) -> Money | None:
        """What cache hits would have cost; None when there were none."""
        avoided = [
            one.cost_avoided for one in self.attempts if one.cost_avoided is not None
        ]
        return total(avoided) if avoided else None

    def calls(self) -> int:
        """Attempts that went to a provider."""
        return sum(not one.cache_hit for one in self.attempts)


@dataclass(slots=True)
class _Slot:
    """One distinct need of a result and, once it is there, its answer."""

    done: anyio.Event
    answer: Answer | None = None


@dataclass(slots=True)
class _Run:
    """One validator at work on one case."""

    planned: Planned
    case: Case
    started: float
    model: str | None = None
    asked: bool = False
    audited: bool = False


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

    def close(self) -> None:
        """Release the threads."""
        self._offload.close()

    async def evaluate(
        self, case: Case, plan: Plan, meter: Meter
    ) -> tuple[ValidatorVerdict, ...]:
        """Run every validator of the plan; the verdicts come in the plan's order, whatever finished first."""
        found: list[tuple[ValidatorVerdict, ...]] = [()] * len(plan.validators)
        waiting: list[tuple[int, _Run, Judgement | None, list[Need]]] = []
        for index, planned in enumerate(plan.validators):
            run = _Run(
                planned,
                replace(case, args=planned.args) if planned.args else case,
                perf_counter(),
            )
            if planned.validator.form is not Form.GENERATOR:
                waiting.append((index, run, None, []))
                continue
            outcome = _begin(run)
            if isinstance(outcome, tuple):
                waiting.append((index, run, *outcome))
            else:
                found[index] = self._rows(run, outcome, plan, meter)
        if waiting:
            await self._concurrently(waiting, found, plan, meter)
        return (*plan.preset, *(row for rows in found for row in rows))

    async def _concurrently(
        self,
        waiting: Sequence[tuple[int, _Run, Judgement | None, list[Need]]],
        found: list[tuple[ValidatorVerdict, ...]],
        plan: Plan,
        meter: Meter,
    ) -> None:
        """Everything that must wait, at once. The desk outlives the validators, so that one validator's deadline does
        not take away an answer another one waits for; what is still open when all are done is cancelled."""

        async def finish(
            index: int,
            run: _Run,
            judgement: Judgement | None,
            needs: list[Need],
            desk: _Desk,
        ) -> None:
            verdicts = await self._within_deadline(run, judgement, needs, desk)
            found[index] = self._rows(run, verdicts, plan, meter)
            if desk.door is not None:
                desk.door.rest()

        def failed() -> bool:
            return any(contribution(row) is Gate.FAIL for rows in found for row in rows)

        async with anyio.create_task_group() as answering:
            door = None if self._economy is None else Door(len(waiting), failed)
            desk = _Desk(
                self._judge,
                self._sources,
                plan.base_dir,
                meter,
                answering,
                self._economy,
                door,
            )
            async with anyio.create_task_group() as validating:
                for index, run, judgement, needs in waiting:
                    validating.start_soon(finish, index, run, judgement, needs, desk)
            answering.cancel_scope.cancel()

    async def _within_deadline(
        self, run: _Run, judgement: Judgement | None, needs: list[Need], desk: _Desk
    ) -> list[Verdict]:
        timeout_s = run.planned.timeout_s
        with anyio.move_on_after(timeout_s) as scope:
            try:
                if judgement is not None:
                    return await _drive(run, judgement, needs, desk, scope)
                return _listed(await self._call(run))
            except TooManyHung as error:
                return [Error(reason=Reason.DEADLINE, diagnostic=str(error))]
            except (Exception, SystemExit) as error:  # noqa: BLE001 (the one place where an exception becomes data)
                return [_broken(error)]
        if judgement is not None:
            _close(judgement)
        return [
            Error(
                reason=Reason.DEADLINE, diagnostic=f"no verdict within {timeout_s:g} s"
            )
        ]

    async def _call(self, run: _Run) -> object:
        validator, case = run.planned.validator, run.case
        if validator.form is Form.ASYNC:
            return await cast("Awaitable[object]", validator.run(case))
        return await self._offload.run(validator.name, lambda: validator.run(case))

    def _rows(
        self, run: _Run, verdicts: list[Verdict], plan: Plan, meter: Meter
    ) -> tuple[ValidatorVerdict, ...]:
        validator, contract = run.planned.validator, plan.contract
        latency_ms = (perf_counter() - run.started) * 1000
        cost = meter.cost(validator.name) if run.asked else _FREE
        return tuple(
            ValidatorVerdict(
                validator_name=validator.name,
                validator_version=validator.version,
                validator_type=validator.form.value,
                verdict=self._final(verdict, run),
                gating=gating_of(
                    verdict,
                    override=run.planned.gate,
                    validator_gates=validator.gate,
                    contract=contract,
                ),
                latency_ms=round(latency_ms, 3),
                evaluator_model=run.model,
                cost=cost if position == 0 else _FREE,
            )
            for position, verdict in enumerate(map(settled, verdicts))
        )

    def _final(self, verdict: Verdict, run: _Run) -> Verdict:
        verdict = _completed(verdict, run)
        return (
            marked(verdict, self._economy.audit)
            if self._economy is not None and run.audited
            else verdict
        )


class _Desk:
    """Answers the needs of one result: each distinct need once, whoever asks first pays."""

    def __init__(
        self,
        judge: JudgePort | None,
        sources: SourcesPort,
        base_dir: Path,
        meter: Meter,
        tasks: TaskGroup,
        economy: Economy | None = None,
        door: Door | None = None,
    ) -> None:
        self._judge, self._sources, self._base_dir, self._meter, self._tasks = (
            judge,
            sources,
            base_dir,
            meter,
            tasks,
        )
        self._economy, self.door = economy, door
        self._slots: dict[object, _Slot] = {}

    async def may_ask(self, run: _Run) -> bool:
        """Whether a judge may be asked: not when the gate has failed without one, unless the sample has drawn this."""
        if self._economy is None or self.door is None or not await self.door.decided():
            return True
        run.audited = self._economy.audited(
            run.case.result.result_id, run.planned.validator.name
        )
        return run.audited

    async def answer(self, needs: Sequence[Need], validator_name: str) -> list[Answer]:
        """The answers, in the order of the needs."""
        company = self._company(needs)
        slots = [self._slot(need, validator_name, company) for need in needs]
        for slot in slots:
            await slot.done.wait()
        return [cast("Answer", slot.answer) for slot in slots]

    async def answer_spared(
        self, needs: Sequence[Need], validator_name: str
    ) -> list[Answer]:
        """As `answer`, but the judge is not asked."""
        others = iter(
            await self.answer(
                [need for need in needs if not asks([need])], validator_name
            )
        )
        return [SPARED if asks([need]) else next(others) for need in needs]

    def _company(self, needs: Sequence[Need]) -> Company | None:
        """The questions for a judge that are put now; None where there are not several."""
        asked: dict[object, Ask] = {}
        for need in needs:
            if isinstance(need, Ask) and (key := _key(need)) not in self._slots:
                asked.setdefault(key, need)
        return Company(tuple(asked.values())) if len(asked) > 1 else None

    def _slot(self, need: Need, validator_name: str, company: Company | None) -> _Slot:
        key = _key(need)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = _Slot(anyio.Event())
            self._tasks.start_soon(self._fill, slot, need, validator_name, company)
        return slot

    async def _fill(
        self, slot: _Slot, need: Need, validator_name: str, company: Company | None
    ) -> None:
        try:
            context = CallContext(
                validator_name=validator_name,
                record=self._meter.record,
                company=company,
            )
            slot.answer = await self._answer(need, context)
        except Exception as error:  # noqa: BLE001 (a broken source or judge is an unanswered need, not a crash)
            slot.answer = Unanswered(
                error_type=Reason.EXCEPTION, message=_one_line(error)
            )
        if company is not None and isinstance(need, Ask):
            company.leave(need)
        slot.done.set()

    async def _answer(self, need: Need, context: CallContext) -> Answer:
        match need:
            case Records():
                return await self._sources.records(need, self._base_dir)
            case Lookup():
                return await self._sources.lookup(
                    need, self._base_dir, self._lookup_context(context.validator_name)
                )
            case Ask() if self._judge is not None:
                return await self._judge.ask(need, context)
            case Extract() if self._judge is not None:
                return await self._judge.extract(need, context)
            case Ask() | Extract():
                return Unanswered(
                    error_type=Reason.NOT_CONFIGURED,
                    message="no judge is configured (--judge MODEL)",
                )

    def _lookup_context(self, validator_name: str) -> LookupContext:
        return LookupContext(
            validator_name=validator_name, record=self._meter.record_lookup
        )


def _begin(run: _Run) -> list[Verdict] | tuple[Judgement, list[Need]]:
    """Start a generator: its verdicts if it needs nothing, else the generator and its first needs."""
    try:
        judgement = cast("Judgement", run.planned.validator.run(run.case))
        try:
            needs = next(judgement)
        except StopIteration as stop:
            return _listed(stop.value)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (an exception becomes data)
        return [_broken(error)]
    return judgement, needs


async def _drive(
    run: _Run,
    judgement: Judgement,
    needs: list[Need],
    desk: _Desk,
    scope: anyio.CancelScope,
) -> list[Verdict]:
    """Answer a generator's needs until it returns its verdicts."""
    try:
        while True:
            judged = asks(needs)
            with _untimed(scope, judged and not run.planned.strict):
                if judged and not await desk.may_ask(run):
                    answers = await desk.answer_spared(
                        needs, run.planned.validator.name
                    )
                else:
                    run.asked = run.asked or judged
                    answers = await desk.answer(needs, run.planned.validator.name)
            for answer in answers:
                if isinstance(answer, Judged) and answer.model:
                    run.model = answer.model
            needs = judgement.send(answers)
    except StopIteration as stop:
        return _listed(stop.value)


@contextmanager
def _untimed(scope: anyio.CancelScope, applies: bool) -> Generator[None]:  # noqa: FBT001 - reads as a sentence
    """A stretch that does not count against the deadline of the scope."""
    if not applies:
        yield
        return
    left = scope.deadline - anyio.current_time()
    scope.deadline = inf
    try:
        yield
    finally:
        scope.deadline = anyio.current_time() + left


def _listed(outcome: object) -> list[Verdict]:
    """Whatever a validator returned, as verdicts. Nothing, or something else, is an evaluator error."""
    if isinstance(outcome, bool):
        return [Pass() if outcome else Fail(codes=(FailureCode.UNKNOWN_FAILURE,))]
    if isinstance(outcome, _KINDS):
        return [outcome]
    if isinstance(outcome, list | tuple):
        verdicts = cast("Sequence[object]", outcome)
        if verdicts and all(isinstance(verdict, _KINDS) for verdict in verdicts):
            return list(cast("Sequence[Verdict]", verdicts))
        if not verdicts:
            return [
                Error(
                    reason=Reason.NO_VERDICT,
                    diagnostic="the validator returned no verdict",
                )
            ]
    kind = type(cast("object", outcome)).__name__
    message = f"the validator returned {kind}; expected a verdict, a list of verdicts or a bool"
    return [Error(reason=Reason.NO_VERDICT, diagnostic=message)]


def _completed(verdict: Verdict, run: _Run) -> Verdict:
    """Fill in what a validator need not say: its metric, its only code, and that a check without a model repeats."""
    validator = run.planned.validator
    changes: dict[str, Any] = {}
    if verdict.metric is None and validator.metric is not None:
        changes["metric"] = validator.metric.value
    if (
        isinstance(verdict, Pass | Fail)
        and verdict.confidence is None
        and not run.asked
    ):
        changes["confidence"] = DETERMINISTIC
    if (
        isinstance(verdict, Fail)
        and verdict.codes == (FailureCode.UNKNOWN_FAILURE,)
        and len(validator.codes) == 1
    ):
        changes["codes"] = tuple(validator.codes)
    if len(verdict.diagnostic) > _LONGEST_DIAGNOSTIC:
        more = len(verdict.diagnostic) - _LONGEST_DIAGNOSTIC
        changes["diagnostic"] = (
            f"{verdict.diagnostic[:_LONGEST_DIAGNOSTIC]} [{more} more characters]"
        )
    return replace(verdict, **changes) if changes else verdict


def _key(need: Need) -> object:
    """Two needs with one key have one answer."""
    match need:
        case Ask():
            return (Ask, need.question, need.materials, need.gating)
        case Extract():
            return (Extract, need.instruction, need.materials, repr(need.schema))
        case Lookup():
            return (
                Lookup,
                _frozen(need.source),
                tuple(sorted(need.query.items())),
                need.want_text,
            )
        case Records():
            return (
                Records,
                _frozen(need.source),
                need.result_id,
                need.task_id,
                need.trace_id,
            )


def _frozen(source: Mapping[str, object]) -> str:
    return repr(sorted(source.items()))


def _broken(error: BaseException) -> Error:
    return Error(reason=Reason.EXCEPTION, diagnostic=_one_line(error))


def _one_line(error: BaseException) -> str:
    text = str(error).strip().split("\n", 1)[0][:500]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _close(judgement: Judgement) -> None:
    """A generator that objects to being closed has already lost its say."""
    try:
        judgement.close()
    except Exception:  # noqa: BLE001 (see above; its deadline verdict stands)
        return
