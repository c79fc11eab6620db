"""The picks of a run: its decisions about tool calls, and what is wrong with those that are not right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class PickProblem(StrEnum):
    """What is wrong with a pick."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    BETTER_TOOL = "better_tool_existed"
    WRONG_ARGUMENTS = "wrong_arguments"
    WRONG_TOOL = "wrong_tool"
    OUT_OF_ORDER = "out_of_order"
    MISSING = "missing_call"
    EXTRA = "extra_call"


@dataclass(frozen=True, slots=True)
class PickedCall:
    """One tool call: the registered name of its tool, its arguments and its reference as evidence.

    together: the group of calls that were made at once; None if it was made alone.
    unread: its arguments are no JSON object, and are taken for those that would be right.
    """

    name: str
    arguments: Mapping[str, object]
    ref: str
    together: int | None = None
    unread: bool = False


@dataclass(frozen=True, slots=True)
class WrongPick:
    """A decision that went wrong.

    ref: the call; None for one that was never made. repeats: how many equal ones.
    beyond: the call is one more than the expert's, though it was the first pick of a decision.
    """

    problem: PickProblem
    why: str
    ref: str | None = None
    repeats: int = 1
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Picks:
    """The picks of one run. The decisions are the expert's calls (`expected`) and every counted call beyond them.

    correct: decisions whose first pick was right.
    answered: decisions that some call answered, on the first try or a later one.
    """

    expected: int
    extras: int
    correct: int
    answered: int
    wrong: tuple[WrongPick, ...] = ()
    first_pick_correct: bool = False
    first_tool_correct: bool = False
    forbidden: tuple[WrongPick, ...] = ()

    @property
    def decisions(self) -> int:
        """How many decisions there were."""
        return self.expected + self.extras

    @property
    def made(self) -> int:
        """How many counted calls were made."""
        wrong = (pick for pick in self.wrong if pick.problem is not PickProblem.MISSING)
        return self.answered + sum(pick.repeats for pick in wrong)

    def measured(self, measure: str, extra_penalty: float) -> float:
        """The score that a threshold is compared with; 1 where no call was due and none was made."""
        if measure == "share":
            return min(1.0, self.score(extra_penalty))
        due = {
            "precision": self.made,
            "recall": self.expected,
            "f1": (self.made + self.expected) / 2,
        }[measure]
        if due == 0:
            return float(self.made == 0)
        return min(1.0, self.answered / due)

    def score(self, extra_penalty: float) -> float:
        """Share of correct picks, each call beyond the expert's weighing `extra_penalty`; 1 where none were due."""
        weight = self.expected + extra_penalty * self.extras
        if weight > 0:
            return self.correct / weight
        return float(self.extras == 0 or extra_penalty == 0)
