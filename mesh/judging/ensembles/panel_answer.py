"""From the answers of a panel's members to the answer of the panel. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.contracts.opinions import PANEL, Opinion, PanelSum, Part, Role, Vote
from judgemesh.contracts.verdicts import Confidence
from judgemesh.mesh.judging.confidence.panel_weights import (
    MAJORITY,
    PanelCalibration,
    Weights,
    majority_of,
)
from judgemesh.mesh.judging.costs import sum_known, sum_of
from judgemesh.mesh.judging.opinion import as_other, heard, no_opinion, recorded
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.replies.review import SUSPECTED
from judgemesh.mesh.judging.signals import Signals, signals_of
from judgemesh.mesh.metrics.beta import beta_cdf

MIN_CORRECT_SOFT, MIN_CORRECT_GATE = 0.75, 0.90
"""The least calibrated correctness of a verdict, as for one judge."""

_TIE: Final = 0.5
_BELOW_ONE: Final = 1 - 2.0**-53
_NEAREST: Final = 1e-6  # how near to 0 or 1 a probability of the panel may come
_MEMBER_DETAILS: Final = frozenset({"p_yes", "backend", "self_preference"})
"""Details of a member that do not hold for the panel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberVote:
    """One judge's part in the answer.

    Args:
        chance: P(yes) before any label; None if the judge took no side or broke.
    """

    model: str
    answer: Judged | Unanswered
    opinion: Opinion
    chance: float | None = None

    @property
    def broken(self) -> bool:
        """Whether the judge broke."""
        return isinstance(self.answer, Unanswered)


