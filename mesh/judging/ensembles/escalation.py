"""Small judge, then a strong one of another family, then a person: who answers a question that the first leaves open.

A question goes on when the first judge gives no verdict (its votes do not agree, its confidence is below the certified
threshold, it cannot tell, it broke) or when the judged text speaks to the evaluator. What the strong judge leaves open
too is an abstention; `judgemesh label export` puts it before people.

Where people's labels have certified the pair (`pair.py`), its two thresholds decide instead: a side that the first
judge is not sure enough of goes on, and one that the second is not sure enough of is an abstention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.judging.confidence.pairs import Pair, audit_note, drawn, heard
from judgemesh.mesh.judging.costs import sum_known, sum_of
from judgemesh.mesh.judging.families import family_of
from judgemesh.mesh.judging.notes import SUSPECTED
from judgemesh.mesh.judging.protocols import Identity, Judge
from judgemesh.mesh.judging.signals import VOTES


class EscalatingJudge:
    """Two judges as one. Extractions are the first one's work, and the second's where the first gives none.

    Args:
        first, second: who is asked, and who is asked where the first leaves a question open.
        pairs: certificates of this pair; those of other judges, prompts or ways of asking say nothing.
        lenient: the same two, who leave it to the certificate whether they are sure enough (`abstains=False`); asked
            instead where there is one. Without them it goes beside what the two find by themselves.
        audit: the share (0..1) of all questions that both are asked, so that the pair can be certified; the verdict
            is what it would have been.
        seed: of that share.
    """

    def __init__(
        self,
        first: Judge,
        second: Judge,
        *,
        pairs: Sequence[Pair] = (),
        lenient: tuple[Judge, Judge] | None = None,
        audit: float = 0.0,
        seed: int = 0,
    ) -> None:
        if not 0.0 <= audit <= 1.0:
            raise ValueError(f"audit must lie in 0..1, got {audit}")
        self._first, self._second = first, second
        self._lenient = lenient or (first, second)
        self._pairs = {
            pair.stages[0][2]: pair
            for pair in pairs_for(pairs, first.identity, second.identity)
        }
        self._audit, self._seed = audit, seed

    @property
    def model(self) -> str:
        """The model that is asked first."""
        return self._first.model

    @property
    def identity(self) -> Identity:
        """That of the judge that is asked first."""
        return self._first.identity

    @property
    def warning(self) -> str:
        """What deserves a look about the pair; empty for nothing."""
        found = [
            same_family(one, self._second.model)
            for one in self._first.model.split(" + ")
        ]
        return next((warning for warning in found if warning), "")

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings of both, JSON-ready."""
        pairs = {way: pair.to_json() for way, pair in sorted(self._pairs.items())}
        return {
            **self._first.settings,
            "escalate": dict(self._second.settings),
            **({"escalate_audit": [self._audit, self._seed]} if self._audit else {}),
            **({"certified_pair": pairs} if pairs else {}),
        }

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """The first judge's answers; the second's where the first leaves one open."""
        backends = [_backend(question, context) for question in questions]
        pairs = [self._pairs.get(backend) for backend in backends]
        firsts = await _ask_split(
            self._first, self._lenient[0], questions, pairs, context
        )
        reasons = [_why(first, pair) for first, pair in zip(firsts, pairs, strict=True)]
        again = [
            at
            for at, question in enumerate(questions)
            if self._asks_second(question, firsts[at], reasons[at])
        ]
        seconds = await _ask_split(
            self._second,
            self._lenient[1],
            [questions[at] for at in again],
            [pairs[at] for at in again],
            replace(context, priors={}),
        )
        answers: list[Judged | Unanswered] = [
            first if _budget_spent(first) else _marked(first, pair)
            for first, pair in zip(firsts, pairs, strict=True)
        ]
        for at, second in zip(again, seconds, strict=True):
            answers[at] = self._combined(
                questions[at], firsts[at], second, reasons[at], pairs[at], backends[at]
            )
        return answers

    def _asks_second(self, need: Ask, first: Judged | Unanswered, why: str) -> bool:
        if _budget_spent(first):
            return False
        return bool(why) or self._is_audited(need)

    def _is_audited(self, need: Ask) -> bool:
        return drawn(need, share=self._audit, seed=self._seed)

    def _combined(
        self,
        need: Ask,
        first: Judged | Unanswered,
        second: Judged | Unanswered,
        why: str,
        pair: Pair | None,
        backend: str,
    ) -> Judged | Unanswered:
        """The answer to a question that both judges were asked."""
        if _budget_spent(second):
            return second
        if not why:
            return self._audited(_marked(first, pair), second, backend)
        answer = self._escalated(need, first, second, why, pair)
        if not self._is_audited(need) or isinstance(answer, Unanswered):
            return answer
        # Of a second judge that broke nothing else is left to see.
        broke = {"second": heard(second)} if isinstance(second, Unanswered) else {}
        marked = {**self._note(backend), **broke}
        return replace(answer, details={**answer.details, "audit": marked})

    def _note(self, way: str) -> dict[str, object]:
        """What a drawn question notes about the draw."""
        return audit_note(self._audit, self._first.identity, self._second.identity, way)

    def _audited(
        self, first: Judged | Unanswered, second: Judged | Unanswered, way: str
    ) -> Judged | Unanswered:
        """The first judge's verdict, with what the second says beside it."""
        if isinstance(first, Unanswered):
            return first
        details = {
            **first.details,
            "audit": {**self._note(way), "second": heard(second)},
        }
        if isinstance(second, Unanswered):
            return replace(first, details=details)
        return replace(
            first,
            details=details,
            cost=sum_of(first.cost, second.cost),
            cost_avoided=sum_known(first.cost_avoided, second.cost_avoided),
        )

    def _escalated(
        self,
        need: Ask,
        first: Judged | Unanswered,
        second: Judged | Unanswered,
        why: str,
        pair: Pair | None,
    ) -> Judged | Unanswered:
        """What both come to, where the first left the question open."""
        if isinstance(second, Unanswered):
            # The first judge could at least be heard: that nobody is sure is not the same as that everything broke.
            return _left_open(first, why) if isinstance(first, Judged) else second
        details = {**second.details, "escalated": why, "first": heard(first)}
        unsure = (
            pair is not None
            and second.vote is not Vote.CANNOT_ASSESS
            and pair.settles(1, second) is False
        )
        if unsure and pair is not None:
            sure = f"the second judge is not as sure as the certified {pair.thresholds[1]:.2f}"
            second = replace(
                second, vote=Vote.CANNOT_ASSESS, reason=f"{sure}: {second.reason}"
            )
        if isinstance(first, Unanswered):
            return replace(second, details=details)
        if need.gating and SUSPECTED in first.details:
            return _undecided(first, second, details)
        return replace(
            second,
            details=details,
            cost=sum_of(first.cost, second.cost),
            cost_avoided=sum_known(first.cost_avoided, second.cost_avoided),
        )

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need."""
        found = await self._first.extract(need, context)
        if isinstance(found, Unanswered) and found.error_type != Reason.BUDGET:
            return await self._second.extract(need, context)
        return found

    async def aclose(self) -> None:
        """Close both."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._second.aclose)
            stack.push_async_callback(self._first.aclose)


