"""The judge: needs in, answers out. Every attempt is recorded, every fault becomes `Unanswered`, never a grade.

A question is voted on until the votes decide it (`votes.py`); one vote is the asker's work (`asking.py`), one call the
client's (`client.py`). What the votes come to is a verdict only where it is sure enough; else it is "cannot assess".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

import anyio

from judgemesh.contracts.attempts import CallContext
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import Gateway
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import VOTES, Vote
from judgemesh.contracts.verdicts import Confidence, Reason
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
from judgemesh.mesh.judging.confidence.stability import stability
from judgemesh.mesh.judging.families import self_preference
from judgemesh.mesh.judging.opinion import no_opinion, with_signals
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.prompting.windows import prompt_budget
from judgemesh.mesh.judging.replies.parse import read_data
from judgemesh.mesh.judging.replies.review import details as review_details
from judgemesh.mesh.judging.replies.review import guard
from judgemesh.mesh.judging.signals import criterion_digest
from judgemesh.mesh.judging.voting.ballot import Ballot
from judgemesh.mesh.judging.voting.batch_call import BatchCaller, BatchShare
from judgemesh.mesh.judging.voting.batches import Batch, batches_of
from judgemesh.mesh.judging.voting.rules import Outcome
from judgemesh.mesh.judging.voting.voter import Voter
from judgemesh.mesh.judging.voting.wordings import wordings_of
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.prompts.loader import Prompt, load


class OfVotes:
    """Stands for the temperature that the way of voting asks for."""


OF_VOTES: Final = OfVotes()


class VotingJudge:
    """Answers yes/no questions and extractions through a gateway.

    Args:
        gateway: the way to the model; the judge closes it.
        model: the model as the gateway calls it (`openai/gpt-4.1-mini`).
        prices: what models cost; the bundled price book when not given.
        cache: where readable answers are kept; None asks every time.
        max_retries: how often a question is asked again after a fault that may pass.
        timeout_s: how long one attempt may take.
        deadline_s: how long one question may take, retries and waits included, from the moment it is first sent.
        batch_criteria: how many plain questions about the same materials are asked in one call, 1..8; see `ask_many`.
        batch_audit: the share of such calls whose questions are asked alone as well, to see whether they sway each
            other.
        votes: how often a question is asked, by name (`lead`, `single`) or as a policy of one's own.
        calibrations: what people's labels say about this judge; those of another model or other prompts say nothing.
        temperature, max_tokens: sent to the model; None leaves them out, for models that refuse them. Without a word
            the temperature is that of the way of voting.
        context_tokens: the model's context, where the bundled list does not know it.
        parameters: further parameters sent to the model (`reasoning_effort`, ...).
        channels: limits and budget shared with other judges.
        structured: whether to ask for JSON of a schema; a provider that rejects that is asked without from then on.
        abstains: whether a verdict that its calibration holds for too unsure is none; a panel or a certified pair of
            judges weighs it by itself.
        seed: of boundaries and of the jitter between retries.
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
        temperature: float | OfVotes | None = OF_VOTES,
        max_tokens: int | None = 1024,
        parameters: Mapping[str, Any] | None = None,
        channels: Channels | None = None,
        structured: bool = True,
        abstains: bool = True,
        context_tokens: int | None = None,
        extract_prompt: str = "extract.v1",
        seed: int = 0,
        policy: RetryPolicy | None = None,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.model = model
        self._votes = policy_of(votes)
        warmth = (
            self._votes.temperature if isinstance(temperature, OfVotes) else temperature
        )
        sent = {"temperature": warmth, "max_tokens": max_tokens}
        self._client = Client(
            gateway,
            model=model,
            prices=prices,
            cache=cache,
            policy=replace(
                policy or RetryPolicy(), max_retries=max_retries, deadline_s=deadline_s
            ),
            timeout_s=timeout_s,
            parameters={
                **{k: v for k, v in sent.items() if v is not None},
                **(parameters or {}),
            },
            channels=channels,
            structured=structured,
            seed=seed,
            clock=clock,
            monotonic=monotonic,
            sleep=sleep,
        )
        self._extract_prompt = load(extract_prompt)
        budget = prompt_budget(model, reply_tokens=max_tokens, context=context_tokens)
        self._max_questions = batch_criteria
        longer = longer_reply(self._client.parameters, batch_criteria)
        self._batch_caller = BatchCaller(
            client=self._client,
            max_questions=batch_criteria,
            rotate=self._votes.rotate,
            audit=batch_audit,
            seed=seed,
            budget=prompt_budget(
                model, reply_tokens=output_limit(longer), context=context_tokens
            ),
        )
        wordings = wordings_of(self._votes, self._batch_prompts, batch_criteria)
        self._voter = Voter(
            client=self._client, wordings=wordings, seed=seed, budget=budget
        )
        prompts = self.prompts_digest
        # By the way of asking: what holds for votes does not hold for those after a P(yes) that settled nothing.
        self._calibrations = {
            one.backend: one
            for one in calibrations
            if one.speaks_for(model, prompts, one.backend)
        }
        self._abstains = abstains
        self._seed = seed
        self._deadline_s, self._monotonic = deadline_s, monotonic

    @property
    def _batch_prompts(self) -> tuple[Prompt, ...]:
        """The wordings of calls for several questions; none if there are no such calls."""
        return self._batch_caller.prompts if self._max_questions > 1 else ()

    @property
    def prompts_digest(self) -> str:
        """The digest over all wordings of the yes/no question: what a calibration belongs to, beside the model."""
        return self._voter.wordings.digest

    @property
    def identity(self) -> tuple[str, str]:
        """Whom a calibration is about: model, and digest of all that it is asked with."""
        return self.model, self.prompts_digest

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready: for run keys, and for who wants to know."""
        wordings = self._voter.wordings
        prompts = list(wordings.plain)
        if wordings.negated is not None:
            prompts.append(wordings.negated)
        prompts += [self._extract_prompt, *self._batch_prompts]
        batch: dict[str, object] = {}
        if self._max_questions > 1:
            batch["batch"] = [self._max_questions, self._batch_caller.audit]
        return {
            **self._client.settings,
            "prompts": {prompt.ref: prompt.digest for prompt in prompts},
            "votes": self._votes.to_json(),
            **batch,
            **self._known(),
        }

    def _known(self) -> dict[str, object]:
        """What people's labels make of its answers, for the settings."""
        ways = {way: one.to_json() for way, one in sorted(self._calibrations.items())}
        facts: dict[str, object] = (
            {"calibration": ways.pop(VOTES)} if VOTES in ways else {}
        )
        return {
            **facts,
            **({"calibrations": ways} if ways else {}),
            **({} if self._abstains else {"abstains": False}),
        }

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

        async def decide(batch: Batch) -> None:
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
        self, batch: Batch, context: CallContext
    ) -> list[Judged | Unanswered]:
        """Vote on the questions of a batch, each vote in one call for all still open."""
        polls: dict[int, _Poll] = {}
        answers: dict[int, Judged | Unanswered] = {}
        for member, need in enumerate(batch.questions):
            shown = await self._voter.frame(need, self._voter.prompt(need, 0))
            if shown.coverage.missing:
                answers[member] = _not_shown(need, shown, self.model)
            else:
                polls[member] = self._poll(need, shown, context)
        started = self._monotonic()
        open_polls = dict(polls)
        while open_polls:
            # All members of a batch have the same rule, and were asked equally often.
            indexes = next(iter(open_polls.values())).ballot.next_votes()
            await run_all(self._votes_on(batch, open_polls, indexes, context))
            if self._monotonic() - started >= self._deadline_s:
                break
            open_polls = {
                member: poll
                for member, poll in open_polls.items()
                if poll.ballot.next_votes()
            }
        for member, poll in polls.items():
            answers[member] = self._answer(poll)
        return [answers[member] for member in range(len(batch.questions))]

    def _poll(self, need: Ask, shown: Framed, context: CallContext) -> _Poll:
        prior = context.priors.get(need)
        rule = self._votes.rule(gating=need.gating)
        if prior is None:
            return _Poll(need, shown, Ballot(rule, need.expected), VOTES)
        ballot = Ballot(rule, need.expected, p_yes=prior.p_yes)
        return _Poll(need, shown, ballot, prior.votes_backend)

    def _votes_on(
        self,
        batch: Batch,
        polls: Mapping[int, _Poll],
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
        batch: Batch,
        polls: Mapping[int, _Poll],
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
        poll: _Poll,
        index: int,
        context: CallContext,
        share: BatchShare | None = None,
    ) -> None:
        """Vote `index` on one question."""
        try:
            cast = await self._voter.vote(poll.need, index, context, share)
        except JudgeError as error:
            poll.ballot.faults.append(error)
        else:
            poll.ballot.cast.append(cast)

    def _answer(self, poll: _Poll) -> Judged | Unanswered:
        """What the votes on a question come to."""
        fault = poll.ballot.fault()
        if fault is not None:
            return _unanswered(fault, poll.need.question_id)
        outcome = poll.ballot.outcome or Outcome.UNSTABLE
        return self._judged(poll.need, poll.ballot, outcome, poll.shown, poll.backend)

    def _judged(
        self, need: Ask, ballot: Ballot, outcome: Outcome, shown: Framed, backend: str
    ) -> Judged:
        """What the votes come to, and how sure that is."""
        leader = ballot.verdict(outcome)
        assessed = self._assessed(need, ballot, leader, backend)
        doubt = _doubt_of(outcome, ballot)
        verdict = leader
        if leader is not Vote.CANNOT_ASSESS:
            split = ballot.disagreement(leader) if need.gating else ""
            verdict = Vote.CANNOT_ASSESS if split else leader
            doubt = split or assessed.doubt or guard(leader, need, shown)[1]
        said = ballot.reason(leader)
        speaker = ballot.speaker(leader)
        shown = (None if speaker is None else speaker.shown) or shown
        seen = None if speaker is None else speaker.seen
        reason = said
        if doubt and doubt != said:
            reason = f"{doubt} ({ballot.score()}){f': {said}' if said else ''}"
        sure = stability(ballot.yes, ballot.no) if ballot.yes + ballot.no else None
        opinion = with_signals(
            no_opinion(need, self.identity, backend=backend), ballot.signals()
        )
        return Judged(
            vote=Vote.CANNOT_ASSESS if doubt else leader,
            reason=reason,
            confidence=Confidence(stability=sure, correctness=assessed.correctness),
            model=ballot.model(),
            cost=ballot.cost(),
            cost_avoided=ballot.cost_avoided(),
            details=review_details(need, shown, seen, model=self.model),
            opinion=replace(
                opinion,
                served=tuple(sorted(ballot.served())),
                leader=leader,
                verdict=verdict,
                votes_unsure=ballot.unsure,
                votes_broken=ballot.broken,
                stability=sure,
                correctness=assessed.correctness,
                reason=reason,
                injection_suspected=bool(shown.suspected),
                same_family=bool(self_preference(self.model, need.agent_model)),
                batch=ballot.batch_audit(),
            ),
        )

    def _assessed(
        self, need: Ask, ballot: Ballot, leader: Vote, backend: str
    ) -> _Assessed:
        """What the calibration makes of a verdict; nothing without one, or where it does not apply."""
        known = self._calibrations.get(backend)
        if known is None or leader is Vote.CANNOT_ASSESS:
            return _Assessed()
        signals, criterion = ballot.signals(), criterion_digest(need.question)
        if known.served and not ballot.served() <= set(known.served):
            return _Assessed()  # another model answered than the one that people's labels were compared with
        correctness = known.correctness(signals, criterion, yes=leader is Vote.YES)
        if not self._abstains:
            return _Assessed(correctness)
        if known.threshold is not None:
            sure = known.confidence(signals)
            short = sure < known.threshold
            why = (
                f"confidence {sure:.2f} is below the certified {known.threshold:.2f}"
                if short
                else ""
            )
            return _Assessed(correctness, why)
        least = self._votes.least(gating=need.gating)
        if correctness is not None and correctness < least:
            return _Assessed(
                correctness,
                f"it is right with probability {correctness:.2f} only, {least:.2f} is asked for",
            )
        return _Assessed(correctness)

    async def extract(
        self, need: Extract, context: CallContext
    ) -> Extracted | Unanswered:
        """JSON data that fits the schema of the need. Never raises a `JudgeError`: a fault is an `Unanswered`."""
        framed = await prepared(
            need.materials,
            lambda: frame(
                self._extract_prompt,
                need.materials,
                criterion=need.instruction,
                schema=need.schema,
                seed=self._seed,
            ),
        )
        work = Sample(
            question_id=need.extract_id,
            prompt=self._extract_prompt,
            framed=framed,
            # Providers take schemas of objects only; any other value is asked for in words.
            schema=need.schema if need.schema.get("type") == "object" else None,
            read=lambda reply: read_data(reply, need.schema),
            context=context,
        )
        try:
            answered = await self._client.ask(work)
        except JudgeError as error:
            return _unanswered(error, need.extract_id)
        return Extracted(data=answered.value)

    async def aclose(self) -> None:
        """Close the gateway. Safe to call twice."""
        await self._client.aclose()