def member_vote(need: Ask, judge: Identity, answer: Judged | Unanswered) -> MemberVote:
    """The part of a judge in the answer to a question."""
    chance = None
    if isinstance(answer, Judged) and answer.opinion is not None:
        chance = _chance(answer.opinion)
    model, prompts = judge
    opinion = replace(
        recorded(answer, no_opinion(need, judge)),
        part=Part(model=model, prompts=prompts),
        chance=chance,
    )
    member = as_other(opinion, Role.MEMBER)
    return MemberVote(model=model, answer=answer, opinion=member, chance=chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelVotes:
    """The votes of all members on one question.

    Args:
        need: the question.
        votes: of the members, in their order.
        weights: how they are combined.
        n_eff: how many independent votes the members are worth.
        known: the calibration of the panel, if it applies to this question.
        calibrated: whether `n_eff` comes from labels.
    """

    need: Ask
    votes: Sequence[MemberVote]
    weights: Weights
    n_eff: float
    known: PanelCalibration | None
    calibrated: bool

    @property
    def chance(self) -> float | None:
        """P(yes) of the panel; None if no member took a side."""
        return self.weights.chance([vote.chance for vote in self.votes])

    @property
    def leader(self) -> Vote:
        """The answer that the votes lean to."""
        return _side(self.chance)

    @property
    def counts(self) -> tuple[int, int]:
        """How many members say yes, and how many no."""
        return majority_of([vote.chance for vote in self.votes])

    @property
    def broken(self) -> int:
        """How many members broke."""
        return sum(vote.broken for vote in self.votes)

    @property
    def unsure(self) -> int:
        """How many members took no side."""
        yes, no = self.counts
        return len(self.votes) - yes - no - self.broken

    def survives_faults(self) -> bool:
        """Whether the leader stays if each broken member had said the opposite twice."""
        against = 0.25 if self.leader is Vote.YES else 0.75
        worst = [against if vote.broken else vote.chance for vote in self.votes]
        return _side(self.weights.chance(worst)) is self.leader

    def correctness(self, method: str) -> float | None:
        """How likely the leader is right; None without a calibration."""
        if self.known is None or self.leader is Vote.CANNOT_ASSESS:
            return None
        p_yes = self.known.p_yes(method, [vote.chance for vote in self.votes])
        if p_yes is None:
            return None
        return p_yes if self.leader is Vote.YES else 1.0 - p_yes

    def stability(self) -> float | None:
        """Would the panel say it again? P(Beta(for+1, against+1) > 1/2).

        The votes are counted as the effective votes that they are worth.
        """
        yes, no = self.counts
        if not yes + no:
            return None
        worth = self.n_eff / len(self.votes)
        ahead, behind = (no, yes) if self.leader is Vote.NO else (yes, no)
        behind_chance = beta_cdf(_TIE, ahead * worth + 1.0, behind * worth + 1.0)
        return min(1.0 - behind_chance, _BELOW_ONE)

    def laplace(self) -> float:
        """The share of the larger side, shrunk: (n+1) / (n+m+2)."""
        yes, no = self.counts
        return (max(yes, no) + 1) / (yes + no + 2)

    def score(self) -> str:
        """The members in words (`judges: 2 yes, 1 no`)."""
        yes, no = self.counts
        counts = {"yes": yes, "no": no, "open": self.unsure, "broken": self.broken}
        parts = [f"{count} {name}" for name, count in counts.items() if count]
        return f"judges: {', '.join(parts)}"

    def speaker(self) -> Judged | None:
        """The first member on the leader's side; none if the members contradict each other."""
        if self.leader is Vote.CANNOT_ASSESS and any(self.counts):
            return None
        for vote in self.votes:
            if isinstance(vote.answer, Judged) and _side(vote.chance) is self.leader:
                return vote.answer
        return None

    def suspected(self) -> list[str]:
        """How the judged text addresses the evaluator, as any member noticed."""
        kinds: set[str] = set()
        for answer in self.answers():
            suspected = cast("Sequence[object]", answer.details.get(SUSPECTED, ()))
            kinds |= {str(kind) for kind in suspected}
        return sorted(kinds)

    def answers(self) -> list[Judged]:
        """The answers of the members that did not break."""
        return [vote.answer for vote in self.votes if isinstance(vote.answer, Judged)]

    def doubt(self, method: str, correctness: float | None, *, abstains: bool) -> str:
        """Why there is no verdict; empty if there is one.

        Args:
            method: how the votes are combined.
            correctness: how likely the leader is right.
            abstains: whether a verdict that is not sure enough is an abstention.
        """
        if self.leader is Vote.CANNOT_ASSESS:
            if any(self.counts):
                return "the judges do not agree"
            return "no judge of the panel took a side"
        suspected = ", ".join(self.suspected())
        passes = self.leader.value == self.need.expected
        if suspected and passes and self.need.gating:
            return (
                f"the judged text speaks to the evaluator ({suspected}): a person "
                "should look at it"
            )
        if self.known is None or not abstains:
            return ""
        return self._unsure(self.known, method, correctness)

    def _unsure(
        self, known: PanelCalibration, method: str, correctness: float | None
    ) -> str:
        """Why the calibration does not allow the verdict; empty if it does."""
        if known.threshold is not None and method == MAJORITY.method:
            sure = self.laplace()
            if sure >= known.threshold:
                return ""
            return f"confidence {sure:.2f} is below the certified {known.threshold:.2f}"
        least = MIN_CORRECT_GATE if self.need.gating else MIN_CORRECT_SOFT
        if correctness is None or correctness >= least:
            return ""
        return (
            f"it is right with probability {correctness:.2f} only, "
            f"{least:.2f} is required"
        )

    def answer(self, judge: Identity, method: str, *, abstains: bool) -> Judged:
        """The answer of the panel.

        Args:
            judge: the identity of the panel with these weights.
            method: how the votes are combined.
            abstains: whether a verdict that is not sure enough is an abstention.
        """
        correctness = self.correctness(method)
        doubt = self.doubt(method, correctness, abstains=abstains)
        speaker = self.speaker()
        reason = f"{doubt} ({self.score()})" if doubt else self.score()
        if speaker is not None and speaker.reason:
            reason = f"{reason}: {speaker.reason}"
        details = self._details(speaker)
        confidence = Confidence(stability=self.stability(), correctness=correctness)
        answers = self.answers()
        return Judged(
            vote=Vote.CANNOT_ASSESS if doubt else self.leader,
            reason=reason,
            confidence=confidence,
            model=judge[0],
            cost=sum_of(*(answer.cost for answer in answers)),
            cost_avoided=sum_known(*(answer.cost_avoided for answer in answers)),
            details=details,
            opinion=replace(
                self._opinion(judge),
                stability=confidence.stability,
                correctness=correctness,
                reason=reason,
                injection_suspected=SUSPECTED in details,
            ),
        )

    def _opinion(self, judge: Identity) -> Opinion:
        """The record of the panel as one judge, with its members."""
        yes, no = self.counts
        chance, p_yes = self.chance, None
        if chance is not None and self.weights.method != MAJORITY.method:
            p_yes = min(max(chance, _NEAREST), 1 - _NEAREST)
        signals = Signals(yes=yes, no=no, p_yes=p_yes)
        members = tuple(vote.opinion for vote in self.votes)
        served = {model for member in members for model in member.served}
        return heard(
            self.need,
            judge,
            signals,
            backend=PANEL,
            served=tuple(sorted(served)),
            leader=self.leader,
            verdict=self.leader,
            votes_unsure=self.unsure,
            votes_broken=self.broken,
            same_family=any(member.same_family for member in members),
            chance=chance,
            panel=PanelSum(
                method=self.weights.method,
                n_eff=round(self.n_eff, 4),
                n_eff_source="labels" if self.calibrated else "assumed",
                labels=self.known.labels if self.known else None,
            ),
            others=members,
        )

    def _details(self, speaker: Judged | None) -> dict[str, object]:
        """The speaker's details, and what any member noticed about the question."""
        details: dict[str, object] = {}
        if speaker is not None:
            details |= speaker.details
        for name in _MEMBER_DETAILS:
            details.pop(name, None)
        suspected = self.suspected()
        if suspected:
            details[SUSPECTED] = suspected
        preferences: dict[str, None] = {}
        coverages: list[object] = []
        for answer in self.answers():
            if answer.details.get("self_preference"):
                preferences[str(answer.details["self_preference"])] = None
            if answer.details.get("coverage"):
                coverages.append(answer.details["coverage"])
        if preferences:
            details["self_preference"] = "; ".join(preferences)
        if coverages:
            details["coverage"] = coverages[0]
        return details


def _chance(opinion: Opinion) -> float | None:
    """P(yes) of one judge before any label; None if it took no side."""
    if opinion.verdict is Vote.CANNOT_ASSESS:
        return None
    sure = max(signals_of(opinion).confidence, _TIE + 1e-6)
    return sure if opinion.verdict is Vote.YES else 1.0 - sure


def _side(chance: float | None) -> Vote:
    if chance is None or chance == _TIE:
        return Vote.CANNOT_ASSESS
    return Vote.YES if chance > _TIE else Vote.NO
