"""Drive a validator by hand: no engine, no event loop, no network."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

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
        needs: list[Need] = []
        for named_needs in self.rounds:
            needs += named_needs.values()
        return tuple(needs)


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
        needs = next(generator)
        while True:
            rounds.append(needs)
            answers = {name: replies.to(name, need) for name, need in needs.items()}
            needs = generator.send(answers)
    except StopIteration as stop:
        return cast("list[Verdict]", stop.value)


class _Replies:
    """The answers that a test has prepared, and which of them were used."""

    def __init__(self, answers: Answers) -> None:
        self._function: Callable[[Need], Answer] | None = None
        self._by_name: dict[str, Answer] = {}
        self._queue: list[Answer] = []
        if callable(answers):
            self._function = answers
        elif isinstance(answers, Mapping):
            self._by_name = dict(answers)
        else:
            self._queue = list(answers)

    def to(self, name: str, need: Need) -> Answer:
        """The answer to one need."""
        if self._function is not None:
            return self._function(need)
        if name in self._by_name:
            return self._by_name.pop(name)
        if self._queue:
            return self._queue.pop(0)
        raise ValueError(f"there is no answer to the need {name!r}: {need}")

    def check_used(self) -> None:
        """Raise ValueError when answers are left over."""
        if self._by_name:
            raise ValueError(f"answers to no need: {', '.join(self._by_name)}")
        if self._queue:
            raise ValueError(f"{len(self._queue)} answers were left over")