async def _ask_split(
    judge: Judge,
    lenient: Judge,
    questions: Sequence[Ask],
    pairs: Sequence[Pair | None],
    context: CallContext,
) -> list[Judged | Unanswered]:
    """The answers of a judge, or of its lenient twin where a certificate decides."""
    answers: dict[int, Judged | Unanswered] = {}
    for asked, certified in ((judge, False), (lenient, True)):
        part = [at for at, pair in enumerate(pairs) if (pair is not None) == certified]
        if part:
            answered = await asked.ask_many([questions[at] for at in part], context)
            answers.update(zip(part, answered, strict=True))
    return [answers[at] for at in range(len(questions))]


def _backend(question: Ask, context: CallContext) -> str:
    """How the first judge is asked: by votes, or by votes after a P(yes)."""
    prior = context.priors.get(question)
    return VOTES if prior is None else prior.votes_backend


def _budget_spent(answer: Judged | Unanswered) -> bool:
    return isinstance(answer, Unanswered) and answer.error_type == Reason.BUDGET


def pairs_for(pairs: Sequence[Pair], first: Identity, second: Identity) -> list[Pair]:
    """The certificates about these two."""
    return [
        pair
        for pair in pairs
        if (pair.stages[0][:2], pair.stages[1][:2]) == (first, second)
    ]


def same_family(first: str, second: str) -> str:
    """A warning where both judges are of one family; empty where they are not, or where nobody knows."""
    family = family_of(first)
    if family is None or family != family_of(second):
        return ""
    return f"both judges are of the {family} family: what the first gets wrong, the second tends to get wrong too"


_NOT_SURE: Final = "the first judge is not as sure as the certified"


def _why(answer: Judged | Unanswered, pair: Pair | None) -> str:
    """Why a question goes on; empty where it does not."""
    if isinstance(answer, Unanswered):
        return f"{answer.error_type}: {answer.message}"
    if SUSPECTED in answer.details:
        return "the judged text speaks to the evaluator"
    if answer.vote is Vote.CANNOT_ASSESS:
        return answer.reason or "it cannot be assessed"
    if pair is not None and pair.settles(0, answer) is False:
        return f"{_NOT_SURE} {pair.thresholds[0]:.2f}"
    return ""


def _marked(answer: Judged | Unanswered, pair: Pair | None) -> Judged | Unanswered:
    """A verdict of the first judge that rests on a certificate says so."""
    if isinstance(answer, Unanswered) or pair is None or not pair.settles(0, answer):
        return answer
    return replace(
        answer,
        details={
            **answer.details,
            "certified": {"alpha": pair.alpha, "delta": pair.delta},
        },
    )


def _left_open(first: Judged, why: str) -> Judged:
    """The first judge's answer where the second broke: what it was not sure enough of is no verdict."""
    if first.vote is Vote.CANNOT_ASSESS or not why.startswith(_NOT_SURE):
        return first
    return replace(
        first,
        vote=Vote.CANNOT_ASSESS,
        reason=f"{why}, and the second broke: {first.reason}",
    )


def _undecided(first: Judged, second: Judged, details: Mapping[str, object]) -> Judged:
    """A text that speaks to the evaluator makes a gate undecided at best, whatever two judges say."""
    return replace(
        second,
        vote=Vote.CANNOT_ASSESS,
        reason=f"the judged text speaks to the evaluator; the judges say {first.vote.value} and {second.vote.value}",
        details=details,
        cost=sum_of(first.cost, second.cost),
        cost_avoided=sum_known(first.cost_avoided, second.cost_avoided),
    )
