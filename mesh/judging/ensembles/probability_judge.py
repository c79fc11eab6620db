"""A judge that takes the provider's own P(yes), and votes where that does not settle a question.

P(yes) costs one call for all criteria of a result (a decision endpoint) or one token a
criterion (its log-probability). It settles plain questions only, and only if it is far
enough from one half; gates, texts that address the evaluator, results that did not fit
and everything in between go to the judge that votes, which also gives reasons. Every
P(yes) is recorded, so that it can be compared with labels: the thresholds of one backend
say nothing about another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Final

from judgemesh.contracts.attempts import CallContext, Prior
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import Opinion, Role, Vote
from judgemesh.contracts.verdicts import Confidence
from judgemesh.mesh.judging.client.sample import SampleAnswer
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.costs import sum_known, sum_of
from judgemesh.mesh.judging.ensembles.probability import (
    BACKENDS,
    Probabilities,
    Probability,
    ProbabilityAnswer,
)
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.opinion import as_other, heard
from judgemesh.mesh.judging.protocols import Identity, Judge
from judgemesh.mesh.judging.signals import Signals, criterion_digest
from judgemesh.mesh.judging.voting.faults import unanswered

SURE: Final = 0.90
"""How far P(yes) must be from the other answer to settle a question, without labels."""

MIN_CORRECT: Final = 0.75
"""With labels: how likely the settled answer must be right."""

_BELOW_ONE: Final = 1 - 2.0**-53


@dataclass(frozen=True, slots=True)
class _Estimate:
    """A P(yes), the opinion recorded of it, and whether it settles its question."""

    answer: SampleAnswer[Probability]
    opinion: Opinion
    settles: bool


class ProbabilityJudge:
    """P(yes) and votes as one judge, which closes both.

    Args:
        judge: votes.
        probabilities: P(yes) of the same or another model.
        calibrations: what labels say about P(yes) of this model; those of other prompts
            or of votes are ignored. A certified threshold replaces `sure`.
        sure: a probability (0.5..1) that settles a plain question.
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
        self._calibrations: dict[str, Calibration] = {}
        for calibration in calibrations:
            backend = calibration.backend
            prompts = probabilities.prompt_digest(backend)
            if calibration.speaks_for(probabilities.model, prompts, backend):
                self._calibrations[backend] = calibration

    @property
    def model(self) -> str:
        """The model that votes."""
        return self._judge.model

    @property
    def identity(self) -> Identity:
        """The model, and the digest of everything it is asked with."""
        model, prompts = self._judge.identity
        digests = [self._probabilities.prompt_digest(backend) for backend in BACKENDS]
        text = "\n".join([prompts, *digests, str(self._sure)])
        return model, f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready."""
        probability: dict[str, object] = {
            **self._probabilities.settings,
            "sure": self._sure,
        }
        if self._calibrations:
            probability["calibrations"] = {
                backend: calibration.to_json()
                for backend, calibration in sorted(self._calibrations.items())
            }
        return {**self._judge.settings, "probability": probability}

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """The provider's P(yes) if it settles a question, else the votes."""
        estimates, answers = await self._estimate(questions, context)
        priors: dict[Ask, Prior] = {}
        for position, estimate in estimates.items():
            value = estimate.answer.value
            if estimate.settles:
                answers[position] = _judged(estimate)
            else:
                prior = Prior(p_yes=value.p, backend=value.backend)
                priors[questions[position]] = prior
        voted = [at for at in range(len(questions)) if at not in answers]
        votes = await self._judge.ask_many(
            [questions[at] for at in voted], replace(context, priors=priors)
        )
        for position, answer in zip(voted, votes, strict=True):
            answers[position] = answer
            if position in estimates and isinstance(answer, Judged):
                answers[position] = _after(answer, estimates[position])
        return [answers[at] for at in range(len(questions))]

    async def _estimate(
        self, questions: Sequence[Ask], context: CallContext
    ) -> tuple[dict[int, _Estimate], dict[int, Judged | Unanswered]]:
        """P(yes) of the plain questions by position, and what was left without budget.

        Any other fault is recorded as an attempt; the votes may still succeed.
        """
        plain = [at for at, question in enumerate(questions) if not question.gating]
        found: Sequence[ProbabilityAnswer] = await self._probabilities.ask_many(
            [questions[at] for at in plain], context
        )
        estimates: dict[int, _Estimate] = {}
        unpaid: dict[int, Judged | Unanswered] = {}
        for position, answer in zip(plain, found, strict=True):
            question = questions[position]
            if isinstance(answer, SampleAnswer):
                estimates[position] = self._assessed(question, answer)
            elif isinstance(answer, BudgetSpent):
                unpaid[position] = unanswered(answer, question.question_id)
        return estimates, unpaid

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need."""
        return await self._judge.extract(need, context)

    async def aclose(self) -> None:
        """Close both."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._judge.aclose)
            stack.push_async_callback(self._probabilities.aclose)

    def _assessed(self, need: Ask, answer: SampleAnswer[Probability]) -> _Estimate:
        """What is recorded of one P(yes), and whether it settles its question."""
        value = answer.value
        # The leader counts as one vote, so that a saturated P(yes) still has a leader.
        signals = Signals(
            yes=int(value.vote is Vote.YES),
            no=int(value.vote is Vote.NO),
            p_yes=value.p,
        )
        known = self._calibrations.get(value.backend)
        if known is not None and known.served and answer.model not in known.served:
            known = None  # another model answered than the labelled one
        correctness = None
        if known is not None and value.vote is not Vote.CANNOT_ASSESS:
            criterion = criterion_digest(need.question)
            yes = value.vote is Vote.YES
            correctness = known.correctness(signals, criterion, yes=yes)
        prompts = self._probabilities.prompt_digest(value.backend)
        judge = self._probabilities.model, prompts
        backend = value.backend.replace("_", " ")
        opinion = heard(
            need,
            judge,
            signals,
            backend=value.backend,
            served=(answer.model,),
            leader=value.vote,
            verdict=Vote.CANNOT_ASSESS if value.doubtful else value.vote,
            stability=min(max(value.p, 1.0 - value.p), _BELOW_ONE),
            correctness=correctness,
            reason=f"P(yes) = {value.p:.3f} by the model's own {backend}",
        )
        settles = self._settles(value, known, signals, correctness)
        return _Estimate(answer, opinion, settles)

    def _settles(
        self,
        value: Probability,
        known: Calibration | None,
        signals: Signals,
        correctness: float | None,
    ) -> bool:
        if value.doubtful or value.vote is Vote.CANNOT_ASSESS:
            return False
        if known is not None and known.threshold is not None:
            return known.confidence(signals) >= known.threshold
        if max(value.p, 1.0 - value.p) < self._sure:
            return False
        return correctness is None or correctness >= MIN_CORRECT


def _judged(estimate: _Estimate) -> Judged:
    """The answer that a P(yes) settles."""
    answer, opinion = estimate.answer, estimate.opinion
    return Judged(
        vote=answer.value.vote,
        reason=opinion.reason,
        confidence=Confidence(
            stability=opinion.stability, correctness=opinion.correctness
        ),
        model=answer.model,
        cost=answer.cost,
        cost_avoided=answer.cost_avoided,
        details={"p_yes": answer.value.p, "backend": answer.value.backend},
        opinion=opinion,
    )


def _after(answer: Judged, estimate: _Estimate) -> Judged:
    """The answer of the votes, with the P(yes) before them and the cost of both."""
    opinion = answer.opinion
    if opinion is not None:
        probability = as_other(estimate.opinion, Role.PROBABILITY)
        opinion = replace(opinion, others=(probability, *opinion.others))
    spent = estimate.answer
    return replace(
        answer,
        cost=sum_of(answer.cost, spent.cost),
        cost_avoided=sum_known(answer.cost_avoided, spent.cost_avoided),
        details={**answer.details, "p_yes": spent.value.p},
        opinion=opinion,
    )
