"""Drive a generator validator by hand: no engine, no event loop, no network."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import cast

from judgemesh.contracts.needs import Answer, Need
from judgemesh.contracts.validator import Case, Judgement, Run, Validator
from judgemesh.contracts.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What the validator asked, round by round, and what it said in the end."""

    verdicts: list[Verdict]
    rounds: tuple[tuple[Need, ...], ...]

    @property
    def needs(self) -> tuple[Need, ...]:
        """All needs in the order they were asked."""
        return tuple(need for asked in self.rounds for need in asked)


def drive(
    validator: Validator | Run,
    case: Case,
    answers: Callable[[Need], Answer] | Sequence[Answer] = (),
) -> Driven:
    """Run a generator validator to its end.

    Args:
        validator: a `Validator`, or the bare generator function.
        case: what it looks at.
        answers: a function from a need to its answer, or the answers in the order of the needs.

    Raises:
        TypeError: the validator is no generator; call it, it needs nobody to answer.
        ValueError: a list of answers has too few or too many for what was asked.
    """
    running = validator(case)
    if not isinstance(running, Generator):
        raise TypeError(
            "drive() is for generator validators; a plain or async validator is simply called"
        )
    judgement: Judgement = running
    queue = None if callable(answers) else list(answers)
    rounds: list[tuple[Need, ...]] = []
    try:
        asked = next(judgement)
        while True:
            rounds.append(tuple(asked))
            given = (
                [answers(need) for need in asked]
                if callable(answers)
                else _take(queue or [], asked)
            )
            asked = judgement.send(given)
    except StopIteration as stop:
        if queue:
            raise ValueError(
                f"{len(queue)} answers were left over after {len(rounds)} rounds"
            ) from None
        return Driven(verdicts=cast("list[Verdict]", stop.value), rounds=tuple(rounds))


def _take(queue: list[Answer], asked: list[Need]) -> list[Answer]:
    if len(queue) < len(asked):
        raise ValueError(
            f"{len(asked)} needs, but only {len(queue)} answers are left; the first need is {asked[0]}"
        )
    given = queue[: len(asked)]
    del queue[: len(asked)]
    return given
