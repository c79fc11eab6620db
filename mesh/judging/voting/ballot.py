"""The votes on one question: what each said, what they come to, and what they say about themselves. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.opinions import BatchAudit, Vote
from judgemesh.contracts.usage import Money, total
from judgemesh.contracts.voting import Rule
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.mesh.judging.replies.review import Review
from judgemesh.mesh.judging.signals import Signals
from judgemesh.mesh.judging.voting.rules import Count, Outcome, decide

_AGAINST: Final = {
    Vote.YES: Vote.NO,
    Vote.NO: Vote.YES,
    Vote.CANNOT_ASSESS: Vote.CANNOT_ASSESS,
}
_UNANIMOUS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """One vote that could be read. `said` is the answer to the question itself, also where it was turned round.

    p_yes: the model's own probability of "yes" to the question, where the backend gives a valid one.
    quote_found: whether the quote it gave stands in the text; None where it gave none.
    seen: the answer as it was reviewed. shown: what the judge was shown, where that is not what one question is shown.
    audit: the comparison with the same vote asked alone, where it was made.
    """

    index: int
    wording: str
    said: Vote
    inverted: bool = False
    reason: str = ""
    model: str = ""
    cost: Money | None = None
    cost_avoided: Money | None = None
    p_yes: float | None = None
    quote_found: bool | None = None
    seen: Review | None = None
    shown: Framed | None = None
    audit: BatchAudit | None = None


@dataclass(slots=True)
class Ballot:
    """The votes on one question so far: a state machine that says what to ask for next.

    Args:
        rule: when the votes decide.
        expected: the answer that would pass.
        p_yes: the model's own probability of "yes" before the votes.
    """

    rule: Rule
    expected: Literal["yes", "no"]
    cast: list[Cast] = field(default_factory=list["Cast"])
    faults: list[JudgeError] = field(default_factory=list["JudgeError"])
    p_yes: float | None = None

    @property
    def broken(self) -> int:
        """Votes without a reply that could be read."""
        return len(self.faults)

    @property
    def asked(self) -> int:
        """Votes asked for so far."""
        return len(self.cast) + self.broken

    @property
    def yes(self) -> int:
        """Votes for yes."""
        return sum(one.said is Vote.YES for one in self.cast)

    @property
    def no(self) -> int:
        """Votes for no."""
        return sum(one.said is Vote.NO for one in self.cast)

    @property
    def unsure(self) -> int:
        """Votes for neither."""
        return sum(vote.said is Vote.CANNOT_ASSESS for vote in self.cast)

    @property
    def outcome(self) -> Outcome | None:
        """What they come to; None while another vote is needed."""
        return decide(self.rule, self._count())

    def next_votes(self) -> range:
        """The indexes of the votes to ask for now: the opening, then one at a time.

        Empty once the votes decide, and without budget: another vote would be a fault.
        """
        if self.outcome is not None or self._budget_spent() is not None:
            return range(0)
        count = max(1, self.rule.opening - self.asked)
        return range(self.asked, self.asked + count)

    def fault(self) -> JudgeError | None:
        """The error why there is no verdict; None if the votes say enough."""
        outcome = self.outcome
        if not self.faults or outcome in (Outcome.PASSING, Outcome.FAILING):
            return None
        if outcome in (None, Outcome.BROKEN):
            return self._budget_spent() or self.faults[0]
        return self._budget_spent()

    def _budget_spent(self) -> JudgeError | None:
        for fault in self.faults:
            if isinstance(fault, BudgetSpent):
                return fault
        return None

    def _count(self) -> Count:
        passing, failing = (
            (self.yes, self.no) if self.expected == "yes" else (self.no, self.yes)
        )
        return Count(
            passing=passing, failing=failing, unsure=self.unsure, broken=self.broken
        )

    def verdict(self, outcome: Outcome) -> Vote:
        """The answer that an outcome stands for."""
        if outcome not in (Outcome.PASSING, Outcome.FAILING):
            return Vote.CANNOT_ASSESS
        return (
            Vote.YES
            if (outcome is Outcome.PASSING) == (self.expected == "yes")
            else Vote.NO
        )

    def signals(self) -> Signals:
        """What calibration reads out of the votes."""
        side = Vote.YES if self.yes >= self.no else Vote.NO
        given = [
            p for p in (self.p_yes, *(one.p_yes for one in self.cast)) if p is not None
        ]
        quotes = [
            one.quote_found
            for one in self.cast
            if one.said is side and one.quote_found is not None
        ]
        return Signals(
            yes=self.yes,
            no=self.no,
            p_yes=sum(given) / len(given) if given else None,
            contradicted=self._contradicted(side),
            quote_found=all(quotes) if quotes else None,
        )

    def _contradicted(self, side: Vote) -> bool:
        return any(one.inverted and one.said is _AGAINST[side] for one in self.cast)

    def disagreement(self, verdict: Vote) -> str:
        """Why a gate may not rest on this verdict: the question turned round, or one wording of it, says otherwise."""
        if self._contradicted(verdict):
            return "the negated question was answered against it"
        for wording in dict.fromkeys(
            one.wording for one in self.cast if not one.inverted
        ):
            votes = [one.said for one in self.cast if one.wording == wording]
            if len(votes) >= _UNANIMOUS and all(
                vote is _AGAINST[verdict] for vote in votes
            ):
                return f"every vote on the wording {wording} went against it"
        return ""

    def speaker(self, verdict: Vote) -> Cast | None:
        """The first vote for a verdict; those on the question as it stands go before the negated one."""
        return min(
            (one for one in self._by_index() if one.said is verdict),
            key=_inverted,
            default=None,
        )

    def reason(self, verdict: Vote) -> str:
        """The reason of the first vote for a verdict."""
        speaker = self.speaker(verdict)
        return speaker.reason if speaker else ""

    def score(self) -> str:
        """The votes in words (`3 yes, 1 no, 1 broken`)."""
        unsure = len(self.cast) - self.yes - self.no
        parts = (
            (self.yes, "yes"),
            (self.no, "no"),
            (unsure, "cannot assess"),
            (self.broken, "broken"),
        )
        return (
            ", ".join(f"{number} {what}" for number, what in parts if number)
            or "no vote"
        )

    def model(self) -> str | None:
        """Who served the last vote."""
        return self._by_index()[-1].model if self.cast else None

    def served(self) -> frozenset[str]:
        """Everybody who served a vote."""
        return frozenset(one.model for one in self.cast)

    def cost(self) -> Money | None:
        """What the readable votes cost; None where that is not known of all of them."""
        return total(one.cost for one in self.cast) if self.cast else None

    def cost_avoided(self) -> Money | None:
        """What the cache saved."""
        return _known(one.cost_avoided for one in self.cast)

    def batch_audit(self) -> BatchAudit | None:
        """The vote that was asked for alone as well as in a call with other questions; None without one."""
        for vote in self.cast:
            if vote.audit is not None:
                return vote.audit
        return None

    def _by_index(self) -> list[Cast]:
        return sorted(self.cast, key=_index)


def _index(cast: Cast) -> int:
    return cast.index


def _inverted(cast: Cast) -> bool:
    return cast.inverted


def _known(amounts: Iterable[Money | None]) -> Money | None:
    known = [amount for amount in amounts if amount is not None]
    return total(known) if known else None
