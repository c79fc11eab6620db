"""A judge backed by a stronger one of another family: who answers what the first leaves open.

A question is escalated if the first judge gives no verdict (its votes do not agree, its
confidence is below the certified threshold, it cannot tell, it broke) or if the judged
text addresses the evaluator. What the second judge leaves open too is an abstention;
`judgemesh label export` puts it before people.

If labels have certified the pair (`confidence/pairs.py`), its two thresholds decide
instead: a verdict that the first judge is not sure enough of is escalated, and one that
the second is not sure enough of is an abstention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
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

_NOT_SURE: Final = "the first judge is not as sure as the certified"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Escalation:
    """One question, what the first judge answered, and whether the second is asked.

    Args:
        pair: the certificate that applies to it.
        backend: how the first judge was asked.
        why: why it is escalated; empty if it is not.
        audited: whether both judges are asked in any case.
    """

    need: Ask
    pair: Pair | None
    backend: str
    first: Judged | Unanswered
    why: str
    audited: bool

    @property
    def asks_second(self) -> bool:
        """Whether the second judge is asked."""
        return not _budget_spent(self.first) and (bool(self.why) or self.audited)


class EscalatingJudge:
    """Two judges as one. The second extracts only what the first cannot.

    Args:
        first: asked every question.
        second: asked what the first leaves open.
        pairs: certificates of this pair; those of other judges, prompts or backends are
            ignored.
        lenient: the same two judges with `abstains=False`, asked instead if there is a
            certificate, which decides whether they are sure enough. Without them it
            applies besides what the two decide themselves.
        audit: the share (0..1) of all questions that both judges are asked, so that the
            pair can be certified; the verdict is what it would have been.
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
        """A warning about the choice of judges; empty if there is none."""
        for model in self._first.model.split(" + "):
            warning = same_family(model, self._second.model)
            if warning:
                return warning
        return ""

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings of both, JSON-ready."""
        settings: dict[str, object] = {
            **self._first.settings,
            "escalate": dict(self._second.settings),
        }
        if self._audit:
            settings["escalate_audit"] = [self._audit, self._seed]
        if self._pairs:
            certified = sorted(self._pairs.items())
            settings["certified_pair"] = {
                backend: pair.to_json() for backend, pair in certified
            }
        return settings

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """The first judge's answers; the second's where the first leaves one open."""
        backends = [_backend(question, context) for question in questions]
        pairs = [self._pairs.get(backend) for backend in backends]
        firsts = await self._ask(0, questions, pairs, context)
        escalations = [
            self._escalation(question, pair, backend, first)
            for question, pair, backend, first in zip(
                questions, pairs, backends, firsts, strict=True
            )
        ]
        answers = [
            first if _budget_spent(first) else _marked(first, pair)
            for first, pair in zip(firsts, pairs, strict=True)
        ]
        asked = [at for at, case in enumerate(escalations) if case.asks_second]
        seconds = await self._ask(
            1,
            [questions[at] for at in asked],
            [pairs[at] for at in asked],
            replace(context, priors={}),
        )
        for at, second in zip(asked, seconds, strict=True):
            answers[at] = self._combined(escalations[at], second)
        return answers

    async def _ask(
        self,
        stage: int,
        questions: Sequence[Ask],
        pairs: Sequence[Pair | None],
        context: CallContext,
    ) -> list[Judged | Unanswered]:
        """The answers of one of the two, or of its lenient twin if a certificate decides."""
        plain = (self._first, self._second)[stage]
        answers: dict[int, Judged | Unanswered] = {}
        for judge, certified in ((plain, False), (self._lenient[stage], True)):
            part = [at for at, pair in enumerate(pairs) if bool(pair) == certified]
            if part:
                answered = await judge.ask_many([questions[at] for at in part], context)
                answers.update(zip(part, answered, strict=True))
        return [answers[at] for at in range(len(questions))]

    def _escalation(
        self, need: Ask, pair: Pair | None, backend: str, first: Judged | Unanswered
    ) -> _Escalation:
        return _Escalation(
            need=need,
            pair=pair,
            backend=backend,
            first=first,
            why=_why(first, pair),
            audited=is_audited(need, share=self._audit, seed=self._seed),
        )

    def _combined(
        self, escalation: _Escalation, second: Judged | Unanswered
    ) -> Judged | Unanswered:
        """The answer to a question that both judges were asked."""
        if _budget_spent(second):
            return second
        own = self._recorded(
            escalation, escalation.first, self._first, escalation.backend
        )
        other = self._recorded(escalation, second, self._second, VOTES)
        if escalation.why:
            return _escalated(escalation, second, own, other)
        return _audited(escalation, second, own, other)

    def _recorded(
        self,
        escalation: _Escalation,
        answer: Judged | Unanswered,
        judge: Judge,
        backend: str,
    ) -> Opinion:
        """The opinion of one judge; of an audited question with its part in the pair."""
        asked = no_opinion(escalation.need, judge.identity, backend=backend)
        opinion = recorded(answer, asked)
        if not escalation.audited:
            return opinion
        model, prompts = judge.identity
        part = Part(model=model, prompts=prompts, backend=backend)
        return replace(opinion, audit_share=self._audit, part=part)

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need."""
        answer = await self._first.extract(need, context)
        if isinstance(answer, Unanswered) and answer.error_type != Reason.BUDGET:
            return await self._second.extract(need, context)
        return answer

    async def aclose(self) -> None:
        """Close both judges."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._second.aclose)
            stack.push_async_callback(self._first.aclose)


def _audited(
    escalation: _Escalation, second: Judged | Unanswered, own: Opinion, other: Opinion
) -> Judged | Unanswered:
    """The first judge's answer, which the second's does not change."""
    first = _marked(escalation.first, escalation.pair)
    if isinstance(first, Unanswered):
        return first
    answer = _with_other(first, own, other, role=Role.SECOND)
    if isinstance(second, Unanswered):
        return answer
    return _with_costs(answer, first, second)


def _escalated(
    escalation: _Escalation, second: Judged | Unanswered, own: Opinion, other: Opinion
) -> Judged | Unanswered:
    """The answer to a question that the first judge left open."""
    first, pair = escalation.first, escalation.pair
    if isinstance(second, Unanswered):
        if isinstance(first, Unanswered):
            return second
        # An abstention of the first judge is worth more than a fault of the second.
        answer = _left_open(first, escalation.why)
        if not escalation.audited:
            return answer
        return _with_other(answer, own, other, role=Role.SECOND)
    answer = _with_other(second, other, own, role=Role.FIRST)
    answer = replace(answer, details={**second.details, "escalated": escalation.why})
    if pair is not None and _falls_short(pair, second):
        sure = f"{pair.thresholds[1]:.2f}"
        answer = replace(
            answer,
            vote=Vote.CANNOT_ASSESS,
            reason=f"the second judge is not as sure as the certified {sure}: "
            f"{second.reason}",
        )
    if isinstance(first, Unanswered):
        return answer
    if escalation.need.gating and SUSPECTED in first.details:
        # Whatever two judges say, such a text makes a gate undecided at best.
        votes = f"the judges say {first.vote.value} and {answer.vote.value}"
        reason = f"the judged text speaks to the evaluator; {votes}"
        answer = replace(answer, vote=Vote.CANNOT_ASSESS, reason=reason)
    return _with_costs(answer, first, second)


def _falls_short(pair: Pair, second: Judged) -> bool:
    """Whether the second judge is less sure of its verdict than the certificate requires."""
    if second.vote is Vote.CANNOT_ASSESS:
        return False
    return pair.settles(1, second.opinion) is False


def _with_other(answer: Judged, own: Opinion, other: Opinion, *, role: Role) -> Judged:
    """The answer with the other judge's opinion beside its own, if it has one."""
    if answer.opinion is None:
        return answer
    others = (*own.others, as_other(other, role))
    return replace(answer, opinion=replace(own, others=others))


