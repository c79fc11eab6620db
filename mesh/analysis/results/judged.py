"""The questions that judges were asked about a result, and what they wrote. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.report import ValidatorVerdict

_Reply = Mapping[str, Any]
_ReplyKey = tuple[str, str, int, int]
_Replies = Mapping[_ReplyKey, Sequence[_Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer:
    """One attempt to get an answer.

    vote: `yes`, `no`, `cannot_assess`; None where there is none. reply: the text that the model wrote; None where it is
        not kept. cost: None where unknown.
    """

    model: str
    sample: int
    attempt: int
    vote: str | None
    reason: str
    reply: str | None
    error: str | None
    from_cache: bool
    cost: Money | None
    latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuestion:
    """One yes/no question of a validator.

    question: the text, up to 1,000 characters; empty where no opinion came of it.
    opinion: what was made of the answers; None where the question was part of a call with others, or failed.
    verdict: position of the verdict that states the opinion.
    """

    validator: str
    question_id: str
    question: str
    opinion: Opinion | None
    verdict: int | None
    answers: tuple[JudgeAnswer, ...]


def questions_of(
    verdicts: Sequence[ValidatorVerdict],
    attempts: Iterable[JudgeAttempt],
    replies: object,
) -> tuple[JudgeQuestion, ...]:
    """The questions with an opinion in the order of the verdicts, then those that only have attempts.

    Args:
        verdicts: of the report.
        attempts: of the ledger; none for a report of a file.
        replies: as the content of a result has them; None where they are not kept.
    """
    kept = _by_place(replies)
    asked: dict[tuple[str, str], list[JudgeAnswer]] = {}
    for attempt in attempts:
        key = (attempt.validator_name, attempt.question_id)
        asked.setdefault(key, []).append(_answer(attempt, kept))
    questions: list[JudgeQuestion] = []
    for position, row in enumerate(verdicts):
        opinion = row.verdict.opinion
        if opinion is None:
            continue
        key = (row.validator_name, opinion.question_id)
        questions.append(
            JudgeQuestion(
                validator=row.validator_name,
                question_id=opinion.question_id,
                question=opinion.question,
                opinion=opinion,
                verdict=position,
                answers=tuple(asked.pop(key, ())),
            )
        )
    for (validator, question_id), answers in asked.items():
        questions.append(
            JudgeQuestion(
                validator=validator,
                question_id=question_id,
                question="",
                opinion=None,
                verdict=None,
                answers=tuple(answers),
            )
        )
    return tuple(questions)


def _by_place(replies: object) -> dict[_ReplyKey, list[_Reply]]:
    """The kept replies by question, sample and attempt: one of each judge and prompt."""
    places: dict[_ReplyKey, list[_Reply]] = {}
    if not isinstance(replies, list):
        return places
    for entry in cast("list[object]", replies):
        if not isinstance(entry, Mapping):
            continue
        row = cast("_Reply", entry)
        key = (
            str(row.get("validator")),
            str(row.get("question_id")),
            row.get("sample_index", 0),
            row.get("attempt", 1),
        )
        places.setdefault(key, []).append(row)
    return places


def _reply(attempt: JudgeAttempt, replies: _Replies) -> str | None:
    """What the model wrote in an attempt.

    Ledgers of earlier versions have neither the model that was asked nor the prompt.
    """
    key = (
        attempt.validator_name,
        attempt.question_id,
        attempt.sample_index,
        attempt.attempt,
    )
    facts = {
        "asked": attempt.model_requested,
        "prompt": attempt.prompt_name,
        "model": attempt.model_served or attempt.model_requested,
    }
    for row in replies.get(key, ()):
        if all(row.get(name, fact) == fact for name, fact in facts.items()):
            return str(row.get("text", ""))
    return attempt.reply


def _answer(attempt: JudgeAttempt, replies: _Replies) -> JudgeAnswer:
    error = attempt.error_type
    if error and attempt.error_message:
        error = f"{error}: {attempt.error_message}"
    return JudgeAnswer(
        model=attempt.model_served or attempt.model_requested,
        sample=attempt.sample_index,
        attempt=attempt.attempt,
        vote=attempt.vote,
        reason=attempt.reason or "",
        reply=_reply(attempt, replies),
        error=error,
        from_cache=attempt.cache_hit,
        cost=attempt.cost,
        latency_ms=attempt.latency_ms,
    )
