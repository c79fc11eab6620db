"""How often each question of a judge failed the gate in earlier runs, what it cost, and the order that follows. Pure.

Of independent questions that each end the asking with probability p at the cost c, the order of rising c / p has the
least expected cost (the ratio rule of sequential testing: Simon and Kadane, *Artificial Intelligence* 6, 1975).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

PRIOR_FAILURES: Final = 0.2
"""The share of gating questions that fail, where nothing is known."""
PRIOR_WEIGHT: Final = 5.0
"""How many answers a prior counts for."""

Question = tuple[str, str, str]
"""Task, validator, and question: its id, or the check of its verdict."""


class QuestionRow(Protocol):
    """What a ledger knows about one gating question of a task.

    answered: verdicts that a judge gave. failed: how many of these were failures. cost: the mean of what the judge cost
    for one, in the currency of its price; None if it is unknown, or was never billed.
    """

    @property
    def task_id(self) -> str: ...  # noqa: D102
    @property
    def validator_name(self) -> str: ...  # noqa: D102
    @property
    def question_id(self) -> str: ...  # noqa: D102
    @property
    def answered(self) -> int: ...  # noqa: D102
    @property
    def failed(self) -> int: ...  # noqa: D102
    @property
    def cost(self) -> float | None: ...  # noqa: D102


@dataclass(slots=True)
class _Tally:
    answered: int = 0
    failed: int = 0

    def rate(self, prior: float) -> float:
        """The share of failures, shrunk to the prior."""
        pseudo = prior * PRIOR_WEIGHT
        return (self.failed + pseudo) / (self.answered + PRIOR_WEIGHT)


@dataclass(frozen=True, slots=True)
class QuestionHistory:
    """What earlier runs say. Empty, it orders questions by the length of what the judge has to read."""

    tallies: dict[tuple[str, ...], _Tally] = field(
        default_factory=dict[tuple[str, ...], _Tally]
    )
    costs: dict[Question, float] = field(default_factory=dict[Question, float])

    def failure_rate(self, question: Question) -> float:
        """The probability (0..1, never 0) that the answer fails the gate.

        The rate of the question in its task, shrunk to its rate in all tasks, shrunk to that of all its validator's
        questions, shrunk to that of all questions.
        """
        _, validator_name, question_id = question
        levels = ((), (validator_name,), (validator_name, question_id), question)
        rate = PRIOR_FAILURES
        for level in levels:
            tally = self.tallies.get(level)
            if tally is not None:
                rate = tally.rate(rate)
        return rate

    def expected_cost(self, question: Question, characters: int) -> float:
        """What asking costs: the mean bill, or that of all questions; without any bill the characters to read."""
        if not self.costs:
            return float(characters)
        cost = self.costs.get(question)
        return self._mean_cost() if cost is None else cost

    def rank(self, question: Question, characters: int) -> float:
        """Questions with a lower rank are asked first: expected cost over the probability of failing the gate."""
        cost = self.expected_cost(question, characters)
        return cost / self.failure_rate(question)

    def _mean_cost(self) -> float:
        return sum(self.costs.values()) / len(self.costs)


def history_of(rows: Iterable[QuestionRow]) -> QuestionHistory:
    """The history that the rows of a ledger make."""
    history = QuestionHistory()
    for row in rows:
        question = (row.task_id, row.validator_name, row.question_id)
        for level in ((), question[1:2], question[1:], question):
            tally = history.tallies.setdefault(level, _Tally())
            tally.answered += row.answered
            tally.failed += row.failed
        if row.cost:
            history.costs[question] = row.cost
    return history