def _with_costs(answer: Judged, first: Judged, second: Judged) -> Judged:
    """The answer with the cost of both judges."""
    return replace(
        answer,
        cost=sum_of(first.cost, second.cost),
        cost_avoided=sum_known(first.cost_avoided, second.cost_avoided),
    )


def _backend(question: Ask, context: CallContext) -> str:
    """How the first judge is asked: by votes, or by votes after a P(yes)."""
    prior = context.priors.get(question)
    return VOTES if prior is None else prior.votes_backend


def _budget_spent(answer: Judged | Unanswered) -> bool:
    return isinstance(answer, Unanswered) and answer.error_type == Reason.BUDGET


def pairs_for(pairs: Sequence[Pair], first: Identity, second: Identity) -> list[Pair]:
    """The certificates about these two judges."""
    return [
        pair
        for pair in pairs
        if (pair.stages[0][:2], pair.stages[1][:2]) == (first, second)
    ]


def same_family(first: str, second: str) -> str:
    """A warning if both models are of one family; empty if not, or if that is unknown."""
    family = family_of(first)
    if family is None or family != family_of(second):
        return ""
    return (
        f"both judges are of the {family} family: what the first gets wrong, the second "
        "tends to get wrong too"
    )


def _why(answer: Judged | Unanswered, pair: Pair | None) -> str:
    """Why a question is escalated; empty if it is not."""
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
    """The first judge's answer; a verdict that rests on a certificate says so."""
    if isinstance(answer, Unanswered) or pair is None:
        return answer
    if not pair.settles(0, answer.opinion):
        return answer
    certified = {"alpha": pair.alpha, "delta": pair.delta}
    return replace(answer, details={**answer.details, "certified": certified})


def _left_open(first: Judged, why: str) -> Judged:
    """The first judge's answer if the second broke: an abstention if it was not sure enough."""
    if first.vote is Vote.CANNOT_ASSESS or not why.startswith(_NOT_SURE):
        return first
    return replace(
        first,
        vote=Vote.CANNOT_ASSESS,
        reason=f"{why}, and the second broke: {first.reason}",
    )
