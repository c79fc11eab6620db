from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.needs import Ask, Judged, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.prompting import frame as framing
from judgemesh.mesh.judging.prompting.coverage import (
    Coverage,
    Shown,
    claim_of,
    concerns,
)
from judgemesh.mesh.judging.prompting.fit import Packed, pack_for
from judgemesh.mesh.judging.prompting.frame import frame
from judgemesh.mesh.judging.prompting.retrieval import index, passages, terms
from judgemesh.mesh.judging.prompting.windows import (
    MAX_PROMPT_TOKENS,
    UNKNOWN_CONTEXT_TOKENS,
    context_tokens,
    prompt_budget,
)
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.review import review
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.pricing.tokens import at_most, estimate
from judgemesh.mesh.testing import ScriptedJudge
from judgemesh.prompts.loader import load

from .conftest import Book, ask_one

PROMPT = load("yes_no.v1")
STEPS = [
    f"[{n}] assistant: Step number {n} talks about parcels, invoices and the weather in May."
    for n in range(1, 2001)
]
TRACE = Material("trace", "\n".join(STEPS))
ANSWER = Material("final_answer", "All done. " * 20)


def pack(materials: tuple[Material, ...], question: str, budget: int) -> Packed:
    return pack_for(materials, (question,), budget)[0]


def with_step(place: int, text: str) -> Material:
    return Material(
        "trace",
        "\n".join([*STEPS[:place], f"[{place + 1}] {text}", *STEPS[place + 1 :]]),
    )


def test_what_fits_stays_as_it_is() -> None:
    packed = pack((ANSWER, TRACE), "Anything?", 10**6)
    assert packed.materials == (ANSWER, TRACE)
    assert packed.coverage.whole
    assert packed.coverage.for_prompt() == ""


def test_the_answer_comes_whole_and_first_the_trace_by_the_question() -> None:
    trace = with_step(1234, "assistant called issue_refund({}) -> done")
    packed = pack((ANSWER, trace), "Did the agent refund anything?", 3000)
    answer, shown = packed.materials
    assert answer == ANSWER
    assert "issue_refund" in shown.text
    assert "[1234] " in shown.text  # a neighbour
    assert "(not shown: steps " in shown.text
    assert packed.coverage.parts[0].share == "all"
    assert packed.coverage.partial == ("trace",)
    assert "of the trace, all of the final_answer" in packed.coverage.sentence()


@pytest.mark.parametrize(
    "question",
    [
        "Is step 777 polite?",
        "Does [777] mention May?",
        'Does it say "Step number 777"?',
    ],
)
def test_what_the_question_names_comes_first(question: str) -> None:
    packed = pack((TRACE,), question, 1500)
    assert "[777] " in packed.materials[0].text
    assert packed.coverage.missing == ()


def test_a_named_span_that_does_not_fit_is_missing() -> None:
    long = with_step(
        500, "assistant: " + "a very long speech about nothing at all. " * 400
    )
    packed = pack((long,), "Is step 501 about nothing?", 1500)
    assert packed.coverage.missing == ("step 501",)
    assert (
        "what the question depends on did not fit: step 501"
        in packed.coverage.abstention()
    )


def test_a_question_that_tells_no_passage_from_another_is_not_answered_from_a_part() -> (
    None
):
    assert pack((TRACE,), "Is it polite?", 2000).coverage.missing
    assert not pack(
        (ANSWER, TRACE), "Is the wording of the answer polite?", 3000
    ).coverage.missing


@given(
    st.lists(st.text(max_size=400), min_size=1, max_size=6),
    st.text(max_size=60),
    st.integers(300, 3000),
)
@settings(max_examples=60, deadline=None)
def test_a_budget_is_kept_and_nothing_is_left_out_in_silence(
    texts: list[str], question: str, budget: int
) -> None:
    materials = tuple(Material(f"m{n}", text * 9) for n, text in enumerate(texts))
    packed = pack(materials, question, budget)
    assert sum(estimate(part.text) for part in packed.materials) <= budget * 1.1 + 60
    for before, after, part in zip(
        materials, packed.materials, packed.coverage.parts, strict=True
    ):
        assert (before == after) is (part.shown == part.total) or not before.text
        assert after == before or "(not shown: " in after.text


@given(st.text(max_size=6000))
def test_passages_are_the_text(text: str) -> None:
    found = list(passages(text))
    assert "".join(text[piece.start : piece.end] for piece in found) == text
    assert all(0 < piece.end - piece.start <= 900 for piece in found)
    assert len(index(text).scores({"x": 1.0})) == len(found)


def test_terms_meet_across_endings_and_names() -> None:
    for one, other in [
        ("cancelled", "cancellation"),
        ("refunds", "refunded"),
        ("verified", "verifies"),
        ("delete", "deleting"),
    ]:
        assert set(terms(one)) & set(terms(other)), (one, other)
    assert {"issue_refund", "refund", "a-7731"} <= set(terms("issue_refund for A-7731"))
    assert "issuerefund" in terms("issueRefund")
    assert set(terms("退款已确认")) & set(terms("已确认退款"))


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("Did the agent ever share a password?", "some"),
        ("Has a refund been issued?", "some"),
        ("Did the agent never share a password?", "all"),
        ("Are all dates correct?", "all"),
        ("Did the agent avoid promises?", "all"),
        ("Is the tone friendly?", "open"),
    ],
)
def test_what_a_part_can_prove(question: str, claim: str) -> None:
    assert claim_of(question) == claim


