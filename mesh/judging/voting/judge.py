"""The judge that votes: each question is asked until the votes on it decide.

The ballot (`ballot.py`) says which votes to ask for next; the voter (`voter.py`) asks one
of them, the client one sample. What the votes come to is a verdict only if it is sure
enough (`verdicts.py`), else an abstention. A fault is an `Unanswered`, never a grade.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

import anyio

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import Gateway
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import VOTES
from judgemesh.contracts.verdicts import Reason
from judgemesh.contracts.voting import VotingPolicy, policy_of
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.client.budget import longer_reply, output_limit
from judgemesh.mesh.judging.client.cache import ResponseCache
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.client.client import Client, utc_now
from judgemesh.mesh.judging.client.retry import RetryPolicy, Sleep
from judgemesh.mesh.judging.client.sample import Sample
from judgemesh.mesh.judging.concurrency import run_all
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.prompting.windows import prompt_budget
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.replies.parse import read_data
from judgemesh.mesh.judging.voting.ballot import Ballot
from judgemesh.mesh.judging.voting.batch_call import BatchCaller, BatchShare
from judgemesh.mesh.judging.voting.batches import QuestionBatch, batches_of
from judgemesh.mesh.judging.voting.faults import unanswered
from judgemesh.mesh.judging.voting.verdicts import Assessor, Poll
from judgemesh.mesh.judging.voting.voter import Voter
from judgemesh.mesh.judging.voting.wordings import wordings_of
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.prompts.loader import Prompt, load

_EXTRACT_PROMPT: Final = "extract.v1"


class VotingJudge:
    """Answers yes/no questions and extractions through a gateway.

    Args:
        gateway: the connection to the model; the judge closes it.
        model: the model as the gateway calls it (`openai/gpt-4.1-mini`).
        prices: what models cost; the bundled price book if not given.
        cache: where readable answers are kept; None asks every time.
        max_retries: how often a call is repeated after a temporary error.
        timeout_s: how long one attempt may take.
        deadline_s: how long one question may take, retries and waits included, from the
            moment it is first sent.
        votes: how often a question is asked: `lead`, `single`, or a policy.
        batch_criteria: how many plain questions about the same materials are asked in
            one call, 1..8; see `ask_many`.
        batch_audit: the share (0..1) of such calls whose questions are also asked alone,
            to measure whether the answers of a call influence each other.
        calibrations: what labels say about this judge; those of another model or of
            other prompts are ignored.
        temperature, max_tokens: sent to the model; None leaves them out, for models that
            reject them; `policy` is the temperature of the voting policy.
        parameters: further parameters sent to the model (`reasoning_effort`, ...).
        channels: limits and budget shared with other judges.
        structured: whether to ask for JSON of a schema; a provider that rejects that is
            asked without from then on.
        abstains: whether a verdict that its calibration holds for too unsure is an
            abstention; a panel or a certified pair of judges decides that itself.
        context_tokens: the model's context, if the bundled list does not know it.
        seed: of boundaries, wordings, orders and the jitter between retries.
        policy: of the retries.
        clock, monotonic, sleep: time, injectable for tests.
    """

    def __init__(  # noqa: PLR0913 - keyword-only settings with defaults
        self,
        gateway: Gateway,
        *,
        model: str,
        prices: PriceBook | None = None,
        cache: ResponseCache | None = None,
        max_retries: int = 2,
        timeout_s: float = 60.0,
        deadline_s: float = 180.0,
        votes: str | VotingPolicy = "lead",
        batch_criteria: int = 1,
        batch_audit: float = 0.05,
        calibrations: Sequence[Calibration] = (),
        temperature: float | Literal["policy"] | None = "policy",
        max_tokens: int | None = 1024,
        parameters: Mapping[str, Any] | None = None,
        channels: Channels | None = None,
        structured: bool = True,
        abstains: bool = True,
        context_tokens: int | None = None,
        seed: int = 0,
        policy: RetryPolicy | None = None,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._votes = policy_of(votes)
        if temperature == "policy":
            temperature = self._votes.temperature
        sent: dict[str, Any] = {}
        if temperature is not None:
            sent["temperature"] = temperature
        if max_tokens is not None:
            sent["max_tokens"] = max_tokens
        sent |= parameters or {}
        retries = policy or RetryPolicy()
        self._client = Client(
            gateway,
            model=model,
            prices=prices,
            cache=cache,
            policy=replace(retries, max_retries=max_retries, deadline_s=deadline_s),
            timeout_s=timeout_s,
            parameters=sent,
            channels=channels,
            structured=structured,
            seed=seed,
            clock=clock,
            monotonic=monotonic,
            sleep=sleep,
        )
        self._max_questions = batch_criteria
        batch_tokens = output_limit(longer_reply(sent, batch_criteria))
        self._batch_caller = BatchCaller(
            client=self._client,
            rotate=self._votes.rotate,
            audit=batch_audit,
            seed=seed,
            budget=prompt_budget(
                model, reply_tokens=batch_tokens, context=context_tokens
            ),
        )
        self._voter = Voter(
            client=self._client,
            wordings=wordings_of(self._votes, self._batch_prompts, batch_criteria),
            seed=seed,
            budget=prompt_budget(
                model, reply_tokens=max_tokens, context=context_tokens
            ),
        )
        self._extract_prompt = load(_EXTRACT_PROMPT)
        self._seed = seed
        self._deadline_s, self._monotonic = deadline_s, monotonic
        # By backend: labels of votes say nothing about votes after a P(yes).
        known: dict[str, Calibration] = {}
        for calibration in calibrations:
            if calibration.speaks_for(*self.identity, calibration.backend):
                known[calibration.backend] = calibration
        self._assessor = Assessor(
            identity=self.identity,
            policy=self._votes,
            calibrations=known,
            abstains=abstains,
        )

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._client.model

    @property
    def prompts_digest(self) -> str:
        """The digest of all wordings of the yes/no question."""
        return self._voter.wordings.digest

    @property
    def identity(self) -> Identity:
        """What a calibration belongs to: the model, and the digest of the wordings."""
        return self.model, self.prompts_digest

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready; part of the run key."""
        wordings = self._voter.wordings
        prompts = list(wordings.plain)
        if wordings.negated is not None:
            prompts.append(wordings.negated)
        prompts += [self._extract_prompt, *self._batch_prompts]
        settings: dict[str, object] = {
            **self._client.settings,
            "prompts": {prompt.ref: prompt.digest for prompt in prompts},
            "votes": self._votes.to_json(),
        }
        if self._max_questions > 1:
            settings["batch"] = [self._max_questions, self._batch_caller.audit]
        known = {
            backend: calibration.to_json()
            for backend, calibration in sorted(self._assessor.calibrations.items())
        }
        if VOTES in known:
            settings["calibration"] = known.pop(VOTES)
        if known:
            settings["calibrations"] = known
        if not self._assessor.abstains:
            settings["abstains"] = False
        return settings

    @property
    def _batch_prompts(self) -> tuple[Prompt, ...]:
        """The wordings of calls for several questions; none if there are no such calls."""
        return self._batch_caller.prompts if self._max_questions > 1 else ()

    async def ask_many(
        self, questions: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """Vote on each question until its own votes decide it.

        Plain questions about the same materials share calls if `batch_criteria` allows
        it; gates are asked alone. A fault of a question is an `Unanswered`.
        """
        batches = batches_of(questions, self._max_questions)
        if len(batches) == 1:
            return await self._decide(batches[0], context)
        answers: dict[int, Judged | Unanswered] = {}

        async def decide(batch: QuestionBatch) -> None:
            answered: Sequence[Judged | Unanswered]
            try:
                answered = await self._decide(batch, context)
            except Exception as error:  # noqa: BLE001 - a defect costs its batch, not the others
                fault = Unanswered(error_type=Reason.EXCEPTION, message=one_line(error))
                answered = [fault] * len(batch.positions)
            answers.update(zip(batch.positions, answered, strict=True))

        await run_all([partial(decide, batch) for batch in batches])
        return [answers[position] for position in range(len(questions))]

    async def _decide(
        self, batch: QuestionBatch, context: CallContext
    ) -> list[Judged | Unanswered]:
        """Vote on the questions of a batch, each vote in one call for all still open."""
        polls: dict[int, Poll] = {}
        answers: dict[int, Judged | Unanswered] = {}
        for member, need in enumerate(batch.questions):
            framed = await self._voter.frame(need, self._voter.prompt(need, 0))
            if framed.coverage.missing:
                answers[member] = self._assessor.not_shown(need, framed)
            else:
                polls[member] = self._poll(need, framed, context)
        started = self._monotonic()
        while True:
            open_polls, indexes = _open(polls)
            if not open_polls:
                break
            await run_all(self._votes_on(batch, open_polls, indexes, context))
            if self._monotonic() - started >= self._deadline_s:
                break
        for member, poll in polls.items():
            answers[member] = self._assessor.answer(poll)
        return [answers[member] for member in range(len(batch.questions))]

    def _poll(self, need: Ask, framed: Framed, context: CallContext) -> Poll:
        prior = context.priors.get(need)
        ballot = Ballot(self._votes.rule(gating=need.gating), need.expected)
        if self._votes.negated_again and need.gating:
            ballot.negated = self._voter.wordings.negated_votes
        if prior is None:
            return Poll(need, framed, ballot, VOTES)
        ballot.p_yes = prior.p_yes
        return Poll(need, framed, ballot, prior.votes_backend)

    def _votes_on(
        self,
        batch: QuestionBatch,
        polls: Mapping[int, Poll],
        indexes: range,
        context: CallContext,
    ) -> list[Callable[[], Coroutine[Any, Any, None]]]:
        """The calls for the next votes on some polls."""
        if len(polls) > 1:
            return [
                partial(self._vote_together, batch, polls, index, context)
                for index in indexes
            ]
        (poll,) = polls.values()
        return [partial(self._vote, poll, index, context) for index in indexes]

    async def _vote_together(
        self,
        batch: QuestionBatch,
        polls: Mapping[int, Poll],
        index: int,
        context: CallContext,
    ) -> None:
        """Vote `index` on several questions, in one call if that gives each a reading."""
        try:
            shares = await self._batch_caller.ask(batch, polls, index, context)
        except JudgeError as error:
            for poll in polls.values():
                poll.ballot.faults.append(error)
            return
        await run_all(
            [
                partial(self._vote, poll, index, context, shares.get(member))
                for member, poll in polls.items()
            ]
        )

    async def _vote(
        self,
        poll: Poll,
        index: int,
        context: CallContext,
        share: BatchShare | None = None,
    ) -> None:
        """Vote `index` on one question."""
        try:
            # The poll was framed with the wording of the first vote.
            framed = poll.shown if index == 0 else None
            cast = await self._voter.vote(poll.need, index, context, share, framed)
        except JudgeError as error:
            poll.ballot.faults.append(error)
        else:
            poll.ballot.cast.append(cast)

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need."""
        make = partial(
            frame,
            self._extract_prompt,
            need.materials,
            criterion=need.instruction,
            schema=need.schema,
            seed=self._seed,
        )
        # Providers take schemas of objects only; other values are asked for in text.
        is_object = need.schema.get("type") == "object"
        sample = Sample(
            question_id=need.extract_id,
            prompt=self._extract_prompt,
            framed=await prepared(need.materials, make),
            schema=need.schema if is_object else None,
            read=partial(read_data, schema=need.schema),
            context=context,
        )
        try:
            answer = await self._client.ask(sample)
        except JudgeError as error:
            return unanswered(error, need.extract_id)
        return Extracted(data=answer.value)

    async def aclose(self) -> None:
        """Close the gateway. Safe to call twice."""
        await self._client.aclose()


def _open(polls: Mapping[int, Poll]) -> tuple[dict[int, Poll], range]:
    """The polls whose votes do not decide yet, and the votes to ask for.

    All members of a batch have the same rule, and were asked equally often.
    """
    open_polls: dict[int, Poll] = {}
    indexes = range(0)
    for member, poll in polls.items():
        votes = poll.ballot.next_votes()
        if votes:
            open_polls[member] = poll
            indexes = indexes or votes
    return open_polls, indexes
