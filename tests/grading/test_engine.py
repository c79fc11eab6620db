"""The engine with validators of every form, well and ill behaved."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from judgemesh.contracts.attempts import CallContext, LookupContext
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    Material,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Judgement, Validator, validator
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
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.economy.sample import AUDIT_SAMPLE, Economy
from judgemesh.mesh.grading.engine import Engine
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plan import GradingPlan, PlannedValidator

pytestmark = pytest.mark.anyio

CONTRACT = EvalContract(task_id="t")
CASE = Case(result=AgentResult(result_id="r", task_id="t"), contract=CONTRACT)
QUESTION = Ask(
    question_id="q", question="Is it?", materials=(Material("final_answer", "It is."),)
)


class Judge:
    """A judge port with a scripted answer and a count of how often it was asked."""

    def __init__(
        self, answer: Callable[[], Judged | Unanswered], delay_s: float = 0.0
    ) -> None:
        self.answer, self.delay_s, self.asked, self.cancelled = answer, delay_s, 0, 0

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        self.asked += len(questions)
        try:
            await anyio.sleep(self.delay_s)
        except BaseException:
            self.cancelled += 1
            raise
        return [self.answer() for _ in questions]

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        return Extracted(data=[])


class Sources:
    """Record and evidence sources that know nothing."""

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        return RecordsFound(records=(), source="none")

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Found | NotFound | Unanswered:
        raise ConnectionError("no network")


def yes() -> Judged:
    return Judged(vote=Vote.YES, model="m")


def plan(
    *validators: Validator, timeout_s: float = 5.0, strict: bool = True
) -> GradingPlan:
    return GradingPlan(
        CONTRACT,
        "1",
        tuple(
            PlannedValidator(one, timeout_s=timeout_s, strict=strict)
            for one in validators
        ),
    )


async def run(
    *validators: Validator,
    judge: Judge | None = None,
    timeout_s: float = 5.0,
    strict: bool = True,
    economy: Economy | None = None,
) -> tuple[ValidatorVerdict, ...]:
    engine = Engine(judge=judge, sources=Sources(), economy=economy)
    try:
        return await engine.evaluate(
            CASE, plan(*validators, timeout_s=timeout_s, strict=strict), Meter()
        )
    finally:
        engine.close()


def asking(name: str) -> Validator:
    @validator(name=name, version="1")
    def ask(case: Case) -> Judgement:
        answers = yield {"question": QUESTION}
        answer = answers["question"]
        if isinstance(answer, Judged) and answer.vote is Vote.YES:
            return [Pass()]
        return [Abstain(diagnostic=repr(answer))]

    return ask


async def test_the_three_forms_give_verdicts_in_the_plans_order() -> None:
    @validator(name="generator", version="1")
    def generator(case: Case) -> Judgement:
        yield {}
        return [Pass(), Fail(codes=(FailureCode.WRONG_FACT,))]

    @validator(name="plain", version="1")
    def plain(case: Case) -> bool:
        return case.result.result_id == "r"

    @validator(name="async", version="1", codes=(FailureCode.SOP_NOT_FOLLOWED,))
    async def asynchronous(case: Case) -> bool:
        await anyio.lowlevel.checkpoint()
        return False

    rows = await run(generator, plain, asynchronous)
    assert [(row.validator_name, row.verdict.kind) for row in rows] == [
        ("generator", "pass"),
        ("generator", "fail"),
        ("plain", "pass"),
        ("async", "fail"),
    ]
    assert rows[0].verdict.confidence == DETERMINISTIC
    last = rows[-1].verdict
    assert isinstance(last, Fail)
    assert last.codes == (FailureCode.SOP_NOT_FOLLOWED,)


def _raising(error: BaseException) -> Callable[[Case], Verdict]:
    def fail(case: Case) -> Verdict:
        raise error

    return fail


async def _async_raising(case: Case) -> Verdict:
    raise RuntimeError("async boom")


def _generator_raising(case: Case) -> Judgement:
    yield {}
    raise KeyError("late")


def _generator_raising_at_once(case: Case) -> Judgement:
    if case.result.result_id:
        raise RecursionError("deep")
    yield {}
    return []


def _answering(outcome: object) -> Callable[[Case], object]:
    return lambda case: outcome


def _deep(case: Case) -> bool:
    return _deep(case) or bool(sys)


@pytest.mark.parametrize(
    ("function", "reason", "says"),
    [
        (_raising(ValueError("first\nsecond")), Reason.EXCEPTION, "ValueError: first"),
        (_raising(SystemExit("out")), Reason.EXCEPTION, "SystemExit: out"),
        (_raising(KeyboardInterrupt()), Reason.EXCEPTION, "KeyboardInterrupt"),
        (_raising(StopIteration("early")), Reason.EXCEPTION, "StopIteration: early"),
        (_deep, Reason.EXCEPTION, "RecursionError"),
        (_async_raising, Reason.EXCEPTION, "async boom"),
        (_generator_raising, Reason.EXCEPTION, "KeyError: 'late'"),
        (_generator_raising_at_once, Reason.EXCEPTION, "RecursionError: deep"),
        (_answering(None), Reason.NO_VERDICT, "returned NoneType"),
        (_answering([]), Reason.NO_VERDICT, "returned no verdict"),
        (_answering([Pass(), "yes"]), Reason.NO_VERDICT, "returned list"),
        (_answering(0.9), Reason.NO_VERDICT, "returned float"),
    ],
)
async def test_whatever_a_validator_does_becomes_an_error_verdict_of_its_own(
    function: Callable[[Case], object], reason: Reason, says: str
) -> None:
    broken = validator(name="broken", version="1")(function)  # type: ignore[arg-type]  # that is the point
    fine = validator(name="fine", version="1")(lambda case: True)
    rows = await run(broken, fine)
    assert isinstance(rows[0].verdict, Error)
    assert rows[0].verdict.reason == reason
    assert says in rows[0].verdict.diagnostic
    assert "\n" not in rows[0].verdict.diagnostic
    assert isinstance(rows[1].verdict, Pass)


async def test_a_deadline_costs_only_its_own_validator() -> None:
    @validator(name="stuck", version="1")
    def stuck(case: Case) -> bool:
        release.wait(30)
        return True

    @validator(name="slow", version="1")
    async def slow(case: Case) -> bool:
        await anyio.sleep(30)
        return True

    release = threading.Event()
    started = time.monotonic()
    rows = await run(stuck, slow, asking("asks"), judge=Judge(yes), timeout_s=0.2)
    release.set()
    assert time.monotonic() - started < 10
    assert [row.verdict.kind for row in rows] == ["error", "error", "pass"]
    assert all(
        row.verdict.reason == Reason.DEADLINE
        for row in rows
        if isinstance(row.verdict, Error)
    )


async def test_one_need_under_two_names_is_answered_once_for_both() -> None:
    @validator(name="twice", version="1")
    def twice(case: Case) -> Judgement:
        answers = yield {"first": QUESTION, "second": QUESTION}
        assert list(answers) == ["first", "second"]
        assert answers["first"] is answers["second"]
        return [Pass()]

    judge = Judge(yes)
    (row,) = await run(twice, judge=judge)
    assert (row.verdict.kind, judge.asked) == ("pass", 1)


async def test_a_pure_function_of_a_plug_in_keeps_away_from_the_event_loop() -> None:
    threads: list[threading.Thread] = []

    @validator(name="pure", version="1", pure=True)
    def pure(case: Case) -> bool:
        threads.append(threading.current_thread())
        return True

    @validator(name="broken", version="1", pure=True)
    def broken(case: Case) -> Verdict:
        raise KeyError("absent")

    rows = await run(pure, broken)
    assert threads
    assert threading.current_thread() not in threads
    assert [row.verdict.kind for row in rows] == ["pass", "error"]
    assert rows[0].verdict.confidence == DETERMINISTIC
    assert rows[1].verdict.diagnostic.startswith(
        "KeyError: 'absent' (test_engine.py line "
    )


def test_only_a_plain_function_is_pure() -> None:
    with pytest.raises(TypeError, match="pure=True is for plain functions"):
        validator(name="late", version="1", pure=True)(_async_raising)


async def test_a_question_two_validators_share_is_asked_once() -> None:
    judge = Judge(yes, delay_s=0.01)
    rows = await run(asking("one"), asking("two"), asking("three"), judge=judge)
    assert [row.verdict.kind for row in rows] == ["pass", "pass", "pass"]
    assert judge.asked == 1
    assert {row.evaluator_model for row in rows} == {"m"}


async def test_a_hanging_judge_is_cancelled_with_the_last_validator_that_waits_for_it() -> (
    None
):
    judge = Judge(yes, delay_s=60)
    rows = await run(asking("one"), judge=judge, timeout_s=0.1)
    assert [row.verdict.kind for row in rows] == ["error"]
    assert judge.cancelled == 1


async def test_waiting_for_a_judge_counts_only_against_a_deadline_that_was_asked_for() -> (
    None
):
    rows = await run(
        asking("one"), judge=Judge(yes, delay_s=0.3), timeout_s=0.1, strict=False
    )
    assert [row.verdict.kind for row in rows] == ["pass"]

    @validator(name="slow", version="1")
    def slow(case: Case) -> Judgement:
        yield {"question": QUESTION}
        yield {"item": Lookup(source={"type": "doi"}, query={"id": "10.1/x"})}
        return [Pass()]

    class Slow(Sources):
        async def lookup(
            self, need: Lookup, base_dir: Path, context: LookupContext
        ) -> Found | NotFound | Unanswered:
            await anyio.sleep(30)
            raise AssertionError("nobody waits that long")

    engine = Engine(judge=Judge(yes, delay_s=0.3), sources=Slow())
    with anyio.fail_after(10):
        rows = await engine.evaluate(
            CASE, plan(slow, timeout_s=0.1, strict=False), Meter()
        )
    engine.close()
    assert [row.verdict.kind for row in rows] == [
        "error"
    ]  # what is no judge's time still counts


def failing(
    name: str, code: FailureCode = FailureCode.WRONG_FACT, *, delay_s: float = 0.0
) -> Validator:
    @validator(name=name, version="1")
    async def fail(case: Case) -> Fail:
        await anyio.sleep(delay_s)
        return Fail(codes=(code,))

    return fail


def criterion(name: str) -> Validator:
    @validator(name=name, version="1")
    def judged(case: Case) -> Judgement:
        answers = yield {"question": QUESTION}
        answer = answers["question"]
        if isinstance(answer, Unanswered):
            return [
                Pass(check="own"),
                unanswered_verdict(
                    answer, check="asked", metric="readability", weight=2.0
                ),
            ]
        return [Pass(check="own"), Pass(check="asked")]

    return judged


async def test_economy_asks_no_judge_once_the_gate_has_failed_without_one() -> None:
    judge = Judge(yes)
    rows = await run(
        criterion("a"),
        failing("b", delay_s=0.05),
        judge=judge,
        economy=Economy(audit=0.0),
    )
    assert judge.asked == 0
    assert [row.verdict.kind for row in rows] == ["pass", "skipped", "fail"]
    skip = rows[1].verdict
    assert isinstance(skip, Skipped)
    assert (skip.reason, skip.check, skip.metric, skip.weight) == (
        Reason.GATE_ALREADY_DECIDED,
        "asked",
        "readability",
        2.0,
    )
    assert aggregate(rows, CONTRACT).gate is Gate.FAIL


@pytest.mark.parametrize(
    "other", [failing("b", FailureCode.INCOMPLETE_ANSWER), asking("b")]
)
async def test_economy_asks_while_the_gate_is_open(other: Validator) -> None:
    judge = Judge(yes)
    rows = await run(criterion("a"), other, judge=judge, economy=Economy(audit=0.0))
    assert judge.asked == 1
    assert all(row.verdict.kind != "skipped" for row in rows)
    assert all(AUDIT_SAMPLE not in row.verdict.details for row in rows)


async def test_a_validator_that_misses_its_deadline_at_the_barrier_holds_nobody_up() -> (
    None
):
    """Two are at the barrier when their time is up; it opens for a third after the last one that asks nothing."""
    gone = threading.Barrier(3)

    def impatient(name: str) -> Validator:
        @validator(name=name, version="1")
        def ask(case: Case) -> Judgement:
            try:
                yield {"question": QUESTION}
            finally:
                gone.wait(10)
            return [Pass()]

        return ask

    @validator(name="last", version="1")
    def last(case: Case) -> Pass:
        # On a busy machine the time of one is up before it has begun, and it never comes.
        with suppress(threading.BrokenBarrierError):
            gone.wait(10)
        return Pass()

    planned = (
        PlannedValidator(impatient("a"), timeout_s=0.2, strict=True),
        PlannedValidator(impatient("b"), timeout_s=0.2, strict=True),
        PlannedValidator(last, timeout_s=60, strict=True),
        PlannedValidator(asking("d"), timeout_s=60, strict=True),
    )
    judge = Judge(yes)
    engine = Engine(judge=judge, sources=Sources(), economy=Economy())
    with anyio.fail_after(60):
        rows = await engine.evaluate(CASE, GradingPlan(CONTRACT, "1", planned), Meter())
    engine.close()
    assert [row.verdict.kind for row in rows] == ["error", "error", "pass", "pass"]
    assert judge.asked == 1


async def test_a_seeded_sample_is_asked_all_the_same_and_marked() -> None:
    economy = Economy(audit=0.05, seed=3)
    drawn = [economy.audited(f"r{number}", "criteria") for number in range(4000)]
    assert 0.035 < sum(drawn) / len(drawn) < 0.065
    assert drawn == [
        Economy(audit=0.05, seed=3).audited(f"r{number}", "criteria")
        for number in range(4000)
    ]
    judge = Judge(yes)
    rows = await run(
        criterion("a"), failing("b"), judge=judge, economy=Economy(audit=1.0)
    )
    assert judge.asked == 1
    assert [row.verdict.details.get(AUDIT_SAMPLE) for row in rows] == [None, 1.0, None]


async def test_needs_nobody_can_answer_come_back_as_the_evaluators_fault() -> None:
    @validator(name="looks", version="1")
    def looks(case: Case) -> Judgement:
        answers = yield {
            "item": Lookup(source={"type": "doi"}, query={"doi": "10.1000/x"}),
            "question": QUESTION,
        }
        return [
            Abstain(diagnostic=f"{answer.error_type}: {answer.message}")
            for answer in answers.values()
            if isinstance(answer, Unanswered)
        ]

    rows = await run(looks)
    assert [row.verdict.diagnostic for row in rows] == [
        "exception: ConnectionError: no network",
        "not_configured: no judge is configured (--judge MODEL)",
    ]


async def test_validators_run_at_once() -> None:
    barrier = anyio.Event()
    waiting = 0

    def meeting(name: str) -> Validator:
        @validator(name=name, version="1")
        async def meet(case: Case) -> bool:
            nonlocal waiting
            waiting += 1
            if waiting == 3:
                barrier.set()
            await barrier.wait()
            return True

        return meet

    rows = await run(meeting("a"), meeting("b"), meeting("c"))
    assert [row.verdict.kind for row in rows] == ["pass"] * 3


async def test_cancellation_from_outside_goes_through() -> None:
    @validator(name="slow", version="1")
    async def slow(case: Case) -> bool:
        await anyio.sleep(30)
        return True

    with anyio.move_on_after(0.05) as scope:
        await run(slow)
    assert scope.cancelled_caught


async def test_plain_functions_never_hold_up_the_loop() -> None:
    beats = 0

    async def heart() -> None:
        nonlocal beats
        while True:
            await anyio.sleep(0.005)
            beats += 1

    @validator(name="blocks", version="1")
    def blocks(case: Case) -> bool:
        time.sleep(0.2)
        return True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(heart)
        await run(blocks)
        tasks.cancel_scope.cancel()
    assert beats >= 5


async def test_a_function_that_keeps_hanging_is_not_called_for_ever() -> None:
    release = threading.Event()
    calls = 0

    @validator(name="hangs", version="1")
    def hangs(case: Case) -> bool:
        nonlocal calls
        calls += 1
        return release.wait(60)

    engine = Engine(judge=None, sources=Sources())
    for _ in range(12):
        (row,) = await engine.evaluate(CASE, plan(hangs, timeout_s=0.02), Meter())
        assert isinstance(row.verdict, Error)
        assert row.verdict.reason == Reason.DEADLINE
    # A thread that the machine has not started before the deadline does not count as a call.
    assert calls <= 8
    release.set()
    engine.close()


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        ([QUESTION], "the validator yielded list; expected needs by name"),
        (None, "the validator yielded NoneType; expected needs by name"),
        (QUESTION, "the validator yielded Ask; expected needs by name"),
        ({"polite": "Is it?"}, "the validator yielded str as 'polite'; expected Ask"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
async def test_whatever_is_no_need_is_an_error_and_asks_nothing(
    yielded: object, message: str, first: bool
) -> None:
    @validator(name="careless", version="1")
    def careless(case: Case) -> Judgement:
        if not first:
            yield {}
        yield yielded  # type: ignore[misc]
        return [Pass()]

    judge = Judge(yes)
    (row,) = await run(careless, judge=judge)
    assert isinstance(row.verdict, Error)
    assert row.verdict.reason is Reason.EXCEPTION
    assert message in row.verdict.diagnostic
    assert judge.asked == 0
