"""The questions of one result in `--mode economy`: one gating question after another, until the gate has failed.

All that needs no judge runs first. If the gate has not failed then, the gating questions are asked one at a time, in
the order of the history; after an answer that fails the gate no further question is asked, apart from those of
validators in the sample. Plain questions come last, together. A gate that passes, or stays undecided, has had every
question asked.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol

import anyio
from anyio.abc import TaskGroup

from judgemesh.contracts.needs import Answer, Ask, Extract, Judged, Need
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.grading.economy.asked import NOT_ASKED
from judgemesh.mesh.grading.economy.history import QuestionHistory


class Answering(Protocol):
    """What answers needs; `Resolver` does."""

    async def answer(
        self, needs: Mapping[str, Need], validator_name: str
    ) -> dict[str, Answer]:
        """The answers by the names of the needs."""
        ...


@dataclass(slots=True, kw_only=True)
class Asker:
    """A validator that waits for a judge.

    place: its place in the plan, by which questions of equal rank are asked.
    guards: whether its verdicts can fail the gate; None if that is for each question to say.
    fails: says whether the gate fails by its verdicts if no further question is answered than these.
    drawn: says, once the gate has failed, whether it is in the sample; it is told the answers so far.
    """

    place: int
    task_id: str
    validator_name: str
    guards: bool | None
    needs: Mapping[str, Need]
    fails: Callable[[Mapping[str, Answer]], Awaitable[bool]]
    drawn: Callable[[Mapping[str, Answer]], Awaitable[bool]]
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    done: anyio.Event = field(default_factory=anyio.Event)

    def unanswered(self) -> dict[str, Need]:
        """The needs without an answer."""
        return {
            name: need for name, need in self.needs.items() if name not in self.answers
        }

    def is_gating(self, need: Need) -> bool:
        """Whether the gate hangs on a need."""
        if self.guards is not None:
            return self.guards
        return isinstance(need, Extract) or (isinstance(need, Ask) and need.gating)

    def complete(self) -> dict[str, Answer]:
        """Every need with its answer; what was not asked is `NOT_ASKED`."""
        return {name: self.answers.get(name, NOT_ASKED) for name in self.needs}


@dataclass(slots=True, kw_only=True)
class JudgeQueue:
    """Hands out the judge.

    running: the number of validators that are neither done nor waiting here.
    gate_failed: says whether the gate has failed by the verdicts so far.
    tasks: the calls run in these, so that they outlive a validator that misses its deadline.
    decided: whether a question was left out because the gate had failed.
    """

    running: int
    gate_failed: Callable[[], bool]
    history: QuestionHistory
    resolver: Answering
    tasks: TaskGroup
    decided: bool = False
    _askers: list[Asker] = field(default_factory=list[Asker])
    _is_asking: bool = False

    def leave(self) -> None:
        """Count out a validator that is done or starts to wait; after the last one the asking goes on."""
        self.running -= 1
        self._go_on()

    async def answer(self, asker: Asker) -> dict[str, Answer]:
        """The answers of a validator that needs a judge, when its turn has come."""
        insort(self._askers, asker, key=attrgetter("place"))
        self.leave()
        try:
            await asker.done.wait()
        finally:
            self._release(asker)
        return asker.complete()

    def _release(self, asker: Asker) -> None:
        """Let a validator go on; one that missed its deadline meanwhile has been released already."""
        if asker.done.is_set():
            return
        self._askers.remove(asker)
        self.running += 1
        asker.done.set()

    def _go_on(self) -> None:
        if self.running == 0 and self._askers and not self._is_asking:
            self._is_asking = True
            self.tasks.start_soon(self._ask_in_turn)

    async def _ask_in_turn(self) -> None:
        try:
            while self.running == 0 and self._askers:
                self.decided = self.decided or self.gate_failed()
                if self.decided:
                    await self._end()
                    continue
                gating = min(self._gating(), key=attrgetter("rank"), default=None)
                if gating is not None:
                    await self._ask_one(gating)
                else:
                    await self._ask_all(self._askers)
        finally:
            self._is_asking = False
        self._go_on()

    def _gating(self) -> Iterator[_Candidate]:
        """The gating questions without an answer, in the order of the plan."""
        for asker in self._askers:
            for name, need in asker.unanswered().items():
                if asker.is_gating(need):
                    question = (asker.task_id, asker.validator_name, _id_of(need))
                    rank = self.history.rank(question, _characters(need))
                    yield _Candidate(asker, name, rank)

    async def _ask_one(self, candidate: _Candidate) -> None:
        asker, name = candidate.asker, candidate.name
        need = asker.needs[name]
        await self._ask(asker, {name: need})
        if _fails(need, asker.answers[name]):
            self.decided = await asker.fails(asker.answers)

    async def _ask_all(self, askers: Sequence[Asker]) -> None:
        """Ask all that is open, of each validator at once, so that its questions can share a call."""
        async with anyio.create_task_group() as asking:
            for asker in tuple(askers):
                asking.start_soon(self._ask, asker, asker.unanswered())

    async def _ask(self, asker: Asker, needs: Mapping[str, Need]) -> None:
        answers = await self.resolver.answer(needs, asker.validator_name)
        asker.answers.update(answers)
        if not asker.unanswered():
            self._release(asker)

    async def _end(self) -> None:
        """Ask no further questions, but for the validators in the sample."""
        drawn: list[Asker] = []
        for asker in tuple(self._askers):
            if await asker.drawn(asker.answers):
                drawn.append(asker)
            else:
                self._release(asker)
        await self._ask_all(drawn)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A gating question that could be asked next."""

    asker: Asker
    name: str
    rank: float


def _fails(need: Need, answer: Answer) -> bool:
    """Whether an answer may fail the gate: the judge gave the one that does not pass."""
    if not isinstance(need, Ask) or not isinstance(answer, Judged):
        return False
    return answer.vote is not Vote.CANNOT_ASSESS and answer.vote.value != need.expected


def _id_of(need: Need) -> str:
    return need.question_id if isinstance(need, Ask) else ""


def _characters(need: Need) -> int:
    """The length of what the judge has to read, at least 1."""
    if not isinstance(need, Ask | Extract):
        return 1
    return 1 + sum(len(material.text) for material in need.materials)
