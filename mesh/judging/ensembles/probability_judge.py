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

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.usage import Money, total
from judgemesh.contracts.verdicts import Confidence, Reason
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.client.sample import SampleAnswer
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.ensembles.escalation import EscalatingJudge
from judgemesh.mesh.judging.ensembles.probability import Probabilities, Probability
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.notes import JUDGEMENT, noted
from judgemesh.mesh.judging.signals import Prior, Signals, criterion_digest
from judgemesh.mesh.judging.voting.judge import Judge

SURE = 0.90
"""How far P(yes) must be from the other answer for a question to be settled by it, where no label says better."""

LEAST_CORRECT = 0.75
"""Where labels speak: how likely the settled answer must be right."""

_BELOW_ONE: Final = 1 - 2.0**-53


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
        judge: Judge | EscalatingJudge,
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

    async def ask(self, need: Ask, context: CallContext) -> Judged | Unanswered:
        """The provider's probability where it settles the question, else the votes."""
        if need.gating:
            return await self._judge.ask(need, context)
        try:
            found = await self._probabilities.ask(need, context)
        except BudgetSpent as error:
            return Unanswered(
                error_type=Reason.BUDGET,
                message=f"judge, question {need.question_id}: {one_line(error)}",
            )
        except JudgeError:
            found = None  # recorded as an attempt; the votes may still come
        if found is None:
            return await self._judge.ask(need, context)
        judgement, signals = self._noted(need, found)
        correctness = self._correctness(need, found, signals)
        if self._settled(found, signals, correctness):
            return _judged(found, judgement, correctness)
        answer = await self._judge.ask(
            need, context, Prior(p_yes=found.value.p, backend=found.value.backend)
        )
        return (
            answer
            if isinstance(answer, Unanswered)
            else _with_cost(answer, found, judgement)
        )

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

    def _noted(
        self, need: Ask, found: SampleAnswer[Probability]
    ) -> tuple[dict[str, object], Signals]:
        """The judgement of one P(yes): its side counts as one vote, so that a saturated one still has a side."""
        value = found.value
        leader = value.vote
        signals = Signals(
            yes=int(leader is Vote.YES), no=int(leader is Vote.NO), p_yes=value.p
        )
        asked = noted(
            need,
            model=self._probabilities.model,
            prompts=self._probabilities.prompt_digest(value.backend),
            served=[found.model],
            backend=value.backend,
        )
        verdict = Vote.CANNOT_ASSESS if value.doubtful else leader
        return {
            **asked,
            "leader": leader.value,
            "verdict": verdict.value,
            **signals.to_json(),
        }, signals

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


def _judged(
    found: SampleAnswer[Probability],
    judgement: Mapping[str, object],
    correctness: float | None,
) -> Judged:
    p = found.value.p
    return Judged(
        vote=found.value.vote,
        reason=f"P(yes) = {p:.3f} by the model's own {found.value.backend.replace('_', ' ')}",
        confidence=Confidence(
            stability=min(max(p, 1.0 - p), _BELOW_ONE), correctness=correctness
        ),
        model=found.model,
        cost=found.cost,
        cost_avoided=found.cost_avoided,
        details={
            "p_yes": p,
            "backend": found.value.backend,
            JUDGEMENT: dict(judgement),
        },
    )


def _with_cost(
    answer: Judged, found: SampleAnswer[Probability], judgement: Mapping[str, object]
) -> Judged:
    """The votes' answer, with what asking for the probability said and cost before."""
    avoided = [
        one for one in (answer.cost_avoided, found.cost_avoided) if one is not None
    ]
    return replace(
        answer,
        cost=_sum(answer.cost, found.cost),
        cost_avoided=total(avoided) if avoided else None,
        details={
            **answer.details,
            "p_yes": found.value.p,
            "probability": {JUDGEMENT: dict(judgement)},
        },
    )


def _sum(left: Money | None, right: Money | None) -> Money | None:
    return None if left is None or right is None else left + right
