"""The votes on one question: a state machine that says what to ask for next. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.money import Money, total
from judgemesh.contracts.opinions import BatchAudit, Vote
from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.voting import VotingRule
from judgemesh.mesh.judging.costs import sum_known
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.prompting.frame import Framed
from judgemesh.mesh.judging.replies.review import ReplyReview
from judgemesh.mesh.judging.signals import Signals
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide

_OPPOSITE: Final = {
    Vote.YES: Vote.NO,
    Vote.NO: Vote.YES,
    Vote.CANNOT_ASSESS: Vote.CANNOT_ASSESS,
}
_MIN_UNANIMOUS: Final = 2


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """One vote that could be read.

    Args:
        index: which vote on the question it is, from 0.
        wording: the prompt it was asked with.
        said: the answer to the question itself, even if the prompt negated it.
        inverted: whether the prompt negated the question.
        p_yes: the model's own probability of "yes", if the backend gives a valid one.
        quote_found: whether its quote is in the text; None if it has no quote.
        seen: the answer as it was reviewed.
        shown: what the judge was shown, if the vote comes from a batch.
        audit: the comparison with the same vote asked alone, if there was one.
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
    seen: ReplyReview | None = None
    shown: Framed | None = None
    audit: BatchAudit | None = None


@dataclass(slots=True)
class Ballot:
    """The votes on one question so far.

    Args:
        rule: when the votes decide.
        expected: the answer that would pass.
        cast: the votes that could be read.
        faults: the errors of the others.
        p_yes: the model's own probability of "yes" before the votes.
        negated: the votes that ask the negated question again where it contradicts the leader.
    """

    rule: VotingRule
    expected: Literal["yes", "no"]
    cast: list[Cast] = field(default_factory=list["Cast"])
    faults: list[JudgeError] = field(default_factory=list["JudgeError"])
    p_yes: float | None = None
    negated: tuple[int, ...] = ()
    _decided: tuple[int, VoteOutcome | None] = field(
        default=(-1, None), init=False, repr=False, compare=False
    )

    @property
    def asked(self) -> int:
        """Votes asked for so far."""
        return len(self.cast) + len(self.faults)

    @property
    def broken(self) -> int:
        """Votes that could not be read."""
        return len(self.faults)

    @property
    def yes(self) -> int:
        """Votes for yes."""
        return self._votes_for(Vote.YES)

    @property
    def no(self) -> int:
        """Votes for no."""
        return self._votes_for(Vote.NO)

    @property
    def unsure(self) -> int:
        """Votes for neither."""
        return self._votes_for(Vote.CANNOT_ASSESS)

    def _votes_for(self, answer: Vote) -> int:
        return [vote.said for vote in self.cast].count(answer)

    @property
    def outcome(self) -> VoteOutcome | None:
        """What the votes come to; None while another one is needed."""
        asked = len(self.cast) + len(self.faults)
        if self._decided[0] != asked:  # it is looked at several times between two votes
            self._decided = asked, decide(self.rule, self._count())
        return self._decided[1]

    def next_votes(self) -> range:
        """The indexes of the votes to ask for now: the opening, then one at a time.

        Empty once the votes decide, and without budget: another vote would be a fault.
        """
        if self.faults and self._budget_spent() is not None:
            return range(0)
        asked = self.asked
        outcome = self.outcome if asked else None
        if outcome is not None and not self._asks_again(outcome):
            return range(0)
        count = max(1, self.rule.opening - asked)
        return range(asked, asked + count)

    def _asks_again(self, outcome: VoteOutcome) -> bool:
        """Whether the next vote asks the negated question again, because it contradicts the leader so far."""
        if not self.negated or self.asked not in self.negated:
            return False
        leader = self.verdict(outcome)
        return leader is not Vote.CANNOT_ASSESS and self._contradicted(leader)

    def fault(self) -> JudgeError | None:
        """The error why there is no verdict; None if the votes say enough."""
        if not self.faults:
            return None
        outcome = self.outcome
        if outcome in (VoteOutcome.PASSING, VoteOutcome.FAILING):
            return None
        if outcome in (None, VoteOutcome.BROKEN):
            return self._budget_spent() or self.faults[0]
        return self._budget_spent()

    def _budget_spent(self) -> JudgeError | None:
        for fault in self.faults:
            if isinstance(fault, BudgetSpent):
                return fault
        return None

    def _count(self) -> Count:
        said = [vote.said for vote in self.cast]
        passing, failing = said.count(Vote.YES), said.count(Vote.NO)
        unsure = len(said) - passing - failing
        if self.expected == "no":
            passing, failing = failing, passing
        return Count(passing, failing, unsure, len(self.faults))

    def verdict(self, outcome: VoteOutcome) -> Vote:
        """The answer that an outcome stands for."""
        if outcome not in (VoteOutcome.PASSING, VoteOutcome.FAILING):
            return Vote.CANNOT_ASSESS
        passes = outcome is VoteOutcome.PASSING
        if passes == (self.expected == "yes"):
            return Vote.YES
        return Vote.NO

    def signals(self) -> Signals:
        """What calibration reads from the votes."""
        return _signals(self.p_yes, tuple(map(_SIGNALLED, self.cast)))

    def _contradicted(self, answer: Vote) -> bool:
        return _is_against(answer, [vote.said for vote in self.cast if vote.inverted])

    def disagreement(self, answer: Vote) -> str:
        """Why a gate may not rest on an answer; empty if it may.

        Every vote on the negated question, or on one wording, says otherwise.
        """
        if self._contradicted(answer):
            return "the negated question was answered against it"
        by_wording: dict[str, list[Vote]] = {}
        for vote in self.cast:
            if not vote.inverted:
                by_wording.setdefault(vote.wording, []).append(vote.said)
        against = _OPPOSITE[answer]
        for wording, votes in by_wording.items():
            if len(votes) >= _MIN_UNANIMOUS and set(votes) == {against}:
                return f"every vote on the wording {wording} went against it"
        return ""

    def speaker(self, answer: Vote) -> Cast | None:
        """The first vote for an answer; the negated question comes last."""
        votes = [vote for vote in self._by_index() if vote.said is answer]
        if len(votes) == 1:
            return votes[0]
        return min(votes, key=attrgetter("inverted"), default=None)

    def reason(self, answer: Vote) -> str:
        """The reason of the first vote for an answer."""
        speaker = self.speaker(answer)
        if speaker is None:
            return ""
        return speaker.reason

    def score(self) -> str:
        """The votes in words (`3 yes, 1 no, 1 broken`)."""
        counts = {
            "yes": self.yes,
            "no": self.no,
            "cannot assess": self.unsure,
            "broken": len(self.faults),
        }
        parts: list[str] = []
        for name, count in counts.items():
            if count:
                parts.append(f"{count} {name}")
        return ", ".join(parts) or "no vote"

    def model(self) -> str | None:
        """The model that served the last vote."""
        if not self.cast:
            return None
        return self._by_index()[-1].model

    def served(self) -> frozenset[str]:
        """All models that served a vote."""
        return frozenset(vote.model for vote in self.cast)

    def cost(self) -> Money | None:
        """The cost of the votes that could be read; None if one is unknown."""
        if not self.cast:
            return None
        return total(vote.cost for vote in self.cast)

    def cost_avoided(self) -> Money | None:
        """What the votes from the cache would have cost."""
        return sum_known(*(vote.cost_avoided for vote in self.cast))

    def batch_audit(self) -> BatchAudit | None:
        """The vote that was asked alone as well as in a batch, if there is one."""
        for vote in self.cast:
            if vote.audit is not None:
                return vote.audit
        return None

    def _by_index(self) -> list[Cast]:
        if len(self.cast) == 1:
            return self.cast
        return sorted(self.cast, key=attrgetter("index"))


