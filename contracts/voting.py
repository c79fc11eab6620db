"""How a judge votes: the lead that decides, the wordings, and how sure a verdict must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from judgemesh.contracts.errors import ConfigError

VotesName = Literal["single", "lead", "economy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingRule:
    """When votes decide.

    Args:
        pass_lead, fail_lead: the lead that passes, and the lead that fails.
        k_max: votes at most.
        k_min: votes that a verdict needs at least.
        majority_decides: whether the majority of `k_max` is a verdict even without the lead.
    """

    pass_lead: int
    fail_lead: int
    k_max: int
    k_min: int = 1
    majority_decides: bool = False

    def __post_init__(self) -> None:
        if min(self.pass_lead, self.fail_lead, self.k_min) < 1:
            raise ValueError("leads and k_min are 1 or more")
        if self.k_max < max(self.pass_lead, self.fail_lead, self.k_min):
            raise ValueError(
                f"k_max {self.k_max} leaves no room for the leads and k_min"
            )

    @property
    def opening(self) -> int:
        """Votes that are asked for at once: no decision can need fewer."""
        return max(self.k_min, min(self.pass_lead, self.fail_lead))

    @property
    def majority(self) -> int:
        """Votes for one answer after which the other cannot overtake it."""
        return self.k_max // 2 + 1


SINGLE: Final = VotingRule(pass_lead=1, fail_lead=1, k_max=1)
SOFT: Final = VotingRule(pass_lead=2, fail_lead=2, k_max=5)
GATE: Final = VotingRule(pass_lead=3, fail_lead=2, k_max=9, k_min=2)

FIVE: Final = VotingRule(pass_lead=3, fail_lead=3, k_max=5, majority_decides=True)
"""The majority of five votes, without the votes that cannot change it: each verdict is that of five votes."""

_STRONG: Final = VotingRule(pass_lead=3, fail_lead=3, k_max=9)


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingPolicy:
    """How often a question is asked, and when its answer counts.

    Args:
        soft, gate: the rules of plain criteria and of those that a hard gate depends on.
        prompt: the yes/no prompt.
        rotate: whether votes go through all its wordings, from a seeded one.
        negated: the prompt that negates the question, asked as one vote on gates; None
            for no such vote.
        negated_again: whether the negated question is asked a second and a third time where it
            contradicts the leader of a gate; it holds the gate open only if it always does.
        temperature: sent with every vote; at 0 the votes of one wording cannot differ.
        least_soft, least_gate: a verdict whose calibrated correctness is lower is an
            abstention. They need a calibration; a certified threshold replaces them.
    """

    soft: VotingRule = SOFT
    gate: VotingRule = GATE
    prompt: str = "yes_no.v1"
    rotate: bool = True
    negated: str | None = "yes_no_negated.v1"
    negated_again: bool = False
    temperature: float = 0.7
    least_soft: float = 0.75
    least_gate: float = 0.90

    def rule(self, *, gating: bool) -> VotingRule:
        """The rule of one question."""
        return self.gate if gating else self.soft

    def least(self, *, gating: bool) -> float:
        """The least calibrated correctness that counts."""
        return self.least_gate if gating else self.least_soft

    def strong(self) -> VotingPolicy:
        """The policy of the judge that questions are escalated to: lead-3 instead of lead-2.

        The majority of five for a rule that was chosen by the labels of the first judge.
        """
        if self.soft == SINGLE:
            return self
        gate = FIVE if self.gate.majority_decides else self.gate
        return replace(self, soft=_STRONG, gate=gate)

    def to_json(self) -> dict[str, object]:
        """JSON-ready, for run keys."""
        again = {"negated_again": True} if self.negated_again else {}
        return {
            "soft": _rule_to_json(self.soft),
            "gate": _rule_to_json(self.gate),
            "rotate": self.rotate,
            "negated": self.negated,
            "least": [self.least_soft, self.least_gate],
            **again,
        }


def _rule_to_json(rule: VotingRule) -> list[int]:
    figures = [rule.pass_lead, rule.fail_lead, rule.k_max, rule.k_min]
    return [*figures, 1] if rule.majority_decides else figures


LEAD: Final = VotingPolicy()
"""The default: as many votes as the decision needs."""

ECONOMY: Final = VotingPolicy(gate=FIVE, negated_again=True)
"""The default of `--mode economy`: gates decide as five votes do, with the fewest calls."""

SINGLE_VOTE: Final = VotingPolicy(
    soft=SINGLE, gate=SINGLE, rotate=False, negated=None, temperature=0.0
)
"""One vote a question: cheapest, and blind to votes that would differ."""

_NAMED: Final[dict[str, VotingPolicy]] = {
    "lead": LEAD,
    "single": SINGLE_VOTE,
    "economy": ECONOMY,
}


def policy_of(votes: str | VotingPolicy) -> VotingPolicy:
    """The policy of that name, or the policy itself.

    Raises:
        ConfigError: there is none of that name.
    """
    if isinstance(votes, VotingPolicy):
        return votes
    if votes not in _NAMED:
        raise ConfigError(
            f"there is no voting policy {votes!r}",
            where="votes",
            hint=f"expected {' or '.join(_NAMED)}",
        )
    return _NAMED[votes]