@dataclass(frozen=True, slots=True)
class _Poll:
    """A question that is voted on, what the judge is shown, and its votes."""

    need: Ask
    shown: Framed
    ballot: Ballot
    backend: str


@dataclass(frozen=True, slots=True)
class _Assessed:
    """The second confidence, and why the verdict may not stand on it; empty where it may."""

    correctness: float | None = None
    doubt: str = ""


def _doubt_of(outcome: Outcome, ballot: Ballot) -> str:
    """Why there is no verdict; empty where there is one."""
    if outcome is Outcome.UNSTABLE:
        return "the votes do not agree"
    if outcome is Outcome.CANNOT_ASSESS:
        return ballot.reason(Vote.CANNOT_ASSESS)
    return ""


def _not_shown(need: Ask, shown: Framed, model: str) -> Judged:
    """What the question depends on did not fit: nobody is asked, and nobody may guess."""
    missing = ", ".join(shown.coverage.missing)
    return Judged(
        vote=Vote.CANNOT_ASSESS,
        reason=f"not asked: {missing} did not fit; {shown.coverage.sentence()}",
        details=review_details(need, shown, None, model=model),
    )


def _unanswered(error: JudgeError, question_id: str) -> Unanswered:
    return Unanswered(
        error_type=error.error_type,
        message=f"judge, question {question_id}: {one_line(error)}",
    )
