"""One vote on one question: which wording, what the model said, whether it counts.

A doubtful answer is asked for once more with a prompt that says so; after a second doubt
it is a vote for neither side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.money import total
from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.opinions import BatchAudit, Vote
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.costs import sum_known
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.replies.parse import VERDICT_SCHEMA, read_verdict
from judgemesh.mesh.judging.replies.quotes import is_quote
from judgemesh.mesh.judging.replies.review import Doubt, ReplyReview, review, settled
from judgemesh.mesh.judging.voting.ballot import Cast
from judgemesh.mesh.judging.voting.batch_call import BatchShare
from judgemesh.mesh.judging.voting.wordings import Wordings
from judgemesh.prompts.loader import Prompt


@lru_cache(maxsize=128)  # the votes on one question share their wordings
def _framed(
    prompt: Prompt,
    materials: tuple[Material, ...],
    question: str,
    seed: int,
    budget: int | None,
) -> Framed:
    return frame(prompt, materials, criterion=question, seed=seed, budget=budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """Asks for single votes on single questions.

    Args:
        client: asks the model.
        wordings: what votes are asked with.
        seed: of the first wording and of boundaries in the prompt.
        budget: tokens that a prompt may be estimated at; None for no limit.
    """

    client: Client
    wordings: Wordings
    seed: int = 0
    budget: int | None = None

    async def frame(self, need: Ask, prompt: Prompt) -> Framed:
        """The messages of a vote, made off the event loop if the materials are long."""
        args = prompt, need.materials, need.question, self.seed, self.budget
        return await prepared(need.materials, partial(_framed, *args))

    def prompt(self, need: Ask, index: int) -> Prompt:
        """The wording of a vote."""
        return self.wordings.prompt(need, index, seed=self.seed)

    async def vote(
        self,
        need: Ask,
        index: int,
        context: CallContext,
        share: BatchShare | None = None,
        framed: Framed | None = None,
    ) -> Cast:
        """Vote `index` on a question.

        Args:
            need: the question.
            index: which vote it is.
            context: who asks.
            framed: the messages of the vote, where they are made already.
            share: what a call for several questions returned for this one. Without it,
                or if it cannot be read, the question is asked alone.

        Raises:
            JudgeError: there is no reply that can be read.
        """
        answers: list[SampleAnswer[Any]] = []
        if share is not None:
            answers.append(share.answer)
        ask = partial(self._ask, need, index, context, answers)
        shown = None
        if share is None or share.answer.value is None:
            prompt = self.prompt(need, index)
            first = await ask(prompt, framed)
        else:
            prompt, shown = share.prompt, share.framed
            reading = share.answer.value
            first = review(reading, shown, question=need.question, prompt=prompt)
        final = await settled(first, ask)
        model = answers[-1].model
        audit = None
        if share is not None and shown is not None and share.audited:
            audit = await self._audit(
                need, index, context, share, answers, together=final.vote
            )
        quote_found = None
        if is_quote(final.quote):
            quote_found = final.doubt is not Doubt.QUOTE
        return Cast(
            index=index,
            wording=prompt.ref,
            said=final.vote,
            inverted=prompt.inverted,
            reason=final.note or final.reason,
            model=model,
            cost=total(answer.cost for answer in answers),
            cost_avoided=sum_known(*(answer.cost_avoided for answer in answers)),
            quote_found=quote_found,
            seen=final,
            shown=shown,
            audit=audit,
        )

    async def _ask(
        self,
        need: Ask,
        index: int,
        context: CallContext,
        answers: list[SampleAnswer[Any]],
        prompt: Prompt,
        framed: Framed | None = None,
    ) -> ReplyReview:
        """Ask the question alone, note what that cost, and review the answer."""
        if framed is None:
            framed = await self.frame(need, prompt)
        sample = Sample(
            question_id=need.question_id,
            prompt=prompt,
            framed=framed,
            schema=VERDICT_SCHEMA,
            read=read_verdict,
            context=context,
            sample_index=index,
        )
        answer = await self.client.ask(sample)
        answers.append(answer)
        return review(answer.value, framed, question=need.question, prompt=prompt)

    async def _audit(
        self,
        need: Ask,
        index: int,
        context: CallContext,
        share: BatchShare,
        answers: list[SampleAnswer[Any]],
        *,
        together: Vote,
    ) -> BatchAudit | None:
        """The same vote asked alone, to compare; it counts for neither side."""
        try:
            alone = await self.vote(need, index, context)
        except JudgeError:
            return None  # recorded as an attempt; a failed comparison costs no vote
        spent: SampleAnswer[Vote] = SampleAnswer(
            value=alone.said,
            model=alone.model,
            cost=alone.cost,
            cost_avoided=alone.cost_avoided,
        )
        answers.append(spent)
        return BatchAudit(
            call=share.call,
            position=share.position,
            size=share.size,
            together=together,
            alone=alone.said,
        )
