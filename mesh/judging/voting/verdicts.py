"""What the votes on a question come to, and how sure that is. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import Confidence
from judgemesh.contracts.voting import VotingPolicy
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.confidence.stability import stability
from judgemesh.mesh.judging.families import self_preference
from judgemesh.mesh.judging.opinion import heard
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.replies.review import details, guard
from judgemesh.mesh.judging.signals import Signals, criterion_digest
from judgemesh.mesh.judging.voting.ballot import Ballot
from judgemesh.mesh.judging.voting.faults import unanswered
from judgemesh.mesh.judging.voting.rules import VoteOutcome


class Poll(NamedTuple):
    """A question that is voted on, what the judge is shown, and its votes.

    Args:
        backend: how the judge is asked: by votes, or by votes after a P(yes).
    """

    need: Ask
    shown: Framed
    ballot: Ballot
    backend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessor:
    """Turns the votes of one judge into answers.

    Args:
        identity: the judge.
        policy: how sure a verdict must be.
        calibrations: what labels say about the judge, by backend.
        abstains: whether a verdict that is not sure enough is an abstention.
    """

    identity: Identity
    policy: VotingPolicy
    calibrations: Mapping[str, Calibration]
    abstains: bool = True

    def answer(self, poll: Poll) -> Judged | Unanswered:
        """The answer to a question, or the fault that left it without one."""
        fault = poll.ballot.fault()
        if fault is not None:
            return unanswered(fault, poll.need.question_id)
        outcome = poll.ballot.outcome or VoteOutcome.UNSTABLE
        leader = poll.ballot.verdict(outcome)
        correctness = self._correctness(poll, leader)
        split = _split(poll, leader)
        doubt = split or self._doubt(poll, leader, outcome, correctness)
        speaker = poll.ballot.speaker(leader)
        shown = poll.shown
        if speaker is not None and speaker.shown is not None:
            shown = speaker.shown
        said = "" if speaker is None else speaker.reason
        reason = _reason(poll.ballot, said, doubt)
        signals = poll.ballot.signals()
        confidence = Confidence(stability=_stability(signals), correctness=correctness)
        opinion = heard(
            poll.need,
            self.identity,
            signals,
            backend=poll.backend,
            served=tuple(sorted(poll.ballot.served())),
            leader=leader,
            verdict=Vote.CANNOT_ASSESS if split else leader,
            votes_unsure=poll.ballot.unsure,
            votes_broken=poll.ballot.broken,
            stability=confidence.stability,
            correctness=correctness,
            reason=reason,
            injection_suspected=bool(shown.suspected),
            same_family=bool(self_preference(self.identity[0], poll.need.agent_model)),
            batch=poll.ballot.batch_audit(),
        )
        return Judged(
            vote=Vote.CANNOT_ASSESS if doubt else leader,
            reason=reason,
            confidence=confidence,
            model=poll.ballot.model(),
            cost=poll.ballot.cost(),
            cost_avoided=poll.ballot.cost_avoided(),
            details=details(
                poll.need,
                shown,
                None if speaker is None else speaker.seen,
                model=self.identity[0],
            ),
            opinion=opinion,
        )

    def not_shown(self, need: Ask, shown: Framed) -> Judged:
        """The answer if what the question depends on did not fit: an abstention."""
        missing = ", ".join(shown.coverage.missing)
        return Judged(
            vote=Vote.CANNOT_ASSESS,
            reason=f"not asked: {missing} did not fit; {shown.coverage.sentence()}",
            details=details(need, shown, None, model=self.identity[0]),
        )

    def _calibration(self, poll: Poll, leader: Vote) -> Calibration | None:
        """The calibration that applies to these votes."""
        known = self.calibrations.get(poll.backend)
        if known is None or leader is Vote.CANNOT_ASSESS:
            return None
        if known.served and not poll.ballot.served() <= set(known.served):
            return None  # another model answered than the labelled one
        return known

    def _correctness(self, poll: Poll, leader: Vote) -> float | None:
        """How likely the leader is right; None without a calibration."""
        known = self._calibration(poll, leader)
        if known is None:
            return None
        criterion = criterion_digest(poll.need.question)
        signals = poll.ballot.signals()
        return known.correctness(signals, criterion, yes=leader is Vote.YES)

    def _doubt(
        self, poll: Poll, leader: Vote, outcome: VoteOutcome, correctness: float | None
    ) -> str:
        """Why there is no verdict; empty if there is one."""
        if outcome is VoteOutcome.UNSTABLE:
            return "the votes do not agree"
        if leader is Vote.CANNOT_ASSESS:
            return poll.ballot.reason(leader)
        unsure = self._unsure(poll, leader, correctness)
        return unsure or guard(leader, poll.need, poll.shown)[1]

    def _unsure(self, poll: Poll, leader: Vote, correctness: float | None) -> str:
        """Why the calibration does not allow the verdict; empty if it does."""
        known = self._calibration(poll, leader)
        if known is None or not self.abstains:
            return ""
        if known.threshold is not None:
            sure = known.confidence(poll.ballot.signals())
            if sure >= known.threshold:
                return ""
            return f"confidence {sure:.2f} is below the certified {known.threshold:.2f}"
        least = self.policy.least(gating=poll.need.gating)
        if correctness is None or correctness >= least:
            return ""
        return (
            f"it is right with probability {correctness:.2f} only, "
            f"{least:.2f} is required"
        )


def _split(poll: Poll, leader: Vote) -> str:
    """Why a gate may not rest on the leader; empty if it may, or for a plain question."""
    if leader is Vote.CANNOT_ASSESS or not poll.need.gating:
        return ""
    return poll.ballot.disagreement(leader)


def _reason(ballot: Ballot, reason: str, doubt: str) -> str:
    """The leader's reason, behind the doubt if there is one."""
    if not doubt or doubt == reason:
        return reason
    doubtful = f"{doubt} ({ballot.score()})"
    if not reason:
        return doubtful
    return f"{doubtful}: {reason}"


def _stability(signals: Signals) -> float | None:
    if not signals.yes + signals.no:
        return None
    return stability(signals.yes, signals.no)
