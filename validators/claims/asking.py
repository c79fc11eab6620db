"""Ask a judge about the claims that rules leave open."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Answer, Ask, Judged, Material, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.validators._shared.replies import by_id, expect, vote_text
from judgemesh.validators.claims.evidence.passages import SourcePassage, best
from judgemesh.validators.claims.language.sentences import sentence_of, stems_of
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.rules import Stance

_MAX_PASSAGES: Final = 6


@dataclass(frozen=True, slots=True)
class _Question:
    """A question about a claim, and the answer that would pass."""

    text: str
    expected: Literal["yes", "no"]


_QUESTIONS: Final[Mapping[str, _Question]] = MappingProxyType(
    {
        "support": _Question(
            "Do the passages, as they are, support the whole claim? Answer no when a part of the claim, such as "
            "a number, a date or a name, is missing from them. Use nothing but the passages.",
            "yes",
        ),
        "contradiction": _Question(
            "Do the passages say something that cannot be true together with the claim? Answer no when they are only "
            "silent about it. Use nothing but the passages.",
            "no",
        ),
        "fact": _Question(
            "Does the claim agree with the known facts? Answer no when it states another value for one of them.",
            "yes",
        ),
    }
)


class _OpenPoint(NamedTuple):
    """A point to ask about, what is asked first, and what is asked if the evidence does not support the claim."""

    point: ClaimPoint
    first: Ask
    contradiction: Ask


def ask_judge(
    points: Sequence[ClaimPoint],
) -> Generator[dict[str, Ask], Mapping[str, Answer], None]:
    """Ask whether the evidence supports each claim (or a fact agrees with it), then whether it contradicts the rest."""
    if not points:
        return
    open_points = list(starmap(_open_point, enumerate(points, start=1)))
    answers = yield by_id(open_point.first for open_point in open_points)
    unsupported: list[_OpenPoint] = []
    for open_point in open_points:
        point, first, _ = open_point
        vote = _take_answer(point, answers[first.question_id])
        if vote is None:
            continue
        if point.facts:
            _settle_fact(point, vote)
        elif not _settle_support(point, vote):
            unsupported.append(open_point)
    if not unsupported:
        return
    answers = yield by_id(open_point.contradiction for open_point in unsupported)
    for point, _, contradiction in unsupported:
        _settle_contradiction(point, answers[contradiction.question_id])


def _open_point(number: int, point: ClaimPoint) -> _OpenPoint:
    materials = _materials(point)
    first = "fact" if point.facts else "support"
    return _OpenPoint(
        point,
        _ask(first, number, materials),
        _ask("contradiction", number, materials),
    )


def _ask(kind: str, number: int, materials: tuple[Material, ...]) -> Ask:
    question = _QUESTIONS[kind]
    return Ask(
        question_id=f"claim_{kind}_{number}",
        question=question.text,
        materials=materials,
        gating=True,
        expected=question.expected,
    )


def _materials(point: ClaimPoint) -> tuple[Material, ...]:
    """The claim with its facts, or with the passages that fit it best; these become the references of the point."""
    materials = [Material("claim", point.claim.text)]
    if point.claim.context:
        materials.append(Material("said_before_it", point.claim.context))
    if point.facts:
        materials.append(Material("facts", "\n".join(point.facts)))
        return tuple(materials)
    passages = _best_passages(point)
    point.refs = tuple(passage.ref for passage in passages)
    shown = "\n\n".join(f"[{passage.ref}] {passage.text}" for passage in passages)
    materials.append(Material("passages", shown or "(none)"))
    return tuple(materials)


def _best_passages(point: ClaimPoint) -> list[SourcePassage]:
    words = (*point.read.sentence.words, *sentence_of(point.claim.context).words)
    passages: list[SourcePassage] = []
    for text in point.evidence:
        passages += text.passages
    return best(stems_of(words), passages, _MAX_PASSAGES)


def _take_answer(point: ClaimPoint, answer: Answer) -> Vote | None:
    """Keep the judge's answer; None where it gave none."""
    reply = expect(answer, Judged)
    if isinstance(reply, Unanswered):
        point.fault = reply
        return None
    point.judged, point.confidence = True, reply.confidence
    point.why = vote_text(reply)
    return reply.vote


def _settle_fact(point: ClaimPoint, vote: Vote) -> None:
    if vote is Vote.YES:
        point.settle(Stance.SUPPORTS, point.why)
    elif vote is Vote.NO:
        point.settle(Stance.CONTRADICTS, point.why, code=FailureCode.WRONG_FACT)


def _settle_support(point: ClaimPoint, vote: Vote) -> bool:
    """Whether the evidence supports the claim; if not, the point is unsupported until a contradiction is found."""
    if vote is Vote.YES:
        point.settle(Stance.SUPPORTS, point.why, refs=point.refs)
        return True
    if vote is Vote.NO:
        point.stance, point.code = Stance.UNRELATED, point.unsupported_code
    else:
        point.stance, point.code = Stance.OPEN, None
    return False


def _settle_contradiction(point: ClaimPoint, answer: Answer) -> None:
    why, confidence = point.why, point.confidence
    vote = _take_answer(point, answer)
    if vote is Vote.YES:
        code = FailureCode.CONTRADICTED_BY_EVIDENCE
        point.settle(Stance.CONTRADICTS, point.why, code=code, refs=point.refs)
    elif vote is not None:
        # The evidence does not contradict the claim: the first answer remains.
        point.why, point.confidence = why, confidence
