"""Yes/no criteria: one narrow question each, answered by a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, TypedDict

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import Criterion
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Judged,
    Material,
    Need,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Confidence,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.answers import delivered_nothing, words_of
from judgemesh.validators._shared.transcript import rendered
from judgemesh.validators._shared.values import json_text

_DEFAULT_MATERIALS: Final = ("instruction", "final_answer", "outputs")
_OUTPUT_MATERIALS: Final = frozenset({"final_answer", "outputs"})

CODE_OF_METRIC: Final[Mapping[str, FailureCode]] = MappingProxyType(
    {
        Metric.READABILITY: FailureCode.LOW_READABILITY_SCORE,
        Metric.COMPLETENESS: FailureCode.INCOMPLETE_ANSWER,
        Metric.METHODOLOGY: FailureCode.SOP_NOT_FOLLOWED,
        Metric.EVIDENCE_CONSISTENCY: FailureCode.UNSUPPORTED_CLAIM,
        Metric.EVIDENCE_VALIDITY: FailureCode.MISSING_EVIDENCE,
    }
)
"""The code of a criterion that names none, by its metric; `UNKNOWN_FAILURE` for every other metric."""


@validator(
    name="criteria",
    version="1",
    codes=(*CODE_OF_METRIC.values(), FailureCode.UNKNOWN_FAILURE),
    applies=lambda contract: bool(contract.criteria),
    stage=Stage.MODEL,
    timeout_s=600.0,
)
def criteria(case: Case) -> Judgement:
    """Each yes/no criterion holds, by a judge's word.

    All questions go out at once. Without a judge they are skipped, never passed. An answer without content fails
    every criterion that reads it, unasked: some judges reward openers such as `Thought process:`.
    """
    asked, verdicts = _split(case)
    verdicts += yield from judged(case, asked)
    return verdicts or [
        Skipped(
            check="criteria",
            reason=Reason.NOT_CONFIGURED,
            diagnostic="the contract has no criteria",
        )
    ]


def judged(case: Case, asked: Sequence[Criterion]) -> Judgement:
    """A judge's word on each criterion, all asked at once; without a judge each is skipped."""
    if not case.judge or not asked:
        return [_skipped(criterion) for criterion in asked]
    sources = _sources(case)
    needs: list[Need] = [_ask(criterion, sources) for criterion in asked]
    replies = yield needs
    return [
        _verdict(criterion, reply)
        for criterion, reply in zip(asked, replies, strict=True)
    ]


def _split(case: Case) -> tuple[list[Criterion], list[Verdict]]:
    if not delivered_nothing(case.result):
        return list(case.contract.criteria), []
    hollow = [
        criterion
        for criterion in case.contract.criteria
        if _OUTPUT_MATERIALS & set(_materials_of(criterion))
    ]
    return [
        criterion for criterion in case.contract.criteria if criterion not in hollow
    ], [_hollow(criterion) for criterion in hollow]


def _materials_of(criterion: Criterion) -> tuple[str, ...]:
    return (
        _DEFAULT_MATERIALS
        if criterion.materials is None
        else tuple(criterion.materials)
    )


def code_of(criterion: Criterion) -> FailureCode:
    """The code a failed criterion carries."""
    return criterion.code or CODE_OF_METRIC.get(
        criterion.metric, FailureCode.UNKNOWN_FAILURE
    )


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a criterion may show, each made when it is needed, and the model that did the work."""

    texts: Mapping[str, Callable[[], str]]
    agent_model: str | None


def _sources(case: Case) -> _Sources:
    result = case.result
    texts: dict[str, Callable[[], str]] = {
        "instruction": lambda: (
            json_text(case.contract.input) if case.contract.input else ""
        ),
        "final_answer": lambda: result.output.final_answer or "",
        "outputs": lambda: _structured(case),
        "actions": lambda: json_text(
            [
                action.model_dump(mode="json", exclude_unset=True)
                for action in result.actions
            ]
        ),
        "trace": lambda: rendered(result.trace.steps) if result.trace else "",
    }
    return _Sources(
        {name: cache(text) for name, text in texts.items()}, result.agent_model
    )


def _structured(case: Case) -> str:
    output = case.result.output
    data: dict[str, object] = {**output.outputs, **(output.model_extra or {})}
    for name, items in (("citations", output.citations), ("claims", output.claims)):
        if items:
            data[name] = [
                item.model_dump(mode="json", exclude_unset=True) for item in items
            ]
    return json_text(data) if data else ""


def _ask(criterion: Criterion, sources: _Sources) -> Ask:
    named = criterion.materials is not None
    texts = [(name, sources.texts[name]()) for name in _materials_of(criterion)]
    # A material that was asked for by name is shown even when it is empty: its emptiness may be the point. Materials
    # are whole, however long: what of them fits into a prompt is the judge's affair, which says what it left out.
    materials = tuple(
        Material(name, text or "(none)") for name, text in texts if text or named
    )
    return Ask(
        question_id=criterion.id,
        question=criterion.question,
        materials=materials,
        gating=criterion.gate,
        expected=criterion.pass_if,
        agent_model=sources.agent_model,
    )


def _verdict(criterion: Criterion, reply: Answer) -> Verdict:
    check, metric, weight, gating = (
        f"criterion:{criterion.id}",
        criterion.metric,
        criterion.weight,
        criterion.gate,
    )
    if isinstance(reply, Unanswered):
        return unanswered_verdict(
            reply, check=check, metric=metric, weight=weight, gating=gating
        )
    if not isinstance(reply, Judged):
        raise TypeError(f"a question was answered by {type(reply).__name__}")
    shared: _Shared = {
        "check": check,
        "confidence": reply.confidence,
        "metric": metric,
        "weight": weight,
        "gating": gating,
        "details": reply.details,
        "opinion": reply.opinion,
    }
    said = words_of(reply)
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(diagnostic=said, **shared)
    if reply.vote.value == criterion.pass_if:
        return Pass(diagnostic=said, **shared)
    return Fail(
        codes=(code_of(criterion),), diagnostic=f"{criterion.question} {said}", **shared
    )


class _Shared(TypedDict):
    """What every verdict on a criterion has."""

    check: str
    confidence: Confidence
    metric: str
    weight: float
    gating: bool
    details: Mapping[str, object]
    opinion: Opinion | None


def _hollow(criterion: Criterion) -> Fail:
    return Fail(
        check=f"criterion:{criterion.id}",
        codes=(code_of(criterion),),
        diagnostic="not asked: the answer has no content",
        confidence=DETERMINISTIC,
        metric=criterion.metric,
        weight=criterion.weight,
        gating=criterion.gate,
    )


def _skipped(criterion: Criterion) -> Skipped:
    return Skipped(
        check=f"criterion:{criterion.id}",
        reason=Reason.NOT_CONFIGURED,
        diagnostic="no judge is configured",
        metric=criterion.metric,
        weight=criterion.weight,
        gating=criterion.gate,
    )
