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
from judgemesh.contracts.opinions import VOTES, Opinion, Part, Role, Vote
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.judging.confidence.pairs import Pair, is_audited
from judgemesh.mesh.judging.costs import sum_known, sum_of
from judgemesh.mesh.judging.families import family_of
from judgemesh.mesh.judging.opinion import as_other, no_opinion, recorded
from judgemesh.mesh.judging.protocols import Identity, Judge
from judgemesh.mesh.judging.replies.review import SUSPECTED


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
        return is_audited(need, share=self._audit, seed=self._seed)

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
        audited = self._is_audited(need)
        opinions = (
            self._recorded(need, first, self._first, backend, audited=audited),
            self._recorded(need, second, self._second, VOTES, audited=audited),
        )
        if not why:
            return _audited(_marked(first, pair), second, opinions)
        return _escalated(need, first, second, why, pair, opinions)

    def _recorded(
        self,
        need: Ask,
        answer: Judged | Unanswered,
        judge: Judge,
        backend: str,
        *,
        audited: bool,
    ) -> Opinion:
        """What is recorded of one of the two; of an audited question, as which part of the pair it was asked."""
        unheard = no_opinion(need, judge.identity, backend=backend)
        opinion = recorded(answer, unheard)
        if not audited:
            return opinion
        model, prompts = judge.identity
        part = Part(model=model, prompts=prompts, backend=backend)
        return replace(opinion, audit_share=self._audit, part=part)

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


Both = tuple[Opinion, Opinion]
"""The opinions of the first judge and of the second."""


def _audited(
    first: Judged | Unanswered, second: Judged | Unanswered, opinions: Both
) -> Judged | Unanswered:
    """The first judge's answer, which the second one's does not change."""
    if isinstance(first, Unanswered):
        return first
    answer = _with_other(first, *opinions, role=Role.SECOND)
    return (
        answer if isinstance(second, Unanswered) else _with_costs(answer, first, second)
    )


def _escalated(
    need: Ask,
    first: Judged | Unanswered,
    second: Judged | Unanswered,
    why: str,
    pair: Pair | None,
    opinions: Both,
) -> Judged | Unanswered:
    """What both come to, where the first left the question open."""
    own, other = opinions
    if isinstance(second, Unanswered):
        if isinstance(first, Unanswered):
            return second
        # The first judge could at least be heard: that nobody is sure is not the same as that everything broke.
        answer = _left_open(first, why)
        if own.audit_share is None:
            return answer
        return _with_other(answer, own, other, role=Role.SECOND)
    answer = _with_other(second, other, own, role=Role.FIRST)
    answer = replace(answer, details={**second.details, "escalated": why})
    if _falls_short(pair, second) and pair is not None:
        short = (
            f"the second judge is not as sure as the certified {pair.thresholds[1]:.2f}"
        )
        answer = replace(
            answer, vote=Vote.CANNOT_ASSESS, reason=f"{short}: {second.reason}"
        )
    if isinstance(first, Unanswered):
        return answer
    if need.gating and SUSPECTED in first.details:
        # A text that speaks to the evaluator makes a gate undecided at best, whatever two judges say.
        said = f"the judges say {first.vote.value} and {answer.vote.value}"
        reason = f"the judged text speaks to the evaluator; {said}"
        answer = replace(answer, vote=Vote.CANNOT_ASSESS, reason=reason)
    return _with_costs(answer, first, second)


def _falls_short(pair: Pair | None, second: Judged) -> bool:
    """Whether the second judge took a side, and is less sure of it than the certificate asks for."""
    if pair is None or second.vote is Vote.CANNOT_ASSESS:
        return False
    return pair.settles(1, second.opinion) is False


def _with_other(answer: Judged, own: Opinion, other: Opinion, *, role: Role) -> Judged:
    """The answer, with the other judge's opinion beside its own; an answer without an opinion stays without."""
    if answer.opinion is None:
        return answer
    others = (*own.others, as_other(other, role))
    return replace(answer, opinion=replace(own, others=others))


def _with_costs(answer: Judged, first: Judged, second: Judged) -> Judged:
    """The answer, with what both judges cost."""
    return replace(
        answer,
        cost=sum_of(first.cost, second.cost),
        cost_avoided=sum_known(first.cost_avoided, second.cost_avoided),
    )


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
    if pair is not None and pair.settles(0, answer.opinion) is False:
        return f"{_NOT_SURE} {pair.thresholds[0]:.2f}"
    return ""


def _marked(answer: Judged | Unanswered, pair: Pair | None) -> Judged | Unanswered:
    """A verdict of the first judge that rests on a certificate says so."""
    if (
        isinstance(answer, Unanswered)
        or pair is None
        or not pair.settles(0, answer.opinion)
    ):
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
