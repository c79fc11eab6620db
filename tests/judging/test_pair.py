"""Two judges certified as one thing: from questions both were asked, and kept as a promise about what they settle."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import anyio
import pytest

from judgemesh.contracts.errors import JudgeUnavailable
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import Ask, Judged, Material, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.voting import LEAD
from judgemesh.mesh.calibration.pairs import (
    DrawnQuestion,
    compare_pairs,
    drawn_question,
)
from judgemesh.mesh.calibration.thresholds import NotCertified
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.confidence.active import (
    ALARM,
    NO_PAIR_CERTIFICATE,
    PAIR_CERTIFICATE,
    active_calibrations,
)
from judgemesh.mesh.judging.confidence.pairs import (
    Pair,
    is_audited,
    pair_from_json,
)
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.ensembles.escalation import EscalatingJudge
from judgemesh.mesh.judging.ensembles.panel_judge import PanelJudge
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing import ScriptedJudge

from .conftest import Book, ask_one

SMALL, STRONG = "openai/gpt-4.1-nano", "anthropic/claude-sonnet-4-5"
POOL = 300
ALPHA, DELTA = 0.1, 0.1


def need_of(number: int) -> Ask:
    return Ask(
        question_id="q",
        question="Is it so?",
        materials=(Material("final_answer", f"Item {number}."),),
    )


def coin(name: str) -> float:
    """A number in [0, 1) that follows from the name alone."""
    return random.Random(name).random()  # noqa: S311 - a simulation


def truth_of(number: int) -> bool:
    return coin(f"truth{number}") < 0.5


def vote(call: ModelCall) -> str:
    """Items are easy, hard or misleading; the strong judge is misled less often. Votes differ, errors are shared."""
    number = int(call.messages[-1]["content"].partition("Item ")[2].partition(".")[0])
    kind = coin(f"kind{number}")
    small = call.model == SMALL
    right = 0.97 if kind < 0.6 else 0.65 if kind < 0.9 else 0.15 if small else 0.6
    said = coin(f"{call.model}{number}.{call.sample_index}") < right
    return "yes" if said == truth_of(number) else "no"


def pair_of(script: Any = vote, second: Any = None, **options: Any) -> EscalatingJudge:
    settings: dict[str, Any] = {
        "policy": RetryPolicy(base_s=0.001, cap_s=0.002),
        "max_retries": 0,
    }
    first = VotingJudge(ScriptedJudge(script), model=SMALL, **settings)
    return EscalatingJudge(
        first,
        VotingJudge(
            ScriptedJudge(second or script),
            model=STRONG,
            votes=LEAD.strong(),
            **settings,
        ),
        **options,
    )


@dataclass(frozen=True)
class Pool:
    """Every item of a small world, judged by the real judges; what is true of it is known exactly."""

    answers: tuple[Judged | Unanswered, ...]

    def drawn(self, number: int, result_id: str = "r") -> DrawnQuestion:
        answer = self.answers[number]
        assert isinstance(answer, Judged)
        assert answer.opinion is not None
        question = drawn_question(result_id, answer.opinion)
        assert question is not None
        return question

    def certified(
        self, numbers: Sequence[int], *, alpha: float = ALPHA
    ) -> Pair | NotCertified:
        """The certificate from labels of these items, which may come several times."""
        rows = [self.drawn(number, f"{at}") for at, number in enumerate(numbers)]
        truth = {(f"{at}", "q"): truth_of(number) for at, number in enumerate(numbers)}
        (found,) = compare_pairs(rows, truth, labels={}, alpha=alpha, delta=DELTA)
        assert found.audited == found.drawn == len(numbers)
        return found.certified


@pytest.fixture(scope="module")
def pool() -> Pool:
    book = Book()
    pair = pair_of(audit=1.0)

    async def ask() -> tuple[Judged | Unanswered, ...]:
        return tuple(
            [
                await ask_one(pair, need_of(number), book.context)
                for number in range(POOL)
            ]
        )

    return Pool(anyio.run(ask))


def wrong_share(pair: Pair, pool: Pool) -> float:
    """How often what the pair settles in the whole world is wrong."""
    settled: list[bool] = []
    for number in range(POOL):
        for stage, opinion in enumerate(pool.drawn(number).opinions):
            if pair.settles(stage, opinion):
                settled.append((opinion.verdict is Vote.YES) == truth_of(number))
                break
    return settled.count(False) / max(1, len(settled))


@pytest.mark.parametrize(("alpha", "least"), [(0.1, 0), (0.2, 150)])
def test_the_promise_is_kept(pool: Pool, alpha: float, least: int) -> None:
    """Labels drawn at random from the world, 200 times: more than alpha is wrong in at most delta of them.

    In this world about .11 of what is settled is wrong, so every certificate for .1 is a broken promise.
    """
    draw = random.Random(7)  # noqa: S311 - a simulation
    risks: dict[tuple[float, float], float] = {}
    broken = made = 0
    for _ in range(200):
        pair = pool.certified([draw.randrange(POOL) for _ in range(100)], alpha=alpha)
        if isinstance(pair, Pair):
            made += 1
            if pair.thresholds not in risks:
                risks[pair.thresholds] = wrong_share(pair, pool)
            broken += risks[pair.thresholds] > alpha
    assert made >= least  # it does promise something
    assert broken / 200 <= DELTA
    assert broken == (made if alpha == ALPHA else 0)


@pytest.mark.anyio
async def test_the_judges_settle_what_the_certificate_says(
    pool: Pool, book: Book
) -> None:
    """The same thresholds through the judges as a run has them: who settles what is what the labels were told."""
    pair = pool.certified(range(POOL), alpha=0.2)
    assert isinstance(pair, Pair)
    assert pair_from_json(pair.to_json()) == pair
    judge = pair_of(pairs=[pair])
    settled = wrong = 0
    for number in range(0, POOL, 3):
        answer = await ask_one(judge, need_of(number), book.context)
        assert isinstance(answer, Judged)
        by_rule = next(
            (
                opinion.verdict
                for stage, opinion in enumerate(pool.drawn(number).opinions)
                if pair.settles(stage, opinion)
            ),
            Vote.CANNOT_ASSESS,
        )
        assert answer.vote is by_rule
        settled += answer.vote is not Vote.CANNOT_ASSESS
        wrong += answer.vote.value == ("no" if truth_of(number) else "yes")
    assert settled > POOL / 3 * 0.4
    assert wrong / settled <= 0.2


def test_labels_of_what_the_first_left_open_prove_nothing(pool: Pool) -> None:
    """Without drawn questions there is no certificate, however many labels there are, and the reason says so."""
    book = Book()
    pair = pair_of()

    async def ask() -> list[Judged | Unanswered]:
        return [
            await ask_one(pair, need_of(number), book.context) for number in range(20)
        ]

    answers = [answer for answer in anyio.run(ask) if isinstance(answer, Judged)]
    opinions = [answer.opinion for answer in answers if answer.opinion is not None]
    assert len(opinions) == len(answers) == 20
    assert all(drawn_question("r", opinion) is None for opinion in opinions)
    (found,) = compare_pairs(
        [], {}, labels={(SMALL, STRONG): 500}, alpha=0.05, delta=0.05
    )
    assert isinstance(found.certified, NotCertified)
    assert found.certified.missing == 59
    assert "--escalate-audit" in found.certified.reason
    few = pool.certified(range(10))
    assert isinstance(few, NotCertified)
    assert few.missing == 22 - 10
    assert found.to_json()["way"] is None


@pytest.mark.anyio
async def test_a_drawn_question_keeps_the_verdict_it_had(book: Book) -> None:
    for number in range(12):
        plain, audited = pair_of(), pair_of(audit=1.0)
        one, other = [
            await ask_one(judge, need_of(number), book.context)
            for judge in (plain, audited)
        ]
        assert isinstance(one, Judged)
        assert isinstance(other, Judged)
        assert (one.vote, one.reason) == (other.vote, other.reason)
        assert other.opinion is not None
        assert other.opinion.audit_share == 1.0
    half = [is_audited(need_of(number), share=0.5, seed=3) for number in range(400)]
    assert half == [
        is_audited(need_of(number), share=0.5, seed=3) for number in range(400)
    ]
    assert 160 < sum(half) < 240
    assert half != [
        is_audited(need_of(number), share=0.5, seed=4) for number in range(400)
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("second", ["yes", JudgeUnavailable("down")])
async def test_a_side_that_is_not_sure_enough_is_no_verdict(
    book: Book, second: Any
) -> None:
    stages = (
        (*pair_of().identity, "votes"),
        (STRONG, pair_of()._second.identity[1], "votes"),
    )
    pair = Pair(
        stages=stages,
        thresholds=(0.9, 0.95),
        coverage=0.5,
        labels=60,
        errors=0,
        alpha=0.05,
        delta=0.05,
    )
    judge = pair_of("yes", second, pairs=[pair])
    answer = await ask_one(judge, need_of(1), book.context)
    assert isinstance(answer, Judged)
    assert answer.vote is Vote.CANNOT_ASSESS
    assert "as sure as the certified" in answer.reason
    low = replace(pair, thresholds=(0.7, 0.95))
    answer = await ask_one(
        pair_of("yes", second, pairs=[low]), need_of(1), book.context
    )
    assert isinstance(answer, Judged)
    assert answer.vote is Vote.YES
    assert answer.details["certified"] == {"alpha": 0.05, "delta": 0.05}
    # Another model answers than the one that was certified, or other judges: then it says nothing.
    for other in (
        replace(pair, served=(("another",), ())),
        replace(pair, stages=(("another", *stages[0][1:]), stages[1])),
    ):
        answer = await ask_one(
            pair_of("yes", second, pairs=[other]), need_of(1), book.context
        )
        assert isinstance(answer, Judged)
        assert answer.vote is Vote.YES


@pytest.mark.anyio
async def test_the_certificate_of_a_pair_goes_before_those_of_its_judges(
    book: Book,
) -> None:
    first = pair_of()
    known = Calibration(
        model=SMALL,
        prompts=first.identity[1],
        labels=99,
        slopes=(1, 0, 0, 0),
        intercept=0,
        threshold=0.99,
    )
    judge = VotingJudge(ScriptedJudge("yes"), model=SMALL, calibrations=[known])
    answer = await ask_one(judge, need_of(1), book.context)
    assert isinstance(answer, Judged)
    assert answer.vote is Vote.CANNOT_ASSESS
    lenient = VotingJudge(
        ScriptedJudge("yes"), model=SMALL, calibrations=[known], abstains=False
    )
    answer = await ask_one(lenient, need_of(1), book.context)
    assert isinstance(answer, Judged)
    assert answer.vote is Vote.YES


def test_what_ends_a_certificate(pool: Pool) -> None:
    pair = pool.certified(range(POOL), alpha=0.2)
    assert isinstance(pair, Pair)
    row = ("", PAIR_CERTIFICATE, pair.to_json())
    ended = {"stages": [list(stage) for stage in pair.stages]}
    assert list(active_calibrations([row]).pairs) == [pair]
    assert list(active_calibrations([row, (STRONG, ALARM, {})]).pairs) == []
    assert (
        list(active_calibrations([row, ("", NO_PAIR_CERTIFICATE, ended)]).pairs) == []
    )
    assert list(
        active_calibrations(
            [row, ("other", ALARM, {}), ("", NO_PAIR_CERTIFICATE, {})]
        ).pairs
    ) == [pair]
    assert (
        list(active_calibrations([("", PAIR_CERTIFICATE, {"stages": [["a"]]})]).pairs)
        == []
    )
    infinite = replace(pair, thresholds=(pair.thresholds[0], float("inf")))
    assert pair_from_json(cast("Mapping[str, Any]", infinite.to_json())) == infinite


@pytest.mark.anyio
async def test_a_panel_and_a_stronger_judge_are_certified_like_two_judges(
    book: Book,
) -> None:
    def cascade(**options: Any) -> EscalatingJudge:
        panel = PanelJudge(
            [
                VotingJudge(ScriptedJudge(vote), model=model)
                for model in (SMALL, "xai/grok-4-mini")
            ]
        )
        strong = VotingJudge(ScriptedJudge(vote), model=STRONG, votes=LEAD.strong())
        return EscalatingJudge(panel, strong, **options)

    asked = cascade(audit=1.0)
    rows = [
        row
        for number in range(40)
        if isinstance(
            answer := await ask_one(asked, need_of(number), book.context), Judged
        )
        and answer.opinion is not None
        and (row := drawn_question(f"{number}", answer.opinion)) is not None
    ]
    truth = {(f"{number}", "q"): truth_of(number) for number in range(40)}
    (found,) = compare_pairs(rows, truth, labels={}, alpha=0.3, delta=0.2)
    assert isinstance(found.certified, Pair)
    assert found.models == (f"{SMALL} + xai/grok-4-mini", STRONG)
    again = cascade(pairs=[found.certified])
    answers = [
        await ask_one(again, need_of(number), book.context) for number in range(12)
    ]
    settled = [
        answer
        for answer in answers
        if isinstance(answer, Judged) and "certified" in answer.details
    ]
    assert settled
    assert all(answer.vote is not Vote.CANNOT_ASSESS for answer in settled)
