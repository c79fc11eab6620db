"""A judge that takes the provider's own P(yes) where there is one, and votes where that does not settle a question.

The first tier costs one call for all criteria of a result (a decision endpoint) or one token a criterion (its
log-probability). It answers soft questions only, and only where the probability is far enough from one half; hard
gates, hostile texts, results that did not fit and everything in between go to the judge that votes, who also gives
reasons. Every P(yes) is noted, whether or not it settled its question, so that people's labels can be compared with
it: thresholds of one backend say nothing about another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Final

from judgemesh.contracts.attempts import CallContext, Prior
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import Opinion, Role, Vote
from judgemesh.contracts.usage import Money, total
from judgemesh.contracts.verdicts import Confidence, Reason
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.client.sample import SampleAnswer
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.ensembles.probability import Probabilities, Probability
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.opinion import as_other, no_opinion, with_signals
from judgemesh.mesh.judging.protocols import Judge
from judgemesh.mesh.judging.signals import Signals, criterion_digest

SURE = 0.90
"""How far P(yes) must be from the other answer for a question to be settled by it, where no label says better."""

LEAST_CORRECT = 0.75
"""Where labels speak: how likely the settled answer must be right."""

_BELOW_ONE: Final = 1 - 2.0**-53


_Unsettled = tuple[SampleAnswer[Probability], Opinion]


class ProbabilityJudge:
    """Two ways of asking as one judge, which it closes.

    Args:
        judge: who votes.
        probabilities: P(yes) of the same or another model.
        calibrations: what people's labels say about P(yes) of this model; those of other prompts or of votes say
            nothing. A certified threshold goes before `sure`, and the calibrated probability to be right beside it.
        sure: a probability at least this far on one side settles a soft question, 0.5..1.
    """

    def __init__(
        self,
        judge: Judge,
        probabilities: Probabilities,
        *,
        calibrations: Sequence[Calibration] = (),
        sure: float = SURE,
    ) -> None:
        if not 0.5 <= sure <= 1:
            raise ValueError(f"sure must lie in 0.5..1, got {sure}")
        self._judge, self._probabilities, self._sure = judge, probabilities, sure
        self._calibrations = {
            one.backend: one
            for one in calibrations
            if one.speaks_for(
                probabilities.model,
                probabilities.prompt_digest(one.backend),
                one.backend,
            )
        }

    @property
    def model(self) -> str:
        """The model that votes."""
        return self._judge.model

    @property
    def identity(self) -> tuple[str, str]:
        """Model, and digest of everything both ways ask with."""
        model, prompts = self._judge.identity
        parts = [
            prompts,
            *(
                self._probabilities.prompt_digest(way)
                for way in ("decision", "first_token")
            ),
        ]
        text = "\n".join([*parts, str(self._sure)])
        return model, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready."""
        known = {way: one.to_json() for way, one in sorted(self._calibrations.items())}
        own = {
            **self._probabilities.settings,
            "sure": self._sure,
            **({"calibrations": known} if known else {}),
        }
        return {**self._judge.settings, "probability": own}

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """The provider's P(yes) where it settles a question, else the votes."""
        soft = [at for at, question in enumerate(questions) if not question.gating]
        found = await self._probabilities.ask_many(
            [questions[at] for at in soft], context
        )
        estimates = dict(zip(soft, found, strict=True))
        answers: dict[int, Judged | Unanswered] = {}
        unsettled: dict[int, _Unsettled] = {}
        priors: dict[Ask, Prior] = {}
        for at, question in enumerate(questions):
            estimate = estimates.get(at)
            if isinstance(estimate, BudgetSpent):
                message = (
                    f"judge, question {question.question_id}: {one_line(estimate)}"
                )
                answers[at] = Unanswered(error_type=Reason.BUDGET, message=message)
            elif estimate is not None and not isinstance(estimate, JudgeError):
                signals = _signals(estimate.value)
                correctness = self._correctness(question, estimate, signals)
                opinion = self._opinion(question, estimate, signals, correctness)
                if self._settled(estimate, signals, correctness):
                    answers[at] = _judged(estimate, opinion)
                    continue
                unsettled[at] = (estimate, opinion)
                value = estimate.value
                priors[question] = Prior(p_yes=value.p, backend=value.backend)
        voted = [at for at in range(len(questions)) if at not in answers]
        votes = await self._judge.ask_many(
            [questions[at] for at in voted], replace(context, priors=priors)
        )
        for at, answer in zip(voted, votes, strict=True):
            answers[at] = answer
            if at in unsettled and isinstance(answer, Judged):
                answers[at] = _after(answer, *unsettled[at])
        return [answers[at] for at in range(len(questions))]

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need."""
        return await self._judge.extract(need, context)

    async def aclose(self) -> None:
        """Close both ways."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._judge.aclose)
            stack.push_async_callback(self._probabilities.aclose)

    def _opinion(
        self,
        need: Ask,
        found: SampleAnswer[Probability],
        signals: Signals,
        correctness: float | None,
    ) -> Opinion:
        """What is recorded of one P(yes)."""
        value = found.value
        judge = (
            self._probabilities.model,
            self._probabilities.prompt_digest(value.backend),
        )
        opinion = with_signals(no_opinion(need, judge, backend=value.backend), signals)
        return replace(
            opinion,
            served=(found.model,),
            leader=value.vote,
            verdict=Vote.CANNOT_ASSESS if value.doubtful else value.vote,
            stability=min(max(value.p, 1.0 - value.p), _BELOW_ONE),
            correctness=correctness,
            reason=f"P(yes) = {value.p:.3f} by the model's own {value.backend.replace('_', ' ')}",
        )

    def _correctness(
        self, need: Ask, found: SampleAnswer[Probability], signals: Signals
    ) -> float | None:
        """How likely the side of P(yes) is right, where people's labels tell."""
        known = self._calibrations.get(found.value.backend)
        if (
            known is None
            or found.value.vote is Vote.CANNOT_ASSESS
            or not _is_served(known, found.model)
        ):
            return None
        return known.correctness(
            signals, criterion_digest(need.question), yes=found.value.vote is Vote.YES
        )

    def _settled(
        self,
        found: SampleAnswer[Probability],
        signals: Signals,
        correctness: float | None,
    ) -> bool:
        value = found.value
        if value.doubtful or value.vote is Vote.CANNOT_ASSESS:
            return False
        known = self._calibrations.get(value.backend)
        if (
            known is not None
            and known.threshold is not None
            and _is_served(known, found.model)
        ):
            return known.confidence(signals) >= known.threshold
        sure = max(value.p, 1.0 - value.p) >= self._sure
        return sure and (correctness is None or correctness >= LEAST_CORRECT)


