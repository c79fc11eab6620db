"""Drive a validator by hand: no engine, no event loop, no network."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from judgemesh.contracts.needs import Answer, Need
from judgemesh.contracts.validator import Case, Judgement, Run, Validator
from judgemesh.contracts.verdicts import Verdict
from judgemesh.mesh.grading.verdicts import verdicts_of

Answers = Callable[[Need], Answer] | Mapping[str, Answer] | Sequence[Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What a validator needed, round by round and by name, and its verdicts."""

    verdicts: list[Verdict]
    rounds: tuple[Mapping[str, Need], ...] = ()

    @property
    def needs(self) -> tuple[Need, ...]:
        """All needs in the order they were asked."""
        return tuple(need for asked in self.rounds for need in asked.values())


def drive(validator: Validator | Run, case: Case, answers: Answers = ()) -> Driven:
    """Run a generator validator, or a plain one, to its end.

    Args:
        validator: a `Validator`, or the bare function.
        case: the case to look at.
        answers: a function from a need to its answer, the answers by the names of the needs, or the answers in the
            order of the needs.

    Raises:
        TypeError: the validator is an async function; await it.
        ValueError: a need has no answer, or an answer belongs to no need.
    """
    running = validator(case)
    if isinstance(running, Coroutine):
        running.close()
        raise TypeError("drive() does not run async validators; await the call")
    replies = _Replies(answers)
    if not isinstance(running, Generator):
        replies.check_used()
        return Driven(verdicts=verdicts_of(running))
    rounds: list[Mapping[str, Need]] = []
    verdicts = _drive(running, replies, rounds)
    replies.check_used()
    return Driven(verdicts=verdicts, rounds=tuple(rounds))


def _drive(
    generator: Judgement, replies: _Replies, rounds: list[Mapping[str, Need]]
) -> list[Verdict]:
    """Answer a generator until it returns; what it asked is added to `rounds`."""
    try:
        asked: Any = next(generator)
        while True:
            needs = _named(asked)
            rounds.append(needs)
            replied = {name: replies.to(name, need) for name, need in needs.items()}
            by_name = isinstance(asked, Mapping)
            asked = generator.send(replied if by_name else list(replied.values()))
    except StopIteration as stop:
        return cast("list[Verdict]", stop.value)


class _Replies:
    """The answers that a test has prepared, and which of them were used."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._used: set[str] = set()
        self._next = 0

    def to(self, name: str, need: Need) -> Answer:
        """The answer to one need."""
        answers = self._answers
        if callable(answers):
            return answers(need)
        if isinstance(answers, Mapping):
            if name not in answers:
                raise ValueError(f"no answer to {name!r}: {need}")
            self._used.add(name)
            return answers[name]
        if self._next == len(answers):
            raise ValueError(
                f"all {len(answers)} answers are used; the next need is {name!r}: {need}"
            )
        self._next += 1
        return answers[self._next - 1]

    def check_used(self) -> None:
        """Raise ValueError when answers are left over."""
        answers = self._answers
        if isinstance(answers, Mapping):
            left = [name for name in answers if name not in self._used]
            if left:
                raise ValueError(f"answers to no need: {', '.join(left)}")
        elif not callable(answers) and self._next < len(answers):
            left_over = len(answers) - self._next
            raise ValueError(f"{left_over} answers were left over")


def _named(asked: Any) -> Mapping[str, Need]:
    if isinstance(asked, Mapping):
        return cast("Mapping[str, Need]", asked)
    return {str(position): need for position, need in enumerate(asked)}
