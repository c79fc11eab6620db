"""One vote on several questions in one call: the prompt, who is left out, who pays what.

What is wrong with one question costs no other its vote: a question without a readable
verdict is asked alone, and so are all of them if the reply as a whole was refused or
cannot be read, because one of them may be the reason. A small seeded share of the calls
is also asked question by question (`audited`), which shows whether the answers of a call
influence each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeMalformed, JudgeRefused, JudgeRejected
from judgemesh.contracts.needs import Material
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.prompting.frame import Framed, frame_together
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.several import (
    Readings,
    read_verdicts,
    shares,
    verdicts_schema,
)
from judgemesh.mesh.judging.voting.batches import QuestionBatch
from judgemesh.prompts.loader import Prompt, variants

_BATCH_PROMPT: Final = "yes_no_batch.v1"
_MIN_QUESTIONS: Final = 2
_ASK_ALONE: Final = (JudgeMalformed, JudgeRefused, JudgeRejected)
"""Errors that one of the questions may be the reason for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchShare:
    """What a call for several questions returned for one of them.

    Args:
        answer: its reading, None if there is none, and its share of the cost.
        framed: what the judge was shown.
        prompt: the wording.
        call: names the call.
        position: its position in the call, from 0.
        size: the number of questions in the call.
        audited: whether the question is also to be asked alone, to compare.
    """

    answer: SampleAnswer[VerdictReading | None]
    framed: Framed
    prompt: Prompt
    call: str
    position: int
    size: int
    audited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCaller:
    """Asks several questions in one call.

    Args:
        client: asks the model.
        rotate: whether votes go through all wordings.
        audit: the share (0..1) of first votes that is also asked alone.
        seed: of the order, the first wording and the audit.
        budget: tokens that a prompt may be estimated at; None for no limit.
    """

    client: Client
    rotate: bool = True
    audit: float = 0.05
    seed: int = 0
    budget: int | None = None

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The wordings that votes go through."""
        prompts = variants(_BATCH_PROMPT)
        return prompts if self.rotate else prompts[:1]

    async def ask(
        self,
        batch: QuestionBatch,
        open_members: Collection[int],
        index: int,
        context: CallContext,
    ) -> Mapping[int, BatchShare]:
        """Vote `index` on the open members of a batch; a member without a share is asked alone.

        Raises:
            JudgeError: the call failed in a way that no question is the reason for.
        """
        prompt = batch.wording(self.prompts, index, seed=self.seed)
        members = batch.order(open_members, index, seed=self.seed)
        framed = await self._frame(batch, members, prompt)
        while any(part.coverage.missing for part in framed):
            # What a question needs may not fit beside the needs of the others.
            fitting: list[int] = []
            for member, part in zip(members, framed, strict=True):
                if not part.coverage.missing:
                    fitting.append(member)
            members = fitting
            if len(members) < _MIN_QUESTIONS:
                return {}
            framed = await self._frame(batch, members, prompt)
        ids = tuple(batch.questions[member].question_id for member in members)
        sample = Sample(
            question_id=",".join(ids),
            question_ids=ids,
            prompt=prompt,
            framed=framed[0],
            schema=verdicts_schema(len(ids)),
            read=partial(read_verdicts, count=len(ids)),
            context=context,
            sample_index=index,
        )
        try:
            answer = await self.client.ask(sample)
        except _ASK_ALONE:
            return {}
        audited = index == 0 and self._is_audited(framed[0])
        return _shares(members, answer, framed, prompt, audited=audited)

    async def _frame(
        self, batch: QuestionBatch, members: Sequence[int], prompt: Prompt
    ) -> tuple[Framed, ...]:
        materials = batch.questions[0].materials
        questions = tuple(batch.questions[member].question for member in members)
        args = prompt, materials, questions, self.seed, self.budget
        return await prepared(materials, partial(_framed_together, *args))

    def _is_audited(self, framed: Framed) -> bool:
        draw = Random(f"{self.seed}:halo:{framed.digest}")  # noqa: S311 - a sample
        return draw.random() < self.audit


def _shares(
    members: Sequence[int],
    answer: SampleAnswer[Readings],
    framed: Sequence[Framed],
    prompt: Prompt,
    *,
    audited: bool,
) -> dict[int, BatchShare]:
    """The share of each member: its reading and its part of the cost."""
    costs = shares(answer.cost, len(members))
    avoided = shares(answer.cost_avoided, len(members))
    return {
        member: BatchShare(
            answer=SampleAnswer(
                value=answer.value.each[position],
                model=answer.model,
                cost=costs[position],
                cost_avoided=avoided[position],
            ),
            framed=framed[position],
            prompt=prompt,
            call=framed[position].digest,
            position=position,
            size=len(members),
            audited=audited,
        )
        for position, member in enumerate(members)
    }


@lru_cache(maxsize=64)
def _framed_together(
    prompt: Prompt,
    materials: tuple[Material, ...],
    questions: tuple[str, ...],
    seed: int,
    budget: int | None,
) -> tuple[Framed, ...]:
    return frame_together(
        prompt, materials, questions=questions, seed=seed, budget=budget
    )
