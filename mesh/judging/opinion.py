"""From an answer to the opinion that is recorded of it. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from judgemesh.contracts.needs import Ask, Judged, Unanswered
from judgemesh.contracts.opinions import VOTES, Opinion, Role
from judgemesh.mesh.judging.protocols import Identity
from judgemesh.mesh.judging.signals import Signals, criterion_digest

_MAX_QUESTION_CHARS: Final = 1000


def no_opinion(need: Ask, judge: Identity, *, backend: str = VOTES) -> Opinion:
    """Who was asked what, with no opinion yet: what is recorded of a judge that broke, and the start of all others."""
    return Opinion(**_asked(need, judge, backend))


def heard(
    need: Ask, judge: Identity, signals: Signals, *, backend: str = VOTES, **facts: Any
) -> Opinion:
    """The opinion of a judge with the votes that it rests on; `facts` are further fields of the opinion."""
    return Opinion(
        **_asked(need, judge, backend),
        votes_yes=signals.yes,
        votes_no=signals.no,
        p_yes=signals.p_yes,
        contradicted=signals.contradicted,
        quote_found=signals.quote_found,
        **facts,
    )


def _asked(need: Ask, judge: Identity, backend: str) -> dict[str, Any]:
    model, prompts = judge
    return {
        "question_id": need.question_id,
        "question": need.question[:_MAX_QUESTION_CHARS],
        "criterion": criterion_digest(need.question),
        "gating": need.gating,
        "model": model,
        "prompts": prompts,
        "backend": backend,
    }


def recorded(answer: Judged | Unanswered, unheard: Opinion) -> Opinion:
    """The opinion of an answer; `unheard` with the fault of a judge that broke, or where the answer holds none."""
    if isinstance(answer, Unanswered):
        return replace(unheard, error_type=answer.error_type)
    return answer.opinion or unheard


def as_other(opinion: Opinion, role: Role) -> Opinion:
    """The opinion in a role other than the final one, which alone keeps the text of the question."""
    return replace(opinion, role=role, question="")