def test_which_questions_a_part_of_the_trace_is_enough_for() -> None:
    assert not concerns("Is the final answer polite?", ("trace",))
    assert concerns("Is the final answer polite?", ("final_answer",))
    assert concerns("Is the answer supported by the trace?", ("trace",))
    assert concerns("Did the agent call issue_refund?", ("trace",))


@pytest.mark.parametrize(
    ("question", "vote", "quote", "kept"),
    [
        ("Did the agent refund anything?", Vote.YES, "issue_refund", Vote.YES),
        ("Did the agent refund anything?", Vote.YES, "", Vote.CANNOT_ASSESS),
        ("Did the agent refund anything?", Vote.NO, "issue_refund", Vote.CANNOT_ASSESS),
        ("Are all refunds right?", Vote.YES, "issue_refund", Vote.CANNOT_ASSESS),
        ("Are all refunds right?", Vote.NO, "issue_refund", Vote.NO),
    ],
)
def test_a_part_of_the_record_proves_only_what_it_can(
    question: str, vote: Vote, quote: str, kept: Vote
) -> None:
    trace = with_step(1234, "assistant called issue_refund({}) -> done")
    framed = frame(PROMPT, [trace], criterion=question, budget=3000)
    seen = review(
        VerdictReading(vote, "r", quote), framed, question=question, prompt=PROMPT
    )
    assert seen.vote is kept
    assert ("the judge saw" in seen.note) is (kept is not vote)
    whole = frame(PROMPT, [trace], criterion=question)
    assert (
        review(
            VerdictReading(vote, "r", quote), whole, question=question, prompt=PROMPT
        ).vote
        is vote
    )


def test_the_prompt_says_what_it_shows_and_keeps_the_budget() -> None:
    framed = frame(
        PROMPT,
        [ANSWER, TRACE],
        criterion="Did the agent refund anything at step 1500?",
        budget=4000,
    )
    assert framed.tokens <= 4000
    user = framed.messages[1]["content"]
    assert "You were shown" in user
    assert user.index("[1500]") < user.index("You were shown") < user.index("Question:")


def test_a_hopelessly_long_material_is_an_abstention_not_a_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(framing, "SEARCHED_CHARS", 50_000)
    huge = Material("trace", "x y z " * 9000)
    framed = framing.frame(
        PROMPT, [ANSWER, huge], criterion="Did the agent call anybody?", budget=4000
    )
    assert "beyond 50000 characters" in framed.coverage.abstention()
    assert framed.coverage.parts[1].total == len(huge.text)


@pytest.mark.parametrize(
    ("shown", "total", "share"),
    [
        (5, 5, "all"),
        (999, 1000, "99 %"),
        (1, 1000, "less than 1 %"),
        (0, 9, "nothing"),
        (0, 0, "all"),
    ],
)
def test_shares_are_rounded_down(shown: int, total: int, share: str) -> None:
    assert Shown("trace", shown, total).share == share
    assert Coverage((Shown("trace", shown, total),)).whole is (shown == total)


def test_budgets_follow_the_model() -> None:
    assert context_tokens("openai/gpt-4o") == 128_000
    assert context_tokens("nobody/knows-it") is None
    assert prompt_budget("nobody/knows-it") < UNKNOWN_CONTEXT_TOKENS
    assert prompt_budget("openai/gpt-4.1-mini") == MAX_PROMPT_TOKENS
    assert prompt_budget("x/y", context=8000, reply_tokens=500) == 7100
    assert prompt_budget("x/y", context=100) > 0


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("", 0),
        ("The parcel left the depot on Monday.", 8),
        ("退款已确认", 5),
        ("3f9a" * 8, 15),
        ("\U0001f389\U0001f525", 4),
        ("a" * 600, 120),
    ],
)
def test_estimates_are_rather_too_high(text: str, least: int) -> None:
    assert estimate(text) >= least
    assert estimate(text) <= 3 * len(text)


@pytest.mark.anyio
async def test_what_did_not_fit_is_an_abstention_and_nobody_is_asked(
    book: Book,
) -> None:
    long = with_step(
        500, "assistant: " + "a very long speech about nothing at all. " * 4000
    )
    need = Ask(
        question_id="q", question="Is step 501 about nothing?", materials=(long,)
    )
    gateway = ScriptedJudge("no")
    answer = await ask_one(
        VotingJudge(gateway, model="test/judge", context_tokens=4000),
        need,
        book.context,
    )
    assert isinstance(answer, Judged)
    assert answer.vote is Vote.CANNOT_ASSESS
    assert "step 501" in answer.reason
    assert gateway.calls == []


@given(st.text() | st.text("aA0 +/=\n\u00e9\u0e01\U0001f389", max_size=300))
def test_a_text_has_no_more_tokens_than_is_said_without_reading_it(text: str) -> None:
    assert estimate(text) <= at_most(text)
