"""P(yes) straight from the provider, where it has one to give: a decision endpoint, else the first token.

A decision endpoint takes all questions about one result in one call, so questions that are asked at the same moment
about the same materials go together. Which of the two a provider has is found out by asking once (`capabilities.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

import anyio
import anyio.lowlevel

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRefused,
    JudgeRejected,
)
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.usage import Money
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.errors import LogprobsRejected
from judgemesh.mesh.judging.gateways.wire import MAX_QUESTIONS
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.prompting.sanitise import sanitise
from judgemesh.mesh.judging.prompting.windows import prompt_budget
from judgemesh.mesh.judging.replies.first_token import FirstToken, read_first_token
from judgemesh.prompts.loader import load

_TOP: Final = 20
_TURNS: Final = (
    3  # of the loop: all that one validator asks at once has arrived by then
)
_EVEN: Final = 0.5
_NOTHING: Final = Money(Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """P(yes) of one question in 0..1, and where it comes from (`decision`, `first_token`).

    doubtful: the judged text speaks to the evaluator, or did not fit: the number alone may not settle the question.
    """

    p: float
    backend: str
    doubtful: bool = False

    @property
    def vote(self) -> Vote:
        """The likelier answer; an exact tie is nobody's vote."""
        if self.p == _EVEN:
            return Vote.CANNOT_ASSESS
        return Vote.YES if self.p > _EVEN else Vote.NO


@dataclass(slots=True)
class _Batch:
    """Questions about the same materials that wait to go out together, and what came of them."""

    done: anyio.Event
    needs: list[Ask] = field(default_factory=list[Ask])
    answered: SampleAnswer[tuple[float | None, ...]] | None = None
    error: JudgeError | None = None
    doubtful: bool = False


