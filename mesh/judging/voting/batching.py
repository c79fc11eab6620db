"""One vote on several questions in one call: the seeded order, the prompt, who is left out, what each question pays.

What one question lacks costs no other its vote: who has no readable verdict is asked alone, and so is everybody where
the reply as a whole cannot be read or was refused, because one of the questions may be why. A small seeded share of the
calls is put question by question as well (`audited`), which is what tells whether the answers of one call depend on
each other (`halo.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeMalformed, JudgeRefused, JudgeRejected
from judgemesh.contracts.needs import Ask, Material
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.prompting.frame import Framed, frame_together
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.replies.parse import Reading
from judgemesh.mesh.judging.replies.several import (
    Readings,
    order,
    read_verdicts,
    shares,
    verdicts_schema,
)
from judgemesh.mesh.judging.voting.batches import Seat, Table, Tables
from judgemesh.prompts.loader import Prompt, variants

_ALONE: Final = (JudgeMalformed, JudgeRefused, JudgeRejected)
"""After these everybody is asked alone: one of the questions may be the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a call for several questions gave one of them.

    answered: its reading, None for none, and its share of the cost. place, of: where it stood among how many, from 0.
    call: names the call. audited: the question is to be asked alone as well, to compare.
    """

    answered: SampleAnswer[Reading | None]
    framed: Framed
    prompt: Prompt
    call: str
    place: int
    of: int
    audited: bool = False


Round = Mapping[int, Given]
"""What a call gave each member of its table that was in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Asks several questions in one call.

    most: questions of one call. rotate: whether votes go through all wordings. audit: the share of first votes that is
    asked alone as well, 0..1. budget: tokens a prompt may be estimated at.
    """

    client: Client
    most: int
    rotate: bool = True
    audit: float = 0.05
    seed: int = 0
    budget: int | None = None
    prompt: str = "yes_no_batch.v1"
    _tables: Tables[Round] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tables", Tables[Round](self.most))

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The wordings that votes rotate through."""
        return variants(self.prompt) if self.rotate else variants(self.prompt)[:1]

    def seat(self, need: Ask, context: CallContext) -> Seat[Round] | None:
        """Where the question is voted on together with others; None for one that is asked alone."""
        return self._tables.seat(need, context.company)

    async def vote(
        self, seat: Seat[Round], index: int, context: CallContext
    ) -> Given | None:
        """What one call for all who vote now gave this question; None where it has to be asked alone.

        Raises:
            JudgeError: the call failed in a way that no question is the reason of.
        """

        async def call(present: tuple[int, ...]) -> Round:
            return await self._call(seat.table, present, index, context)

        found = await seat.table.meet(seat.member, index, call)
        return None if found is None else found.get(seat.member)

    async def _call(
        self,
        table: Table[Round],
        present: Sequence[int],
        index: int,
        context: CallContext,
    ) -> Round:
        key = f"{self.seed}:" + "\x1f".join(need.question for need in table.members)
        prompt = self._wording(key, index)
        # The order is drawn for each result anew: over a run, every question stands everywhere.
        about = "\x1f".join(part.text for part in table.members[0].materials)
        turns = order(range(len(table.members)), index, key=f"{key}:{_digest(about)}")
        asked = [member for member in turns if member in present]
        framed = await self._framed(table, asked, prompt)
        while any(one.coverage.missing for one in framed):
            # What this question needs did not fit beside what the others need; alone it has all the room.
            asked = [
                member
                for member, one in zip(asked, framed, strict=True)
                if not one.coverage.missing
            ]
            if len(asked) < 2:
                return {}
            framed = await self._framed(table, asked, prompt)
        try:
            answered = await self.client.ask(
                self._work(table, asked, prompt, framed[0], index, context)
            )
        except _ALONE:
            return {}
        return self._shared(
            asked,
            answered,
            framed,
            prompt,
            audited=index == 0 and self._drawn(framed[0]),
        )

    def _wording(self, key: str, index: int) -> Prompt:
        wordings = self.prompts
        start = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[0]
        return wordings[(start + index) % len(wordings)]

    async def _framed(
        self, table: Table[Round], asked: Sequence[int], prompt: Prompt
    ) -> tuple[Framed, ...]:
        materials = table.members[0].materials
        given = (
            prompt,
            materials,
            tuple(table.members[member].question for member in asked),
            self.seed,
            self.budget,
        )
        return await prepared(materials, lambda: _frame(*given))

    def _work(
        self,
        table: Table[Round],
        asked: Sequence[int],
        prompt: Prompt,
        framed: Framed,
        index: int,
        context: CallContext,
    ) -> Sample[Readings]:
        return Sample(
            question_id=",".join(table.members[member].question_id for member in asked),
            question_ids=tuple(table.members[member].question_id for member in asked),
            prompt=prompt,
            framed=framed,
            schema=verdicts_schema(len(asked)),
            read=lambda reply: read_verdicts(reply, len(asked)),
            context=context,
            sample_index=index,
        )

    def _drawn(self, framed: Framed) -> bool:
        return Random(f"{self.seed}:halo:{framed.digest}").random() < self.audit  # noqa: S311 - a sample

    def _shared(
        self,
        asked: Sequence[int],
        answered: SampleAnswer[Readings],
        framed: Sequence[Framed],
        prompt: Prompt,
        *,
        audited: bool,
    ) -> Round:
        costs, avoided = (
            shares(answered.cost, len(asked)),
            shares(answered.cost_avoided, len(asked)),
        )
        return {
            member: Given(
                answered=SampleAnswer(
                    value=answered.value.each[place],
                    model=answered.model,
                    cost=costs[place],
                    cost_avoided=avoided[place],
                ),
                framed=framed[place],
                prompt=prompt,
                call=framed[place].digest,
                place=place,
                of=len(asked),
                audited=audited,
            )
            for place, member in enumerate(asked)
        }


@lru_cache(maxsize=64)
def _frame(
    prompt: Prompt,
    materials: tuple[Material, ...],
    questions: tuple[str, ...],
    seed: int,
    budget: int | None,
) -> tuple[Framed, ...]:
    return frame_together(
        prompt, materials, questions=questions, seed=seed, budget=budget
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
