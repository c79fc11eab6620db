"""One vote on one question: which wording, what the model said, and whether that can be taken at its word.

A doubtful answer is asked for once more with a prompt that says so (`review.py`); a second doubt makes it a vote for
nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.opinions import BatchAudit, Vote
from judgemesh.contracts.usage import total
from judgemesh.contracts.voting import VotingPolicy
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.replies.parse import VERDICT_SCHEMA, Reading, read_verdict
from judgemesh.mesh.judging.replies.quotes import is_quote
from judgemesh.mesh.judging.replies.review import AGAIN, Doubt, Review, review, settled
from judgemesh.mesh.judging.voting.ballot import Cast
from judgemesh.mesh.judging.voting.batching import Given
from judgemesh.prompts.loader import Prompt, load, variants

NEGATED_VOTE: Final = 1
"""Which vote on a gate goes to the negated question: one of those that go out together at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """The prompts of a policy, loaded; `digest` is over all that a vote can be asked with."""

    plain: tuple[Prompt, ...]
    negated: Prompt | None
    digest: str

    def prompt(self, need: Ask, index: int, *, seed: int) -> Prompt:
        """The wording of a vote: round and round, beginning where the seed and the question say."""
        if self.negated is not None and need.gating and index == NEGATED_VOTE:
            return self.negated
        start = hashlib.sha256(
            f"{seed}:{need.question}".encode("utf-8", "surrogatepass")
        ).digest()[0]
        return self.plain[(start + index) % len(self.plain)]


def wordings_of(
    policy: VotingPolicy, together: Sequence[Prompt] = (), most: int = 1
) -> Wordings:
    """The wordings of a policy; `together` are those for calls of several questions, at most `most`, if there are any.

    Both are part of the digest: what labels say about verdicts in one company says nothing about another.

    Raises:
        ConfigError: there is no such prompt.
    """
    plain = variants(policy.prompt) if policy.rotate else variants(policy.prompt)[:1]
    negated = None if policy.negated is None else load(policy.negated)
    again = [load(ref) for ref in AGAIN.values()]
    company = (
        [f"{most} together", *(prompt.digest for prompt in together)]
        if together
        else []
    )
    every = "\n".join(
        [
            *(
                prompt.digest
                for prompt in (*plain, *([negated] if negated else []), *again)
            ),
            *company,
        ]
    )
    return Wordings(
        plain=plain,
        negated=negated,
        digest=f"sha256:{hashlib.sha256(every.encode()).hexdigest()}",
    )


@lru_cache(maxsize=128)  # the votes of one question share their wordings
def _framed(
    prompt: Prompt,
    materials: tuple[Material, ...],
    question: str,
    seed: int,
    budget: int | None,
) -> Framed:
    return frame(prompt, materials, criterion=question, seed=seed, budget=budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Asks for single votes. budget: tokens a prompt may be estimated at; None for no limit."""

    client: Client
    wordings: Wordings
    seed: int = 0
    budget: int | None = None

    def framed(self, need: Ask, prompt: Prompt) -> Framed:
        """The messages of a vote."""
        return _framed(prompt, need.materials, need.question, self.seed, self.budget)

    async def prepared(self, need: Ask, prompt: Prompt) -> Framed:
        """The same, off the event loop where the materials are long.

        What is found out about the materials is kept, so that the other wordings and questions are quick.
        """
        return await prepared(need.materials, lambda: self.framed(need, prompt))

    async def vote(
        self, need: Ask, index: int, context: CallContext, given: Given | None = None
    ) -> Cast:
        """One vote. `given` is what a call for several questions gave this one; without, it is asked alone.

        Raises:
            JudgeError: nothing that could be read came of it.
        """
        answers: list[SampleAnswer[Any]] = []

        async def ask(wording: Prompt) -> Review:
            framed = await self.prepared(need, wording)
            answered = await self._ask(need, wording, framed, index, context)
            answers.append(answered)
            return review(
                answered.value, framed, question=need.question, prompt=wording
            )

        if given is not None:
            answers.append(given.answered)
        read = None if given is None else given.answered.value
        if given is None or read is None:
            prompt, shown = self.wordings.prompt(need, index, seed=self.seed), None
            first = await ask(prompt)
        else:
            prompt, shown = given.prompt, given.framed
            first = review(read, shown, question=need.question, prompt=prompt)
        seen = await settled(first, ask)
        told = None
        if given is not None and read is not None and given.audited:
            told = await self._alone(need, index, context, answers)
        audit = None
        if given is not None and told is not None:
            audit = BatchAudit(
                call=given.call,
                position=given.place,
                size=given.of,
                together=seen.vote,
                alone=told,
            )
        avoided = [one.cost_avoided for one in answers if one.cost_avoided is not None]
        return Cast(
            index=index,
            wording=prompt.ref,
            said=seen.vote,
            inverted=prompt.inverted,
            reason=seen.note or seen.reason,
            model=answers[-1].model,
            cost=total(one.cost for one in answers),
            cost_avoided=total(avoided) if avoided else None,
            quote_found=seen.doubt is not Doubt.QUOTE if is_quote(seen.quote) else None,
            seen=seen,
            shown=shown,
            audit=audit,
        )

    async def _alone(
        self,
        need: Ask,
        index: int,
        context: CallContext,
        spent: list[SampleAnswer[Any]],
    ) -> Vote | None:
        """What the same vote comes to alone; None where nothing does. It is compared, and counts for nobody."""
        try:
            cast = await self.vote(need, index, context)
        except JudgeError:
            return None  # recorded as an attempt; a comparison that fails costs no vote
        spent.insert(
            0,
            SampleAnswer(
                value=None,
                model=cast.model,
                cost=cast.cost,
                cost_avoided=cast.cost_avoided,
            ),
        )
        return cast.said

    async def _ask(
        self,
        need: Ask,
        prompt: Prompt,
        framed: Framed,
        index: int,
        context: CallContext,
    ) -> SampleAnswer[Reading]:
        work = Sample(
            question_id=need.question_id,
            prompt=prompt,
            framed=framed,
            schema=VERDICT_SCHEMA,
            read=read_verdict,
            context=context,
            sample_index=index,
        )
        return await self.client.ask(work)