class Probabilities:
    """Asks one model for P(yes).

    Args:
        client: the way to the model.
        decisions, first_token: which ways may be tried.
        seed: of the boundaries around the materials.
        context_tokens: the model's context, where the bundled list does not know it.
    """

    def __init__(
        self,
        client: Client,
        *,
        decisions: bool = True,
        first_token: bool = True,
        decision_prompt: str = "decision.v1",
        first_token_prompt: str = "yes_no_first.v1",
        seed: int = 0,
        context_tokens: int | None = None,
    ) -> None:
        self._client = client
        self._decisions, self._first_token = decisions, first_token
        self._decision_prompt, self._first_token_prompt = (
            load(decision_prompt),
            load(first_token_prompt),
        )
        self._seed = seed
        self._budget = prompt_budget(
            client.model, reply_tokens=None, context=context_tokens
        )
        self._open: dict[tuple[Material, ...], _Batch] = {}

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._client.model

    def prompt_digest(self, backend: str) -> str:
        """The digest of the prompt of a way (`decision`, `first_token`); empty for another word."""
        prompts = {
            "decision": self._decision_prompt,
            "first_token": self._first_token_prompt,
        }
        return prompts[backend].digest if backend in prompts else ""

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything here that can change an answer, JSON-ready."""
        prompts = {
            prompt.ref: prompt.digest
            for prompt in (self._decision_prompt, self._first_token_prompt)
        }
        ways = {"decisions": self._decisions, "first_token": self._first_token}
        return {"model": self._client.model, "prompts": prompts, **ways}

    async def aclose(self) -> None:
        """Close the client."""
        await self._client.aclose()

    async def ask(
        self, need: Ask, context: CallContext
    ) -> SampleAnswer[Probability] | None:
        """P(yes) with what it cost; None when the provider has no way to say it, or said nothing one can go by.

        Raises:
            JudgeError: the provider was asked, and the call failed.
        """
        can = self._client.capabilities
        if self._decisions and can.decisions is not False:
            with suppress(JudgeRejected):  # known from now on: a capability
                return await self._decide(need, context)
        if self._first_token and can.logprobs is not False:
            with suppress(LogprobsRejected):  # likewise
                return await self._read_first_token(need, context)
        return None

    # --- decision endpoint ---

    async def _decide(
        self, need: Ask, context: CallContext
    ) -> SampleAnswer[Probability]:
        batch = self._open.get(need.materials)
        if batch is None or len(batch.needs) >= MAX_QUESTIONS:
            batch = self._open[need.materials] = _Batch(anyio.Event())
            batch.needs.append(need)
            await self._send(batch, need.materials, context)
            place = 0
        else:
            place = len(batch.needs)
            batch.needs.append(need)
            await batch.done.wait()
        if batch.answered is None:
            raise batch.error or JudgeError("the decision call was given up")
        answered = batch.answered
        p = answered.value[place]
        if p is None:
            raise JudgeRefused("the decision endpoint refused the question")
        # The call is one, and its cost stands with the question that made it.
        cost = (
            answered.cost
            if place == 0
            else _NOTHING
            if answered.cost is not None
            else None
        )
        avoided = answered.cost_avoided if place == 0 else None
        value = Probability(p=p, backend="decision", doubtful=batch.doubtful)
        return SampleAnswer(
            value=value, model=answered.model, cost=cost, cost_avoided=avoided
        )

    async def _send(
        self, batch: _Batch, materials: tuple[Material, ...], context: CallContext
    ) -> None:
        try:
            for _ in range(_TURNS):
                await anyio.lowlevel.checkpoint()
            if self._open.get(materials) is batch:
                del self._open[materials]
            framed = await prepared(
                materials,
                lambda: frame(
                    self._decision_prompt,
                    materials,
                    criterion="",
                    seed=self._seed,
                    budget=self._budget,
                ),
            )
            batch.doubtful = _doubtful(framed)
            batch.answered = await self._client.ask(
                self._decision_work(framed, batch.needs, context)
            )
        except JudgeError as error:
            batch.error = error
        finally:
            if self._open.get(materials) is batch:
                del self._open[materials]
            batch.done.set()

    def _decision_work(
        self, framed: Framed, needs: Sequence[Ask], context: CallContext
    ) -> Sample[tuple[float | None, ...]]:
        # A validator may have put the agent's own words into a question.
        questions = tuple(sanitise(need.question).text for need in needs)

        def read(reply: ModelReply) -> tuple[float | None, ...]:
            if len(reply.probabilities) != len(questions):
                raise JudgeMalformed(
                    f"{len(reply.probabilities)} probabilities for {len(questions)} questions"
                )
            return reply.probabilities

        return Sample(
            question_id=",".join(need.question_id for need in needs)[:_MAX_ID],
            prompt=self._decision_prompt,
            framed=framed,
            schema=None,
            read=read,
            context=context,
            questions=questions,
        )

    # --- first token ---

    async def _read_first_token(
        self, need: Ask, context: CallContext
    ) -> SampleAnswer[Probability] | None:
        prompt = self._first_token_prompt
        framed = await prepared(
            need.materials,
            lambda: frame(
                prompt,
                need.materials,
                criterion=need.question,
                seed=self._seed,
                budget=self._budget,
            ),
        )
        work = Sample(
            question_id=need.question_id,
            prompt=prompt,
            framed=framed,
            schema=None,
            read=_first_token_of,
            context=context,
            top_logprobs=_TOP,
        )
        answered = await self._client.ask(work)
        if not answered.value.valid:
            return None
        value = Probability(
            p=answered.value.p, backend="first_token", doubtful=_doubtful(framed)
        )
        return SampleAnswer(
            value=value,
            model=answered.model,
            cost=answered.cost,
            cost_avoided=answered.cost_avoided,
        )


_MAX_ID: Final = 200


def _doubtful(framed: Framed) -> bool:
    return bool(framed.suspected) or not framed.coverage.whole


def _first_token_of(reply: ModelReply) -> FirstToken:
    """The first token's P(yes).

    Raises:
        JudgeRefused: the model declined.
        LogprobsRejected: there are no log-probabilities, or none that can be meant.
        JudgeMalformed: the model began with neither yes nor no.
    """
    if reply.finish_reason in ("refusal", "content_filter"):
        raise JudgeRefused("the model declined to answer")
    if not reply.first_token:
        raise LogprobsRejected("the provider left the log-probabilities out")
    found = read_first_token(reply.first_token)
    if found is None:
        raise LogprobsRejected("what the provider gives for log-probabilities are none")
    return found
