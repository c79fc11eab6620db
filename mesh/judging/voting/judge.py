"""The judge: needs in, answers out. Every attempt is recorded, every fault becomes `Unanswered`, never a grade.

A question is voted on until the votes decide it (`votes.py`); one vote is the asker's work (`asking.py`), one call the
client's (`client.py`). What the votes come to is a verdict only where it is sure enough; else it is "cannot assess".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import anyio

from judgemesh.contracts.attempts import CallContext, Company
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import Gateway
from judgemesh.contracts.needs import Ask, Extract, Extracted, Judged, Unanswered
from judgemesh.contracts.opinions import VOTES, Vote
from judgemesh.contracts.verdicts import Confidence
from judgemesh.contracts.voting import VotingPolicy, policy_of
from judgemesh.mesh.judging.client.attempts import one_line
from judgemesh.mesh.judging.client.budget import longer_reply, output_limit
from judgemesh.mesh.judging.client.cache import ResponseCache
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.client.client import Client, utc_now
from judgemesh.mesh.judging.client.retry import RetryPolicy, Sleep
from judgemesh.mesh.judging.client.sample import Sample
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.confidence.stability import stability
from judgemesh.mesh.judging.errors import BudgetSpent
from judgemesh.mesh.judging.families import self_preference
from judgemesh.mesh.judging.opinion import no_opinion, with_signals
from judgemesh.mesh.judging.prompting.frame import Framed, frame
from judgemesh.mesh.judging.prompting.prepare import prepared
from judgemesh.mesh.judging.prompting.windows import prompt_budget
from judgemesh.mesh.judging.replies.parse import read_data
from judgemesh.mesh.judging.replies.review import details as review_details
from judgemesh.mesh.judging.replies.review import guard
from judgemesh.mesh.judging.signals import Prior, criterion_digest
from judgemesh.mesh.judging.voting.asker import Asker, wordings_of
from judgemesh.mesh.judging.voting.ballot import Ballot
from judgemesh.mesh.judging.voting.batches import Seat
from judgemesh.mesh.judging.voting.batching import Round, Together
from judgemesh.mesh.judging.voting.rules import Outcome
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.prompts.loader import load


class OfVotes:
    """Stands for the temperature that the way of voting asks for."""


OF_VOTES: Final = OfVotes()


class Judge:
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
        self._together = None
        if batch_criteria > 1:
            longer = longer_reply(self._client.parameters, batch_criteria)
            room = prompt_budget(
                model, reply_tokens=output_limit(longer), context=context_tokens
            )
            self._together = Together(
                client=self._client,
                most=batch_criteria,
                rotate=self._votes.rotate,
                audit=batch_audit,
                seed=seed,
                budget=room,
            )
        together = () if self._together is None else self._together.prompts
        wordings = wordings_of(self._votes, together, batch_criteria)
        self._asker = Asker(
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
    def prompts_digest(self) -> str:
        """The digest over all wordings of the yes/no question: what a calibration belongs to, beside the model."""
        return self._asker.wordings.digest

    @property
    def identity(self) -> tuple[str, str]:
        """Whom a calibration is about: model, and digest of all that it is asked with."""
        return self.model, self.prompts_digest

    @property
    def settings(self) -> Mapping[str, object]:
        """Everything that can change an answer, JSON-ready: for run keys, and for who wants to know."""
        wordings = self._asker.wordings
        prompts = (
            *wordings.plain,
            *((wordings.negated,) if wordings.negated else ()),
            self._extract_prompt,
        )
        together = self._together
        batch: dict[str, object] = (
            {} if together is None else {"batch": [together.most, together.audit]}
        )
        return {
            **self._client.settings,
            "prompts": {
                prompt.ref: prompt.digest
                for prompt in (*prompts, *(together.prompts if together else ()))
            },
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

    async def ask(
        self, need: Ask, context: CallContext, prior: Prior | None = None
    ) -> Judged | Unanswered:
        """Vote on a yes/no question. Never raises a `JudgeError`: a fault is an `Unanswered`.

        `prior` is what the model's own probability said, where it did not settle the question.
        """
        seat = None if self._together is None else self._together.seat(need, context)
        if seat is None:
            return await self._ask(need, context, None, prior)
        try:
            return await self._ask(need, context, seat, prior)
        finally:
            seat.leave()

    async def ask_many(
        self, needs: Sequence[Ask], context: CallContext
    ) -> list[Judged | Unanswered]:
        """Vote on several questions at once, several in a call where `batch_criteria` says so.

        Each is decided by votes of its own: who is decided leaves, the others go on. Gates are asked alone.
        """
        company = Company(tuple(needs))
        answers: dict[int, Judged | Unanswered] = {}

        async def one(place: int) -> None:
            try:
                answers[place] = await self.ask(
                    needs[place], replace(context, company=company)
                )
            finally:
                company.leave(needs[place])

        await _together(one, range(len(needs)))
        return [answers[place] for place in range(len(needs))]

    async def _ask(
        self,
        need: Ask,
        context: CallContext,
        seat: Seat[Round] | None,
        prior: Prior | None,
    ) -> Judged | Unanswered:
        shown = await self._asker.prepared(
            need, self._asker.wordings.prompt(need, 0, seed=self._seed)
        )
        if shown.coverage.missing:
            return _not_shown(need, shown, self.model)
        ballot = Ballot(
            self._votes.rule(gating=need.gating),
            need.expected,
            p_yes=None if prior is None else prior.p_yes,
        )
        faults = await self._vote(need, ballot, context, seat)
        outcome = ballot.outcome
        fault = _fault_of(faults, outcome)
        if fault is not None:
            return _unanswered(fault, need.question_id)
        return self._judged(
            need,
            ballot,
            outcome or Outcome.UNSTABLE,
            shown,
            VOTES if prior is None else prior.then_votes,
        )

    async def _vote(
        self, need: Ask, ballot: Ballot, context: CallContext, seat: Seat[Round] | None
    ) -> list[JudgeError]:
        """Ask for votes until they decide; the faults of those that nothing came of."""
        faults: list[JudgeError] = []
        started = self._monotonic()

        async def one(index: int) -> None:
            try:
                given = None
                if self._together is not None and seat is not None:
                    given = await self._together.vote(seat, index, context)
                ballot.cast.append(await self._asker.vote(need, index, context, given))
            except JudgeError as error:
                ballot.broken += 1
                faults.append(error)

        while (wanted := ballot.wanted()) > 0:
            await _together(one, range(ballot.asked, ballot.asked + wanted))
            # Without budget or time another vote would only be another fault.
            spent = any(isinstance(fault, BudgetSpent) for fault in faults)
            if spent or self._monotonic() - started >= self._deadline_s:
                break
        return faults

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


async def _together(
    ask: Callable[[int], Coroutine[None, None, None]], indexes: range
) -> None:
    """Ask for several votes at once; what breaks is raised as it is, not as a group of one."""
    if len(indexes) == 1:
        await ask(indexes[0])
        return
    try:
        async with anyio.create_task_group() as tasks:
            for index in indexes:
                tasks.start_soon(ask, index)
    except ExceptionGroup as group:
        raise group.exceptions[0] from group


@dataclass(frozen=True, slots=True)
class _Assessed:
    """The second confidence, and why the verdict may not stand on it; empty where it may."""

    correctness: float | None = None
    doubt: str = ""


def _fault_of(
    faults: Sequence[JudgeError], outcome: Outcome | None
) -> JudgeError | None:
    """The fault that there is no verdict for; None where the votes that came say enough, or say that they disagree."""
    if not faults or outcome in (Outcome.PASSING, Outcome.FAILING):
        return None
    spent = next((fault for fault in faults if isinstance(fault, BudgetSpent)), None)
    return spent or (faults[0] if outcome in (None, Outcome.BROKEN) else None)


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
