"""The judge asks until the votes decide, and says what they come to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from judgemesh.contracts.errors import JudgeRefused, JudgeUnavailable
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.needs import Ask, Judged, Material, Unanswered
from judgemesh.contracts.opinions import Role, Vote
from judgemesh.contracts.voting import GATE
from judgemesh.mesh.judging.client.cache import MemoryCache
from judgemesh.mesh.judging.client.retry import RetryPolicy
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.ensembles.escalation import EscalatingJudge
from judgemesh.mesh.judging.signals import Signals, criterion_digest
from judgemesh.mesh.judging.voting.ballot import Ballot, Cast
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.testing import ScriptedJudge
from judgemesh.mesh.testing.scripted import Line

from .conftest import Book, ask_one

pytestmark = pytest.mark.anyio

MODEL = "openai/gpt-4.1-mini"
NEED = Ask(
    question_id="polite",
    question="Is it polite?",
    materials=(Material("final_answer", "Dear Ms Lind, ..."),),
)
GATE_NEED = replace(NEED, gating=True)
YES = '{"reason": "r", "quote": "", "verdict": "yes"}'
NO = '{"reason": "r", "quote": "", "verdict": "no"}'


def judge_of(script: Any, **options: Any) -> VotingJudge:
    settings: dict[str, Any] = {
        "model": MODEL,
        "policy": RetryPolicy(base_s=0.001, cap_s=0.002),
        "max_retries": 0,
        **options,
    }
    return VotingJudge(ScriptedJudge(script), **settings)


def by_sample(*lines: Line) -> Any:
    """The n-th vote says the n-th line."""

    def line(call: ModelCall) -> Line:
        return lines[min(call.sample_index, len(lines) - 1)]

    return line


async def judged(judge: VotingJudge | EscalatingJudge, need: Ask, book: Book) -> Judged:
    answer = await ask_one(judge, need, book.context)
    assert isinstance(answer, Judged), answer
    return answer


@pytest.mark.parametrize(
    ("lines", "vote", "votes", "stability"),
    [
        (("yes",), Vote.YES, 2, 0.875),
        (("no",), Vote.NO, 2, 0.875),
        (("yes", "no", "yes", "yes"), Vote.YES, 4, 0.8125),
        (("yes", "no", "yes", "no", "yes"), Vote.CANNOT_ASSESS, 5, 0.65625),
        (("cannot_assess", "yes", "yes"), Vote.YES, 3, 0.875),
        (("cannot_assess",), Vote.CANNOT_ASSESS, 2, None),
    ],
)
async def test_a_plain_question(
    book: Book, lines: tuple[str, ...], vote: Vote, votes: int, stability: float | None
) -> None:
    answer = await judged(judge_of(by_sample(*lines)), NEED, book)
    assert (
        answer.vote,
        answer.confidence.stability,
        answer.confidence.correctness,
    ) == (vote, stability, None)
    assert len(book.attempts) == votes
    assert sorted(row.sample_index for row in book.attempts) == list(range(votes))


async def test_a_gate_passes_on_three_and_fails_on_two(book: Book) -> None:
    assert (await judged(judge_of("yes"), GATE_NEED, book)).vote is Vote.YES
    assert [row.prompt_name.partition(".")[0] for row in book.attempts] == [
        "yes_no",
        "yes_no_negated",
        "yes_no",
    ]
    book.attempts.clear()
    assert (await judged(judge_of("no"), GATE_NEED, book)).vote is Vote.NO
    assert len(book.attempts) == 2
    book.attempts.clear()
    forbidden = replace(GATE_NEED, expected="no")
    assert (
        await judged(judge_of("yes"), forbidden, book)
    ).vote is Vote.YES  # it fails, so two votes are enough
    assert len(book.attempts) == 2


async def test_a_judge_that_says_yes_to_everything_decides_no_gate(book: Book) -> None:
    answer = await judged(judge_of(YES), GATE_NEED, book)
    assert answer.vote is Vote.CANNOT_ASSESS
    assert "negated question" in answer.reason
    assert answer.opinion is not None
    assert answer.opinion.leader is Vote.YES


@pytest.mark.parametrize(
    ("votes", "split"),
    [
        (
            (
                ("a", "yes"),
                ("b", "yes"),
                ("c", "no"),
                ("a", "yes"),
                ("c", "no"),
                ("a", "yes"),
            ),
            True,
        ),
        (
            (("a", "yes"), ("b", "yes"), ("c", "no"), ("a", "yes"), ("b", "yes")),
            False,
        ),  # once is no pattern
        ((("a", "no"), ("b", "yes"), ("a", "yes"), ("b", "yes"), ("b", "yes")), False),
    ],
)
async def test_one_wording_that_always_says_otherwise_decides_no_gate(
    votes: tuple[tuple[str, str], ...], split: bool
) -> None:
    cast = [
        Cast(index=at, wording=wording, said=Vote(said))
        for at, (wording, said) in enumerate(votes)
    ]
    assert bool(Ballot(GATE, "yes", cast=cast).disagreement(Vote.YES)) is split


async def test_the_wordings_take_turns_and_follow_from_the_seed(book: Book) -> None:
    unsure = by_sample("yes", "no", "yes", "no", "yes")
    await judged(judge_of(unsure), NEED, book)
    first = [
        row.prompt_name
        for row in sorted(book.attempts, key=lambda row: row.sample_index)
    ]
    assert len(set(first)) == 3
    assert first[:2] == first[3:]
    book.attempts.clear()
    await judged(judge_of(unsure), NEED, book)
    assert [
        row.prompt_name
        for row in sorted(book.attempts, key=lambda row: row.sample_index)
    ] == first


async def test_every_vote_has_a_place_of_its_own_in_the_cache(book: Book) -> None:
    cache = MemoryCache()
    for _ in range(2):
        await judged(
            judge_of(by_sample("yes", "no", "yes", "yes"), cache=cache), NEED, book
        )
    assert len(cache) == 4
    assert [row.cache_hit for row in book.attempts] == [False] * 4 + [True] * 4


async def test_a_broken_vote_costs_votes_and_makes_no_verdict(book: Book) -> None:
    answer = await judged(
        judge_of(by_sample("yes", JudgeUnavailable("down"), "yes", "yes")), NEED, book
    )
    assert (answer.vote, len(book.attempts)) == (Vote.YES, 4)
    book.attempts.clear()
    broken = await ask_one(judge_of(JudgeRefused("no")), NEED, book.context)
    assert isinstance(broken, Unanswered)
    assert (broken.error_type, len(book.attempts)) == ("refused", 2)
    half = await ask_one(
        judge_of(by_sample("yes", JudgeRefused("no"), JudgeRefused("no"))),
        GATE_NEED,
        book.context,
    )
    assert isinstance(half, Unanswered)  # one vote of two needed


async def test_one_vote_stays_possible(book: Book) -> None:
    answer = await judged(judge_of("yes", votes="single"), GATE_NEED, book)
    assert (answer.vote, len(book.attempts)) == (Vote.YES, 1)
    assert book.attempts[0].parameters["temperature"] == 0.0


async def test_a_doubtful_answer_is_asked_for_once_more(book: Book) -> None:
    quoting = '{"reason": "r", "quote": "words that nobody wrote", "verdict": "yes"}'

    def line(call: ModelCall) -> str:
        return "no" if "discarded" in call.messages[-1]["content"] else quoting

    answer = await judged(judge_of(line), NEED, book)
    assert (answer.vote, len(book.attempts)) == (Vote.NO, 4)
    book.attempts.clear()
    answer = await judged(judge_of(quoting), NEED, book)
    assert (answer.vote, len(book.attempts)) == (Vote.CANNOT_ASSESS, 4)


# --- calibration ---


def calibration_for(judge: VotingJudge, **changes: Any) -> Calibration:
    known: dict[str, Any] = {
        "model": MODEL,
        "prompts": judge.prompts_digest,
        "labels": 40,
        "slopes": (0.0, 0.0, 0.0, 0.0),
        "intercept": 0.0,
        "offsets": {criterion_digest(NEED.question): 0.4},
    }
    return Calibration(**{**known, **changes})


async def test_a_verdict_carries_its_probability_of_being_right(book: Book) -> None:
    known = calibration_for(judge_of("yes"), intercept=2.0)
    answer = await judged(judge_of("yes", calibrations=[known]), NEED, book)
    assert answer.vote is Vote.YES
    assert answer.confidence.correctness == pytest.approx(0.9168, abs=1e-4)


async def test_an_unsure_verdict_is_an_abstention(book: Book) -> None:
    known = calibration_for(judge_of("yes"), intercept=2.0)
    no = await judged(judge_of("no", calibrations=[known]), NEED, book)
    assert no.vote is Vote.CANNOT_ASSESS
    assert no.confidence.correctness == pytest.approx(0.0832, abs=1e-4)
    soft = calibration_for(judge_of("yes"), intercept=1.0)
    assert (
        await judged(judge_of("yes", calibrations=[soft]), NEED, book)
    ).vote is Vote.YES  # .80, .75 is asked for
    gate = await judged(judge_of("yes", calibrations=[soft]), GATE_NEED, book)
    assert gate.vote is Vote.CANNOT_ASSESS  # a gate asks for .90


async def test_a_certified_threshold_goes_before(book: Book) -> None:
    soft = calibration_for(
        judge_of("yes"), intercept=1.0, threshold=Signals(yes=3, no=0).confidence
    )
    assert (
        await judged(judge_of("yes", calibrations=[soft]), GATE_NEED, book)
    ).vote is Vote.YES
    assert (
        await judged(judge_of("yes", calibrations=[soft]), NEED, book)
    ).vote is Vote.CANNOT_ASSESS  # two votes


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "openai/gpt-4.1"},
        {"prompts": "sha256:other"},
        {"offsets": {criterion_digest("Another question?"): 0.0}},
        {"served": ("gpt-4.1-mini-2024",)},
    ],
)
async def test_a_calibration_of_something_else_says_nothing(
    book: Book, changes: dict[str, Any]
) -> None:
    known = calibration_for(judge_of("yes"), intercept=2.0, **changes)
    answer = await judged(judge_of("yes", calibrations=[known]), NEED, book)
    assert (answer.vote, answer.confidence.correctness) == (Vote.YES, None)


# --- escalation ---


async def test_what_the_first_judge_leaves_open_goes_to_the_second(book: Book) -> None:
    strong = judge_of("no", model="anthropic/claude-sonnet-4-5")
    pair = EscalatingJudge(judge_of(by_sample("yes", "no", "yes", "no", "no")), strong)
    answer = await judged(pair, NEED, book)
    assert (answer.vote, answer.model) == (Vote.NO, "anthropic/claude-sonnet-4-5")
    assert answer.opinion is not None
    (first,) = answer.opinion.with_role(Role.FIRST)
    assert (first.model, first.verdict) == (MODEL, Vote.CANNOT_ASSESS)
    assert {row.model_requested for row in book.attempts} == {
        MODEL,
        "anthropic/claude-sonnet-4-5",
    }
    assert pair.settings["escalate"] == strong.settings


async def test_a_sure_verdict_stays_with_the_first(book: Book) -> None:
    second = ScriptedJudge("no")
    answer = await judged(
        EscalatingJudge(
            judge_of("yes"), VotingJudge(second, model="anthropic/claude-sonnet-4-5")
        ),
        NEED,
        book,
    )
    assert (answer.vote, second.calls) == (Vote.YES, [])


@pytest.mark.parametrize(
    ("first", "second"),
    [(JudgeRefused("no"), "yes"), ("cannot_assess", JudgeRefused("no"))],
)
async def test_a_judge_that_breaks_leaves_the_other_ones_word(
    book: Book, first: Line, second: Line
) -> None:
    pair = EscalatingJudge(
        judge_of(first), judge_of(second, model="anthropic/claude-sonnet-4-5")
    )
    answer = await judged(pair, NEED, book)
    assert answer.vote is (Vote.YES if second == "yes" else Vote.CANNOT_ASSESS)


def test_two_judges_of_one_family_are_warned_about() -> None:
    pair = EscalatingJudge(judge_of("yes"), judge_of("yes", model="openai/gpt-5"))
    assert "gpt family" in pair.warning
    assert (
        EscalatingJudge(
            judge_of("yes"), judge_of("yes", model="anthropic/claude-sonnet-4-5")
        ).warning
        == ""
    )


def test_the_clock_is_not_part_of_the_settings() -> None:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    assert judge_of("yes", clock=lambda: now).settings == judge_of("yes").settings
    assert judge_of("yes", votes="single").settings != judge_of("yes").settings
