"""`--mode economy`: the order of gating questions, what a failed gate leaves out, and the sample that keeps rates unbiased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Ask,
    Extract,
    Extracted,
    Judged,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.report import Gate, ValidatorVerdict
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case, Judgement, Validator, validator
from judgemesh.contracts.verdicts import (
    Abstain,
    Error,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.economy.history import (
    PRIOR_FAILURES,
    QuestionHistory,
    history_of,
)
from judgemesh.mesh.grading.economy.sample import (
    AUDIT_SAMPLE,
    Economy,
    sampling_weight,
)
from judgemesh.mesh.grading.engine import Engine
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.plan import GradingPlan, PlannedValidator
from judgemesh.mesh.sources.resolver import SourceResolver

pytestmark = pytest.mark.anyio

CONTRACT = EvalContract(task_id="t")


@dataclass(slots=True)
class Infallible:
    """A judge that knows the answers, and notes what it was asked: the questions of each call."""

    truths: dict[str, Vote]
    calls: list[list[str]] = field(default_factory=list[list[str]])

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        self.calls.append([question.question_id for question in questions])
        await anyio.lowlevel.checkpoint()
        return [
            Judged(vote=self.truths[question.question_id], model="m")
            for question in questions
        ]

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        self.calls.append([need.extract_id])
        return Extracted(data=[])

    @property
    def asked(self) -> list[str]:
        return [question for call in self.calls for question in call]


@dataclass(frozen=True, slots=True)
class Point:
    """A question of a validator."""

    name: str
    gating: bool = True
    length: int = 1


def judged(name: str, points: Sequence[Point], *, extracts: bool = False) -> Validator:
    """A validator that asks about each point, after an extraction if it `extracts`."""

    @validator(name=name, version="1", codes=(FailureCode.WRONG_FACT,))
    def asks_judge(case: Case) -> Judgement:
        if extracts:
            yield {"list": Extract(extract_id=name, instruction=name, materials=())}
        asks = {
            point.name: Ask(
                question_id=point.name,
                question=f"{point.name}?",
                materials=(Material("text", "x" * point.length),),
                gating=point.gating,
            )
            for point in points
        }
        answers = yield asks
        verdicts: list[Verdict] = []
        for point in points:
            answer = answers[point.name]
            check, gating = point.name, point.gating
            if isinstance(answer, Unanswered):
                verdict: Verdict = unanswered_verdict(
                    answer, check=check, metric=None, gating=gating
                )
            elif not isinstance(answer, Judged) or answer.vote is Vote.CANNOT_ASSESS:
                verdict = Abstain(check=check, gating=gating)
            elif answer.vote is Vote.YES:
                verdict = Pass(check=check, gating=gating)
            else:
                codes = (FailureCode.WRONG_FACT,)
                verdict = Fail(check=check, gating=gating, codes=codes)
            verdicts.append(verdict)
        return verdicts

    return asks_judge


async def run(
    judge: Infallible,
    *validators: Validator,
    economy: Economy | None,
    result_id: str = "r",
    timeout_s: float = 5.0,
    strict: bool = False,
) -> tuple[ValidatorVerdict, ...]:
    sources = SourceResolver(None)
    engine = Engine(judge=judge, sources=sources, economy=economy)
    case = Case(result=AgentResult(result_id=result_id, task_id="t"), contract=CONTRACT)
    planned = tuple(
        PlannedValidator(each, timeout_s=timeout_s, strict=strict)
        for each in validators
    )
    plan = GradingPlan(CONTRACT, "1", planned, base_dir=Path())
    try:
        with anyio.fail_after(10):
            return await engine.evaluate(case, plan, Meter())
    finally:
        engine.close()
        await sources.aclose()


@dataclass(frozen=True, slots=True)
class Row:
    """What a ledger knows about one question."""

    question_id: str
    answered: int
    failed: int
    cost: float | None = None
    task_id: str = "t"
    validator_name: str = "a"


NO_SAMPLE = Economy(audit=0.0)


async def test_gating_questions_are_asked_one_by_one_until_one_fails() -> None:
    judge = Infallible({"p": Vote.YES, "q": Vote.NO, "s": Vote.YES, "soft": Vote.YES})
    points = [Point("soft", gating=False), Point("p"), Point("q"), Point("s")]
    rows = await run(judge, judged("a", points), economy=NO_SAMPLE)
    assert judge.calls == [["p"], ["q"]]
    assert [row.verdict.kind for row in rows] == ["skipped", "pass", "fail", "skipped"]
    assert aggregate(rows, CONTRACT).gate is Gate.FAIL
    assert all(AUDIT_SAMPLE not in row.verdict.details for row in rows)


async def test_plain_questions_come_last_and_together() -> None:
    judge = Infallible(dict.fromkeys("pqrs", Vote.YES))
    points = [Point("p", gating=False), Point("q"), Point("r", gating=False)]
    rows = await run(
        judge,
        judged("a", points),
        judged("b", [Point("s")]),
        economy=NO_SAMPLE,
    )
    assert judge.calls == [["q"], ["s"], ["p", "r"]]
    assert [row.verdict.kind for row in rows] == ["pass"] * 4


async def test_the_order_is_cost_over_the_probability_of_failing() -> None:
    history = history_of(
        [
            Row("often", 1000, 500, 0.004),
            Row("cheap", 1000, 100, 0.0001),
            Row("rare", 1000, 1, 0.001),
        ]
    )
    judge = Infallible(dict.fromkeys(["rare", "often", "cheap"], Vote.YES))
    points = [Point("rare"), Point("often"), Point("cheap")]
    await run(judge, judged("a", points), economy=Economy(audit=0.0, history=history))
    assert judge.asked == ["cheap", "often", "rare"]


async def test_without_a_history_short_questions_come_first() -> None:
    judge = Infallible(dict.fromkeys("pqr", Vote.YES))
    points = [Point("p", length=900), Point("q", length=10), Point("r", length=10)]
    await run(judge, judged("a", points), economy=NO_SAMPLE)
    assert judge.asked == ["q", "r", "p"]


def test_a_history_shrinks_to_what_is_known_of_similar_questions() -> None:
    assert QuestionHistory().failure_rate(("t", "a", "q")) == PRIOR_FAILURES
    rows = [Row("q", 1000, 900, task_id="u"), Row("q", 2, 0), Row("other", 50, 1)]
    history = history_of(rows)
    known = history.failure_rate(("u", "a", "q"))
    few = history.failure_rate(("t", "a", "q"))
    unknown = history.failure_rate(("t", "a", "new"))
    assert known == pytest.approx(0.9, abs=0.01)
    assert 0.5 < few < known
    assert 0 < history.failure_rate(("t", "a", "other")) < unknown < known
    assert history.expected_cost(("t", "a", "q"), 70) == 70.0
    billed = history_of([Row("q", 10, 1, 0.5), Row("r", 10, 1, 0.1), Row("s", 1, 1)])
    assert billed.expected_cost(("t", "a", "q"), 70) == 0.5
    assert billed.expected_cost(("t", "a", "s"), 70) == pytest.approx(0.3)


async def test_what_could_not_be_decided_ends_nothing() -> None:
    judge = Infallible({"p": Vote.CANNOT_ASSESS, "q": Vote.YES, "r": Vote.NO})
    rows = await run(
        judge, judged("a", [Point("p"), Point("q"), Point("r")]), economy=NO_SAMPLE
    )
    assert judge.asked == ["p", "q", "r"]
    assert aggregate(rows, CONTRACT).gate is Gate.FAIL


async def test_an_answer_that_its_validator_does_not_hold_against_the_gate_ends_nothing() -> (
    None
):
    """What fails the gate is the verdict, not the answer."""

    @validator(name="a", version="1", codes=(FailureCode.WRONG_FACT,))
    def either(case: Case) -> Judgement:
        question = {
            name: Ask(question_id=name, question=name, materials=(), gating=True)
            for name in ("p", "q")
        }
        answers = yield question
        votes = [answers[name] for name in ("p", "q")]
        if any(isinstance(one, Judged) and one.vote is Vote.YES for one in votes):
            return [Pass(check="either")]
        if any(isinstance(one, Unanswered) for one in votes):
            return [Error(check="either", reason=Reason.GATE_ALREADY_DECIDED)]
        return [Fail(check="either", codes=(FailureCode.WRONG_FACT,))]

    judge = Infallible({"p": Vote.NO, "q": Vote.YES})
    rows = await run(judge, either, economy=NO_SAMPLE)
    assert judge.asked == ["p", "q"]
    assert aggregate(rows, CONTRACT).gate is Gate.PASS


async def test_a_failure_that_vanishes_passes_no_gate() -> None:
    """A validator whose second run says otherwise: what was not asked holds the gate open."""
    runs = 0

    @validator(name="a", version="1", codes=(FailureCode.WRONG_FACT,))
    def moody(case: Case) -> Judgement:
        nonlocal runs
        runs += 1
        first = runs == 1
        answers = yield {
            "p": Ask(question_id="p", question="p", materials=(), gating=True)
        }
        assert answers
        if first:
            return [Pass(check="p")]
        return [Fail(check="p", codes=(FailureCode.WRONG_FACT,))]

    judge = Infallible({"p": Vote.NO, "q": Vote.YES})
    rows = await run(judge, moody, judged("b", [Point("q")]), economy=NO_SAMPLE)
    assert judge.asked == ["p"]
    assert [row.verdict.kind for row in rows] == ["pass", "error"]
    assert aggregate(rows, CONTRACT).gate is Gate.UNDECIDED


async def test_a_validator_that_misses_its_deadline_in_the_queue_holds_nobody_up() -> (
    None
):
    class Slow(Infallible):
        async def ask_many(
            self, questions: Sequence[Ask], context: CallContext
        ) -> list[Judged | Unanswered]:
            await anyio.sleep(0.3)
            return await Infallible.ask_many(self, questions, context)

    judge = Slow({"p": Vote.NO, "q": Vote.YES})
    rows = await run(
        judge,
        judged("a", [Point("p")]),
        judged("b", [Point("q")]),
        economy=NO_SAMPLE,
        timeout_s=0.1,
        strict=True,
    )
    assert [row.verdict.kind for row in rows] == ["error", "error"]
    assert aggregate(rows, CONTRACT).gate is Gate.UNDECIDED


VOTES = st.sampled_from([Vote.YES, Vote.NO, Vote.CANNOT_ASSESS])
PLANS = st.lists(
    st.tuples(
        st.lists(st.tuples(VOTES, st.booleans()), min_size=1, max_size=4),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    plan=PLANS,
    rates=st.lists(st.integers(0, 20), min_size=12, max_size=12),
    audit=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 50),
)
async def test_no_order_and_no_sample_changes_the_gate(
    plan: list[tuple[list[tuple[Vote, bool]], bool]],
    rates: list[int],
    audit: float,
    seed: int,
) -> None:
    """With a judge that gives the same answer whenever it is asked, the gate is that of asking everything."""
    truths: dict[str, Vote] = {}
    validators: list[Validator] = []
    rows: list[Row] = []
    for number, (questions, extracts) in enumerate(plan):
        points: list[Point] = []
        for vote, gating in questions:
            name = f"q{len(truths)}"
            truths[name] = vote
            points.append(Point(name, gating=gating))
            failed = rates[len(truths) % len(rates)]
            rows.append(Row(name, 20, failed, 0.01, validator_name=f"v{number}"))
        validators.append(judged(f"v{number}", points, extracts=extracts))
    economy = Economy(audit=audit, seed=seed, history=history_of(rows))
    everything = Infallible(truths)
    full = await run(everything, *validators, economy=None)
    frugal = Infallible(truths)
    thrifty = await run(frugal, *validators, economy=economy)
    gate = aggregate(full, CONTRACT).gate
    assert aggregate(thrifty, CONTRACT).gate is gate
    assert len(frugal.asked) == len(set(frugal.asked)) <= len(everything.asked)
    if gate is not Gate.FAIL or audit == 1.0:
        assert sorted(frugal.asked) == sorted(everything.asked)
    for in_full, in_thrifty in zip(full, thrifty, strict=True):
        if not isinstance(in_thrifty.verdict, Skipped):
            assert in_thrifty.verdict.kind == in_full.verdict.kind


async def test_rates_weighted_by_the_sample_are_unbiased_for_every_question() -> None:
    """The mean of the weighted rate over many samples is the true rate, whichever question comes first or last."""
    names: list[str] = ["p", "q", "r"]
    results = [
        {
            name: Vote.YES if (number // 2**place) % 3 else Vote.NO
            for place, name in enumerate(names)
        }
        for number in range(12)
    ]
    history = history_of([Row("q", 20, 10), Row("p", 20, 5), Row("r", 20, 1)])
    rates: dict[str, list[float]] = {name: [] for name in names}
    unweighted: dict[str, list[float]] = {name: [] for name in names}
    for seed in range(60):
        economy = Economy(audit=0.4, seed=seed, history=history)
        totals = dict.fromkeys(names, 0.0)
        passes, answered = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        for number, truths in enumerate(results):
            rows = await run(
                Infallible(truths),
                judged("a", [Point(name) for name in names]),
                economy=economy,
                result_id=f"r{number}",
            )
            for row in rows:
                if row.verdict.kind == "skipped":
                    continue
                passed = row.verdict.kind == "pass"
                totals[row.verdict.check] += sampling_weight(row.verdict) * passed
                passes[row.verdict.check] += passed
                answered[row.verdict.check] += 1
        for name in names:
            rates[name].append(totals[name] / len(results))
            unweighted[name].append(passes[name] / answered[name])
    for name in names:
        truth = fmean(one[name] is Vote.YES for one in results)
        error = stdev(rates[name]) / sqrt(len(rates[name])) or 1e-12
        assert abs(fmean(rates[name]) - truth) <= 3.5 * error + 1e-9
    # The weights matter: counting what was asked is off.
    truth = fmean(one["r"] is Vote.YES for one in results)
    assert abs(fmean(unweighted["r"]) - truth) > 0.03


async def test_only_what_the_sample_added_carries_its_share() -> None:
    judge = Infallible({"p": Vote.YES, "q": Vote.NO, "r": Vote.YES})
    rows = await run(
        judge,
        judged("a", [Point("p"), Point("q"), Point("r")]),
        economy=Economy(audit=1.0),
    )
    assert judge.asked == ["p", "q", "r"]
    shares = [row.verdict.details.get(AUDIT_SAMPLE) for row in rows]
    assert shares == [None, None, 1.0]
