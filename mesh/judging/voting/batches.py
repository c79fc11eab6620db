"""Where votes on several questions meet before they go out in one call.

Questions put together (`Company`) about the same materials sit at one table, at most so many. A vote waits until each
of the others has come to the same vote or is decided, so that who goes together follows from the answers alone, never
from the clock: the same answers make the same calls, and the cache finds them again. Knows nothing of models.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Generic, TypeVar
from weakref import WeakKeyDictionary

import anyio

from judgemesh.contracts.attempts import Company
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Ask, Material

R = TypeVar("R")

_PATIENCE_S: Final = 300.0  # far above the deadline of a question: a way out if somebody never says that it is done


@dataclass(slots=True, eq=False)
class _Round(Generic[R]):
    """One vote of a table: who has come to it, and what came of it."""

    present: list[int] = field(default_factory=list[int])
    complete: anyio.Event = field(default_factory=anyio.Event)
    over: anyio.Event = field(default_factory=anyio.Event)
    closed: bool = False
    result: R | None = None
    error: Exception | None = None


@dataclass(slots=True, eq=False)
class Table(Generic[R]):
    """Questions that are voted on together. R is what one call comes to."""

    members: tuple[Ask, ...]
    patience_s: float = _PATIENCE_S
    gone: set[int] = field(default_factory=set[int])
    _rounds: dict[int, _Round[R]] = field(default_factory=dict[int, "_Round[R]"])

    async def meet(
        self, member: int, index: int, call: Callable[[tuple[int, ...]], Awaitable[R]]
    ) -> R | None:
        """Wait for the others' vote `index`; the first who came makes the call for all. None for who is left alone.

        Raises:
            Exception: what the call raised, for everybody in it.
        """
        meeting = self._rounds.setdefault(index, _Round())
        if meeting.closed or member in meeting.present or member in self.gone:
            return None
        meeting.present.append(member)
        self._look(meeting)
        if meeting.present[0] == member:
            await self._lead(meeting, call)
        else:
            await meeting.over.wait()
        if meeting.error is not None:
            raise meeting.error
        return meeting.result

    async def _lead(
        self, meeting: _Round[R], call: Callable[[tuple[int, ...]], Awaitable[R]]
    ) -> None:
        meeting.error = JudgeError(
            "the call for several questions was given up"
        )  # stands if this is cancelled
        try:
            with anyio.move_on_after(self.patience_s):
                await meeting.complete.wait()
            meeting.closed = True
            if len(meeting.present) > 1:
                meeting.result = await call(tuple(sorted(meeting.present)))
            meeting.error = None
        except Exception as error:  # noqa: BLE001 - raised again in every question's own task
            meeting.error = error
        finally:
            meeting.closed = True
            meeting.over.set()

    def leave(self, member: int) -> None:
        """A question is decided, or will not be asked here; nobody waits for it any more."""
        self.gone.add(member)
        for meeting in self._rounds.values():
            self._look(meeting)

    def _look(self, meeting: _Round[R]) -> None:
        if len(self.gone | set(meeting.present)) == len(self.members):
            meeting.complete.set()


@dataclass(frozen=True, slots=True)
class Seat(Generic[R]):
    """One question's place at its table."""

    table: Table[R]
    member: int

    def leave(self) -> None:
        """The question is decided."""
        self.table.leave(self.member)


class Tables(Generic[R]):
    """The tables of one judge. most: questions of one table, 2 or more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._seats: WeakKeyDictionary[Company, dict[int, Seat[R]]] = (
            WeakKeyDictionary()
        )

    def seat(self, need: Ask, company: Company | None) -> Seat[R] | None:
        """The seat of a question; None for one that is asked alone: a gate, or one that has no company."""
        place = None if company is None else company.place(need)
        if company is None or place is None:
            return None
        seats = self._seats.get(company)
        if seats is None:
            seats = self._seats[company] = self._laid(company)
        return seats.get(place)

    def _laid(self, company: Company) -> dict[int, Seat[R]]:
        """Tables for all questions of a company: plain ones about the same materials, in groups of about one size."""
        alike: dict[tuple[Material, ...], list[int]] = {}
        for place, need in enumerate(company.needs):
            if (
                not need.gating and company.place(need) == place
            ):  # one that is put twice sits down once
                alike.setdefault(need.materials, []).append(place)
        seats: dict[int, Seat[R]] = {}
        for places in alike.values():
            for group in _groups(places, self._most):
                if len(group) > 1:
                    table: Table[R] = Table(
                        tuple(company.needs[place] for place in group)
                    )
                    seats |= {
                        place: Seat(table, member) for member, place in enumerate(group)
                    }
        for place in company.gone & seats.keys():
            seats[place].leave()

        def told(place: int) -> None:
            if place in seats:
                seats[place].leave()

        company.listen(told)
        return seats


def _groups(places: Sequence[int], most: int) -> list[list[int]]:
    """As few groups as will do, and none more than one longer than another: 9 of at most 8 are 5 and 4."""
    count = -(-len(places) // most)
    size, more = divmod(len(places), count)
    ends = [number * size + min(number, more) for number in range(count + 1)]
    return [list(places[start:end]) for start, end in pairwise(ends)]
