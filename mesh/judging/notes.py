"""What a verdict's details keep about who was asked what: the shape that calibration and the label queue read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.needs import Ask, Judged
from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.signals import (
    VOTES,
    Signals,
    criterion_digest,
    signals_from_json,
)

JUDGEMENT: Final = "judgement"
"""The key in the details of a verdict."""

SUSPECTED: Final = "injection_suspected"
SIDES: Final = (Vote.YES.value, Vote.NO.value)

_MOST_QUESTION: Final = 1000


def noted(
    need: Ask, *, model: str, prompts: str, served: Iterable[str], backend: str = VOTES
) -> dict[str, object]:
    """The part of a judgement that is the same however the question was answered.

    A judgement also holds `leader` (the side the answers lean to), `verdict` (the same, or `cannot_assess` where the
    judge's own rules leave it open; what a calibration makes of it comes after) and the `Signals`.
    """
    return {
        "question_id": need.question_id,
        "question": need.question[:_MOST_QUESTION],
        "expected": need.expected,
        "criterion": criterion_digest(need.question),
        "gating": need.gating,
        "model": model,
        "served": sorted(served),
        "prompts": prompts,
        **({} if backend == VOTES else {"backend": backend}),
    }


def mapping_of(value: object) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def listed(value: object) -> list[Mapping[str, Any]]:
    """The mappings of a list."""
    return [found for item in items_of(value) if (found := mapping_of(item))]


def items_of(value: object) -> list[object]:
    """The items of a list, or none of anything else."""
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else []


def judgements_in(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every judgement that the details of one verdict hold: the last word first, then panels' members, P(yes) that
    settled nothing, the judge that was asked first, and the second judge of an audited question.
    """
    own = mapping_of(details.get(JUDGEMENT))
    if own:
        yield own
    for member in listed(mapping_of(details.get("panel")).get("judges")):
        yield from judgements_in(member)
    for inner in (
        details.get("probability"),
        details.get("first"),
        mapping_of(details.get("audit")).get("second"),
    ):
        if found := mapping_of(inner):
            yield from judgements_in(found)


def verdict_of(judgement: Mapping[str, Any]) -> str:
    """`yes`, `no` or `cannot_assess`, before any calibration; what was noted before there was one is the leader."""
    return str(
        judgement.get("verdict", judgement.get("leader", Vote.CANNOT_ASSESS.value))
    )


def signals_of(judgement: Mapping[str, Any]) -> Signals | None:
    """The signals of a judgement; None where they cannot be read."""
    try:
        return signals_from_json(judgement)
    except ValueError:
        return None


def opinion_of(answer: Judged) -> tuple[Vote, Signals | None]:
    """What an answer comes to before any calibration, and its signals."""
    judgement = mapping_of(answer.details.get(JUDGEMENT))
    verdict = verdict_of(judgement)
    signals = signals_of(judgement) if judgement else None
    return (Vote(verdict) if verdict in SIDES else Vote.CANNOT_ASSESS), signals