def _is_served(known: Calibration, model: str) -> bool:
    """Whether the model that answered is one that people's labels were compared with."""
    return not known.served or model in known.served


def _signals(value: Probability) -> Signals:
    """The leading answer counts as one vote, so that a saturated P(yes) still has a leading answer."""
    return Signals(
        yes=int(value.vote is Vote.YES), no=int(value.vote is Vote.NO), p_yes=value.p
    )


def _judged(found: SampleAnswer[Probability], opinion: Opinion) -> Judged:
    return Judged(
        vote=found.value.vote,
        reason=opinion.reason,
        confidence=Confidence(
            stability=opinion.stability, correctness=opinion.correctness
        ),
        model=found.model,
        cost=found.cost,
        cost_avoided=found.cost_avoided,
        details={"p_yes": found.value.p, "backend": found.value.backend},
        opinion=opinion,
    )


def _after(
    answer: Judged, found: SampleAnswer[Probability], probability: Opinion
) -> Judged:
    """The votes' answer, with the P(yes) that had not settled the question, and what both cost."""
    opinion = answer.opinion
    if opinion is not None:
        heard = as_other(probability, Role.PROBABILITY)
        opinion = replace(opinion, others=(heard, *opinion.others))
    avoided = [
        amount
        for amount in (answer.cost_avoided, found.cost_avoided)
        if amount is not None
    ]
    return replace(
        answer,
        cost=_sum(answer.cost, found.cost),
        cost_avoided=total(avoided) if avoided else None,
        details={**answer.details, "p_yes": found.value.p},
        opinion=opinion,
    )


def _sum(left: Money | None, right: Money | None) -> Money | None:
    return None if left is None or right is None else left + right
