from __future__ import annotations

import pytest

from judgemesh.contracts.needs import Material
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.prompting.frame import frame
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.quotes import is_quote, stands_in
from judgemesh.mesh.judging.replies.review import (
    AGAIN,
    Doubt,
    ReplyReview,
    review,
    settled,
)
from judgemesh.prompts.loader import Prompt, available, load

YES, NO, OPEN = Vote.YES, Vote.NO, Vote.CANNOT_ASSESS
PROMPT, NEGATED = load("yes_no.v1"), load("yes_no_negated.v1")
RECORD = 'The parcel was sent on 3 May.\nStatus: "delivered" - signed by A. Duarte (kitchen door).'
FRAMED = frame(PROMPT, [Material("final_answer", RECORD)], criterion="Was it sent?")


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("sent on 3 May", True),
        ("SENT  on 3 may.", True),
        ("\u201cdelivered\u201d", True),
        ("The parcel ... signed by A. Duarte", True),
        ("signed by A. Duarte \u2026 The parcel", False),
        ("sent on 4 May", False),
        ("sent on\\n3 May", True),
        ("...", False),
    ],
)
def test_quotes_are_looked_up_by_their_letters(quote: str, found: bool) -> None:
    assert stands_in(quote, RECORD) is found


def test_a_mark_is_no_quote() -> None:
    assert not any(map(is_quote, ["", "-", "...", "'' "]))
    assert is_quote("3 May")


@pytest.mark.parametrize(
    ("reading", "prompt", "vote", "doubt"),
    [
        (VerdictReading(YES, "It names it.", "sent on 3 May"), PROMPT, YES, None),
        (VerdictReading(YES, "It names it."), PROMPT, YES, None),
        (VerdictReading(YES, "So the answer is no."), PROMPT, YES, Doubt.CONTRADICTION),
        (VerdictReading(NO, "Nothing.", "never sent at all"), PROMPT, NO, Doubt.QUOTE),
        (
            VerdictReading(OPEN, "So the answer is no.", "never sent"),
            PROMPT,
            OPEN,
            None,
        ),
        (VerdictReading(YES, "The claim is true."), NEGATED, NO, None),
        (VerdictReading(NO, "The claim is true."), NEGATED, YES, Doubt.CONTRADICTION),
        (VerdictReading(OPEN, ""), NEGATED, OPEN, None),
    ],
)
def test_an_answer_is_looked_at_before_it_counts(
    reading: VerdictReading, prompt: Prompt, vote: Vote, doubt: Doubt | None
) -> None:
    seen = review(reading, FRAMED, question="Was it sent?", prompt=prompt)
    assert (seen.vote, seen.doubt) == (vote, doubt)


@pytest.mark.anyio
@pytest.mark.parametrize("doubt", Doubt)
async def test_a_doubtful_answer_is_asked_for_once_more_then_it_abstains(
    doubt: Doubt,
) -> None:
    asked: list[str] = []

    async def again(prompt: Prompt) -> ReplyReview:
        asked.append(prompt.ref)
        return second

    second = ReplyReview(vote=NO)
    assert await settled(ReplyReview(vote=YES), again) == ReplyReview(vote=YES)
    assert asked == []
    assert await settled(ReplyReview(vote=YES, doubt=doubt), again) == second
    assert asked == [AGAIN[doubt]]
    second = ReplyReview(vote=NO, doubt=Doubt.QUOTE)
    done = await settled(ReplyReview(vote=YES, doubt=doubt), again)
    assert (done.vote, done.doubt) == (OPEN, Doubt.QUOTE)
    assert doubt.value in done.note


def test_the_prompts_to_ask_again_exist() -> None:
    assert set(AGAIN) == set(Doubt)
    assert set(AGAIN.values()) <= set(available())