_SIGNALLED: Final = attrgetter("said", "inverted", "p_yes", "quote_found")
_Signalled: TypeAlias = tuple[Vote, bool, float | None, bool | None]


@lru_cache(maxsize=256)  # the votes on most questions say one of a few things
def _signals(p_yes: float | None, votes: tuple[_Signalled, ...]) -> Signals:
    """The signals of the judge's own probability and of votes: what each said, and so on as in `_SIGNALLED`."""
    said = [vote for vote, *_ in votes]
    yes, no = said.count(Vote.YES), said.count(Vote.NO)
    leader = Vote.NO if no > yes else Vote.YES
    known = [p_yes, *(own for _, _, own, _ in votes)]
    probabilities = [each for each in known if each is not None]
    quotes = [
        found for vote, _, _, found in votes if vote is leader and found is not None
    ]
    negated = [vote for vote, inverted, _, _ in votes if inverted]
    return Signals(
        yes=yes,
        no=no,
        p_yes=sum(probabilities) / len(probabilities) if probabilities else None,
        contradicted=_is_against(leader, negated),
        quote_found=all(quotes) if quotes else None,
    )


def _is_against(answer: Vote, negated: Sequence[Vote]) -> bool:
    """Whether every vote on the negated question, of at least one, says the opposite of an answer."""
    return bool(negated) and set(negated) == {_OPPOSITE[answer]}
