"""Answers the needs of one result: each distinct need once, all of them concurrently.

The validator that asks first pays. A broken source or judge is an unanswered need, never a crash.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from anyio.abc import TaskGroup

from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extract,
    Extracted,
    Found,
    Judged,
    Lookup,
    Need,
    NotFound,
    Records,
    RecordsFound,
    Unanswered,
)
from judgemesh.contracts.verdicts import Reason
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.isolation.faults import first_line

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import CallContext, LookupContext


class JudgePort(Protocol):
    """What the engine needs of a judge."""

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> Sequence[Judged | Unanswered]:
        """Answer yes/no questions: one answer for each, in their order."""
        ...

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """Answer with structured data."""
        ...


class SourcesPort(Protocol):
    """What the engine needs of evidence and record sources."""

    async def records(self, need: Records, base_dir: Path) -> RecordsFound | Unanswered:
        """All execution records about a result."""
        ...

    async def lookup(
        self, need: Lookup, base_dir: Path, context: LookupContext
    ) -> Found | NotFound | Unanswered:
        """One item of an evidence source; the look-up is recorded in the context."""
        ...


_NO_JUDGE: Final = Unanswered(
    error_type=Reason.NOT_CONFIGURED, message="no judge is configured (--judge MODEL)"
)


def checked_needs(yielded: object) -> Mapping[str, Need]:
    """What a validator's generator yielded, as needs by name.

    Raises:
        TypeError: it is no mapping, or holds something that is no need.
    """
    if not isinstance(yielded, Mapping):
        raise TypeError(
            f"the validator yielded {type(yielded).__name__}; expected needs by name, "
            "such as {'polite': Ask(...)}"
        )
    for name, need in cast("Mapping[object, object]", yielded).items():
        if not isinstance(need, Need):
            kind = type(need).__name__
            raise TypeError(
                f"the validator yielded {kind} as {name!r}; expected Ask, Extract, Lookup or Records"
            )
    return cast("Mapping[str, Need]", yielded)


@dataclass(slots=True)
class _Slot:
    """One distinct need of a result and, once `done`, its answer."""

    done: asyncio.Event
    answer: Answer | None = None


class Resolver:
    """Answers the needs of one result. Needs are answered in `tasks`, so that an answer outlives whoever asked first.

    base_dir: what relative paths of the contract are relative to.
    """

    def __init__(
        self,
        judge: JudgePort | None,
        sources: SourcesPort,
        *,
        base_dir: Path,
        meter: Meter,
        tasks: TaskGroup,
    ) -> None:
        self._judge = judge
        self._sources = sources
        self._base_dir = base_dir
        self._meter = meter
        self._tasks = tasks
        self._slots: dict[object, _Slot] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is still worked at."""
        return not all(slot.done.is_set() for slot in self._slots.values())

    async def answer(
        self, needs: Mapping[str, Need], validator_name: str
    ) -> dict[str, Answer]:
        """The answers by the names of the needs, in their order."""
        from judgemesh.contracts.attempts import CallContext

        context = CallContext(
            validator_name=validator_name,
            record=self._meter.record,
            record_together=self._meter.record_together,
            sent=self._meter.sent,
            begun=self._meter.begun,
        )
        slots: dict[str, _Slot] = {}
        questions: list[tuple[Ask, _Slot]] = []
        asked = asyncio.Event()  # they are answered together
        for name, need in needs.items():
            key = _key(need)
            slot = self._slots.get(key)
            if slot is None:
                if isinstance(need, Ask):
                    slot = self._slots[key] = _Slot(asked)
                    questions.append((need, slot))
                else:
                    slot = self._slots[key] = _Slot(asyncio.Event())
                    self._tasks.start_soon(self._fill, slot, need, context)
            slots[name] = slot
        if questions:
            self._tasks.start_soon(self._ask, questions, context)
        for slot in slots.values():
            if not slot.done.is_set():
                await slot.done.wait()
        return {name: cast("Answer", slot.answer) for name, slot in slots.items()}

    async def _ask(
        self, questions: Sequence[tuple[Ask, _Slot]], context: CallContext
    ) -> None:
        """Ask the judge all new questions at once, so that it can put some together."""
        answers: Sequence[Answer]
        try:
            if self._judge is None:
                answers = [_NO_JUDGE] * len(questions)
            else:
                asked = [question for question, _ in questions]
                answers = await self._judge.ask_many(asked, context)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a broken judge is an unanswered need, not a crash)
            fault = Unanswered(error_type=Reason.EXCEPTION, message=first_line(error))
            answers = [fault] * len(questions)
        for (_, slot), answer in zip(questions, answers, strict=True):
            slot.answer = answer
        for _, slot in questions:
            slot.done.set()

    async def _fill(
        self, slot: _Slot, need: Extract | Lookup | Records, context: CallContext
    ) -> None:
        try:
            slot.answer = await self._answer(need, context)
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a broken source or judge is an unanswered need, not a crash)
            slot.answer = Unanswered(
                error_type=Reason.EXCEPTION, message=first_line(error)
            )
        slot.done.set()

    async def _answer(
        self, need: Extract | Lookup | Records, context: CallContext
    ) -> Answer:
        match need:
            case Records():
                found = await self._sources.records(need, self._base_dir)
                if isinstance(found, RecordsFound):
                    self._meter.records.extend(found.records)
                return found
            case Lookup():
                from judgemesh.contracts.attempts import LookupContext

                lookup_context = LookupContext(
                    validator_name=context.validator_name,
                    record=self._meter.record_lookup,
                )
                return await self._sources.lookup(need, self._base_dir, lookup_context)
            case Extract() if self._judge is not None:
                return await self._judge.extract(need, context)
            case Extract():
                return _NO_JUDGE


def _key(need: Need) -> object:
    """What identifies a need: two needs with equal keys have one answer."""
    match need:
        case Ask():
            return (Ask, need.question, need.materials, need.gating)
        case Extract():
            return (Extract, need.instruction, need.materials, repr(need.schema))
        case Lookup():
            source = _frozen(need.source)
            query = tuple(sorted(need.query.items()))
            return (Lookup, source, query, need.want_text)
        case Records():
            source = _frozen(need.source)
            return (Records, source, need.result_id, need.task_id, need.trace_id)


def _frozen(source: Mapping[str, object]) -> str:
    return repr(sorted(source.items()))
