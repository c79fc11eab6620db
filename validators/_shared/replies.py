"""Answers of the engine: checked for their kind, and a judge's reply in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar, cast

from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extracted,
    Judged,
    RecordsFound,
    Unanswered,
)

_REMARKS: Final = ("note", "coverage", "self_preference")
_Expected = TypeVar("_Expected", Judged, Extracted, RecordsFound)


def expect(answer: Answer, kind: type[_Expected]) -> _Expected | Unanswered:
    """The answer, which is of the kind that answers the need, or `Unanswered`.

    Raises:
        TypeError: it is an answer to another kind of need.
    """
    if isinstance(answer, kind | Unanswered):
        return answer
    raise TypeError(f"expected {kind.__name__}, got {type(answer).__name__}")


def by_id(questions: Iterable[Ask]) -> dict[str, Ask]:
    """The questions as needs: each by its id."""
    return {question.question_id: question for question in questions}


def vote_text(reply: Judged) -> str:
    """A judge's vote and its reason."""
    vote = str(reply.vote)
    return f"{vote}: {reply.reason}" if reply.reason else vote


def reply_text(reply: Judged) -> str:
    """A judge's reply for people: its vote and reason, and remarks on how it came about."""
    text = vote_text(reply)
    if not reply.details:
        return text
    remarks = [_remark(reply.details.get(name)) for name in _REMARKS]
    if reply.details.get("injection_suspected"):
        remarks.append("the judged text speaks to the evaluator")
    shown = "; ".join(filter(None, remarks))
    return f"{text} [{shown}]" if shown else text


def _remark(detail: object) -> str:
    """A remark is a sentence, or an object that holds one."""
    if isinstance(detail, Mapping):
        detail = cast("Mapping[str, object]", detail).get("sentence")
    return detail if isinstance(detail, str) else ""
