"""P(yes) from the provider: from a decision endpoint, else from the first token.

A decision endpoint takes all questions about the same materials in one call. Which of
the two a provider has is found out by asking once (`client/capabilities.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

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
from judgemesh.mesh.judging.client.attempts import NO_COST
from judgemesh.mesh.judging.client.client import Client
from judgemesh.mesh.judging.client.sample import Sample, SampleAnswer
from judgemesh.mesh.judging.concurrency import run_all
from judgemesh.mesh.judging.errors import LogprobsRejected
from judgemesh.mesh.judging.gateways.wire import MAX_QUESTIONS
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.prompting.sanitise import sanitise
from judgemesh.mesh.judging.prompting.windows import prompt_budget
from judgemesh.mesh.judging.replies.first_token import FirstToken, read_first_token
from judgemesh.prompts.loader import Prompt, load

DECISION: Final = "decision"
FIRST_TOKEN: Final = "first_token"
BACKENDS: Final = (DECISION, FIRST_TOKEN)

_TOP_LOGPROBS: Final = 20
_EVEN: Final = 0.5
_MAX_ID_CHARS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """P(yes) of one question.

    Args:
        p: 0..1.
        backend: where it comes from (`decision`, `first_token`).
        doubtful: the judged text addresses the evaluator, or did not fit; then the
            number alone may not settle the question.
    """

    p: float
    backend: str
    doubtful: bool = False

    @property
    def vote(self) -> Vote:
        """The likelier answer; a tie is a vote for neither."""
        if self.p == _EVEN:
            return Vote.CANNOT_ASSESS
        return Vote.YES if self.p > _EVEN else Vote.NO


ProbabilityAnswer = SampleAnswer[Probability] | JudgeError | None
"""P(yes) of a question, the error of asking for it, or None if the provider has none."""


class Probabilities:
    """Asks one model for P(yes).

    Args:
        client: asks the model.
        seed: of the boundaries around the materials.
        context_tokens: the model's context, if the bundled list does not know it.
    """

    def __init__(
        self, client: Client, *, seed: int = 0, context_tokens: int | None = None
    ) -> None:
        self._client = client
        self._seed = seed
        self._prompts = {
            DECISION: load("decision.v1"),
            FIRST_TOKEN: load("yes_no_first.v1"),
        }
        self._budget = prompt_budget(
            client.model, reply_tokens=None, context=context_tokens
        )

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._client.model

    def prompt_digest(self, backend: str) -> str:
        """The digest of the prompt of a backend; empty for an unknown one."""
        prompt = self._prompts.get(backend)
        return "" if prompt is None else prompt.digest

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything here that can change an answer, JSON-ready."""
        prompts = {prompt.ref: prompt.digest for prompt in self._prompts.values()}
        return {
            "model": self._client.model,
            "prompts": prompts,
            "decisions": True,
            "first_token": True,
        }

    async def aclose(self) -> None:
        """Close the client."""
        await self._client.aclose()

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[ProbabilityAnswer]:
        """P(yes) for each question, in their order."""
        alike: dict[tuple[Material, ...], list[int]] = {}
        for position, question in enumerate(questions):
            alike.setdefault(question.materials, []).append(position)
        groups = [
            positions[start : start + MAX_QUESTIONS]
            for positions in alike.values()
            for start in range(0, len(positions), MAX_QUESTIONS)
        ]
        answers: list[ProbabilityAnswer] = [None] * len(questions)

        async def ask(positions: Sequence[int]) -> None:
            group = [questions[position] for position in positions]
            answered = await self._ask_group(group, context)
            for position, answer in zip(positions, answered, strict=True):
                answers[position] = answer

        await run_all([partial(ask, positions) for positions in groups])
        return answers

    async def _ask_group(
        self, questions: Sequence[Ask], context: CallContext
    ) -> Sequence[ProbabilityAnswer]:
        """P(yes) for questions about the same materials."""
        if self._client.capabilities.decisions is not False:
            try:
                return await self._decide(questions, context)
            except JudgeRejected:
                pass  # there is no decision endpoint; the capabilities say so now
            except JudgeError as error:
                return [error] * len(questions)
        answers: dict[int, ProbabilityAnswer] = {}

        async def ask(at: int) -> None:
            answers[at] = await self._read_first_token(questions[at], context)

        await run_all([partial(ask, at) for at in range(len(questions))])
        return [answers[at] for at in range(len(questions))]

    async def _decide(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[ProbabilityAnswer]:
        """P(yes) from one call to the decision endpoint.

        Raises:
            JudgeRejected: there is no decision endpoint.
            JudgeError: the call failed.
        """
        prompt = self._prompts[DECISION]
        framed = await self._frame(prompt, questions[0].materials, criterion="")
        ids = ",".join(question.question_id for question in questions)
        # A validator may have put the agent's own words into a question.
        texts = tuple(sanitise(question.question).text for question in questions)
        sample = Sample(
            question_id=ids[:_MAX_ID_CHARS],
            prompt=prompt,
            framed=framed,
            schema=None,
            read=partial(_read_probabilities, count=len(questions)),
            context=context,
            questions=texts,
        )
        answer = await self._client.ask(sample)
        answers: list[ProbabilityAnswer] = []
        # The first question carries the cost of the call.
        cost, cost_avoided = answer.cost, answer.cost_avoided
        for p in answer.value:
            if p is None:
                answers.append(
                    JudgeRefused("the decision endpoint refused the question")
                )
            else:
                value = Probability(p=p, backend=DECISION, doubtful=_doubtful(framed))
                answers.append(
                    SampleAnswer(
                        value=value,
                        model=answer.model,
                        cost=cost,
                        cost_avoided=cost_avoided,
                    )
                )
            cost, cost_avoided = None if cost is None else NO_COST, None
        return answers

    async def _read_first_token(
        self, question: Ask, context: CallContext
    ) -> ProbabilityAnswer:
        """P(yes) from the log-probabilities of the first token."""
        if self._client.capabilities.logprobs is False:
            return None
        prompt = self._prompts[FIRST_TOKEN]
        framed = await self._frame(
            prompt, question.materials, criterion=question.question
        )
        sample = Sample(
            question_id=question.question_id,
            prompt=prompt,
            framed=framed,
            schema=None,
            read=_first_token_of,
            context=context,
            top_logprobs=_TOP_LOGPROBS,
        )
        try:
            answer = await self._client.ask(sample)
        except LogprobsRejected:
            return None
        except JudgeError as error:
            return error
        if not answer.value.valid:
            return None
        value = Probability(
            p=answer.value.p, backend=FIRST_TOKEN, doubtful=_doubtful(framed)
        )
        return SampleAnswer(
            value=value,
            model=answer.model,
            cost=answer.cost,
            cost_avoided=answer.cost_avoided,
        )

    async def _frame(
        self, prompt: Prompt, materials: tuple[Material, ...], *, criterion: str
    ) -> Framed:
        make = partial(
            frame,
            prompt,
            materials,
            criterion=criterion,
            seed=self._seed,
            budget=self._budget,
        )
        return await prepared(materials, make)


def _doubtful(framed: Framed) -> bool:
    return bool(framed.suspected) or not framed.coverage.whole


def _read_probabilities(reply: ModelReply, count: int) -> tuple[float | None, ...]:
    """The probabilities of a decision endpoint.

    Raises:
        JudgeMalformed: there is not one for each question.
    """
    if len(reply.probabilities) != count:
        message = f"{len(reply.probabilities)} probabilities for {count} questions"
        raise JudgeMalformed(message)
    return reply.probabilities


def _first_token_of(reply: ModelReply) -> FirstToken:
    """The P(yes) of the first token.

    Raises:
        JudgeRefused: the model declined.
        LogprobsRejected: there are no log-probabilities, or they are no numbers.
        JudgeMalformed: the first token is neither yes nor no.
    """
    if reply.finish_reason in ("refusal", "content_filter"):
        raise JudgeRefused("the model declined to answer")
    if not reply.first_token:
        raise LogprobsRejected("the provider returned no log-probabilities")
    first_token = read_first_token(reply.first_token)
    if first_token is None:
        raise LogprobsRejected("the provider returned invalid log-probabilities")
    return first_token
