"""Look at a judge's answer before it counts: its reason, its quote, and what part of the record it rests on. Pure.

An answer whose reason contradicts its verdict, or whose quote does not stand in the record, is doubtful: it is asked
for once more (`AGAIN`), and a second doubt makes it "cannot assess". An answer from a part of the record counts only
where that part can prove it: with a quote, and never absence from what was not shown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from judgemesh.contracts.needs import Ask
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.families import self_preference
from judgemesh.mesh.judging.prompting.coverage import claim_of, concerns
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.mesh.judging.replies.contradiction import contradicts
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.quotes import is_quote, stands_in
from judgemesh.prompts.loader import Prompt, load

SUSPECTED: Final = "injection_suspected"
"""Key in the details of an answer: kinds of instructions to the evaluator that stand in the judged text."""


class Doubt(StrEnum):
    """Why an answer does not count as it is."""

    CONTRADICTION = "reason_contradicts_verdict"
    QUOTE = "quote_not_in_record"


AGAIN: Final[Mapping[Doubt, str]] = {
    Doubt.CONTRADICTION: "yes_no_contradiction.v1",
    Doubt.QUOTE: "yes_no_quote.v1",
}
"""The prompt to ask again with."""


class ReplyReview(NamedTuple):
    """`vote` answers the question as it was put to the judge mesh, also where the prompt turned it round.

    `doubt` means: ask again, or do not count. `note` is one line for people where the vote is not the judge's word.
    """

    vote: Vote
    reason: str = ""
    quote: str = ""
    doubt: Doubt | None = None
    note: str = ""


def review(
    reading: VerdictReading, framed: Framed, *, question: str, prompt: Prompt
) -> ReplyReview:
    """What an answer is worth."""
    vote = _TURNED[reading.vote] if prompt.inverted else reading.vote
    seen = ReplyReview(vote=vote, reason=reading.reason, quote=reading.quote)
    if vote is Vote.CANNOT_ASSESS:
        return seen
    doubt = _doubt(reading, framed, prompt)
    if doubt is not None:
        return ReplyReview(
            vote=vote, reason=reading.reason, quote=reading.quote, doubt=doubt
        )
    unproven = _unproven(seen, framed, question)
    if unproven:
        note = f"{unproven}: {framed.coverage.sentence()}"
        return ReplyReview(
            vote=Vote.CANNOT_ASSESS,
            reason=reading.reason,
            quote=reading.quote,
            note=note,
        )
    return seen


async def settled(
    first: ReplyReview, again: Callable[[Prompt], Awaitable[ReplyReview]]
) -> ReplyReview:
    """The review, or that of the one further question a doubtful answer is allowed; a second doubt abstains."""
    if first.doubt is None:
        return first
    second = await again(load(AGAIN[first.doubt]))
    if second.doubt is None:
        return second
    note = f"asked twice, and doubtful twice: {first.doubt.value}, {second.doubt.value}"
    return ReplyReview(
        vote=Vote.CANNOT_ASSESS,
        reason=second.reason,
        quote=second.quote,
        doubt=second.doubt,
        note=note,
    )


def guard(vote: Vote, need: Ask, framed: Framed) -> tuple[Vote, str]:
    """The vote, or an abstention with its reason, where the judged text speaks to the evaluator and would win a gate.

    A vote that fails the gate stays: an agent gains nothing by asking the judge to fail it.
    """
    if framed.suspected and need.gating and vote.value == need.expected:
        kinds = ", ".join(framed.suspected)
        return (
            Vote.CANNOT_ASSESS,
            f"the judged text speaks to the evaluator ({kinds}): a person should look at it",
        )
    return vote, ""


def details(
    need: Ask, framed: Framed, seen: ReplyReview | None, *, model: str
) -> dict[str, object]:
    """JSON-ready facts for the verdict: only those that say something."""
    facts: dict[str, object] = {}
    if framed.suspected:
        facts[SUSPECTED] = list(framed.suspected)
    if framed.families:
        facts["replaced"] = {
            family.value: count for family, count in framed.families.items()
        }
    if not framed.coverage.whole:
        facts["coverage"] = framed.coverage.to_json()
    if seen is not None and seen.quote:
        facts["quote"] = seen.quote
    if seen is not None and seen.doubt is not None:
        facts["doubt"] = seen.doubt.value
    if seen is not None and seen.note:
        facts["note"] = seen.note
    same = self_preference(model, need.agent_model)
    if same:
        facts["self_preference"] = same
    return facts


_TURNED: Final = {
    Vote.YES: Vote.NO,
    Vote.NO: Vote.YES,
    Vote.CANNOT_ASSESS: Vote.CANNOT_ASSESS,
}


def _doubt(reading: VerdictReading, framed: Framed, prompt: Prompt) -> Doubt | None:
    if contradicts(reading.vote, reading.reason, claim=prompt.inverted):
        return Doubt.CONTRADICTION
    if is_quote(reading.quote) and not stands_in(reading.quote, framed.evidence):
        return Doubt.QUOTE
    return None


def _unproven(seen: ReplyReview, framed: Framed, question: str) -> str:
    """Why a part of the record cannot carry the vote; empty where it can, or where everything was shown."""
    partial = framed.coverage.partial
    if not partial or not concerns(question, partial):
        return ""
    if not is_quote(seen.quote):
        return "an answer from a part of the record counts only with a quote"
    claim = claim_of(question)
    if claim == "some" and seen.vote is Vote.NO:
        return "that something did not occur cannot be told from a part of the record"
    if claim == "all" and seen.vote is Vote.YES:
        return "that everything is so cannot be told from a part of the record"
    return ""
