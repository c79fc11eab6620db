"""Asking a judge about the claims that rules leave open."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Answer, Ask, Judged, Material, Need, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.validators._shared.passages import best
from judgemesh.validators._shared.sentences import sentence_of
from judgemesh.validators.claims.points import Point
from judgemesh.validators.claims.rules import Stance

CLAIM_CHARS: Final = 3_000
_PASSAGES: Final = 6
_SUPPORT: Final = (
    "Do the passages, as they are, support the whole claim? Answer no when a part of the claim, such as a number, "
    "a date or a name, is missing from them. Use nothing but the passages."
)
_CONTRADICTION: Final = (
    "Do the passages say something that cannot be true together with the claim? Answer no when they are only silent "
    "about it. Use nothing but the passages."
)
_FACT: Final = "Does the claim agree with the known facts? Answer no when it states another value for one of them."


def by_judge(points: list[Point]) -> Generator[list[Need], list[Answer], None]:
    """One question for support (or agreement with a fact), and one for contradiction where that was not a yes."""
    if not points:
        return
    passages = [_materials(point) for point in points]
    asked: list[Need] = [
        _ask(number, "fact" if point.facts else "support", material)
        for number, (point, material) in enumerate(
            zip(points, passages, strict=True), start=1
        )
    ]
    replies = yield asked
    again: list[tuple[Point, Need]] = []
    for number, (point, material, reply) in enumerate(
        zip(points, passages, replies, strict=True), start=1
    ):
        vote = _take(point, reply)
        if vote is Vote.YES:
            point.settle(Stance.SUPPORTS, point.why, refs=point.refs)
        elif vote is Vote.NO and point.facts:
            point.settle(Stance.CONTRADICTS, point.why, code=FailureCode.WRONG_FACT)
        elif vote is not None and not point.facts:
            again.append((point, _ask(number, "contradiction", material)))
            point.stance = Stance.UNRELATED if vote is Vote.NO else Stance.OPEN
            point.code = point.no_support if vote is Vote.NO else None
    if not again:
        return
    replies = yield [need for _, need in again]
    for (point, _), reply in zip(again, replies, strict=True):
        before, confidence = point.why, point.confidence
        vote = _take(point, reply)
        if vote is Vote.YES:
            point.settle(
                Stance.CONTRADICTS,
                point.why,
                code=FailureCode.CONTRADICTED_BY_EVIDENCE,
                refs=point.refs,
            )
        elif vote is not None:
            # The evidence does not speak against it: what the first answer said stands.
            point.why, point.confidence = before, confidence


def _materials(point: Point) -> tuple[Material, ...]:
    claim = [Material("claim", point.claim.text)]
    context = point.claim.context
    if context:
        claim.append(Material("said_before_it", context))
    if point.facts:
        return (*claim, Material("facts", "\n".join(point.facts)))
    pool = [passage for text in point.evidence for passage in text.passages]
    query = [
        word.stem
        for sentence in (point.read.sentence, sentence_of(context))
        for word in sentence.words
    ]
    picked = best(query, pool, _PASSAGES)
    point.refs = tuple(passage.ref for passage in picked)
    shown = "\n\n".join(f"[{passage.ref}] {passage.text}" for passage in picked)
    return (*claim, Material("passages", shown or "(none)"))


_QUESTIONS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "support": (_SUPPORT, "yes"),
        "contradiction": (_CONTRADICTION, "no"),
        "fact": (_FACT, "yes"),
    }
)


def _ask(number: int, kind: str, materials: tuple[Material, ...]) -> Ask:
    question, expected = _QUESTIONS[kind]
    return Ask(
        question_id=f"claim_{kind}_{number}",
        question=question,
        materials=materials,
        gating=True,
        expected="yes" if expected == "yes" else "no",
    )


def _take(point: Point, reply: Answer) -> Vote | None:
    """Keep what the judge said; None for no answer."""
    if isinstance(reply, Unanswered):
        point.fault = reply
        return None
    if not isinstance(reply, Judged):
        raise TypeError(f"a question was answered by {type(reply).__name__}")
    point.judged, point.confidence = True, reply.confidence
    point.why = (
        f"{reply.vote.value}: {reply.reason}" if reply.reason else reply.vote.value
    )
    return reply.vote
