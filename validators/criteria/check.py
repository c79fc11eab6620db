"""The questions of yes/no criteria, and the verdicts on a judge's answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Final

from pydantic import BaseModel

from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Judged,
    Material,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.sections.criterion import Criterion
from judgemesh.contracts.validator import Case, Judgement
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Pass,
    Skipped,
    Verdict,
    VerdictFields,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.answer.answers import delivered_nothing
from judgemesh.validators._shared.replies import expect, reply_text
from judgemesh.validators._shared.trace.transcript import rendered, unread_trace
from judgemesh.validators._shared.values import json_text
from judgemesh.validators.criteria.codes import code_of

_DEFAULT_MATERIALS: Final = ("instruction", "final_answer", "outputs")
_TRACE: Final = "trace"
_OUTPUT_MATERIALS: Final = frozenset({"final_answer", "outputs"})


def check_criteria(case: Case) -> Judgement:
    """The verdicts on all criteria of a contract."""
    asked: list[Criterion] = []
    verdicts: list[Verdict] = []
    nothing_to_read = delivered_nothing(case.result)
    for criterion in case.contract.criteria:
        if nothing_to_read and _OUTPUT_MATERIALS.intersection(_materials_of(criterion)):
            verdicts.append(_without_content(criterion))
        else:
            asked.append(criterion)
    verdicts += yield from judged(case, asked)
    return verdicts or [not_configured("criteria", "the contract has no criteria")]


def judged(case: Case, asked: Sequence[Criterion]) -> Judgement:
    """A judge's verdict on each criterion, all asked at once; without a judge each is skipped."""
    if not case.judge or not asked:
        return [_skipped(criterion) for criterion in asked]
    unread = list(_unread(case, asked))
    if unread:
        asked = [each for each in asked if _TRACE not in _materials_of(each)]
        return [*unread, *((yield from judged(case, asked)) if asked else ())]
    text_of = cache(partial(_material_text, case))
    names = [f"criterion:{number}" for number in range(1, len(asked) + 1)]
    named = dict(zip(names, asked, strict=True))
    agent_model = case.result.agent_model
    asks = {
        name: _ask(criterion, text_of, agent_model) for name, criterion in named.items()
    }
    answers = yield asks
    verdicts: list[Verdict] = []
    for name, criterion in named.items():
        shown = tuple(material.name for material in asks[name].materials)
        verdicts.append(_verdict(criterion, answers[name], shown))
    return verdicts


def _unread(case: Case, asked: Sequence[Criterion]) -> Iterator[Verdict]:
    """The criteria that a judge would have to answer from a trace that could not be read."""
    why = unread_trace(case)
    for criterion in asked if why is not None else ():
        if _TRACE in _materials_of(criterion):
            yield inaccessible(_check(criterion), why or "", **_weighted(criterion))


def _materials_of(criterion: Criterion) -> Sequence[str]:
    if criterion.materials is None:
        return _DEFAULT_MATERIALS
    return criterion.materials


def _material_text(case: Case, name: str) -> str:
    """What a judge is shown under one name."""
    result = case.result
    match name:
        case "instruction":
            return json_text(case.contract.input) if case.contract.input else ""
        case "final_answer":
            return result.output.final_answer or ""
        case "outputs":
            return _structured_output(case)
        case "actions":
            actions = [_dumped(action) for action in result.actions]
            return json_text(actions)
        case _:
            return rendered(result.trace.steps) if result.trace else ""


def _structured_output(case: Case) -> str:
    output = case.result.output
    fields: dict[str, object] = {**output.outputs, **(output.model_extra or {})}
    if output.citations:
        fields["citations"] = [_dumped(citation) for citation in output.citations]
    if output.claims:
        fields["claims"] = [_dumped(claim) for claim in output.claims]
    return json_text(fields) if fields else ""


def _dumped(model: BaseModel) -> dict[str, object]:
    return model.model_dump(mode="json", exclude_unset=True)


def _ask(
    criterion: Criterion, text_of: Callable[[str], str], agent_model: str | None
) -> Ask:
    # A material that was asked for by name is shown even when it is empty: its emptiness may be the point. Materials
    # are whole, however long; the judge fits them into its prompt and says what it left out.
    materials = [
        Material(name, text_of(name) or "(none)")
        for name in _materials_of(criterion)
        if criterion.materials is not None or text_of(name)
    ]
    return Ask(
        question_id=criterion.id,
        question=criterion.question,
        materials=tuple(materials),
        gating=criterion.gate,
        expected=criterion.pass_if,
        agent_model=agent_model,
    )


def _verdict(criterion: Criterion, answer: Answer, shown: tuple[str, ...]) -> Verdict:
    """What a judge decided, with the names of what it was shown as evidence."""
    check = _check(criterion)
    reply = expect(answer, Judged)
    if isinstance(reply, Unanswered):
        return unanswered_verdict(
            reply,
            check=check,
            metric=criterion.metric,
            weight=criterion.weight,
            gating=criterion.gate,
        )
    fields = _weighted(criterion)
    fields["confidence"] = reply.confidence
    fields["evidence_refs"] = shown
    fields["details"] = reply.details
    # Only a criterion states its opinion: its question is the contract's own, so that people can label the answers.
    fields["opinion"] = reply.opinion
    why = reply_text(reply)
    if reply.vote is Vote.CANNOT_ASSESS:
        return Abstain(check=check, diagnostic=why, **fields)
    if str(reply.vote) == criterion.pass_if:
        return Pass(check=check, diagnostic=why, **fields)
    return Fail(
        check=check,
        codes=(code_of(criterion),),
        diagnostic=f"{criterion.question} {why}",
        **fields,
    )


def _without_content(criterion: Criterion) -> Fail:
    fields = _weighted(criterion)
    fields["confidence"] = DETERMINISTIC
    return Fail(
        check=_check(criterion),
        codes=(code_of(criterion),),
        diagnostic="not asked: the answer has no content",
        **fields,
    )


def _skipped(criterion: Criterion) -> Skipped:
    return not_configured(
        _check(criterion), "no judge is configured", **_weighted(criterion)
    )


def _check(criterion: Criterion) -> str:
    return f"criterion:{criterion.id}"


def _weighted(criterion: Criterion) -> VerdictFields:
    return {
        "metric": criterion.metric,
        "weight": criterion.weight,
        "gating": criterion.gate,
    }
